package tokenizer

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// normalizer changes a text before it is cut.
type normalizer interface{ normalize(text string) string }

type normalizeFunc func(string) string

func (f normalizeFunc) normalize(text string) string { return f(text) }

// form is a form of Unicode's normalisation.
func form(f norm.Form) normalizer { return normalizeFunc(f.String) }

// stripAccents drops marks that stand on no character of their own.
var stripAccents normalizeFunc = func(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, text)
}

func replaceString(old, with string) normalizer {
	return normalizeFunc(func(text string) string { return strings.ReplaceAll(text, old, with) })
}

func replaceRegexp(re *regexp.Regexp, with string) normalizer {
	return normalizeFunc(func(text string) string { return re.ReplaceAllLiteralString(text, with) })
}

func prepend(prefix string) normalizer {
	return normalizeFunc(func(text string) string {
		if text == "" {
			return text
		}
		return prefix + text
	})
}

func strip(left, right bool) normalizer {
	return normalizeFunc(func(text string) string {
		if left {
			text = strings.TrimLeftFunc(text, unicode.IsSpace)
		}
		if right {
			text = strings.TrimRightFunc(text, unicode.IsSpace)
		}
		return text
	})
}

// bertNormalizer normalises text as BERT does.
type bertNormalizer struct {
	clean   bool // white space becomes spaces, and control characters go
	chinese bool // spaces around ideographs
	accents bool // are stripped
	lower   bool
}

func (n bertNormalizer) normalize(text string) string {
	if n.clean {
		text = strings.Map(func(r rune) rune {
			switch {
			case r == 0 || r == 0xFFFD:
				return -1
			case unicode.IsSpace(r):
				return ' '
			case unicode.Is(unicode.C, r):
				return -1
			}
			return r
		}, text)
	}
	if n.chinese {
		var b strings.Builder
		for _, r := range text {
			if isIdeograph(r) {
				b.WriteByte(' ')
				b.WriteRune(r)
				b.WriteByte(' ')
				continue
			}
			b.WriteRune(r)
		}
		text = b.String()
	}
	if n.accents {
		text = stripAccents(norm.NFD.String(text))
	}
	if n.lower {
		text = lower(text)
	}
	return text
}

// lower is the lower case of Unicode, of which one character has two.
func lower(text string) string {
	if strings.ContainsRune(text, 'İ') {
		text = strings.ReplaceAll(text, "İ", "i̇")
	}
	return strings.ToLower(text)
}

// isIdeograph holds of the blocks of characters that BERT counts among the Chinese ones.
func isIdeograph(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2A6DF ||
		r >= 0x2A700 && r <= 0x2B73F || r >= 0x2B740 && r <= 0x2B81F || r >= 0x2B920 && r <= 0x2CEAF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}

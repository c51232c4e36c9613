package tokenizer

import (
	"strconv"
	"strings"
)

// decoder changes tokens on their way to text.
type decoder interface {
	decode(tokens []string) []string
}

type decodeFunc func(tokens []string) []string

func (f decodeFunc) decode(tokens []string) []string { return f(tokens) }

// fuse makes one of all tokens.
func fuse(tokens []string) []string { return []string{strings.Join(tokens, "")} }

// wordPieceDecoder puts spaces between words.
func wordPieceDecoder(prefix string, cleanup bool) decoder {
	return decodeFunc(func(tokens []string) []string {
		var b strings.Builder
		for i, s := range tokens {
			if rest, ok := strings.CutPrefix(s, prefix); ok && i > 0 {
				s = rest
			} else if i > 0 {
				s = " " + s
			}
			if cleanup {
				s = cleaned(s)
			}
			b.WriteString(s)
		}
		return []string{b.String()}
	})
}

// cleaned drops the spaces that English does not have.
func cleaned(s string) string {
	return strings.NewReplacer(" .", ".", " ?", "?", " !", "!", " ,", ",", " ' ", "'", " n't", "n't", " 'm", "'m", " do not", " don't",
		" 's", "'s", " 've", "'ve", " 're", "'re").Replace(s)
}

// byteFallback makes characters of the tokens of bytes that follow each other.
func byteFallback(tokens []string) []string {
	var all []string
	var run []byte
	flush := func() {
		if s := string(run); strings.ToValidUTF8(s, "") == s {
			all = append(all, s)
		} else {
			all = append(all, strings.Repeat("\uFFFD", len(run)))
		}
		run = nil
	}
	for _, s := range tokens {
		if len(s) == 6 && strings.HasPrefix(s, "<0x") && s[5] == '>' {
			if b, err := strconv.ParseUint(s[3:5], 16, 8); err == nil {
				run = append(run, byte(b))
				continue
			}
		}
		if run != nil {
			flush()
		}
		all = append(all, s)
	}
	if run != nil {
		flush()
	}
	return all
}

// stripDecoder drops char, up to start and stop times, at the ends of each token.
func stripDecoder(char string, start, stop int) decoder {
	return decodeFunc(func(tokens []string) []string {
		all := make([]string, len(tokens))
		for i, s := range tokens {
			for n := 0; n < start && char != "" && strings.HasPrefix(s, char); n++ {
				s = s[len(char):]
			}
			for n := 0; n < stop && char != "" && strings.HasSuffix(s, char); n++ {
				s = s[:len(s)-len(char)]
			}
			all[i] = s
		}
		return all
	})
}

func replaceDecoder(old, with string) decoder {
	return decodeFunc(func(tokens []string) []string {
		all := make([]string, len(tokens))
		for i, s := range tokens {
			all[i] = strings.ReplaceAll(s, old, with)
		}
		return all
	})
}

// metaspaceDecoder makes spaces of the character for them, but for the one in front of the text.
func metaspaceDecoder(space string, prefixed bool) decoder {
	return decodeFunc(func(tokens []string) []string {
		all := make([]string, len(tokens))
		for i, s := range tokens {
			if i == 0 && prefixed {
				s = strings.TrimPrefix(s, space)
			}
			all[i] = strings.ReplaceAll(s, space, " ")
		}
		return all
	})
}

// suffixDecoder makes spaces of the end of words.
func suffixDecoder(suffix string) decoder {
	return decodeFunc(func(tokens []string) []string {
		all := make([]string, len(tokens))
		for i, s := range tokens {
			with := " "
			if i == len(tokens)-1 {
				with = ""
			}
			all[i] = strings.ReplaceAll(s, suffix, with)
		}
		return all
	})
}

// unknownDecoder writes the token of what is not known.
func unknownDecoder(token, surface string) decoder {
	return decodeFunc(func(tokens []string) []string {
		all := make([]string, len(tokens))
		for i, s := range tokens {
			if s == token {
				s = surface
			}
			all[i] = s
		}
		return all
	})
}

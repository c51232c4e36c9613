package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitter cuts a text into words and appends them. first: it is the beginning of the whole text.
type splitter interface {
	split(words []string, text string, first bool) []string
}

type splitFunc func(words []string, text string, first bool) []string

func (f splitFunc) split(words []string, text string, first bool) []string {
	return f(words, text, first)
}

// behavior says what becomes of what separates.
type behavior string

const (
	removed      behavior = "Removed"
	isolated     behavior = "Isolated"
	withPrevious behavior = "MergedWithPrevious"
	withNext     behavior = "MergedWithNext"
	contiguous   behavior = "Contiguous"
)

// cut splits where next finds separators: it returns the bounds of the first at or after a place; -1: none is left.
func cut(words []string, text string, b behavior, next func(text string, at int) (from, to int)) []string {
	begin, at := 0, 0 // of the present word; where to look
	for {
		from, to := next(text, at)
		if from < 0 {
			break
		}
		for b == contiguous {
			f, t := next(text, to)
			if f != to {
				break
			}
			to = t
		}
		switch b {
		case removed:
			words = append(words, text[begin:from])
			begin = to
		case isolated, contiguous:
			words = append(words, text[begin:from], text[from:to])
			begin = to
		case withPrevious:
			words = append(words, text[begin:to])
			begin = to
		case withNext:
			words = append(words, text[begin:from])
			begin = from
		}
		at = to
	}
	return notEmpty(append(words, text[begin:]))
}

// found are the separators alone.
func found(words []string, text string, next func(text string, at int) (from, to int)) []string {
	for from, to := next(text, 0); from >= 0; from, to = next(text, to) {
		words = append(words, text[from:to])
	}
	return words
}

func notEmpty(words []string) []string {
	kept := words[:0]
	for _, w := range words {
		if w != "" {
			kept = append(kept, w)
		}
	}
	return kept
}

// runes finds single characters of a class.
func runes(is func(rune) bool) func(string, int) (int, int) {
	return func(text string, at int) (int, int) {
		i := strings.IndexFunc(text[at:], is)
		if i < 0 {
			return -1, -1
		}
		_, n := utf8.DecodeRuneInString(text[at+i:])
		return at + i, at + i + n
	}
}

func splitRunes(is func(rune) bool, b behavior) splitter {
	find := runes(is)
	return splitFunc(func(words []string, text string, _ bool) []string { return cut(words, text, b, find) })
}

// isPunctuation is BERT's: that of Unicode, and all of ASCII that is neither letter, digit nor white space.
func isPunctuation(r rune) bool {
	return r >= '!' && r <= '/' || r >= ':' && r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~' || unicode.IsPunct(r)
}

// wordsAndSigns splits into words and runs of other characters: \w+|[^\w\s]+.
func wordsAndSigns(words []string, text string, _ bool) []string {
	kind := func(r rune) int {
		switch {
		case isWord(r):
			return 1
		case unicode.IsSpace(r):
			return 0
		}
		return 2
	}
	begin, last := 0, 0
	for at, r := range text {
		if k := kind(r); k != last {
			if last != 0 {
				words = append(words, text[begin:at])
			}
			begin, last = at, k
		}
	}
	if last != 0 {
		words = append(words, text[begin:])
	}
	return words
}

// metaspace writes spaces as a character, and cuts before it.
type metaspace struct {
	space  string
	prefix string // "always", "first" or "never": where the text gets one in front
	cut    bool
}

func (m metaspace) split(words []string, text string, first bool) []string {
	text = strings.ReplaceAll(text, " ", m.space)
	if (m.prefix == "always" || m.prefix == "first" && first) && !strings.HasPrefix(text, m.space) {
		text = m.space + text
	}
	if !m.cut {
		return append(words, text)
	}
	return cut(words, text, withNext, func(text string, at int) (int, int) {
		i := strings.Index(text[at:], m.space)
		if i < 0 {
			return -1, -1
		}
		return at + i, at + i + len(m.space)
	})
}

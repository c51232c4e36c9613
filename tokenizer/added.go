package tokenizer

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// addedToken is a token that is found in the text before it is cut into words.
type addedToken struct {
	ID         int    `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // not within a word
	LStrip     bool   `json:"lstrip"`      // takes the white space before it
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"` // is looked for in the text after normalisation
	Special    bool   `json:"special"`

	never    bool // is not looked for
	verbatim bool // is not normalised itself
}

// part is an added token, or text between such.
type part struct {
	text string
	id   int // -1: it is text
}

// addedIndex finds added tokens by the first byte of what is looked for, before and after normalisation.
type addedIndex [2][256][]lookedFor

type lookedFor struct {
	*addedToken
	text string
}

// index sorts the added tokens by id, and makes the index.
func (t *Tokenizer) index() {
	slices.SortStableFunc(t.added, func(a, b addedToken) int { return cmp.Compare(a.ID, b.ID) })
	t.find = &addedIndex{}
	for i := range t.added {
		a := &t.added[i]
		text, stage := a.Content, 0
		if a.Normalized {
			stage = 1
			for _, n := range t.normalize {
				if !a.verbatim {
					text = n.normalize(text)
				}
			}
		}
		if text != "" && !a.never {
			t.find[stage][text[0]] = append(t.find[stage][text[0]], lookedFor{a, text})
		}
	}
}

func (t *Tokenizer) addedByID(id int) *addedToken {
	i, ok := slices.BinarySearchFunc(t.added, id, func(a addedToken, id int) int { return cmp.Compare(a.ID, id) })
	if !ok {
		return nil
	}
	return &t.added[i]
}

// parts are the added tokens of a text, and what is between, normalised.
func (t *Tokenizer) parts(text string) iter.Seq[part] {
	return func(yield func(part) bool) {
		for raw := range t.cutAdded(text, 0) {
			if raw.id >= 0 {
				if !yield(raw) {
					return
				}
				continue
			}
			s := raw.text
			for _, n := range t.normalize {
				s = n.normalize(s)
			}
			for p := range t.cutAdded(s, 1) {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// cutAdded cuts a text at the added tokens of a stage: the leftmost, and there the longest.
func (t *Tokenizer) cutAdded(text string, stage int) iter.Seq[part] {
	return func(yield func(part) bool) {
		begin := 0
		for at := 0; at < len(text); {
			a, to := t.match(text, at, stage)
			if a == nil {
				at++
				continue
			}
			from := at
			if a.LStrip {
				from = begin + len(strings.TrimRightFunc(text[begin:from], unicode.IsSpace))
			}
			if a.RStrip {
				to = len(text) - len(strings.TrimLeftFunc(text[to:], unicode.IsSpace))
			}
			if from > begin && !yield(part{text[begin:from], -1}) || !yield(part{"", a.ID}) {
				return
			}
			begin, at = to, to
		}
		if begin < len(text) {
			yield(part{text[begin:], -1})
		}
	}
}

// match is the longest added token that begins at a place, and where it ends.
func (t *Tokenizer) match(text string, at, stage int) (best *addedToken, to int) {
	for _, a := range t.find[stage][text[at]] {
		end := at + len(a.text)
		if !strings.HasPrefix(text[at:], a.text) || best != nil && end <= to {
			continue
		}
		if a.SingleWord {
			before, _ := utf8.DecodeLastRuneInString(text[:at])
			after, _ := utf8.DecodeRuneInString(text[end:])
			if at > 0 && isWord(before) || end < len(text) && isWord(after) {
				continue
			}
		}
		best, to = a.addedToken, end
	}
	return best, to
}

// isWord is the class \w of regular expressions.
func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r)
}

package tokenizer

import "unicode/utf8"

// wordPiece takes the longest token that a word begins with, and so on with the rest.
type wordPiece struct {
	vocab
	unk    int
	prefix string // of tokens that do not begin a word
	most   int    // characters of a word; longer ones are not known
}

func (m *wordPiece) encode(ids []int, word string) []int {
	if utf8.RuneCountInString(word) > m.most {
		return append(ids, m.unk)
	}
	begin := len(ids)
	for from := 0; from < len(word); {
		to, id := len(word), -1
		for ; to > from; to-- {
			if to < len(word) && !utf8.RuneStart(word[to]) {
				continue
			}
			token := word[from:to]
			if from > 0 {
				token = m.prefix + token
			}
			if known, ok := m.ids[token]; ok {
				id = known
				break
			}
		}
		if id < 0 { // the whole word is not known
			return append(ids[:begin], m.unk)
		}
		ids = append(ids, id)
		from = to
	}
	return ids
}

package tokenizer

import (
	"math"
	"unicode/utf8"
)

// unigram finds the tokens of a word whose probabilities have the largest product.
type unigram struct {
	vocab
	scores  []float64 // logarithms of probabilities, by id
	unk     int
	penalty float64   // the score of a character that is not known
	bytes   *[256]int // tokens of bytes, for what is not known; nil: there are none
	fuse    bool
	longest int // bytes of a token
	ignored map[int]bool
}

func newUnigram(v vocab, scores []float64, unk int) *unigram {
	m := &unigram{vocab: v, scores: scores, unk: unk, fuse: true, ignored: map[int]bool{}}
	least := math.Inf(1)
	for id, s := range scores {
		if len(v.token(id)) > m.longest {
			m.longest = len(v.token(id))
		}
		least = min(least, s)
	}
	m.penalty = least - 10
	return m
}

func (m *unigram) encode(ids []int, word string) []int {
	type node struct {
		score float64
		from  int
		id    int
	}
	best := make([]node, len(word)+1) // by where a token ends
	for i := range best {
		best[i].from = -1
	}
	best[0].from = 0
	for at := 0; at < len(word); {
		_, n := utf8.DecodeRuneInString(word[at:])
		single := false
		for to := at + n; to <= len(word) && to-at <= m.longest; {
			if id, ok := m.ids[word[at:to]]; ok && id != m.unk && !m.ignored[id] {
				if s := best[at].score + m.scores[id]; best[to].from < 0 || s > best[to].score {
					best[to] = node{s, at, id}
				}
				single = single || to == at+n
			}
			if to == len(word) {
				break
			}
			_, next := utf8.DecodeRuneInString(word[to:])
			to += next
		}
		if s := best[at].score + m.penalty; !single && (best[at+n].from < 0 || s > best[at+n].score) {
			best[at+n] = node{s, at, m.unk}
		}
		at += n
	}
	type piece struct{ from, to, id int }
	var path []piece // from the end
	for at := len(word); at > 0; at = best[at].from {
		path = append(path, piece{best[at].from, at, best[at].id})
	}
	unknown := false
	for i := len(path) - 1; i >= 0; i-- {
		p := path[i]
		switch {
		case p.id != m.unk:
			ids, unknown = append(ids, p.id), false
		case m.bytes != nil:
			for _, b := range []byte(word[p.from:p.to]) {
				ids = append(ids, m.bytes[b])
			}
		case !(unknown && m.fuse):
			ids, unknown = append(ids, m.unk), true
		}
	}
	return ids
}

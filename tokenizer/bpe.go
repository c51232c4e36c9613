package tokenizer

import (
	"container/heap"
	"fmt"
	"unicode/utf8"
)

// vocab is a vocabulary.
type vocab struct {
	ids    map[string]int
	tokens []string
}

func newVocab(ids map[string]int) (vocab, error) {
	v := vocab{ids: ids}
	for token, id := range ids {
		if id < 0 || id > 1<<24 {
			return v, formatError("the token %q has the id %d", token, id)
		}
		for len(v.tokens) <= id {
			v.tokens = append(v.tokens, "")
		}
		v.tokens[id] = token
	}
	return v, nil
}

func (v *vocab) id(token string) (int, bool) { id, ok := v.ids[token]; return id, ok }
func (v *vocab) size() int                   { return len(v.tokens) }
func (v *vocab) token(id int) string {
	if id < 0 || id >= len(v.tokens) {
		return ""
	}
	return v.tokens[id]
}

// bpe merges the pair of neighbours that comes first, again and again.
type bpe struct {
	vocab
	// merge is the token of two neighbours, whose text together is whole, and its rank: lower ones come first.
	merge  func(a, b int, whole string) (id int, rank float64, ok bool)
	unk    int // -1: what is not known is left out
	fuse   bool
	bytes  *[256]int // tokens of bytes, for what is not known; nil: there are none
	whole  bool      // a word that is a token is not cut
	prefix string    // of all but the first character
	suffix string    // of the last one
}

// bytesOf are the tokens <0x00> to <0xFF>.
func (v *vocab) bytesOf() (*[256]int, error) {
	var all [256]int
	for i := range all {
		token := fmt.Sprintf("<0x%02X>", i)
		id, ok := v.ids[token]
		if !ok {
			return nil, formatError("there is no token %s, and bytes are to stand for what is not known", token)
		}
		all[i] = id
	}
	return &all, nil
}

// symbol is a part of a word, in a list of such.
type symbol struct {
	id         int // -1: it is no token
	from, to   int // in the word
	prev, next int // -1: none
	dead       bool
}

// pair is a merge that may be done.
type pair struct {
	rank        float64
	left, right int // symbols
	id          int
	bytes       int // of both together: others mean that one has changed
}

type pairs []pair

func (p pairs) Len() int { return len(p) }
func (p pairs) Less(i, j int) bool {
	return p[i].rank < p[j].rank || p[i].rank == p[j].rank && p[i].left < p[j].left
}
func (p pairs) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *pairs) Push(x any)   { *p = append(*p, x.(pair)) }
func (p *pairs) Pop() any {
	last := len(*p) - 1
	x := (*p)[last]
	*p = (*p)[:last]
	return x
}

func (m *bpe) encode(ids []int, word string) []int {
	if m.whole {
		if id, ok := m.ids[word]; ok {
			return append(ids, id)
		}
	}
	symbols := m.symbols(word)
	var queue pairs
	look := func(left int) {
		right := symbols[left].next
		if right < 0 {
			return
		}
		a, b := &symbols[left], &symbols[right]
		if id, rank, ok := m.merge(a.id, b.id, word[a.from:b.to]); ok {
			heap.Push(&queue, pair{rank, left, right, id, b.to - a.from})
		}
	}
	for i := range symbols {
		look(i)
	}
	for len(queue) > 0 {
		p := heap.Pop(&queue).(pair)
		a, b := &symbols[p.left], &symbols[p.right]
		if a.dead || b.dead || a.next != p.right || b.to-a.from != p.bytes {
			continue
		}
		a.id, a.to, a.next, b.dead = p.id, b.to, b.next, true
		if a.next >= 0 {
			symbols[a.next].prev = p.left
		}
		if a.prev >= 0 {
			look(a.prev)
		}
		look(p.left)
	}
	return m.emit(ids, symbols, word)
}

// symbols are the characters of a word.
func (m *bpe) symbols(word string) []symbol {
	var all []symbol
	for at, n := 0, 0; at < len(word); at += n {
		_, n = utf8.DecodeRuneInString(word[at:]) // 1 for a byte that is no UTF-8
		token := word[at : at+n]
		if at > 0 {
			token = m.prefix + token
		}
		if at+n == len(word) {
			token += m.suffix
		}
		id, ok := m.ids[token]
		if !ok {
			id = -1
		}
		all = append(all, symbol{id: id, from: at, to: at + n, prev: len(all) - 1, next: len(all) + 1})
	}
	all[len(all)-1].next = -1
	return all
}

// emit appends what is left of the symbols.
func (m *bpe) emit(ids []int, symbols []symbol, word string) []int {
	unknown := false
	for i := 0; i >= 0; i = symbols[i].next {
		s := &symbols[i]
		switch {
		case s.id >= 0:
			ids, unknown = append(ids, s.id), false
		case m.bytes != nil:
			for _, b := range []byte(word[s.from:s.to]) {
				ids = append(ids, m.bytes[b])
			}
		case m.unk >= 0 && !(unknown && m.fuse):
			ids, unknown = append(ids, m.unk), true
		}
	}
	return ids
}

// ranked are merges of pairs of tokens, in their order.
func ranked(v *vocab, merges [][2]string, prefix string) (func(a, b int, whole string) (int, float64, bool), error) {
	type merged struct{ rank, id int }
	table := make(map[[2]int]merged, len(merges))
	for rank, m := range merges {
		a, okA := v.ids[m[0]]
		b, okB := v.ids[m[1]]
		second := m[1]
		if len(second) >= len(prefix) && second[:len(prefix)] == prefix {
			second = second[len(prefix):]
		}
		id, ok := v.ids[m[0]+second]
		if !okA || !okB || !ok {
			return nil, formatError("the vocabulary has not all of %q, %q and what they make", m[0], m[1])
		}
		if _, twice := table[[2]int{a, b}]; !twice {
			table[[2]int{a, b}] = merged{rank, id}
		}
	}
	return func(a, b int, _ string) (int, float64, bool) {
		m, ok := table[[2]int{a, b}]
		return m.id, float64(m.rank), ok
	}, nil
}

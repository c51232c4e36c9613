package tokenizer

import (
	"strings"
	"sync"
)

// wordCache keeps the tokens of words, most of which come again.
type wordCache struct {
	mu  sync.RWMutex
	ids map[string][]int
}

const (
	cachedWords = 1 << 14
	cachedBytes = 64 // of a word at most
)

func (c *wordCache) encode(m model, ids []int, word string) []int {
	if len(word) > cachedBytes {
		return m.encode(ids, word)
	}
	c.mu.RLock()
	known, ok := c.ids[word]
	c.mu.RUnlock()
	if ok {
		return append(ids, known...)
	}
	begin := len(ids)
	ids = m.encode(ids, word)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ids == nil {
		c.ids = map[string][]int{}
	}
	if len(c.ids) < cachedWords {
		c.ids[strings.Clone(word)] = append([]int(nil), ids[begin:]...)
	}
	return ids
}

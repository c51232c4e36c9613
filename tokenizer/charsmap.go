package tokenizer

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// charsmap replaces characters, as SentencePiece does: a trie of what is replaced, a double array of Yata et al. in the layout of
// Darts-clone, and the texts that come in place.
type charsmap struct {
	trie []uint32
	text []byte
}

func newCharsmap(b []byte) (*charsmap, error) {
	if len(b) == 0 {
		return &charsmap{}, nil
	}
	if len(b) < 4 {
		return nil, formatError("a table of characters has %d bytes", len(b))
	}
	size := binary.LittleEndian.Uint32(b)
	b = b[4:]
	if uint64(size) > uint64(len(b)) || size%4 != 0 {
		return nil, formatError("a table of characters has %d bytes for a trie of %d", len(b), size)
	}
	c := &charsmap{trie: make([]uint32, size/4), text: b[size:]}
	for i := range c.trie {
		c.trie[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return c, nil
}

// longest is the longest beginning of a text that is replaced, and by what; n is 0 if none is.
func (c *charsmap) longest(text string) (with []byte, n int) {
	if len(c.trie) == 0 {
		return nil, 0
	}
	offset := func(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }
	at := offset(c.trie[0])
	for i := range len(text) {
		at ^= uint32(text[i])
		if at >= uint32(len(c.trie)) || c.trie[at]&(1<<31|0xff) != uint32(text[i]) {
			break
		}
		unit := c.trie[at]
		at ^= offset(unit)
		if unit>>8&1 == 1 && at < uint32(len(c.trie)) {
			if from := c.trie[at] & (1<<31 - 1); from < uint32(len(c.text)) {
				with, n = c.text[from:], i+1
			}
		}
	}
	if n > 0 {
		if end := bytes.IndexByte(with, 0); end >= 0 {
			with = with[:end]
		}
	}
	return with, n
}

func (c *charsmap) normalize(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		with, n := c.longest(text)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(text)
			b.WriteString(text[:n])
		} else {
			b.Write(with)
		}
		text = text[n:]
	}
	return b.String()
}

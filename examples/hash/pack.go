package main

import (
	"encoding/binary"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// group is how many messages lie together in a batch, as many as the longest vectors of a CPU hold.
const group = 32

// batch is messages as the kernels read them.
type batch struct {
	words, lengths *tensor.Tensor // uint32 [n/32, rows, 32], [n/32, 32]
	blocks         int            // of 64 bytes that the longest message has with its padding
}

// pack lays messages out in groups, the last of them filled up with empty ones. Mark is put behind each: the padding of
// SHA-256 begins with the bit 1, which is 0x80.
func pack(messages [][]byte, rows int, mark byte) batch {
	b := batch{blocks: 1}
	for _, m := range messages {
		rows, b.blocks = max(rows, len(m)/4+1), max(b.blocks, (len(m)+8)/64+1)
	}
	groups := (len(messages) + group - 1) / group
	b.words = tensor.Must(tensor.New(tensor.Uint32, groups, rows, group))
	b.lengths = tensor.Must(tensor.New(tensor.Uint32, groups, group))
	words, lengths := tensor.MustSlice[uint32](b.words), tensor.MustSlice[uint32](b.lengths)
	fallback.Parallel(len(messages), func(from, to int) {
		whole := make([]byte, 4*rows+1)
		for i := from; i < to; i++ {
			clear(whole)
			whole[copy(whole, messages[i])] = mark
			write(words, rows, i, whole[:4*rows])
			lengths[i] = uint32(len(messages[i]))
		}
	})
	if mark != 0 { // behind the empty ones, too
		for i := len(messages); i < groups*group; i++ {
			words[i/group*rows*group+i%group] = uint32(mark) << 24
		}
	}
	return b
}

// read is message i of a batch with so many rows, with its padding.
func read(words []uint32, rows, i int) []byte {
	m := make([]byte, 4*rows)
	at := words[i/group*rows*group+i%group:]
	for w := range rows {
		binary.BigEndian.PutUint32(m[4*w:], at[w*group])
	}
	return m
}

// write puts a message of so many rows into a batch.
func write(words []uint32, rows, i int, m []byte) {
	at := words[i/group*rows*group+i%group:]
	for w := range rows {
		at[w*group] = binary.BigEndian.Uint32(m[4*w:])
	}
}

// bigEndian puts bytes into words, the first of each four above.
func bigEndian(words []uint32, m []byte) {
	for i, b := range m {
		words[i/4] |= uint32(b) << (24 - i%4*8)
	}
}

package main

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/corpus"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// The programs that other devices would compile for this example are planned, and kept where
// ANYCL_CORPUS says.
func TestCorpusOfTheExample(t *testing.T) {
	corpora, err := corpus.Graphs("hash", func(rt *ops.Runtime) error {
		messages := [][]byte{[]byte("abc")}
		b, g, width := pack(messages, 1, 0x80), ops.NewGraph("sha256"), width(rt)
		words, lengths := g.Input("words", tensor.Uint32, b.words.Shape()...), g.Input("lengths", tensor.Uint32, b.lengths.Shape()...)
		found := search(g, messages, [][32]byte{{}}, width)
		_, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{digests(words, lengths, b.blocks, width), found}})
		_, err2 := derive(t.Context(), rt, ops.Auto, messages, []byte("salt"), 2, 32)
		return errors.Join(err, err2)
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.NotZero(t, c.Len(), class)
	}
}

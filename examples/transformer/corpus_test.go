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
	o := options{shape: shape{Layers: 1, Width: 128, Heads: 4, Context: 64, Alphabet: "abc"}, batch: 16, steps: 1, precision: tensor.Float32}
	corpora, err := corpus.Graphs("transformer", func(rt *ops.Runtime) error {
		n := newNetwork(o.shape, 1, o.precision)
		m := n.training(o)
		_, _, scores, updates := n.step(600)
		for _, target := range []ops.Target{
			{Outputs: []*ops.Node{m.Loss}, Updates: m.Updates}, {Outputs: []*ops.Node{scores}, Updates: updates},
		} {
			exe, err := n.Graph().Compile(t.Context(), rt, target)
			if err := errors.Join(err, closed(exe)); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.Greater(t, c.Len(), 20, class)
	}
}

func closed(exe *ops.Executable) error {
	if exe == nil {
		return nil
	}
	return exe.Close()
}

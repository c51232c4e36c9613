package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/corpus"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// blank are n images without clothes.
func blank(n int) set {
	return set{images: tensor.Must(tensor.New(tensor.Uint8, n, 1, side, side)), kinds: tensor.Must(tensor.New(tensor.Int64, n))}
}

// The programs that other devices would compile for this example are planned, and kept where
// ANYCL_CORPUS says.
func TestCorpusOfTheExample(t *testing.T) {
	corpora, err := corpus.Graphs("fashion", func(rt *ops.Runtime) error {
		m := network(blank(2*batch), blank(batch), options{epochs: 1, seed: 1, precision: tensor.Float32})
		for _, target := range []ops.Target{
			{Outputs: []*ops.Node{m.Loss}, Updates: m.Updates}, {Outputs: []*ops.Node{m.ValidLoss, m.Scores}},
		} {
			exe, err := m.Loss.Graph().Compile(t.Context(), rt, target)
			if err != nil {
				return err
			}
			if err := exe.Close(); err != nil {
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

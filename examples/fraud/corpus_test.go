package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/corpus"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// The programs that other devices would compile for this example are planned, and kept where
// ANYCL_CORPUS says.
func TestCorpusOfTheExample(t *testing.T) {
	corpora, err := corpus.Graphs("fraud", func(rt *ops.Runtime) error {
		g := ops.NewGraph("fraud")
		x := g.Variable("bins", tensor.Must(tensor.New(tensor.Uint8, 5, 1000)))
		column := g.Variable("column", tensor.Must(tensor.New(tensor.Float32, 1000)))
		_, score := boost(x, column, column, 4, 3, 0.1, 0, groupOf(rt))
		_, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{score}})
		return err
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.Greater(t, c.Len(), 5, class)
	}
}

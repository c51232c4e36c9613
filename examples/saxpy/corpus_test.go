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
	corpora, err := corpus.Graphs("saxpy", func(rt *ops.Runtime) error {
		g := ops.NewGraph("saxpy")
		x := g.Input("x", tensor.Float32, 8)
		exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{saxpy(2, x, x)}})
		if err != nil {
			return err
		}
		return exe.Close()
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.Equal(t, 1, c.Len(), class)
	}
}

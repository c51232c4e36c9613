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
	corpora, err := corpus.Graphs("audio", func(rt *ops.Runtime) error {
		g := ops.NewGraph("audio")
		x := g.Input("x", tensor.Float32, 4000)
		_, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{inverse(clean(transform(x)), 4000)}})
		return err
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.Greater(t, c.Len(), 3, class)
	}
}

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
	corpora, err := corpus.Graphs("upscale", func(rt *ops.Runtime) error {
		g := ops.NewGraph("upscale")
		net := build(g, 1)
		_, better := net.enlarge(net.Eval(), g.Input("low", tensor.Float32, 1, 1, 24, 24))
		_, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{better}})
		return err
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.Greater(t, c.Len(), 2, class)
	}
}

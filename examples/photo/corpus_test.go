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
	corpora, err := corpus.Graphs("photo", func(rt *ops.Runtime) error {
		g := ops.NewGraph("photo")
		x := ops.Cast(g.Input("photo", tensor.Uint8, 3, 30, 40), tensor.Float32)
		painted, _ := palette(x, 4, 3)
		outs := []*ops.Node{blur(x, 1), sobel(x), yuv(bilateral(rt, x, 2, deviation)), equalise(x), painted}
		exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: outs})
		if err != nil {
			return err
		}
		return exe.Close()
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.NotZero(t, c.Len(), class)
	}
}

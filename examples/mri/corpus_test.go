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
	corpora, err := corpus.Graphs("mri", func(rt *ops.Runtime) error {
		g := ops.NewGraph("mri")
		y := smooth(ops.Cast(g.Input("scan", tensor.Uint8, 20, 24, 20), tensor.Float32), 1)
		between := limits(y)
		shaded, projected := view(y, between, 2, 16)
		exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{classify(y, between), shaded, projected}})
		if err != nil {
			return err
		}
		return errors.Join(err, exe.Close())
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.NotZero(t, c.Len(), class)
	}
}

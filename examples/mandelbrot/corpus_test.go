package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/corpus"
	"github.com/anycl/anycl/ops"
)

// The programs that other devices would compile for this example are planned, and kept where
// ANYCL_CORPUS says.
func TestCorpusOfTheExample(t *testing.T) {
	corpora, err := corpus.Graphs("mandelbrot", func(rt *ops.Runtime) error {
		_, _, err := escapes(t.Context(), rt, ops.Auto, options{width: 12, depth: 10})
		return err
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.Equal(t, 1, c.Len(), class)
	}
}

package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/internal/corpus"
	"github.com/anycl/anycl/ops"
)

// The programs that other devices would compile for this example are planned, and kept where
// ANYCL_CORPUS says.
func TestCorpusOfTheExample(t *testing.T) {
	corpora, err := corpus.Graphs("render", func(rt *ops.Runtime) error {
		_, err := studio().draw(t.Context(), &gallery.Program{}, rt, ops.Auto, 16, 9, 1)
		return err
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.Equal(t, 1, c.Len(), class)
	}
}

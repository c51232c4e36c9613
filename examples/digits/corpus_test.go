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
	train, test, err := load()
	require.NoError(t, err)
	corpora, err := corpus.Graphs("digits", func(rt *ops.Runtime) error {
		trained, err := newTrainer(t.Context(), rt, train, test, 1, ops.Auto, ops.WhenCompiled)
		if err != nil {
			return err
		}
		return trained.close()
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.Greater(t, c.Len(), 20, class)
	}
}

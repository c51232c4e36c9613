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
	train, _, err := painters(1)
	require.NoError(t, err)
	corpora, err := corpus.Graphs("detect", func(rt *ops.Runtime) error {
		d := newDetector(1)
		if err := d.train(t.Context(), rt, train.lesson(batch, small), 1, 1, func(float64) {}); err != nil {
			return err
		}
		f, err := d.finder(t.Context(), rt, 64, ops.Auto)
		if err != nil {
			return err
		}
		return f.exe.Close()
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.Greater(t, c.Len(), 20, class)
	}
}

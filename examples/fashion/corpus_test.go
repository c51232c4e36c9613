package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/corpus"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// What devices that are not there would compile for this program can be planned, and is kept where
// ANYCL_CORPUS says.
func TestCorpusOfTheExample(t *testing.T) {
	images := func(n int) set {
		return set{images: tensor.Must(tensor.New(tensor.Uint8, n, 1, side, side)), labels: tensor.Must(tensor.New(tensor.Uint8, n))}
	}
	corpora, err := corpus.Graphs("fashion", func(rt *ops.Runtime) error {
		trained, err := newTrainer(t.Context(), rt, images(2*batch), images(batch), options{epochs: 1, seed: 1})
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

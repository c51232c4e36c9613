package main

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/corpus"
	"github.com/anycl/anycl/ops"
)

// What devices that are not there would compile for this program can be planned, and is kept where
// ANYCL_CORPUS says.
func TestCorpusOfTheExample(t *testing.T) {
	corpora, err := corpus.Graphs("hash", func(rt *ops.Runtime) error {
		messages := [][]byte{[]byte("abc")}
		_, err := digest(t.Context(), rt, ops.Auto, messages)
		_, err2 := derive(t.Context(), rt, ops.Auto, messages, []byte("salt"), 2, 32)
		return errors.Join(err, err2)
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.NotZero(t, c.Len(), class)
	}
}

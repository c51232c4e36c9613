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
	r := generate(60, 40, 900)
	learn, _ := r.split()
	corpora, err := corpus.Graphs("recommend", func(rt *ops.Runtime) error {
		g := ops.NewGraph("recommend")
		films := g.Variable("films", tensor.Must(tensor.New(tensor.Float32, 40, factors)))
		users := solve(r.by(r.users, r.films, r.n, learn, 3).nodes(g, "users"), films, 0.1)
		_, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{users}})
		return err
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.Equal(t, 1, c.Len(), class)
	}
}

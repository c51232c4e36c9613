package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/corpus"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/cluster"
)

// The programs that other devices would compile for this example are planned, and kept where
// ANYCL_CORPUS says.
func TestCorpusOfTheExample(t *testing.T) {
	corpora, err := corpus.Graphs("stars", func(rt *ops.Runtime) error {
		g := ops.NewGraph("stars")
		stars := vectors(g, "stars", spread(1000))
		radius2, other := nearest(stars, stars, 4)
		_, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{radius2, other, cluster.KMeans(stars, vectors(g, "first", spread(7)), 3).Centres}})
		return err
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.Greater(t, c.Len(), 3, class)
	}
}

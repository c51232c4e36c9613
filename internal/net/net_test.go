package net

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestLayersHaveTheirShapesAndOneSetOfWeights(t *testing.T) {
	g := ops.NewGraph("net")
	n := New(g, 1)
	conv, dense := n.Conv(3, 8, 5), n.Dense(8, 4)
	x := g.Input("x", tensor.Float32, 2, 3, 7, 9)
	y := conv(x)
	assert.Equal(t, []int{2, 8, 7, 9}, y.Shape())
	assert.Equal(t, []int{2, 7, 9, 4}, dense(ops.Transpose(y, 0, 2, 3, 1)).Shape())
	conv(x)
	require.NoError(t, g.Err())
	require.Len(t, n.Params, 4, "a layer called twice has one set of weights")
}

func TestWeightsFollowTheSeedAndKeepTheScale(t *testing.T) {
	weights := func(seed uint64) *tensor.Tensor {
		n := New(ops.NewGraph("net"), seed)
		n.Dense(400, 100)
		w, err := ops.Value(t.Context(), n.Params[0])
		require.NoError(t, err)
		return w
	}
	w := weights(1)
	require.True(t, tensor.Equal(w, weights(1)))
	require.False(t, tensor.Equal(w, weights(2)))
	sum := 0.0
	for _, v := range w.All() {
		sum += v * v
	}
	// The variance is 2/400; 40,000 draws estimate it to 0.7 %.
	require.InEpsilon(t, math.Sqrt(2./400), math.Sqrt(sum/float64(w.Len())), 0.02)
}

func TestShuffledIsAPermutationCutToWholeBatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	order := Shuffled(rng, 10, 4)
	require.Len(t, order, 8)
	slices.Sort(order)
	require.Len(t, slices.Compact(order), 8)
	whole := Shuffled(rng, 8, 4)
	require.NotEqual(t, whole, Shuffled(rng, 8, 4))
	slices.Sort(whole)
	require.Equal(t, []int32{0, 1, 2, 3, 4, 5, 6, 7}, whole)
}

package main

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestTheProgramChecksItself(t *testing.T) {
	printed := gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		return run(ctx, p, options{trees: 12, depth: 2, steps: 5, rate: 0.3, transactions: 3000})
	})
	require.Contains(t, printed, "2400 rows of 12 features")
}

// A tree of the device and one of the CPU path, and those of groups with atomics as GPUs have them, are grown as a plain search of
// all splits in float64 grows them.
func TestATreeTakesTheBestSplits(t *testing.T) {
	const depth, rate = 3, 0.5
	table := draw(1500)
	_, binned := table.bin()
	n := table.rows()
	features, limits, leaves := reference(table, binned, depth, rate)
	for _, device := range []string{"", "none"} {
		rt, err := ops.Open(t.Context(), &ops.Options{Device: device})
		require.NoError(t, err)
		defer rt.Close()
		place, groups := ops.OnDevice, []int{1, 128}
		if rt.Device() == nil {
			place, groups = ops.OnCPU, []int{1}
		}
		for _, group := range groups {
			g := ops.NewGraph("test")
			x := g.Variable("bins", tensor.Must(tensor.FromSlice(binned, table.features, n)))
			label, mask := g.Const(tensor.Must(tensor.FromSlice(table.y))), g.Const(tensor.Must(tensor.FromSlice(table.mask())))
			f, score := boost(x, label, mask, 1, depth, rate, 0, group)
			outs := gallerytest.Compute(t, rt, place, nil, f.features, f.limits, f.leaves, score)
			require.Equal(t, features, tensor.MustSlice[int32](outs[0]), "groups of %d on %s", group, rt)
			require.Equal(t, limits, tensor.MustSlice[int32](outs[1]))
			for i, v := range tensor.MustSlice[float32](outs[2]) {
				require.InDelta(t, leaves[i], v, 1e-4)
			}
			for r := range n {
				node := 0
				for level := range depth {
					i := 1<<level - 1 + node
					node *= 2
					if int32(binned[int(features[i])*n+r]) > limits[i] {
						node++
					}
				}
				require.InDelta(t, leaves[node], outs[3].Float64At(r), 1e-4)
			}
		}
	}
}

// reference grows a tree from scores of 0, where each row has the gradient 1/2 - y and the curvature 1/4.
func reference(t *table, binned []uint8, depth int, rate float64) (features, limits []int32, leaves []float64) {
	n := t.rows()
	node := make([]int, n)
	sums := func(in func(r int) bool) (g, h float64) {
		for r := range t.learned {
			if in(r) {
				g, h = g+0.5-float64(t.y[r]), h+0.25
			}
		}
		return g, h
	}
	for level := range depth {
		for v := range 1 << level {
			all, allH := sums(func(r int) bool { return node[r] == v })
			best, feature, limit := 1e-6, -1, bins-1
			for f := range t.features {
				var left, leftH [bins]float64
				for r := range t.learned {
					if node[r] == v {
						left[binned[f*n+r]] += 0.5 - float64(t.y[r])
						leftH[binned[f*n+r]] += 0.25
					}
				}
				var gl, hl float64
				for b := range bins {
					gl, hl = gl+left[b], hl+leftH[b]
					gain := gl*gl/(hl+ridge) + (all-gl)*(all-gl)/(allH-hl+ridge) - all*all/(allH+ridge)
					if hl >= weight && allH-hl >= weight && gain > best*(1+1e-9) {
						best, feature, limit = gain, f, b
					}
				}
			}
			features, limits = append(features, int32(max(feature, 0))), append(limits, int32(limit))
		}
		for r := range n {
			i := 1<<level - 1 + node[r]
			node[r] *= 2
			if int32(binned[int(features[i])*n+r]) > limits[i] {
				node[r]++
			}
		}
	}
	for v := range 1 << depth {
		g, h := sums(func(r int) bool { return node[r] == v })
		leaves = append(leaves, -rate*g/(h+ridge))
	}
	return features, limits, leaves
}

func TestLogisticRegressionFindsTheLine(t *testing.T) {
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer rt.Close()
	// Of the rows with x = 1 three in four are 1, of those with x = -1 one in four: the score is x log 3.
	x, y := []float32{1, 1, 1, 1, -1, -1, -1, -1}, []float32{1, 1, 1, 0, 1, 0, 0, 0}
	g := ops.NewGraph("test")
	rows, label := g.Const(tensor.Must(tensor.FromSlice(x, 8, 1))), g.Const(tensor.Must(tensor.FromSlice(y)))
	outs := gallerytest.Compute(t, rt, ops.Auto, nil, logistic(rows, label, g.Ones(tensor.Float32, 8), 10))
	for i, v := range tensor.MustSlice[float32](outs[0]) {
		require.InDelta(t, float64(x[i])*math.Log(3), v, 2e-3) // less the effect of the ridge
	}
}

func TestTheRealRowsComeAlong(t *testing.T) {
	table := &table{features: 28}
	require.NoError(t, table.read(collisions))
	require.Equal(t, 500, table.rows())
	require.Error(t, table.read("1\t2"))
	require.Error(t, table.read("1"+collisions[1:40]))
}

func TestCurvesOfScores(t *testing.T) {
	label := []float32{1, 0, 1, 0}
	require.InDelta(t, 1, auc([]float32{4, 2, 3, 1}, label), 1e-12)
	require.InDelta(t, 0.75, auc([]float32{4, 3, 2, 1}, label), 1e-12)
	require.InDelta(t, 0.5, auc([]float32{1, 1, 1, 1}, label), 1e-12)
	require.InDelta(t, 0, auc([]float32{1, 3, 2, 4}, label), 1e-12)
	precision, recall := precisionRecall([]float32{4, 3, 2, 1}, label)
	require.Equal(t, []float64{1, 0.5, 2.0 / 3, 0.5}, precision)
	require.Equal(t, []float64{0.5, 0.5, 1, 1}, recall)
}

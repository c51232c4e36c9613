package fallback

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// forest is an ensemble of full trees whose nodes compare with random numbers.
func forest(count, depth, features, samples int) (*engine.Trees, []*tensor.Tensor) {
	rng := rand.New(rand.NewPCG(3, uint64(count)))
	a := &engine.Trees{
		Samples: int64(samples), Features: int64(features), Targets: 1, Count: int64(count),
		Nodes: int64(count * (2<<depth - 1)), Leaves: int64(count << depth), Weights: int64(count << depth), Steps: float64(count * depth),
	}
	nodes, roots := make([]int32, 4*a.Nodes), make([]int32, 2*count)
	starts, weights := make([]int32, a.Leaves+1), make([]float32, a.Weights)
	leaf := 0
	for t := range count {
		base := t * (2<<depth - 1)
		roots[2*t], roots[2*t+1] = int32(base), int32(depth)
		for i := range 2<<depth - 1 {
			n := nodes[4*(base+i):][:4]
			if i >= 1<<depth-1 {
				copy(n, []int32{math.MaxInt32, 0, int32(base + i), int32(leaf)})
				weights[leaf] = rng.Float32() - 0.5
				leaf++
				starts[leaf] = int32(leaf)
				continue
			}
			copy(n, []int32{engine.FloatKey32(float32(rng.NormFloat64())), int32(rng.IntN(features)), int32(base + 2*i + 1), -1})
		}
	}
	return a, []*tensor.Tensor{
		tensor.Must(tensor.FromSlice(randomFloats(samples * features))), tensor.Must(tensor.FromSlice(nodes)),
		tensor.Must(tensor.FromSlice(roots)),
		tensor.Must(tensor.FromSlice(starts)), tensor.Must(tensor.FromSlice(make([]int32, a.Weights))), tensor.Must(tensor.FromSlice(weights)),
	}
}

// walkOne goes down one tree at a time and looks at the features themselves.
func walkOne(a *engine.Trees, in []*tensor.Tensor, y []float32) {
	x, nodes, roots, weights := slice[float32](in[0]), slice[int32](in[1]), slice[int32](in[2]), slice[float32](in[5])
	for s := range y {
		sum := 0.0
		row := x[s*int(a.Features):][:a.Features]
		for t := range a.Count {
			i := roots[2*t]
			for nodes[4*i+2] != i {
				n := nodes[4*i:][:4]
				if i = n[2] + 1; engine.FloatKey32(row[n[1]]) <= n[0] {
					i = n[2]
				}
			}
			sum += float64(weights[nodes[4*i+3]])
		}
		y[s] = float32(sum)
	}
}

// Every number of samples around those at which the way of walking changes.
func TestTreesGiveTheSameWhoeverWalks(t *testing.T) {
	t.Parallel()
	for _, samples := range []int{1, 2, 7, 8, 9, 15, 33, 256, 700} {
		a, in := forest(137, 5, 11, samples)
		want := make([]float32, samples)
		walkOne(a, in, want)
		for _, workers := range []int{1, 3} {
			got := runRoutine(t, workers, a, in, []engine.Operand{{DType: tensor.Float32, Len: int64(samples)}})
			require.Equal(t, want, slice[float32](got[0]), "%d samples, %d workers", samples, workers)
		}
	}
}

// 5000 samples go through keys of many features in blocks that fit the cache.
func TestTreesOfManyFeatures(t *testing.T) {
	t.Parallel()
	a, in := forest(3, 9, 3000, 40)
	want := make([]float32, 40)
	walkOne(a, in, want)
	got := runRoutine(t, 2, a, in, []engine.Operand{{DType: tensor.Float32, Len: 40}})
	require.Equal(t, want, slice[float32](got[0]))
}

var treeBenchmarks = []struct {
	name                            string
	count, depth, features, samples int
}{
	{"500x8/1", 500, 8, 30, 1},
	{"100x6/1", 100, 6, 30, 1},
	{"500x8/32", 500, 8, 30, 32},
	{"500x8/1000", 500, 8, 30, 1000},
	{"500x8/20000", 500, 8, 30, 20_000},
	{"100x14/1000", 100, 14, 100, 1000},
	{"100x6/100000", 100, 6, 30, 100_000},
}

func BenchmarkTrees(b *testing.B) {
	for _, c := range treeBenchmarks {
		b.Run(c.name, func(b *testing.B) {
			a, in := forest(c.count, c.depth, c.features, c.samples)
			benchRoutine(b, a, in, []engine.Operand{{DType: tensor.Float32, Len: a.Samples}})
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(a.Steps*float64(a.Samples)), "ns/step")
		})
	}
}

func BenchmarkTreesNaive(b *testing.B) {
	for _, c := range treeBenchmarks {
		b.Run(c.name, func(b *testing.B) {
			a, in := forest(c.count, c.depth, c.features, c.samples)
			y := make([]float32, a.Samples)
			for b.Loop() {
				walkOne(a, in, y)
			}
		})
	}
}

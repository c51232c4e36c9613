package fallback

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// benchRoutine times a over float32 inputs of random values and whatever else is given.
func benchRoutine(b *testing.B, a engine.Algorithm, ins []*tensor.Tensor, outs []engine.Operand) {
	b.Helper()
	e := New(nil)
	defer e.Close()
	t := &engine.Task{Kind: engine.Routine, Name: "bench", Algorithm: a, Outs: outs}
	bound := engine.Bound{Task: t}
	for _, x := range ins {
		data, _ := x.Bytes()
		m, err := e.Alloc(int64(len(data)))
		require.NoError(b, err)
		require.NoError(b, e.Write(b.Context(), m, 0, data))
		bound.Ins = append(bound.Ins, engine.Slot{Mem: m})
		t.Ins = append(t.Ins, engine.Operand{DType: x.DType(), Len: int64(x.Len())})
	}
	for _, o := range outs {
		m, err := e.Alloc(o.Bytes())
		require.NoError(b, err)
		bound.Outs = append(bound.Outs, engine.Slot{Mem: m})
	}
	s, err := e.Prepare(b.Context(), []engine.Bound{bound})
	require.NoError(b, err)
	defer s.Close()
	predicted := e.Estimate(t)
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, s.Run(b.Context(), 0, 1, 0))
	}
	b.ReportMetric(float64(predicted.Nanoseconds()), "predicted-ns")
}

func randomFloats(n int) []float32 {
	rng := rand.New(rand.NewPCG(7, 7))
	xs := make([]float32, n)
	for i := range xs {
		xs[i] = float32(rng.NormFloat64())
	}
	return xs
}

var rankBenchmarks = []struct {
	name string
	rank engine.Rank
}{
	{"sort/1x1M", engine.Rank{Rows: 1, Length: 1 << 20, Keep: 1 << 20}},
	{"sort/1024x1024", engine.Rank{Rows: 1024, Length: 1024, Keep: 1024}},
	{"sort/100000x10", engine.Rank{Rows: 100_000, Length: 10, Keep: 10}},
	{"sort/1x100", engine.Rank{Rows: 1, Length: 100, Keep: 100}},
	{"top10/1x1M", engine.Rank{Rows: 1, Length: 1 << 20, Keep: 10, Descending: true}},
	{"top100/1x1M", engine.Rank{Rows: 1, Length: 1 << 20, Keep: 100, Descending: true}},
	{"top5/256x1000", engine.Rank{Rows: 256, Length: 1000, Keep: 5, Descending: true}},
	{"top50/32x50000", engine.Rank{Rows: 32, Length: 50_000, Keep: 50, Descending: true}},
	{"top5/1x1000", engine.Rank{Rows: 1, Length: 1000, Keep: 5, Descending: true}},
}

func BenchmarkRank(b *testing.B) {
	for _, c := range rankBenchmarks {
		b.Run(c.name, func(b *testing.B) {
			x := tensor.Must(tensor.FromSlice(randomFloats(int(c.rank.Rows * c.rank.Length))))
			n := c.rank.Rows * c.rank.Keep
			benchRoutine(b, &c.rank, []*tensor.Tensor{x}, []engine.Operand{{DType: tensor.Float32, Len: n}, {DType: tensor.Int64, Len: n}})
		})
	}
}

// BenchmarkRankNaive sorts positions with the standard library.
func BenchmarkRankNaive(b *testing.B) {
	for _, c := range rankBenchmarks {
		b.Run(c.name, func(b *testing.B) {
			xs := randomFloats(int(c.rank.Rows * c.rank.Length))
			order := make([]int64, c.rank.Length)
			for b.Loop() {
				for row := range c.rank.Rows {
					x := xs[row*c.rank.Length:][:c.rank.Length]
					for i := range order {
						order[i] = int64(i)
					}
					slices.SortStableFunc(order, func(i, j int64) int {
						switch {
						case x[i] < x[j]:
							return -1
						case x[i] > x[j]:
							return 1
						}
						return 0
					})
				}
			}
		})
	}
}

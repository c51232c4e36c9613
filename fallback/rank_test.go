package fallback

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/routine"
	"github.com/anycl/anycl/tensor"
)

// runRoutine computes a on an engine with a given number of workers and limits.
func runRoutine(tb testing.TB, workers int, a engine.Algorithm, ins []*tensor.Tensor, outs []engine.Operand) []*tensor.Tensor {
	tb.Helper()
	e := New(&Options{Workers: workers})
	defer e.Close()
	b := engine.Bound{Task: &engine.Task{Kind: engine.Routine, Name: "test", Algorithm: a, Outs: outs}}
	for _, x := range ins {
		data, _ := x.Bytes()
		m, err := e.Alloc(int64(len(data)))
		require.NoError(tb, err)
		require.NoError(tb, e.Write(tb.Context(), m, 0, data))
		b.Ins = append(b.Ins, engine.Slot{Mem: m})
		b.Task.Ins = append(b.Task.Ins, engine.Operand{DType: x.DType(), Len: int64(x.Len())})
	}
	for _, o := range outs {
		m, err := e.Alloc(o.Bytes())
		require.NoError(tb, err)
		b.Outs = append(b.Outs, engine.Slot{Mem: m})
	}
	s, err := e.Prepare(tb.Context(), []engine.Bound{b})
	require.NoError(tb, err)
	defer s.Close()
	for range 2 { // memory that a run leaves behind must not disturb the next
		require.NoError(tb, s.Run(tb.Context(), 0, 1, 0))
	}
	var results []*tensor.Tensor
	for i, o := range outs {
		t := tensor.Must(tensor.New(o.DType, int(o.Len)))
		data, _ := t.Bytes()
		require.NoError(tb, e.Read(tb.Context(), data, b.Outs[i].Mem, 0))
		results = append(results, t)
	}
	return results
}

func slice[T tensor.Elem](t *tensor.Tensor) []T {
	s, err := tensor.ToSlice[T](t)
	if err != nil {
		panic(err)
	}
	return s
}

// rankPositions is the reference: a stable sort by comparing.
func rankPositions[T cmp.Ordered](xs []T, r *engine.Rank) (want []int64) {
	for row := range int(r.Rows) {
		x := xs[row*int(r.Length):][:r.Length]
		order := make([]int64, r.Length)
		for i := range order {
			order[i] = int64(i)
		}
		slices.SortStableFunc(order, func(i, j int64) int {
			a, b := x[i], x[j]
			c := cmp.Compare(a, b)
			if a != a || b != b { // cmp puts NaN first
				c = -c
			}
			if r.Descending {
				return -c
			}
			return c
		})
		order = order[:r.Keep]
		if r.ByPosition {
			slices.Sort(order)
		}
		want = append(want, order...)
	}
	return want
}

func checkRank[T tensor.Elem](t *testing.T, workers int, xs []T, r *engine.Rank, want []int64) {
	t.Helper()
	x := tensor.Must(tensor.FromSlice(xs))
	n := r.Rows * r.Keep
	got := runRoutine(t, workers, r, []*tensor.Tensor{x}, []engine.Operand{{DType: x.DType(), Len: n}, {DType: tensor.Int64, Len: n}})
	require.Equal(t, want, slice[int64](got[1]), "%v, %d workers", r, workers)
	var zero T
	values := slice[T](got[0])
	for i, p := range want {
		v := xs[int64(i)/max(r.Keep, 1)*r.Length+p]
		if v == values[i] && v != zero {
			continue
		}
		require.Equal(t, fmt.Sprint(v), fmt.Sprint(values[i]), "%v, %d workers, value %d", r, workers, i) // signs of zeros, and NaN
	}
	// Each result alone is the same.
	alone := runRoutine(t, workers, r, []*tensor.Tensor{x}, []engine.Operand{{DType: x.DType()}, {DType: tensor.Int64, Len: n}})
	require.Equal(t, want, slice[int64](alone[1]))
	alone = runRoutine(t, workers, r, []*tensor.Tensor{x}, []engine.Operand{{DType: x.DType(), Len: n}, {DType: tensor.Int64}})
	again, _ := alone[0].Bytes()
	first, _ := got[0].Bytes()
	require.True(t, bytes.Equal(first, again), "values alone")
}

// Lengths on both sides of every choice between ways to sort; long single rows
// are shared among workers.
func TestRankIsAStableSortWhateverTheWay(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324, 1e-40, -1e-40, math.MaxFloat32}
	for _, c := range []engine.Rank{
		{Rows: 7, Length: 5, Keep: 5}, {Rows: 3, Length: routine.Fewest - 1, Keep: routine.Fewest - 1},
		{Rows: 3, Length: routine.Fewest, Keep: routine.Fewest},
		{Rows: 4, Length: 999, Keep: 999}, {Rows: 40, Length: 900, Keep: 3}, {Rows: 3, Length: 8000, Keep: 1000},
		{Rows: 1, Length: 70_001, Keep: 70_001}, {Rows: 1, Length: 200_000, Keep: 30}, {Rows: 1, Length: 40_000, Keep: 5000},
		{Rows: 3, Length: 60_000, Keep: 1},
	} {
		for _, workers := range []int{1, 3} {
			c.Descending, c.ByPosition = rng.IntN(2) == 0, workers > 1
			floats, doubles := make([]float32, c.Rows*c.Length), make([]float64, c.Rows*c.Length)
			ints, bytes := make([]int64, len(floats)), make([]uint8, len(floats))
			for i := range floats {
				v := float64(rng.IntN(1<<rng.IntN(30))) - 3
				if rng.IntN(10) == 0 {
					v = special[rng.IntN(len(special))]
				}
				floats[i], doubles[i] = float32(v), v
				ints[i], bytes[i] = int64(rng.Uint64()>>rng.IntN(64)), uint8(rng.Uint32())
			}
			r := c
			checkRank(t, workers, floats, &r, rankPositions(floats, &r))
			if testing.Short() && c.Length > 1<<14 {
				continue // under the race detector each of these takes seconds
			}
			checkRank(t, workers, doubles, &r, rankPositions(doubles, &r))
			checkRank(t, workers, ints, &r, rankPositions(ints, &r))
			checkRank(t, workers, bytes, &r, rankPositions(bytes, &r))
		}
	}
}

// Where each element beats all before it, everything enters the buffer.
func TestTopOfRowsThatAscendAndDescend(t *testing.T) {
	t.Parallel()
	xs := make([]int32, 50_000)
	for i := range xs {
		xs[i] = int32(i)
		if i >= 25_000 {
			xs[i] = int32(-i)
		}
	}
	for _, rows := range []int64{1, 2, 25} {
		for _, descending := range []bool{false, true} {
			r := &engine.Rank{Rows: rows, Length: 50_000 / rows, Keep: 17, Descending: descending}
			checkRank(t, 2, xs, r, rankPositions(xs, r))
		}
	}
}

// Keys must order every float16 and bfloat16 as its number.
func TestKeysOfAllHalves(t *testing.T) {
	t.Parallel()
	halves, bfloats, f, b := make([]tensor.Half, 1<<16), make([]tensor.BF16, 1<<16), make([]float32, 1<<16), make([]float32, 1<<16)
	for i := range halves {
		halves[i], bfloats[i] = tensor.Half(i), tensor.BF16(i)
		f[i], b[i] = halves[i].Float32(), bfloats[i].Float32()
	}
	for _, descending := range []bool{false, true} {
		r := &engine.Rank{Rows: 1, Length: 1 << 16, Keep: 1 << 16, Descending: descending}
		checkRank(t, 2, halves, r, rankPositions(f, r))
		checkRank(t, 2, bfloats, r, rankPositions(b, r))
	}
}

func FuzzRank(f *testing.F) {
	f.Add([]byte("a stable sort"), uint8(3), false)
	f.Add(make([]byte, 3000), uint8(200), true)
	f.Fuzz(func(t *testing.T, data []byte, keep uint8, descending bool) {
		xs := make([]int16, len(data)/2)
		for i := range xs {
			xs[i] = int16(data[2*i]) | int16(data[2*i+1])<<8
		}
		r := &engine.Rank{Rows: 1, Length: int64(len(xs)), Keep: min(int64(keep), int64(len(xs))), Descending: descending}
		checkRank(t, 2, xs, r, rankPositions(xs, r))
	})
}

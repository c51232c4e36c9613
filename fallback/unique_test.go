package fallback

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

func uniqueOuts(dt tensor.DType, u *engine.Unique) []engine.Operand {
	n := engine.Operand{DType: tensor.Int64, Len: u.Count}
	return []engine.Operand{{DType: dt, Len: u.Count * u.Width}, n, n, n, {DType: tensor.Int64, Len: 1}}
}

// checkUnique checks the documented properties of the results, in whatever way they were computed.
func checkUnique[T tensor.Elem](t *testing.T, xs []T, u *engine.Unique, less func(a, b T) bool) {
	t.Helper()
	x := tensor.Must(tensor.FromSlice(xs))
	got := runRoutine(t, 2, u, []*tensor.Tensor{x}, uniqueOuts(x.DType(), u))
	values, first, inverse := slice[T](got[0]), slice[int64](got[1]), slice[int64](got[2])
	sizes, k := slice[int64](got[3]), slice[int64](got[4])[0]
	w := int(u.Width)
	compare := func(a, b []T) int {
		for i := range a {
			switch {
			case less(a[i], b[i]):
				return -1
			case less(b[i], a[i]):
				return 1
			}
		}
		return 0
	}
	value := func(g int64) []T { return values[int(g)*w:][:w] }
	item := func(i int) []T { return xs[i*w:][:w] }
	seen := make([]int64, k)
	for i, g := range inverse {
		require.Zero(t, compare(item(i), value(g)), "item %d", i)
		if seen[g] == 0 {
			require.Equal(t, int64(i), first[g])
		}
		seen[g]++
	}
	require.Equal(t, seen, sizes[:k:k])
	for g := int64(1); g < k; g++ {
		if u.Sorted {
			require.Negative(t, compare(value(g-1), value(g)))
		} else {
			require.Less(t, first[g-1], first[g])
		}
	}
	for g := k; g < u.Count; g++ {
		require.Equal(t, int64(-1), first[g])
		require.Zero(t, sizes[g])
		var zero T
		for _, v := range value(g) {
			require.Equal(t, zero, v)
		}
	}
}

func lessInt(a, b int16) bool { return a < b }

func lessFloat(a, b float64) bool { return a < b || b != b && a == a }

func TestUniqueKeepsItsPromises(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 9))
	special := []float64{math.NaN(), -math.NaN(), math.Inf(1), 0, math.Copysign(0, -1), 5e-324}
	for _, n := range []int64{0, 1, 2, 100, 5000, 40_000} {
		for _, width := range []int64{0, 1, 3} {
			for _, sorted := range []bool{false, true} {
				u := &engine.Unique{Count: n, Width: width, Sorted: sorted}
				ints, floats := make([]int16, n*width), make([]float64, n*width)
				span := 1 + rng.IntN(30_000)
				if width == 3 {
					span = 1 + rng.IntN(9)
				}
				for i := range ints {
					ints[i] = int16(rng.IntN(span))
					floats[i] = float64(rng.IntN(span)) / 8
					if rng.IntN(20) == 0 {
						floats[i] = special[rng.IntN(len(special))]
					}
				}
				checkUnique(t, ints, u, lessInt)
				if testing.Short() && n > 1<<14 {
					continue // under the race detector each of these takes seconds
				}
				checkUnique(t, floats, u, lessFloat)
			}
		}
	}
}

func FuzzUnique(f *testing.F) {
	f.Add([]byte("what is different"), uint8(1), true)
	f.Add([]byte("abababcdabab"), uint8(2), false)
	f.Fuzz(func(t *testing.T, data []byte, width uint8, sorted bool) {
		w := int(width%5) + 1
		xs := make([]int16, len(data)/w*w)
		for i := range xs {
			xs[i] = int16(data[i])
		}
		checkUnique(t, xs, &engine.Unique{Count: int64(len(xs) / w), Width: int64(w), Sorted: sorted}, lessInt)
	})
}

var uniqueBenchmarks = []struct {
	name string
	n    int
	span int
}{
	{"1M of 1M", 1 << 20, 1 << 20}, {"1M of 1000", 1 << 20, 1000}, {"1000 of 100", 1000, 100},
}

func uniqueInts(n, span int) []int32 {
	rng := rand.New(rand.NewPCG(4, 4))
	xs := make([]int32, n)
	for i := range xs {
		xs[i] = int32(rng.IntN(span))
	}
	return xs
}

func BenchmarkUnique(b *testing.B) {
	for _, c := range uniqueBenchmarks {
		b.Run(c.name, func(b *testing.B) {
			u := &engine.Unique{Count: int64(c.n), Width: 1, Sorted: true}
			benchRoutine(b, u, []*tensor.Tensor{tensor.Must(tensor.FromSlice(uniqueInts(c.n, c.span)))}, uniqueOuts(tensor.Int32, u))
		})
	}
}

// BenchmarkUniqueNaive numbers values with a map and sorts its keys.
func BenchmarkUniqueNaive(b *testing.B) {
	for _, c := range uniqueBenchmarks {
		b.Run(c.name, func(b *testing.B) {
			xs := uniqueInts(c.n, c.span)
			inverse := make([]int64, len(xs))
			for b.Loop() {
				number := map[int32]int64{}
				var values []int32
				var sizes []int64
				for i, v := range xs {
					g, ok := number[v]
					if !ok {
						g = int64(len(values))
						number[v] = g
						values, sizes = append(values, v), append(sizes, 0)
					}
					sizes[g]++
					inverse[i] = g
				}
				slices.Sort(values)
			}
		})
	}
}

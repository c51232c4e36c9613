package dot_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anycl/anycl/fallback/internal/dot"
)

// Every combination of a few rows, columns and terms has its own ends; gaps between rows are NaN, so that reading one shows.
func TestProductsAgreeWithFloat64(t *testing.T) {
	t.Parallel()
	if !dot.Has {
		t.Skip("there is no assembly for this processor")
	}
	r := rand.New(rand.NewPCG(5, 1))
	sizes := [][3]int{{64, 192, 40}, {7, 30, 513}, {3, 64, 1030}, {0, 3, 4}, {2, 0, 3}, {2, 3, 0}}
	for m := 1; m <= 5; m++ {
		for n := 1; n <= 9; n++ {
			for k := 1; k <= 17; k++ {
				sizes = append(sizes, [3]int{m, n, k})
			}
		}
	}
	for i, s := range sizes {
		m, n, k, gap := s[0], s[1], s[2], i%3
		a, b, c := matrix(r, m, k, gap), matrix(r, n, k, gap), matrix(r, m, n, gap)
		before := append([]float32(nil), c...)
		dot.Multiply(m, n, k, a, k+gap, b, k+gap, c, n+gap)
		for at, got := range c {
			i, j := at/(n+gap), at%(n+gap)
			if j >= n {
				if !math.IsNaN(float64(got)) {
					t.Fatalf("%v: the gap after row %d was written", s, i)
				}
				continue
			}
			want := float64(before[at])
			size := math.Abs(want)
			for l := range k {
				p := float64(a[i*(k+gap)+l]) * float64(b[j*(k+gap)+l])
				want += p
				size += math.Abs(p)
			}
			if !(math.Abs(float64(got)-want) <= float64(k/8+5)*0x1p-24*size) {
				t.Fatalf("%v at %d, %d: %v, not %v", s, i, j, got, want)
			}
		}
	}
}

// matrix has rows that are gap NaNs apart, none after the last.
func matrix(r *rand.Rand, rows, cols, gap int) []float32 {
	v := make([]float32, max(rows*(cols+gap)-gap, 0))
	for i := range v {
		v[i] = float32(math.NaN())
		if i%(cols+gap) < cols {
			v[i] = float32(r.NormFloat64())
		}
	}
	return v
}

func TestZeroTimesNaNIsNaN(t *testing.T) {
	t.Parallel()
	if !dot.Has {
		t.Skip("there is no assembly for this processor")
	}
	a, b, c := make([]float32, 3*11), make([]float32, 4*11), make([]float32, 12)
	b[10], b[11] = float32(math.NaN()), float32(math.Inf(1))
	dot.Multiply(3, 4, 11, a, 11, b, 11, c, 4)
	for i, v := range c {
		if math.IsNaN(float64(v)) != (i%4 < 2) {
			t.Errorf("result %d is %v", i, v)
		}
	}
}

func BenchmarkMultiply(b *testing.B) {
	for _, s := range [][3]int{{128, 192, 512}, {128, 64, 64}, {128, 16, 27}, {1, 192, 512}} {
		b.Run(fmt.Sprint(s), func(b *testing.B) {
			x, y, z := make([]float32, s[0]*s[2]), make([]float32, s[1]*s[2]), make([]float32, s[0]*s[1])
			for b.Loop() {
				dot.Multiply(s[0], s[1], s[2], x, s[2], y, s[2], z, s[1])
			}
			b.ReportMetric(2*float64(s[0]*s[1]*s[2])*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOPS")
		})
	}
}

// Factors are of all 64 bits; gaps between rows of C stay as they are.
func TestLowProductsAreThoseOfGo(t *testing.T) {
	t.Parallel()
	if !dot.Has {
		t.Skip("there is no assembly for this processor")
	}
	r := rand.New(rand.NewPCG(5, 2))
	numbers := func(n int) []int64 {
		v := make([]int64, n)
		for i := range v {
			v[i] = int64(r.Uint64()) >> r.IntN(64)
		}
		return v
	}
	sizes := [][3]int{{9, 100, 40}, {2, 30, 1030}, {0, 3, 4}, {2, 0, 3}, {2, 3, 0}}
	for m := 1; m <= 3; m++ {
		for n := 1; n <= 9; n++ {
			for k := 1; k <= 9; k++ {
				sizes = append(sizes, [3]int{m, n, k})
			}
		}
	}
	for i, s := range sizes {
		m, n, k, gap := s[0], s[1], s[2], i%3
		a, b, c := numbers(m*(k+gap)), numbers(n*(k+gap)), numbers(m*(n+gap))
		want := append([]int64(nil), c...)
		for i := range m {
			for j := range n {
				for l := range k {
					want[i*(n+gap)+j] += a[i*(k+gap)+l] * b[j*(k+gap)+l]
				}
			}
		}
		dot.MultiplyLow(m, n, k, a, k+gap, b, k+gap, c, n+gap)
		for at := range c {
			inside := at%(n+gap) < n
			if int32(c[at]) != int32(want[at]) || !inside && c[at] != want[at] {
				t.Fatalf("%v at %d: %#x, not %#x", s, at, c[at], want[at])
			}
		}
	}
}

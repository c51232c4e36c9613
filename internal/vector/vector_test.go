package vector_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anycl/anycl/internal/vector"
)

// numbers draws numbers, a third of them such as operators treat apart.
func numbers() func() float32 {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	odd := []float32{0, float32(math.Copysign(0, -1)), inf, -inf, nan, 1e-45, -1e-45, math.MaxFloat32, -math.MaxFloat32}
	r := rand.New(rand.NewPCG(3, 9))
	return func() float32 {
		if r.IntN(3) == 0 {
			return odd[r.IntN(len(odd))]
		}
		return float32(r.NormFloat64())
	}
}

// Every length has its own end; elements behind the end, and numbers that operators treat apart, stay as they are.
func TestFunctionsAreGosOperators(t *testing.T) {
	t.Parallel()
	number := numbers()
	for name, f := range map[string]struct {
		vector func(dst, a, b []float32)
		want   func(a, b float32) float32
	}{
		"add": {vector.Add, func(a, b float32) float32 { return a + b }},
		"sub": {vector.Sub, func(a, b float32) float32 { return a - b }},
		"mul": {vector.Mul, func(a, b float32) float32 { return a * b }},
		"div": {vector.Div, func(a, b float32) float32 { return a / b }},
		"positive": {func(dst, a, _ []float32) { vector.Positive(dst, a) }, func(a, _ float32) float32 {
			if a < 0 {
				return 0
			}
			return a
		}},
	} {
		for n := range 100 {
			a, b, dst := make([]float32, n), make([]float32, n), make([]float32, n+9)
			for i := range n {
				a[i], b[i] = number(), number()
			}
			want := make([]float32, n, n+9)
			for i := range want {
				want[i] = f.want(a[i], b[i])
			}
			for i := range dst {
				dst[i] = 7
			}
			f.vector(dst[:n], a, b)
			same(t, fmt.Sprint(name, " of ", n), dst, append(want, 7, 7, 7, 7, 7, 7, 7, 7, 7))
			f.vector(a, a, b)
			same(t, fmt.Sprint(name, " in place of ", n), a, want)
		}
	}
}

func TestProductsAreAddedAsByGo(t *testing.T) {
	t.Parallel()
	number := numbers()
	for n := range 100 {
		x, dst, w := make([]float32, 2*n+1), make([]float32, n+9), number()
		for i := range x {
			x[i] = number()
		}
		for _, stride := range []int{0, 1, 2} { // 0: by numbers beside each other
			for _, more := range []int{0, 1} { // the last number's neighbour may be beyond the slice
				used := x[:0]
				if n > 0 {
					used = x[:(n-1)*max(stride, 1)+1+more]
				}
				want := make([]float32, n, n+9)
				for i := range dst {
					dst[i] = 7
				}
				for i := range want {
					dst[i] = number()
					if stride == 0 {
						want[i] = dst[i] + float32(x[i]*x[n+i])
					} else {
						want[i] = dst[i] + float32(x[i*stride]*w)
					}
				}
				switch stride {
				case 0:
					vector.AddProducts(dst[:n], used, x[n:])
				case 1:
					vector.AddTimes(dst[:n], used, w)
				case 2:
					vector.AddTimesOfTwo(dst[:n], used, w)
				}
				same(t, fmt.Sprint(n, " with a stride of ", stride), dst, append(want, 7, 7, 7, 7, 7, 7, 7, 7, 7))
			}
		}
	}
}

// same compares bits, but for those of NaN.
func same(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i, w := range want {
		if math.Float32bits(got[i]) != math.Float32bits(w) && (got[i] == got[i] || w == w) {
			t.Fatalf("%s: number %d is %v, not %v", what, i, got[i], w)
		}
	}
}

func TestSignsAreExtended(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 10))
	for n := range 40 {
		x, want := make([]int64, n+1), make([]int64, n+1)
		for i := range x {
			x[i] = int64(r.Uint64())
			want[i] = int64(int32(x[i]))
		}
		want[n] = x[n] // behind the end
		vector.SignExtend32(x[:n])
		for i := range x {
			if x[i] != want[i] {
				t.Fatalf("element %d of %d: %#x, not %#x", i, n, x[i], want[i])
			}
		}
	}
}

package blas_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/anycl/anycl/blas"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
)

var testContext = context.Background()

// maker makes arguments of routines at random.
type maker struct {
	rng   *rand.Rand
	sizes []int
	wild  bool // NaN and infinities among the numbers, which are never 0
}

func (r *maker) size() int { return r.sizes[r.rng.IntN(len(r.sizes))] }

func pick[T any](r *maker, of ...T) T { return of[r.rng.IntN(len(of))] }

func (r *maker) numbers(n int) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = float64(float32(r.rng.Float64() + 0.25))
		if r.rng.IntN(2) == 0 {
			s[i] = -s[i]
		}
		if r.wild && r.rng.IntN(200) == 0 {
			s[i] = pick(r, math.NaN(), math.Inf(1), math.Inf(-1))
		}
	}
	return s
}

// matrix of rows x columns, with room between rows and behind.
func (r *maker) matrix(rows, columns int) ([]float64, int) {
	ld := max(columns, 1) + pick(r, 0, 0, 1, 5)
	return r.numbers(max(rows, 1)*ld + pick(r, 0, 3)), ld
}

// triangle of order n that can be solved.
func (r *maker) triangle(n int) ([]float64, int) {
	s, ld := r.matrix(n, n)
	for i := range n {
		for j := range n {
			s[i*ld+j] /= float64(n)
		}
		s[i*ld+i] += 2
	}
	return s, ld
}

func (r *maker) vector(n int) ([]float64, int) {
	inc := pick(r, 1, 1, 1, 2, -1, -3)
	return r.numbers((max(n, 1)-1)*max(inc, -inc) + 1 + pick(r, 0, 2)), inc
}

func (r *maker) scale() float64 { return pick(r, 1, 1, -1, 0.5, 0) }

func turned(t gonum.Transpose, rows, columns int) (int, int) {
	if t == gonum.NoTrans {
		return rows, columns
	}
	return columns, rows
}

// arguments of a routine, and the length of its sums.
func (r *maker) arguments(routine string) (args []any, sum int) {
	m, n, k := r.size(), r.size(), r.size()
	alpha, beta := r.scale(), r.scale()
	tA, tB := pick(r, gonum.NoTrans, gonum.Trans, gonum.ConjTrans), pick(r, gonum.NoTrans, gonum.Trans, gonum.ConjTrans)
	ul, side, diag := pick(r, gonum.Upper, gonum.Lower), pick(r, gonum.Left, gonum.Right), pick(r, gonum.Unit, gonum.NonUnit)
	order := n
	if side == gonum.Left {
		order = m
	}
	switch routine {
	case "gemm":
		ar, ac := turned(tA, m, k)
		br, bc := turned(tB, k, n)
		a, lda := r.matrix(ar, ac)
		b, ldb := r.matrix(br, bc)
		if ar == br && ac == bc && pick(r, true, false) { // one matrix is both
			b, ldb = a, lda
		}
		c, ldc := r.matrix(m, n)
		return []any{tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, k
	case "symm":
		a, lda := r.matrix(order, order)
		b, ldb := r.matrix(m, n)
		c, ldc := r.matrix(m, n)
		return []any{side, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc}, order
	case "syrk", "syr2k":
		rows, columns := turned(tA, n, k)
		a, lda := r.matrix(rows, columns)
		c, ldc := r.matrix(n, n)
		if routine == "syrk" {
			return []any{ul, tA, n, k, alpha, a, lda, beta, c, ldc}, k
		}
		b, ldb := r.matrix(rows, columns)
		return []any{ul, tA, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, 2 * k
	case "trmm", "trsm":
		a, lda := r.triangle(order)
		b, ldb := r.matrix(m, n)
		return []any{side, ul, tA, diag, m, n, alpha, a, lda, b, ldb}, order
	case "gemv":
		a, lda := r.matrix(m, n)
		lenY, lenX := turned(tA, m, n)
		x, incX := r.vector(lenX)
		y, incY := r.vector(lenY)
		return []any{tA, m, n, alpha, a, lda, x, incX, beta, y, incY}, lenX
	case "ger": // gonum's own is wrong for negative increments
		x, incX := r.numbers(2*m+1), pick(r, 1, 2)
		y, incY := r.numbers(2*n+1), pick(r, 1, 1, 2)
		a, lda := r.matrix(m, n)
		return []any{m, n, alpha, x, incX, y, incY, a, lda}, 1
	case "symv":
		a, lda := r.matrix(n, n)
		x, incX := r.vector(n)
		y, incY := r.vector(n)
		return []any{ul, n, alpha, a, lda, x, incX, beta, y, incY}, n
	default: // trmv, trsv
		a, lda := r.triangle(n)
		x, incX := r.vector(n)
		return []any{ul, tA, diag, n, a, lda, x, incX}, n
	}
}

// describe is a call without its numbers.
func describe(routine string, args []any) string {
	out := routine
	for _, a := range args {
		if s, ok := a.([]float64); ok {
			a = fmt.Sprintf("[%d]", len(s))
		}
		out += fmt.Sprint(" ", a)
	}
	return out
}

func eachRoutine(t *testing.T, f func(t *testing.T, routine string, single bool)) {
	for _, routine := range routines {
		for _, single := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/single=%v", routine, single), func(t *testing.T) { f(t, routine, single) })
		}
	}
}

func TestRoutinesAgreeWithGonumInFloat64(t *testing.T) {
	t.Parallel()
	b := forced(t)
	eachRoutine(t, func(t *testing.T, routine string, single bool) {
		r := &maker{rng: rand.New(rand.NewPCG(3, 4)), sizes: []int{0, 1, 2, 3, 5, 8, 17, 40, 67}}
		for range 60 {
			args, sum := r.arguments(routine)
			want, got := clone(args), clone(args)
			invoke(reference, routine, false, want...)
			invoke(b, routine, single, got...)
			agree(t, want, got, tolerance(single, sum), describe(routine, args))
		}
	})
}

func TestWhatIsNotANumberGoesWhereGonumPutsIt(t *testing.T) {
	t.Parallel()
	b := forced(t)
	eachRoutine(t, func(t *testing.T, routine string, single bool) {
		r := &maker{rng: rand.New(rand.NewPCG(5, 6)), sizes: []int{1, 2, 5, 9, 33}, wild: true}
		for range 40 {
			args, sum := r.arguments(routine)
			if routine == "syrk" && args[0] == gonum.Lower && args[1] != gonum.NoTrans && args[7] == 0.0 {
				continue // gonum's own reads C although beta is 0
			}
			want, got := clone(args), clone(args)
			invoke(reference, routine, false, want...) // of float32, some write behind the end of a vector
			invoke(b, routine, single, got...)
			agree(t, want, got, tolerance(single, sum), describe(routine, args))
		}
	})
}

func TestWrongArgumentsPanicWithGonumsWords(t *testing.T) {
	t.Parallel()
	b := forced(t)
	eachRoutine(t, func(t *testing.T, routine string, single bool) {
		r := &maker{rng: rand.New(rand.NewPCG(7, 8)), sizes: []int{3, 4, 7}}
		panics := 0
		for range 8 {
			args, _ := r.arguments(routine)
			for i, a := range args {
				for _, wrong := range wrongs(a) {
					bad := clone(args)
					bad[i] = wrong
					want, got := clone(bad), clone(bad)
					p := panicOf(func() { invoke(reference, routine, single, want...) })
					q := panicOf(func() { invoke(b, routine, single, got...) })
					require.Equal(t, p, q, "%s: argument %d is %v", routine, i, wrong)
					if routine != "ger" { // see arguments
						agree(t, want, got, 1e-4, fmt.Sprintf("%s: argument %d is %v", routine, i, wrong))
					}
					if p != nil {
						panics++
					}
				}
			}
		}
		require.Greater(t, panics, 50, "arguments that are wrong were tried")
	})
}

// wrongs are values that an argument may not have, or only in some calls.
func wrongs(a any) (out []any) {
	switch v := a.(type) {
	case int:
		return []any{-1, 0, 1, v - 1}
	case []float64:
		return []any{v[:0], v[:1], v[:len(v)/2], v[:len(v)-1]}
	case float64:
		return nil
	}
	zero := reflect.New(reflect.TypeOf(a)).Elem()
	zero.SetUint(uint64('?'))
	return []any{zero.Interface()}
}

func TestSmallCallsAreGonumsBitForBit(t *testing.T) {
	t.Parallel()
	b := opened(t, nil)
	eachRoutine(t, func(t *testing.T, routine string, single bool) {
		r := &maker{rng: rand.New(rand.NewPCG(9, 1)), sizes: []int{0, 1, 4, 11, 16}}
		for range 40 {
			args, _ := r.arguments(routine)
			want, got := clone(args), clone(args)
			invoke(reference, routine, single, want...)
			invoke(b, routine, single, got...)
			require.Equal(t, want, got, routine)
		}
	})
}

func TestLargeCallsOfManyGoroutinesAgree(t *testing.T) {
	t.Parallel()
	b := opened(t, nil)
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Go(func() {
			r := &maker{rng: rand.New(rand.NewPCG(11, uint64(g))), sizes: []int{100, 129, 200}}
			for i := range 2 * len(routines) {
				routine, single := routines[i/2], i%2 == 0
				args, sum := r.arguments(routine)
				want, got := clone(args), clone(args)
				invoke(reference, routine, false, want...)
				invoke(b, routine, single, got...)
				agree(t, want, got, tolerance(single, sum), describe(routine, args))
			}
		})
	}
	wg.Wait()
}

func TestUseMakesPackageMatComputeOnTheDeviceUntilClose(t *testing.T) {
	before32, before64 := blas32.Implementation(), blas64.Implementation()
	b := blas.Use(&blas.Options{Force: true})
	if blas64.Implementation() == before64 {
		require.Contains(t, b.Why(), "gonum")
		require.NoError(t, b.Close())
		t.Skip(b.Why())
	}
	x, y := mat.NewDense(3, 3, []float64{1, 2, 3, 4, 5, 6, 7, 8, 10}), mat.NewDense(3, 1, []float64{6, 15, 25})
	var z, w mat.Dense
	require.NoError(t, z.Solve(x, y))
	assert.InDeltaSlice(t, []float64{1, 1, 1}, z.RawMatrix().Data, 1e-12)
	w.Mul(x, &z)
	assert.InDeltaSlice(t, y.RawMatrix().Data, w.RawMatrix().Data, 1e-12)
	require.NoError(t, b.Close())
	require.Equal(t, before32, blas32.Implementation())
	require.Equal(t, before64, blas64.Implementation())
	require.NoError(t, b.Close())
	w.Mul(x, &z) // a BLAS that is closed is gonum
	c := make([]float64, 1)
	b.Dgemm(gonum.NoTrans, gonum.NoTrans, 1, 1, 1, 1, []float64{3}, 1, []float64{2}, 1, 0, c, 1)
	require.Equal(t, 6.0, c[0])
}

func TestWithoutADeviceGonumStays(t *testing.T) {
	cpu := fallback.New(nil)
	defer cpu.Close()
	rt := ops.NewRuntime(cpu)
	defer rt.Close()
	_, err := blas.New(rt, nil)
	require.ErrorIs(t, err, blas.ErrNoDevice)
	before := blas64.Implementation()
	b := blas.Use(&blas.Options{Device: "none"})
	require.Equal(t, before, blas64.Implementation())
	require.Contains(t, b.Why(), "no OpenCL device")
	c := make([]float64, 1)
	b.Dgemm(gonum.NoTrans, gonum.NoTrans, 1, 1, 1, 1, []float64{3}, 1, []float64{2}, 1, 0, c, 1)
	require.Equal(t, 6.0, c[0])
	require.NoError(t, b.Close())
}

package blas_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	gonum "gonum.org/v1/gonum/blas"
	implementation "gonum.org/v1/gonum/blas/gonum"

	"github.com/anycl/anycl/blas"
	"github.com/anycl/anycl/ops"
)

// reference is gonum.
var reference implementation.Implementation

// theRuntime is on the best device of the machine, opened once for all tests.
var theRuntime = sync.OnceValues(func() (*ops.Runtime, error) {
	return ops.Open(testContext, &ops.Options{CacheDir: filepath.Join(os.TempDir(), "anycl-test-cache")})
})

// opened is a BLAS on the best device.
func opened(t testing.TB, o *blas.Options) *blas.BLAS {
	t.Helper()
	rt, err := theRuntime()
	require.NoError(t, err)
	b, err := blas.New(rt, o)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// forced sends everything to the device.
func forced(t testing.TB) *blas.BLAS { return opened(t, &blas.Options{Force: true}) }

// routines are those that may go to a device, by their names without the type.
var routines = []string{"gemm", "symm", "syrk", "syr2k", "trmm", "trsm", "gemv", "ger", "symv", "trmv", "trsv"}

// invoke calls a routine of impl with numbers of float64, in float32 where single.
func invoke(impl any, routine string, single bool, args ...any) {
	name := "D" + routine
	if single {
		name = "S" + routine
	}
	in := make([]reflect.Value, len(args))
	narrow := map[int][]float32{}
	same := map[*float64]reflect.Value{}
	for i, a := range args {
		in[i] = reflect.ValueOf(a)
		switch v := a.(type) {
		case float64:
			if single {
				in[i] = reflect.ValueOf(float32(v))
			}
		case []float64:
			if !single {
				break
			}
			if len(v) > 0 && same[&v[0]].IsValid() { // the same matrix stays the same matrix
				in[i] = same[&v[0]].Slice(0, len(v))
				break
			}
			s := make([]float32, len(v))
			for j, x := range v {
				s[j] = float32(x)
			}
			narrow[i], in[i] = s, reflect.ValueOf(s)
			if len(v) > 0 {
				same[&v[0]] = in[i]
			}
		}
	}
	defer func() { // also when it panics
		for i, s := range narrow {
			for j, x := range s {
				args[i].([]float64)[j] = float64(x)
			}
		}
	}()
	reflect.ValueOf(impl).MethodByName(name).Call(in)
}

// panicOf is what f panics with, nil where it does not.
func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// clone copies arguments; slices that are one stay one.
func clone(args []any) []any {
	out := make([]any, len(args))
	same := map[*float64][]float64{}
	for i, a := range args {
		out[i] = a
		if s, ok := a.([]float64); ok && len(s) > 0 {
			if have, ok := same[&s[0]]; ok {
				out[i] = have[:len(s)]
				continue
			}
			c := append([]float64{}, s...)
			out[i], same[&s[0]] = c, c
		}
	}
	return out
}

// agree compares every element of all slices, within tol of the larger of 1, the value and scale;
// NaN and infinities must stand where they stand in want.
func agree(t testing.TB, want, got []any, tol float64, context string) {
	t.Helper()
	for i := range want {
		w, ok := want[i].([]float64)
		if !ok {
			continue
		}
		g := got[i].([]float64)
		for j := range w {
			if math.IsNaN(w[j]) && math.IsNaN(g[j]) || w[j] == g[j] {
				continue
			}
			if d := math.Abs(w[j] - g[j]); !(d <= tol*max(1, math.Abs(w[j]))) {
				require.Failf(t, "differs", "%s: argument %d, element %d: want %g, got %g", context, i, j, w[j], g[j])
			}
		}
	}
}

// tolerance of a type for sums of n products.
func tolerance(single bool, n int) float64 {
	if single {
		return 2e-6 * float64(n+4)
	}
	return 1e-14 * float64(n+4)
}

// narrow is gonum's Float64 on a Float32: what the float32 routine computes must agree with
// gonum's float64, which is then what the caller gets, exact as he wants it.
type narrow struct {
	implementation.Implementation
	t    testing.TB
	impl gonum.Float32
}

func (n narrow) call(routine string, args ...any) {
	exact, got := clone(args), clone(args)
	p := panicOf(func() { invoke(reference, routine, false, exact...) })
	q := panicOf(func() { invoke(n.impl, routine, true, got...) })
	require.Equal(n.t, p, q, "%s%v", routine, args)
	agree(n.t, exact, got, 1e-4, fmt.Sprint(routine, args))
	for i, a := range args {
		if s, ok := a.([]float64); ok {
			copy(s, exact[i].([]float64))
		}
	}
	if p != nil {
		panic(p)
	}
}

func (z narrow) Dgemm(tA, tB gonum.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	z.call("gemm", tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (z narrow) Dsymm(s gonum.Side, ul gonum.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	z.call("symm", s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (z narrow) Dsyrk(ul gonum.Uplo, t gonum.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	z.call("syrk", ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

func (z narrow) Dsyr2k(ul gonum.Uplo, t gonum.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	z.call("syr2k", ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (z narrow) Dtrmm(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	z.call("trmm", s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

func (z narrow) Dtrsm(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	z.call("trsm", s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

func (z narrow) Dgemv(tA gonum.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	z.call("gemv", tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

func (z narrow) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	z.call("ger", m, n, alpha, x, incX, y, incY, a, lda)
}

func (z narrow) Dsymv(ul gonum.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	z.call("symv", ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

func (z narrow) Dtrmv(ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, n int, a []float64, lda int, x []float64, incX int) {
	z.call("trmv", ul, tA, d, n, a, lda, x, incX)
}

func (z narrow) Dtrsv(ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, n int, a []float64, lda int, x []float64, incX int) {
	z.call("trsv", ul, tA, d, n, a, lda, x, incX)
}

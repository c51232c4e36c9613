package blas_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	gonum "gonum.org/v1/gonum/blas"
)

// matrices of a benchmark, of order up to n.
type matrices[T float32 | float64] struct{ a, b, c []T }

func newMatrices[T float32 | float64](n int) matrices[T] {
	m := matrices[T]{make([]T, n*n), make([]T, n*n), make([]T, n*n)}
	for i := range m.a {
		m.a[i], m.b[i] = T(i%251-125)/128/T(n), T(i%127-63)/64
	}
	for i := range n {
		m.a[i*n+i] = 1
	}
	return m
}

// doubleCalls and singleCalls are a call of order n of every routine.
func doubleCalls(z gonum.Float64, n int) map[string]func() {
	m := newMatrices[float64](n)
	a, b, c := m.a, m.b, m.c
	no, yes := gonum.NoTrans, gonum.Trans
	return map[string]func(){
		"gemm-nn": func() { z.Dgemm(no, no, n, n, n, 1, a, n, b, n, 0, c, n) },
		"gemm-nt": func() { z.Dgemm(no, yes, n, n, n, 1, a, n, b, n, 0, c, n) },
		"gemm-tn": func() { z.Dgemm(yes, no, n, n, n, 1, a, n, b, n, 0, c, n) },
		"gemm-tt": func() { z.Dgemm(yes, yes, n, n, n, 1, a, n, b, n, 0, c, n) },
		"symm":    func() { z.Dsymm(gonum.Left, gonum.Lower, n, n, 1, a, n, b, n, 0, c, n) },
		"syrk":    func() { z.Dsyrk(gonum.Lower, no, n, n, 1, a, n, 0, c, n) },
		"syr2k":   func() { z.Dsyr2k(gonum.Upper, no, n, n, 1, a, n, b, n, 0, c, n) },
		"trmm":    func() { z.Dtrmm(gonum.Left, gonum.Upper, no, gonum.Unit, n, n, 1, a, n, c, n) },
		"trsm-l":  func() { z.Dtrsm(gonum.Left, gonum.Lower, no, gonum.Unit, n, n, 1, a, n, c, n) },
		"trsm-r":  func() { z.Dtrsm(gonum.Right, gonum.Lower, yes, gonum.NonUnit, n, n, 1, a, n, c, n) },
		"gemv":    func() { z.Dgemv(no, n, n, 1, a, n, b, 1, 0, c[:n], 1) },
		"gemv-t":  func() { z.Dgemv(yes, n, n, 1, a, n, b, 1, 0, c[:n], 1) },
		"ger":     func() { z.Dger(n, n, 1e-6, b, 1, b, 1, c, n) },
		"symv":    func() { z.Dsymv(gonum.Lower, n, 1, a, n, b, 1, 0, c, 1) },
		"trmv":    func() { z.Dtrmv(gonum.Lower, no, gonum.Unit, n, a, n, c, 1) },
		"trsv":    func() { z.Dtrsv(gonum.Lower, no, gonum.Unit, n, a, n, c, 1) },
	}
}

func singleCalls(z gonum.Float32, n int) map[string]func() {
	m := newMatrices[float32](n)
	a, b, c := m.a, m.b, m.c
	no, yes := gonum.NoTrans, gonum.Trans
	return map[string]func(){
		"gemm-nn": func() { z.Sgemm(no, no, n, n, n, 1, a, n, b, n, 0, c, n) },
		"gemm-nt": func() { z.Sgemm(no, yes, n, n, n, 1, a, n, b, n, 0, c, n) },
		"gemm-tn": func() { z.Sgemm(yes, no, n, n, n, 1, a, n, b, n, 0, c, n) },
		"gemm-tt": func() { z.Sgemm(yes, yes, n, n, n, 1, a, n, b, n, 0, c, n) },
		"symm":    func() { z.Ssymm(gonum.Left, gonum.Lower, n, n, 1, a, n, b, n, 0, c, n) },
		"syrk":    func() { z.Ssyrk(gonum.Lower, no, n, n, 1, a, n, 0, c, n) },
		"syr2k":   func() { z.Ssyr2k(gonum.Upper, no, n, n, 1, a, n, b, n, 0, c, n) },
		"trmm":    func() { z.Strmm(gonum.Left, gonum.Upper, no, gonum.Unit, n, n, 1, a, n, c, n) },
		"trsm-l":  func() { z.Strsm(gonum.Left, gonum.Lower, no, gonum.Unit, n, n, 1, a, n, c, n) },
		"trsm-r":  func() { z.Strsm(gonum.Right, gonum.Lower, yes, gonum.NonUnit, n, n, 1, a, n, c, n) },
		"gemv":    func() { z.Sgemv(no, n, n, 1, a, n, b, 1, 0, c[:n], 1) },
		"gemv-t":  func() { z.Sgemv(yes, n, n, 1, a, n, b, 1, 0, c[:n], 1) },
		"ger":     func() { z.Sger(n, n, 1e-6, b, 1, b, 1, c, n) },
		"symv":    func() { z.Ssymv(gonum.Lower, n, 1, a, n, b, 1, 0, c, 1) },
		"trmv":    func() { z.Strmv(gonum.Lower, no, gonum.Unit, n, a, n, c, 1) },
		"trsv":    func() { z.Strsv(gonum.Lower, no, gonum.Unit, n, a, n, c, 1) },
	}
}

// turn is how long one of the two computes before it is the other's turn: gonum uses one core for most
// routines, and a virtual machine takes milliseconds to give the other one back.
const turn = 20 * time.Millisecond

// BenchmarkBesideGonum times every routine in turns with gonum's own. x/gonum is how many
// times as fast it is, the median over the turns.
func BenchmarkBesideGonum(b *testing.B) {
	z := opened(b, nil)
	z.Wait()
	for _, n := range []int{4, 8, 16, 32, 48, 64, 96, 128, 256, 512, 1024, 2048} {
		float32s, own32 := singleCalls(z, n), singleCalls(reference, n)
		float64s, own64 := doubleCalls(z, n), doubleCalls(reference, n)
		for _, name := range slices.Sorted(mapKeys(float32s)) {
			b.Run(fmt.Sprintf("float32/%s/%d", name, n), func(b *testing.B) { inTurns(b, float32s[name], own32[name]) })
			b.Run(fmt.Sprintf("float64/%s/%d", name, n), func(b *testing.B) { inTurns(b, float64s[name], own64[name]) })
		}
	}
}

func mapKeys[V any](m map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func inTurns(b *testing.B, ours, own func()) {
	ours()
	own()
	calls := func(f func()) int {
		start := time.Now()
		f()
		return int(min(max(turn/max(time.Since(start), 1), 1), 100_000))
	}
	each, eachOwn := calls(ours), calls(own)
	run := func(f func(), each int) float64 {
		start := time.Now()
		for range each {
			f()
		}
		return float64(time.Since(start)) / float64(each)
	}
	var ratios, times []float64
	for b.Loop() {
		t, u := run(ours, each), run(own, eachOwn)
		ratios, times = append(ratios, u/t), append(times, t)
	}
	slices.Sort(ratios)
	slices.Sort(times)
	b.ReportMetric(ratios[len(ratios)/2], "x/gonum")
	b.ReportMetric(times[len(times)/2], "ns/op")
}

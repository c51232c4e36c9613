package dropin

import (
	"math/rand/v2"

	gonum "gonum.org/v1/gonum/blas"
)

// number is the type of a matrix's elements.
type number interface{ float32 | float64 }

// routines are those of an implementation that package blas may send to a device, for one type.
type routines[T number] struct {
	gemm  func(tA, tB gonum.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	symm  func(s gonum.Side, ul gonum.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	syrk  func(ul gonum.Uplo, t gonum.Transpose, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int)
	syr2k func(ul gonum.Uplo, t gonum.Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	trmm  func(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int)
	trsm  func(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int)
	gemv  func(tA gonum.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int)
	ger   func(m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int)
	symv  func(ul gonum.Uplo, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int)
	trmv  func(ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, n int, a []T, lda int, x []T, incX int)
	trsv  func(ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, n int, a []T, lda int, x []T, incX int)
}

func single(z gonum.Float32) *routines[float32] {
	return &routines[float32]{
		gemm: z.Sgemm, symm: z.Ssymm, syrk: z.Ssyrk, syr2k: z.Ssyr2k, trmm: z.Strmm, trsm: z.Strsm,
		gemv: z.Sgemv, ger: z.Sger, symv: z.Ssymv, trmv: z.Strmv, trsv: z.Strsv,
	}
}

func double(z gonum.Float64) *routines[float64] {
	return &routines[float64]{
		gemm: z.Dgemm, symm: z.Dsymm, syrk: z.Dsyrk, syr2k: z.Dsyr2k, trmm: z.Dtrmm, trsm: z.Dtrsm,
		gemv: z.Dgemv, ger: z.Dger, symv: z.Dsymv, trmv: z.Dtrmv, trsv: z.Dtrsv,
	}
}

// memory holds the operands that calls read and write.
type memory[T number] struct {
	a, b, c []T
	t       []T // triangles that can be multiplied with thousands of times
	fresh   []T // the initial content of c in a turn
}

// newMemory is enough for every shape.
func newMemory[T number]() *memory[T] { return newMatrices[T](ld(most), 1) }

// newMatrices are of order n, of numbers between -1 and 1.
func newMatrices[T number](n int, seed uint64) *memory[T] {
	m := &memory[T]{a: make([]T, n*n), b: make([]T, n*n), c: make([]T, n*n), t: make([]T, n*n), fresh: make([]T, n*n)}
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range m.a {
		m.a[i], m.b[i], m.fresh[i] = T(2*r.Float64()-1), T(2*r.Float64()-1), T(2*r.Float64()-1)
		m.t[i] = m.a[i] / 1e6
	}
	copy(m.c, m.fresh)
	m.triangle(n)
	return m
}

// triangle puts ones on the diagonal of t where rows are n long, until clear.
func (m *memory[T]) triangle(n int) {
	for i := range min(n, len(m.t)/n) {
		m.t[i*n+i] = 1
	}
}

func (m *memory[T]) clear(n int) {
	for i := range min(n, len(m.t)/n) {
		m.t[i*n+i] = m.a[i*n+i] / 1e6
	}
}

// renew restores the initial content of c, as far as a call of shape s writes.
func (m *memory[T]) renew(s shape) {
	n := min(len(m.c), s.m*ld(s.n))
	copy(m.c[:n], m.fresh)
}

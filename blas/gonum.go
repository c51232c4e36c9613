package blas

import (
	gonum "gonum.org/v1/gonum/blas"
	implementation "gonum.org/v1/gonum/blas/gonum"
)

// number is the type of a matrix's elements.
type number interface{ float32 | float64 }

// reference is gonum's own implementation for one type.
type reference[T number] interface {
	gemm(tA, tB gonum.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	symm(s gonum.Side, ul gonum.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	syrk(ul gonum.Uplo, t gonum.Transpose, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int)
	syr2k(ul gonum.Uplo, t gonum.Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int)
	trmm(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int)
	trsm(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int)
	gemv(tA gonum.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int)
	ger(m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int)
	symv(ul gonum.Uplo, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int)
	trmv(ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, n int, a []T, lda int, x []T, incX int)
	trsv(ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, n int, a []T, lda int, x []T, incX int)
}

var own implementation.Implementation

// single is gonum for float32.
type single struct{}

func (single) gemm(tA, tB gonum.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32,
	c []float32, ldc int) {
	own.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (single) symm(s gonum.Side, ul gonum.Uplo, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32,
	c []float32, ldc int) {
	own.Ssymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (single) syrk(ul gonum.Uplo, t gonum.Transpose, n, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	own.Ssyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

func (single) syr2k(ul gonum.Uplo, t gonum.Transpose, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32,
	c []float32, ldc int) {
	own.Ssyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (single) trmm(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, m, n int, alpha float32, a []float32, lda int,
	b []float32, ldb int) {
	own.Strmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

func (single) trsm(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, m, n int, alpha float32, a []float32, lda int,
	b []float32, ldb int) {
	own.Strsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

func (single) gemv(tA gonum.Transpose, m, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32,
	incY int) {
	own.Sgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

func (single) ger(m, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32, lda int) {
	own.Sger(m, n, alpha, x, incX, y, incY, a, lda)
}

func (single) symv(ul gonum.Uplo, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	own.Ssymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

func (single) trmv(ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, n int, a []float32, lda int, x []float32, incX int) {
	own.Strmv(ul, tA, d, n, a, lda, x, incX)
}

func (single) trsv(ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, n int, a []float32, lda int, x []float32, incX int) {
	own.Strsv(ul, tA, d, n, a, lda, x, incX)
}

// double is gonum for float64.
type double struct{}

func (double) gemm(tA, tB gonum.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64,
	c []float64, ldc int) {
	own.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (double) symm(s gonum.Side, ul gonum.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64,
	c []float64, ldc int) {
	own.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (double) syrk(ul gonum.Uplo, t gonum.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	own.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

func (double) syr2k(ul gonum.Uplo, t gonum.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64,
	c []float64, ldc int) {
	own.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
}

func (double) trmm(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, m, n int, alpha float64, a []float64, lda int,
	b []float64, ldb int) {
	own.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

func (double) trsm(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, m, n int, alpha float64, a []float64, lda int,
	b []float64, ldb int) {
	own.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
}

func (double) gemv(tA gonum.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64,
	incY int) {
	own.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

func (double) ger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	own.Dger(m, n, alpha, x, incX, y, incY, a, lda)
}

func (double) symv(ul gonum.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	own.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
}

func (double) trmv(ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, n int, a []float64, lda int, x []float64, incX int) {
	own.Dtrmv(ul, tA, d, n, a, lda, x, incX)
}

func (double) trsv(ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, n int, a []float64, lda int, x []float64, incX int) {
	own.Dtrsv(ul, tA, d, n, a, lda, x, incX)
}

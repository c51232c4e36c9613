package blas

import gonum "gonum.org/v1/gonum/blas"

// The routines of float64 that a device may compute. What is small goes straight on to gonum.

// Dgemm computes C = alpha·op(A)·op(B) + beta·C.
func (z *BLAS) Dgemm(tA, tB gonum.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64,
	c []float64, ldc int) {
	if z.double.small3(m, n, k) {
		z.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	call := z.double.decide(shape{which: routeGemm, tA: transposed(tA), tB: transposed(tB), m: m, n: n, k: k})
	if call.device {
		z.double.gemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	} else {
		z.Implementation.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
	z.double.done(&call)
}

// Dsymm computes C = alpha·A·B + beta·C or C = alpha·B·A + beta·C for symmetric A.
func (z *BLAS) Dsymm(s gonum.Side, ul gonum.Uplo, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64,
	c []float64, ldc int) {
	if z.double.small(m, n) {
		z.Implementation.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	call := z.double.decide(shape{which: routeSymm, right: s == gonum.Right, ul: ul == gonum.Upper, m: m, n: n})
	if call.device {
		z.double.symm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	} else {
		z.Implementation.Dsymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
	z.double.done(&call)
}

// Dsyrk computes C = alpha·op(A)·op(A)ᵀ + beta·C for symmetric C.
func (z *BLAS) Dsyrk(ul gonum.Uplo, t gonum.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	if z.double.small(n, k) {
		z.Implementation.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	call := z.double.decide(shape{which: routeSyrk, tA: transposed(t), ul: ul == gonum.Upper, n: n, k: k})
	if call.device {
		z.double.syrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
	} else {
		z.Implementation.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
	}
	z.double.done(&call)
}

// Dsyr2k computes C = alpha·(op(A)·op(B)ᵀ + op(B)·op(A)ᵀ) + beta·C for symmetric C.
func (z *BLAS) Dsyr2k(ul gonum.Uplo, t gonum.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64,
	c []float64, ldc int) {
	if z.double.small(n, k) {
		z.Implementation.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	call := z.double.decide(shape{which: routeSyr2k, tA: transposed(t), ul: ul == gonum.Upper, n: n, k: k})
	if call.device {
		z.double.syr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	} else {
		z.Implementation.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
	z.double.done(&call)
}

// Dtrmm computes B = alpha·op(A)·B or B = alpha·B·op(A) for triangular A.
func (z *BLAS) Dtrmm(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, m, n int, alpha float64, a []float64, lda int,
	b []float64, ldb int) {
	if z.double.small(m, n) {
		z.Implementation.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	call := z.double.decide(shape{which: routeTrmm, tA: transposed(tA), right: s == gonum.Right, ul: ul == gonum.Upper, unit: d == gonum.Unit,
		m: m, n: n})
	if call.device {
		z.double.trmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	} else {
		z.Implementation.Dtrmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
	z.double.done(&call)
}

// Dtrsm solves op(A)·X = alpha·B or X·op(A) = alpha·B for triangular A.
func (z *BLAS) Dtrsm(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, m, n int, alpha float64, a []float64, lda int,
	b []float64, ldb int) {
	if z.double.small(m, n) {
		z.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	call := z.double.decide(shape{which: routeTrsm, tA: transposed(tA), right: s == gonum.Right, ul: ul == gonum.Upper, unit: d == gonum.Unit,
		m: m, n: n})
	if call.device {
		z.double.trsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	} else {
		z.Implementation.Dtrsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
	z.double.done(&call)
}

// Dgemv computes y = alpha·op(A)·x + beta·y.
func (z *BLAS) Dgemv(tA gonum.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64,
	incY int) {
	if z.double.thin(m, n) {
		z.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	call := z.double.decide(shape{which: routeGemv, tA: transposed(tA), m: m, n: n})
	if call.device {
		z.double.gemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	} else {
		z.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
	z.double.done(&call)
}

// Dger computes A += alpha·x·yᵀ.
func (z *BLAS) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	if z.double.thin(m, n) {
		z.Implementation.Dger(m, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	call := z.double.decide(shape{which: routeGer, m: m, n: n})
	if call.device {
		z.double.ger(m, n, alpha, x, incX, y, incY, a, lda)
	} else {
		z.Implementation.Dger(m, n, alpha, x, incX, y, incY, a, lda)
	}
	z.double.done(&call)
}

// Dsymv computes y = alpha·A·x + beta·y for symmetric A.
func (z *BLAS) Dsymv(ul gonum.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64,
	incY int) {
	if z.double.thin(n, n) {
		z.Implementation.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	call := z.double.decide(shape{which: routeSymv, ul: ul == gonum.Upper, m: n, n: n})
	if call.device {
		z.double.symv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
	} else {
		z.Implementation.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
	}
	z.double.done(&call)
}

// Dtrmv computes x = op(A)·x for triangular A.
func (z *BLAS) Dtrmv(ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, n int, a []float64, lda int, x []float64, incX int) {
	if z.double.thin(n, n) {
		z.Implementation.Dtrmv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	call := z.double.decide(shape{which: routeTrmv, tA: transposed(tA), ul: ul == gonum.Upper, unit: d == gonum.Unit, m: n, n: n})
	if call.device {
		z.double.trmv(ul, tA, d, n, a, lda, x, incX)
	} else {
		z.Implementation.Dtrmv(ul, tA, d, n, a, lda, x, incX)
	}
	z.double.done(&call)
}

// Dtrsv solves op(A)·x = b for triangular A.
func (z *BLAS) Dtrsv(ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, n int, a []float64, lda int, x []float64, incX int) {
	if z.double.thin(n, n) {
		z.Implementation.Dtrsv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	call := z.double.decide(shape{which: routeTrsv, tA: transposed(tA), ul: ul == gonum.Upper, unit: d == gonum.Unit, m: n, n: n})
	if call.device {
		z.double.trsv(ul, tA, d, n, a, lda, x, incX)
	} else {
		z.Implementation.Dtrsv(ul, tA, d, n, a, lda, x, incX)
	}
	z.double.done(&call)
}

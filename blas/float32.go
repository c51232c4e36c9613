package blas

import gonum "gonum.org/v1/gonum/blas"

// The routines of float32 that a device may compute. What is small goes straight on to gonum.

// Sgemm computes C = alpha·op(A)·op(B) + beta·C.
func (z *BLAS) Sgemm(tA, tB gonum.Transpose, m, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32,
	c []float32, ldc int) {
	if z.single.small3(m, n, k) {
		z.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	call := z.single.decide(shape{which: routeGemm, tA: transposed(tA), tB: transposed(tB), m: m, n: n, k: k})
	if call.device {
		z.single.gemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	} else {
		z.Implementation.Sgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
	z.single.done(&call)
}

// Ssymm computes C = alpha·A·B + beta·C or C = alpha·B·A + beta·C for symmetric A.
func (z *BLAS) Ssymm(s gonum.Side, ul gonum.Uplo, m, n int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32,
	c []float32, ldc int) {
	if z.single.small(m, n) {
		z.Implementation.Ssymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	call := z.single.decide(shape{which: routeSymm, right: s == gonum.Right, ul: ul == gonum.Upper, m: m, n: n})
	if call.device {
		z.single.symm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	} else {
		z.Implementation.Ssymm(s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
	}
	z.single.done(&call)
}

// Ssyrk computes C = alpha·op(A)·op(A)ᵀ + beta·C for symmetric C.
func (z *BLAS) Ssyrk(ul gonum.Uplo, t gonum.Transpose, n, k int, alpha float32, a []float32, lda int, beta float32, c []float32, ldc int) {
	if z.single.small(n, k) {
		z.Implementation.Ssyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	call := z.single.decide(shape{which: routeSyrk, tA: transposed(t), ul: ul == gonum.Upper, n: n, k: k})
	if call.device {
		z.single.syrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
	} else {
		z.Implementation.Ssyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
	}
	z.single.done(&call)
}

// Ssyr2k computes C = alpha·(op(A)·op(B)ᵀ + op(B)·op(A)ᵀ) + beta·C for symmetric C.
func (z *BLAS) Ssyr2k(ul gonum.Uplo, t gonum.Transpose, n, k int, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32,
	c []float32, ldc int) {
	if z.single.small(n, k) {
		z.Implementation.Ssyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	call := z.single.decide(shape{which: routeSyr2k, tA: transposed(t), ul: ul == gonum.Upper, n: n, k: k})
	if call.device {
		z.single.syr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	} else {
		z.Implementation.Ssyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
	z.single.done(&call)
}

// Strmm computes B = alpha·op(A)·B or B = alpha·B·op(A) for triangular A.
func (z *BLAS) Strmm(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, m, n int, alpha float32, a []float32, lda int,
	b []float32, ldb int) {
	if z.single.small(m, n) {
		z.Implementation.Strmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	call := z.single.decide(shape{which: routeTrmm, tA: transposed(tA), right: s == gonum.Right, ul: ul == gonum.Upper, unit: d == gonum.Unit,
		m: m, n: n})
	if call.device {
		z.single.trmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	} else {
		z.Implementation.Strmm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
	z.single.done(&call)
}

// Strsm solves op(A)·X = alpha·B or X·op(A) = alpha·B for triangular A.
func (z *BLAS) Strsm(s gonum.Side, ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, m, n int, alpha float32, a []float32, lda int,
	b []float32, ldb int) {
	if z.single.small(m, n) {
		z.Implementation.Strsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
		return
	}
	call := z.single.decide(shape{which: routeTrsm, tA: transposed(tA), right: s == gonum.Right, ul: ul == gonum.Upper, unit: d == gonum.Unit,
		m: m, n: n})
	if call.device {
		z.single.trsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	} else {
		z.Implementation.Strsm(s, ul, tA, d, m, n, alpha, a, lda, b, ldb)
	}
	z.single.done(&call)
}

// Sgemv computes y = alpha·op(A)·x + beta·y.
func (z *BLAS) Sgemv(tA gonum.Transpose, m, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32,
	incY int) {
	if z.single.thin(m, n) {
		z.Implementation.Sgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	call := z.single.decide(shape{which: routeGemv, tA: transposed(tA), m: m, n: n})
	if call.device {
		z.single.gemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	} else {
		z.Implementation.Sgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
	z.single.done(&call)
}

// Sger computes A += alpha·x·yᵀ.
func (z *BLAS) Sger(m, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32, lda int) {
	if z.single.thin(m, n) {
		z.Implementation.Sger(m, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	call := z.single.decide(shape{which: routeGer, m: m, n: n})
	if call.device {
		z.single.ger(m, n, alpha, x, incX, y, incY, a, lda)
	} else {
		z.Implementation.Sger(m, n, alpha, x, incX, y, incY, a, lda)
	}
	z.single.done(&call)
}

// Ssymv computes y = alpha·A·x + beta·y for symmetric A.
func (z *BLAS) Ssymv(ul gonum.Uplo, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32,
	incY int) {
	if z.single.thin(n, n) {
		z.Implementation.Ssymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	call := z.single.decide(shape{which: routeSymv, ul: ul == gonum.Upper, m: n, n: n})
	if call.device {
		z.single.symv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
	} else {
		z.Implementation.Ssymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
	}
	z.single.done(&call)
}

// Strmv computes x = op(A)·x for triangular A.
func (z *BLAS) Strmv(ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, n int, a []float32, lda int, x []float32, incX int) {
	if z.single.thin(n, n) {
		z.Implementation.Strmv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	call := z.single.decide(shape{which: routeTrmv, tA: transposed(tA), ul: ul == gonum.Upper, unit: d == gonum.Unit, m: n, n: n})
	if call.device {
		z.single.trmv(ul, tA, d, n, a, lda, x, incX)
	} else {
		z.Implementation.Strmv(ul, tA, d, n, a, lda, x, incX)
	}
	z.single.done(&call)
}

// Strsv solves op(A)·x = b for triangular A.
func (z *BLAS) Strsv(ul gonum.Uplo, tA gonum.Transpose, d gonum.Diag, n int, a []float32, lda int, x []float32, incX int) {
	if z.single.thin(n, n) {
		z.Implementation.Strsv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	call := z.single.decide(shape{which: routeTrsv, tA: transposed(tA), ul: ul == gonum.Upper, unit: d == gonum.Unit, m: n, n: n})
	if call.device {
		z.single.trsv(ul, tA, d, n, a, lda, x, incX)
	} else {
		z.Implementation.Strsv(ul, tA, d, n, a, lda, x, incX)
	}
	z.single.done(&call)
}

package fallback

import (
	"github.com/anycl/anycl/fallback/internal/dot"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// gonum's own implementation, not what blas32.Use may have put in its place:
// the CPU path must not end up on a device.
var gonumBLAS gonum.Implementation

// Calls of at most 3 blocks of 64x64 keep gonum from starting goroutines of
// its own, and so from allocating: the pieces of a task are parallel already.
const (
	callRows = 64
	callCols = work.TileColumns
)

// gemm computes C += A·Bᵀ for A of m x k, B of n x k, C of m x n, all by rows.
//
// B is always taken by rows: gonum, where float32 is left to it, then uses dot
// products, which at k >= 128 are half as fast again as its other forms, and
// which do not leave out factors that are 0, as those do although 0·NaN is NaN.
func gemm[R reg](m, n, k int, a []R, lda int, b []R, ldb int, c []R, ldc int) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	if x := blockOf(a).F32; dot.Has && x != nil {
		dot.Multiply(m, n, k, x, lda, blockOf(b).F32, ldb, blockOf(c).F32, ldc)
		return
	}
	for i := 0; i < m; i += callRows {
		mi := min(callRows, m-i)
		for j := 0; j < n; j += callCols {
			nj := min(callCols, n-j)
			a, b, c := blockOf(a[i*lda:]), blockOf(b[j*ldb:]), blockOf(c[i*ldc+j:])
			switch {
			case a.F32 != nil:
				gonumBLAS.Sgemm(blas.NoTrans, blas.Trans, mi, nj, k, 1, a.F32, lda, b.F32, ldb, 1, c.F32, ldc)
			case a.F64 != nil:
				gonumBLAS.Dgemm(blas.NoTrans, blas.Trans, mi, nj, k, 1, a.F64, lda, b.F64, ldb, 1, c.F64, ldc)
			case a.I64 != nil:
				gemmPlain(mi, nj, k, a.I64, lda, b.I64, ldb, c.I64, ldc)
			default:
				gemmPlain(mi, nj, k, a.U64, lda, b.U64, ldb, c.U64, ldc)
			}
		}
	}
}

// gemmOf is gemm for sums of a dtype. Sums of integers of up to 32 bits are right in these bits alone, and are wrapped later.
func gemmOf[R reg](acc tensor.DType, m, n, k int, a []R, lda int, b []R, ldb int, c []R, ldc int) {
	if !dot.Has || !narrow(acc) || m == 0 || n == 0 || k == 0 {
		gemm(m, n, k, a, lda, b, ldb, c, ldc)
		return
	}
	x, y, z := blockOf(a), blockOf(b), blockOf(c)
	if x.I64 != nil {
		dot.MultiplyLow(m, n, k, x.I64, lda, y.I64, ldb, z.I64, ldc)
	} else {
		dot.MultiplyLow(m, n, k, x.U64, lda, y.U64, ldb, z.U64, ldc)
	}
}

// gemmPlain is gemm for integers.
func gemmPlain[R int64 | uint64](m, n, k int, a []R, lda int, b []R, ldb int, c []R, ldc int) {
	for i := range m {
		x := a[i*lda:][:k]
		row := c[i*ldc:][:n]
		for j := range row {
			y := b[j*ldb:][:len(x)]
			var s0, s1 R
			l := 0
			for ; l+2 <= len(x); l += 2 {
				s0 += x[l] * y[l]
				s1 += x[l+1] * y[l+1]
			}
			if l < len(x) {
				s0 += x[l] * y[l]
			}
			row[j] += s0 + s1
		}
	}
}

// gemv computes y += Aᵀ·x for A of k x n by rows.
func gemv[R reg](k, n int, a []R, lda int, x, y []R) {
	if k == 0 || n == 0 {
		return
	}
	switch ab, xb, yb := blockOf(a), blockOf(x), blockOf(y); {
	case ab.F32 != nil:
		gonumBLAS.Sgemv(blas.Trans, k, n, 1, ab.F32, lda, xb.F32, 1, 1, yb.F32, 1)
	case ab.F64 != nil:
		gonumBLAS.Dgemv(blas.Trans, k, n, 1, ab.F64, lda, xb.F64, 1, 1, yb.F64, 1)
	default:
		for l, v := range x[:k] {
			for j, w := range a[l*lda:][:n] {
				y[j] += v * w
			}
		}
	}
}

package fallback

import (
	"github.com/anycl/anycl/fallback/internal/work"
	"gonum.org/v1/gonum/blas"
)

// A dot product of a dozen factors is mostly call and tail. Where k is that
// short and A is computed anyway, by columns, as the windows of a first
// convolution are, C is better computed on its side:
//
//	Cᵀ = B·Aᵀ
//
// as sums of columns of A, long vectors, with the factors in B.

// maxThin is the longest k for which that is faster.
const maxThin = 48

// thinRows is the number of rows of B in a call of BLAS; with tileRows
// columns it stays below the size that gonum shares among goroutines.
const thinRows = 64

// isThin reports whether tiles are computed on their side.
func (x *contractTask[R]) isThin() bool {
	var zero R
	a := &x.a
	return isFloat(zero) && a.layout == packed && a.across && !a.once && 0 < x.k && x.k <= maxThin && x.kt == x.k && x.chunks == 1 &&
		x.nts == 1 && x.mt <= 2*thinRows
}

func isFloat[R reg](zero R) bool {
	switch any(zero).(type) {
	case float32, float64:
		return true
	}
	return false
}

// packOnSide computes columns of A: nk rows of nr values.
func (o *operand[R]) packOnSide(worker int, batch, r0, nr int64, dst []R) {
	if !o.perBatch {
		batch = 0
	}
	f := o.prog.frame(worker)
	if nr == o.rows {
		f.evalTo(batch*o.k*o.rows, int(o.k*nr), blockOf(dst))
		return
	}
	for l := range o.k {
		f.evalTo((batch*o.k+l)*o.rows+r0, int(nr), blockOf(dst[l*nr:][:nr]))
	}
}

// multiplyThin computes a tile of C, mi x nj, into dst.
func (x *contractTask[R]) multiplyThin(worker int, batch, i0, mi, nj int64, dst []R, ld int64) {
	a := work.Scratch[R](x.env, worker, x.a.panel, int(x.k*mi))
	x.a.packOnSide(worker, batch, i0, mi, a)
	b, ldb := x.b.tile(worker, batch, 0, nj, 0, x.k)
	side := work.Scratch[R](x.env, worker, x.side, int(nj*mi))
	clear(side)
	m, n, k := int(mi), int(nj), int(x.k)
	// gonum leaves out factors of B that are 0, though 0·NaN is NaN.
	if hasZero(n, k, b, ldb) && !finite(a) {
		for j := range n {
			for l, w := range b[j*ldb:][:k] {
				for i, v := range a[l*m:][:m] {
					side[j*m+i] += w * v
				}
			}
		}
	} else {
		for j := 0; j < n; j += thinRows {
			r := min(thinRows, n-j)
			switch ab, bb, cb := blockOf(a), blockOf(b[j*ldb:]), blockOf(side[j*m:]); {
			case ab.F32 != nil:
				gonumBLAS.Sgemm(blas.NoTrans, blas.NoTrans, r, m, k, 1, bb.F32, ldb, ab.F32, m, 1, cb.F32, m)
			case ab.F64 != nil:
				gonumBLAS.Dgemm(blas.NoTrans, blas.NoTrans, r, m, k, 1, bb.F64, ldb, ab.F64, m, 1, cb.F64, m)
			}
		}
	}
	for i := range m {
		for j := range dst[i*int(ld):][:n] {
			dst[i*int(ld)+j] = side[j*m+i]
		}
	}
}

func hasZero[R reg](rows, cols int, b []R, ld int) bool {
	for i := range rows {
		for _, v := range b[i*ld:][:cols] {
			if v == 0 {
				return true
			}
		}
	}
	return false
}

// finite reports whether no value is NaN or infinite: 0 times any of those is
// NaN, which no sum hides.
func finite[R reg](xs []R) bool {
	var s0, s1, s2, s3 R
	for ; len(xs) >= 4; xs = xs[4:] {
		s0, s1, s2, s3 = s0+xs[0]*0, s1+xs[1]*0, s2+xs[2]*0, s3+xs[3]*0
	}
	for _, v := range xs {
		s0 += v * 0
	}
	return s0+s1+s2+s3 == 0
}

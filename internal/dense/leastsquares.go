package dense

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// LeastSquares is the x of least norm among those for which the norm of a x - b is least, and the rank of a, for which singular values of
// at most rtol times the largest are taken for zero.
func LeastSquares(a, b Matrix, rtol float64) (x Matrix, rank int) {
	m, n := a.Rows, a.Cols
	x = New(n, b.Cols)
	switch {
	case empty(a):
		return x, 0
	case !Finite(a):
		fill(x, math.NaN())
		return x, min(m, n)
	case m >= n:
		if leastSquares(Copy(a), Copy(b), x, rtol) {
			return x, n
		}
	}
	p := PseudoInverse(Copy(a), rtol, 0, false)
	mul(x, blas.NoTrans, p, blas.NoTrans, b)
	s := SingularValues(Copy(a))
	for _, v := range s {
		if v > rtol*s[0] {
			rank++
		}
	}
	return x, rank
}

// leastSquares solves by QR with exchanged columns, and reports false where a lacks full rank.
func leastSquares(a, b, x Matrix, rtol float64) bool {
	n := a.Cols
	order := make([]int, n)
	for i := range order {
		order[i] = -1 // free to move
	}
	tau, work := make([]float64, n), make([]float64, 1)
	impl.Dgeqp3(a.Rows, n, a.Data, a.Stride, order, tau, work, -1)
	work = make([]float64, max(int(work[0]), 3*n+1))
	impl.Dgeqp3(a.Rows, n, a.Data, a.Stride, order, tau, work, len(work))
	first := math.Abs(a.Data[0])
	for i := range n {
		if !(math.Abs(a.Data[i*a.Stride+i]) > rtol*first) {
			return false
		}
	}
	if empty(b) {
		return true
	}
	multiply(a, tau, true, b)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, blas64.Triangular{N: n, Stride: a.Stride, Data: a.Data, Uplo: blas.Upper, Diag: blas.NonUnit},
		Matrix{Rows: n, Cols: b.Cols, Stride: b.Stride, Data: b.Data})
	for i, j := range order {
		copy(row(x, j), row(b, i))
	}
	return true
}

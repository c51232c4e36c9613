package dense

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// QR decomposes a, which it overwrites, in a matrix of columns orthonormal columns and one that is upper triangular.
func QR(a Matrix, columns int) (q, r Matrix) {
	q, r = New(a.Rows, columns), New(columns, a.Cols)
	if !Finite(a) {
		fill(q, math.NaN())
		fill(r, math.NaN())
		return q, r
	}
	tau := Reflectors(a)
	Put(r, a)
	keep(r, true)
	return orthogonal(a, tau, columns), r
}

// cut is the size from which on singular values count: the largest of them times rtol, or atol if that is more.
func cut(largest, rtol, atol float64) float64 { return max(largest*rtol, atol) }

// PseudoInverse is the Moore-Penrose inverse of a, which it overwrites, with singular values of at most [Cut] taken for zero.
func PseudoInverse(a Matrix, rtol, atol float64, symmetric bool) Matrix {
	p := New(a.Cols, a.Rows)
	if empty(a) {
		return p
	}
	var u, vt Matrix
	var s []float64
	largest := 0.0
	if symmetric {
		s = Symmetric(a, false, true)
		u, vt = a, Transposed(a)
	} else {
		u, s, vt = SVD(a, false)
	}
	for _, v := range s {
		if math.IsNaN(v) {
			fill(p, v)
			return p
		}
		largest = max(largest, math.Abs(v))
	}
	for k, v := range s {
		factor := 0.0
		if math.Abs(v) > cut(largest, rtol, atol) {
			factor = 1 / v
		}
		for j := range vt.Cols {
			vt.Data[k*vt.Stride+j] *= factor
		}
	}
	mul(p, blas.Trans, vt, blas.Trans, u)
	return p
}

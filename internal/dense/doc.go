// Package dense decomposes dense matrices of float64 on the host by gonum's LAPACK. Matrices are row-major; extents of zero are
// allowed, which LAPACK refuses, and matrices with elements that are not finite give NaN, where iterations of LAPACK would not end.
package dense

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Matrix is a matrix whose rows lie Stride elements apart.
type Matrix = blas64.General

// New is a matrix of zeros.
func New(rows, cols int) Matrix { return of(rows, cols, make([]float64, rows*cols)) }

// of is the matrix of the elements of data.
func of(rows, cols int, data []float64) Matrix {
	return Matrix{Rows: rows, Cols: cols, Stride: max(cols, 1), Data: data}
}

// Copy is a copy of a in memory of its own.
func Copy(a Matrix) Matrix {
	c := New(a.Rows, a.Cols)
	Put(c, a)
	return c
}

// Put writes the elements of from to the upper left of to.
func Put(to, from Matrix) {
	for i := range min(to.Rows, from.Rows) {
		copy(row(to, i), row(from, i))
	}
}

// Transposed is a copy of the transpose of a.
func Transposed(a Matrix) Matrix {
	t := New(a.Cols, a.Rows)
	for i := range a.Rows {
		for j, v := range row(a, i) {
			t.Data[j*t.Stride+i] = v
		}
	}
	return t
}

// fill sets every element of a to v.
func fill(a Matrix, v float64) {
	for i := range a.Rows {
		r := row(a, i)
		for j := range r {
			r[j] = v
		}
	}
}

// Finite reports whether no element of a is infinite or NaN.
func Finite(a Matrix) bool {
	for i := range a.Rows {
		for _, v := range row(a, i) {
			if math.IsInf(v, 0) || math.IsNaN(v) {
				return false
			}
		}
	}
	return true
}

// mul sets c to the product of a and b, each transposed where it is said.
func mul(c Matrix, ta blas.Transpose, a Matrix, tb blas.Transpose, b Matrix) {
	fill(c, 0)
	if empty(a) || empty(b) || empty(c) {
		return
	}
	blas64.Gemm(ta, tb, 1, a, b, 0, c)
}

func row(a Matrix, i int) []float64 {
	if a.Cols == 0 {
		return nil
	}
	return a.Data[i*a.Stride:][:a.Cols]
}

func empty(a Matrix) bool { return a.Rows == 0 || a.Cols == 0 }

// keep sets the elements outside of one triangle of a to zero.
func keep(a Matrix, upper bool) {
	for i := range a.Rows {
		r := row(a, i)
		if upper {
			clear(r[:min(i, len(r))])
		} else if i+1 < len(r) {
			clear(r[i+1:])
		}
	}
}

func uplo(upper bool) blas.Uplo {
	if upper {
		return blas.Upper
	}
	return blas.Lower
}

package dense

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Cholesky overwrites a, of which it reads one triangle, by the factor in this triangle. It returns 0, or the order of the first
// leading minor that is not positive; the factor is NaN then.
func Cholesky(a Matrix, upper bool) int {
	n := a.Rows
	if n == 0 {
		return 0
	}
	c := Copy(a)
	if _, ok := lapack64.Potrf(blas64.Symmetric{N: n, Stride: a.Stride, Data: a.Data, Uplo: uplo(upper)}); ok {
		keep(a, upper)
		return 0
	}
	for i := range n {
		r := row(a, i)
		for j := range r {
			r[j] = math.NaN()
			if upper == (j < i) && i != j {
				r[j] = 0
			}
		}
	}
	return badMinor(c, upper)
}

// badMinor is the order of the first leading minor of a that is not positive.
func badMinor(a Matrix, upper bool) int {
	at := func(i, j int) *float64 { // of the lower triangle
		if upper {
			i, j = j, i
		}
		return &a.Data[i*a.Stride+j]
	}
	for j := range a.Rows {
		for i := j; i < a.Rows; i++ {
			s := *at(i, j)
			for k := range j {
				s -= *at(i, k) * *at(j, k)
			}
			if i > j {
				*at(i, j) = s / *at(j, j)
			} else if !(s > 0) {
				return j + 1
			} else {
				*at(j, j) = math.Sqrt(s)
			}
		}
	}
	return a.Rows // the two differ by rounding in elements that are nearly zero
}

// Triangle describes a triangular system.
type Triangle struct {
	Upper      bool // a is upper triangular, before it is transposed
	Transposed bool
	Unit       bool // the diagonal is taken for ones and not read
	Right      bool // x a = b instead of a x = b
}

// SolveTriangular overwrites b by the solution of a x = b.
func SolveTriangular(a, b Matrix, t Triangle) {
	if empty(a) || empty(b) {
		return
	}
	side, trans, diag := blas.Left, blas.NoTrans, blas.NonUnit
	if t.Right {
		side = blas.Right
	}
	if t.Transposed {
		trans = blas.Trans
	}
	if t.Unit {
		diag = blas.Unit
	}
	blas64.Trsm(side, trans, 1, blas64.Triangular{N: a.Rows, Stride: a.Stride, Data: a.Data, Uplo: uplo(t.Upper), Diag: diag}, b)
}

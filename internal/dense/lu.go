package dense

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// LU overwrites a by its factors, of which the lower one has a diagonal of ones, and returns for each step the row, from 0, with
// which that of the step was exchanged. info is 0, or the number, from 1, of the first step whose pivot is zero.
func LU(a Matrix) (pivots []int, info int) {
	k := min(a.Rows, a.Cols)
	pivots = make([]int, k)
	if k == 0 {
		return pivots, 0
	}
	if lapack64.Getrf(a, pivots) {
		return pivots, 0
	}
	for i := range k {
		if a.Data[i*a.Stride+i] == 0 {
			return pivots, i + 1
		}
	}
	return pivots, 0
}

// Permutation is the order of m rows after the exchanges of pivots: row i of the product of the factors is row p[i] of the
// matrix.
func Permutation(m int, pivots []int) []int {
	p := make([]int, m)
	for i := range p {
		p[i] = i
	}
	for i, j := range pivots {
		if j >= 0 && j < m && i < m {
			p[i], p[j] = p[j], p[i]
		}
	}
	return p
}

// Invert overwrites a by its inverse. It returns info of [LU]; where that is not 0, a is NaN.
func Invert(a Matrix) int {
	pivots, info := LU(a)
	switch {
	case empty(a):
	case info != 0:
		fill(a, math.NaN())
	default:
		work := make([]float64, 1)
		lapack64.Getri(a, pivots, work, -1)
		work = make([]float64, max(int(work[0]), a.Rows))
		lapack64.Getri(a, pivots, work, len(work))
	}
	return info
}

// Product is the determinant of the matrix whose factors are lu, as a product.
func Product(lu Matrix, pivots []int) float64 {
	d := 1.0
	for i, p := range pivots {
		if p != i {
			d = -d
		}
		d *= lu.Data[i*lu.Stride+i]
	}
	return d
}

// Cofactors are the derivatives of the determinant of a by its elements, of which each is the determinant without its row and column, with
// the sign of a chessboard. They are right for singular a too.
func Cofactors(a Matrix) Matrix {
	n := a.Rows
	c := Copy(a)
	if !Finite(a) {
		fill(c, math.NaN())
		return c
	}
	pivots, _ := LU(c)
	smallest, largest := math.Inf(1), 0.0
	for i := range n {
		v := math.Abs(c.Data[i*c.Stride+i])
		smallest, largest = min(smallest, v), max(largest, v)
	}
	if n > 0 && smallest > 1e-6*largest {
		d := Product(c, pivots)
		inverse := Copy(a)
		Invert(inverse)
		c = Transposed(inverse)
		blas64.Scal(d, blas64.Vector{N: n * n, Inc: 1, Data: c.Data})
		return c
	}
	u, s, vt, sign := rotated(a)
	for i := range n {
		p := sign
		for j := range n {
			if j != i {
				p *= s[j]
			}
		}
		for r := range n {
			u.Data[r*u.Stride+i] *= p
		}
	}
	mul(c, blas.NoTrans, u, blas.NoTrans, vt)
	return c
}

// rotated is the singular value decomposition of a square matrix, and the determinant of the product of u and vt, 1 or -1.
func rotated(a Matrix) (u Matrix, s []float64, vt Matrix, sign float64) {
	u, s, vt = SVD(Copy(a), true)
	sign = 1
	for _, m := range []Matrix{u, vt} {
		c := Copy(m)
		pivots, _ := LU(c)
		if Product(c, pivots) < 0 {
			sign = -sign
		}
	}
	return u, s, vt, sign
}

// CofactorDerivative is the derivative by a of the sum of the cofactors of a, each times its element of g. Source: of a diagonal
// matrix, cofactors have simple derivatives, and with its singular value decomposition each matrix is one.
func CofactorDerivative(a, g Matrix) Matrix {
	n := a.Rows
	out := New(n, n)
	if !Finite(a) || !Finite(g) {
		fill(out, math.NaN())
		return out
	}
	u, s, vt, sign := rotated(a)
	t, inner := New(n, n), New(n, n)
	mul(t, blas.Trans, u, blas.NoTrans, g)
	mul(inner, blas.NoTrans, t, blas.Trans, vt)
	d := New(n, n)
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			p := sign
			for l := range n {
				if l != i && l != j {
					p *= s[l]
				}
			}
			d.Data[j*n+j] += inner.Data[i*n+i] * p
			d.Data[j*n+i] -= inner.Data[i*n+j] * p
		}
	}
	mul(t, blas.NoTrans, u, blas.NoTrans, d)
	mul(out, blas.NoTrans, t, blas.NoTrans, vt)
	return out
}

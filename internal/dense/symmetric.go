package dense

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
)

// Symmetric overwrites a, of which it reads one triangle, by its eigenvectors as columns, if they are wanted, and returns its
// eigenvalues, the smallest first. All are NaN where they do not converge.
func Symmetric(a Matrix, upper, vectors bool) []float64 {
	n := a.Rows
	w := make([]float64, n)
	if n == 0 {
		return w
	}
	for i := range n { // the other triangle is this one
		for j := range i {
			if upper {
				a.Data[i*a.Stride+j] = a.Data[j*a.Stride+i]
			} else {
				a.Data[j*a.Stride+i] = a.Data[i*a.Stride+j]
			}
		}
	}
	if !Finite(a) || !eigen(a, w, vectors) {
		fill(a, math.NaN())
		fill(of(1, n, w), math.NaN())
	}
	return w
}

// eigen is Symmetric of finite elements. Without vectors it does not take the shorter way, gonum's Dsterf, which panics where it scales a
// block.
func eigen(a Matrix, w []float64, vectors bool) (ok bool) {
	n := a.Rows
	up := scaleUp(a)
	e, tau, work := make([]float64, n-1), make([]float64, n-1), make([]float64, 1)
	impl.Dsytrd(blas.Lower, n, a.Data, a.Stride, w, e, tau, work, -1)
	work = make([]float64, max(int(work[0]), 2*n))
	impl.Dsytrd(blas.Lower, n, a.Data, a.Stride, w, e, tau, work, len(work))
	if vectors {
		q := orthogonal(New(n, 0), nil, n)
		if n > 1 {
			Put(part(q, 1, 1, n-1, n-1), orthogonal(part(a, 1, 0, n-1, n-1), tau, n-1))
		}
		ok = impl.Dsteqr(lapack.EVOrig, n, w, e, q.Data, q.Stride, work)
		Put(a, q)
	} else {
		ok = impl.Dsteqr(lapack.EVCompNone, n, w, e, nil, 1, nil)
	}
	for i := range w {
		w[i] /= up
	}
	return ok
}

package dense

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Reflectors overwrites a by the upper triangle R of its QR decomposition and, below it, the vectors of the Householder reflectors
// whose product is Q, of which it returns the factors.
func Reflectors(a Matrix) (tau []float64) {
	tau = make([]float64, min(a.Rows, a.Cols))
	if empty(a) {
		return tau
	}
	work := make([]float64, 1)
	lapack64.Geqrf(a, tau, work, -1)
	work = make([]float64, max(int(work[0]), a.Cols))
	lapack64.Geqrf(a, tau, work, len(work))
	return tau
}

// QR decomposes a, which it overwrites, in a matrix of columns orthonormal columns and one that is upper triangular.
func QR(a Matrix, columns int) (q, r Matrix) {
	q, r = New(a.Rows, columns), New(columns, a.Cols)
	if !Finite(a) {
		Fill(q, math.NaN())
		Fill(r, math.NaN())
		return q, r
	}
	tau := Reflectors(a)
	Put(r, a)
	keep(r, true)
	Put(q, a)
	if len(tau) == 0 {
		for i := range min(q.Rows, q.Cols) {
			q.Data[i*q.Stride+i] = 1
		}
		return q, r
	}
	work := make([]float64, 1)
	lapack64.Orgqr(q, tau, work, -1)
	work = make([]float64, max(int(work[0]), q.Cols))
	lapack64.Orgqr(q, tau, work, len(work))
	return q, r
}

// SVD is the singular value decomposition u · diag(s) · vt of a, which it overwrites; full gives square u and vt. It is NaN where it does not
// converge.
func SVD(a Matrix, full bool) (u Matrix, s []float64, vt Matrix) {
	m, n := a.Rows, a.Cols
	k := min(m, n)
	job, p, q := lapack.SVDStore, k, k
	if full {
		job, p, q = lapack.SVDAll, m, n
	}
	u, s, vt = New(m, p), make([]float64, k), New(q, n)
	if k == 0 {
		for _, x := range []Matrix{u, vt} {
			for i := range min(x.Rows, x.Cols) {
				x.Data[i*x.Stride+i] = 1
			}
		}
		return u, s, vt
	}
	if !Finite(a) || !gesvd(job, a, u, vt, s) {
		Fill(u, math.NaN())
		Fill(vt, math.NaN())
		Fill(Of(1, k, s), math.NaN())
	}
	return u, s, vt
}

// SingularValues are those of a, which it overwrites, the largest first.
func SingularValues(a Matrix) []float64 {
	s := make([]float64, min(a.Rows, a.Cols))
	if len(s) > 0 && (!Finite(a) || !gesvd(lapack.SVDNone, a, Matrix{Stride: 1}, Matrix{Stride: 1}, s)) {
		Fill(Of(1, len(s), s), math.NaN())
	}
	return s
}

func gesvd(job lapack.SVDJob, a, u, vt Matrix, s []float64) bool {
	work := make([]float64, 1)
	lapack64.Gesvd(job, job, a, u, vt, s, work, -1)
	work = make([]float64, int(work[0]))
	return lapack64.Gesvd(job, job, a, u, vt, s, work, len(work))
}

// Symmetric overwrites a, of which it reads one triangle, by its eigenvectors as columns, if they are wanted, and returns its eigenvalues, the smallest first.
// All are NaN where they do not converge.
func Symmetric(a Matrix, upper, vectors bool) []float64 {
	n := a.Rows
	w := make([]float64, n)
	if n == 0 {
		return w
	}
	finite := true
	for i := range n {
		from, to := 0, i+1
		if upper {
			from, to = i, n
		}
		finite = finite && Finite(Of(1, to-from, row(a, i)[from:to]))
	}
	ok := finite
	switch {
	case !ok:
	case vectors:
		s := blas64.Symmetric{N: n, Stride: a.Stride, Data: a.Data, Uplo: uplo(upper)}
		work := make([]float64, 1)
		lapack64.Syev(lapack.EVCompute, s, w, work, -1)
		work = make([]float64, max(int(work[0]), 3*n))
		ok = lapack64.Syev(lapack.EVCompute, s, w, work, len(work))
	default:
		ok = eigenvalues(a, upper, w)
	}
	if !ok {
		Fill(a, math.NaN())
		Fill(Of(1, n, w), math.NaN())
	}
	return w
}

// eigenvalues stores the eigenvalues of a, of which one triangle is read and all is overwritten, in w. It goes the way of [Symmetric] with
// vectors: gonum's Dsterf, which needs none, panics where it scales a block.
func eigenvalues(a Matrix, upper bool, w []float64) bool {
	n := a.Rows
	up := 1.0 // what brings the largest element near 1
	largest := 0.0
	for i := range n {
		r := row(a, i)[:i+1]
		if upper {
			r = row(a, i)[i:]
		}
		for _, v := range r {
			largest = max(largest, math.Abs(v))
		}
	}
	if largest == 0 {
		clear(w)
		return true
	}
	if e := math.Ilogb(largest); e < -400 || e > 400 {
		up = math.Ldexp(1, min(-e, 1023))
		blas64.Scal(up, blas64.Vector{N: len(a.Data), Inc: 1, Data: a.Data})
	}
	var impl gonum.Implementation
	e, tau, work := make([]float64, n-1), make([]float64, n-1), make([]float64, 1)
	impl.Dsytrd(uplo(upper), n, a.Data, a.Stride, w, e, tau, work, -1)
	work = make([]float64, int(work[0]))
	impl.Dsytrd(uplo(upper), n, a.Data, a.Stride, w, e, tau, work, len(work))
	ok := impl.Dsteqr(lapack.EVCompNone, n, w, e, nil, 1, nil)
	for i := range w {
		w[i] /= up
	}
	return ok
}

// Cut is the size from which on singular values count: the largest of them times rtol, or atol if that is more.
func Cut(largest, rtol, atol float64) float64 { return max(largest*rtol, atol) }

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
			Fill(p, v)
			return p
		}
		largest = max(largest, math.Abs(v))
	}
	for k, v := range s {
		factor := 0.0
		if math.Abs(v) > Cut(largest, rtol, atol) {
			factor = 1 / v
		}
		for j := range vt.Cols {
			vt.Data[k*vt.Stride+j] *= factor
		}
	}
	Mul(p, blas.Trans, vt, blas.Trans, u)
	return p
}

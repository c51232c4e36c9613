package dense

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// SVD is the singular value decomposition u · diag(s) · vt of a, which it overwrites; full gives square u and vt. It is NaN where it does
// not converge.
func SVD(a Matrix, full bool) (u Matrix, s []float64, vt Matrix) {
	m, n := a.Rows, a.Cols
	k := min(m, n)
	p, q := k, k
	if full {
		p, q = m, n
	}
	if k == 0 {
		return orthogonal(New(m, 0), nil, p), nil, orthogonal(New(q, 0), nil, n)
	}
	ok := Finite(a)
	if ok {
		up := scaleUp(a)
		if m < n {
			vt, s, u, ok = tall(Transposed(a), full)
			u, vt = Transposed(u), Transposed(vt)
		} else {
			u, s, vt, ok = tall(a, full)
		}
		for i := range s {
			s[i] /= up
		}
	}
	if !ok {
		u, s, vt = New(m, p), make([]float64, k), New(q, n)
		fill(u, math.NaN())
		fill(vt, math.NaN())
		fill(of(1, k, s), math.NaN())
	}
	return u, s, vt
}

// SingularValues returns the singular values of a, the largest first. It overwrites a.
func SingularValues(a Matrix) []float64 {
	s := make([]float64, min(a.Rows, a.Cols))
	if len(s) == 0 {
		return s
	}
	if !Finite(a) {
		fill(of(1, len(s), s), math.NaN())
		return s
	}
	up := scaleUp(a)
	if a.Rows < a.Cols {
		a = Transposed(a)
	}
	if isTall(a) {
		Reflectors(a)
		keep(a, true)
		a = part(a, 0, 0, a.Cols, a.Cols)
	}
	s, e, _, _ := bidiagonal(a)
	if !impl.Dbdsqr(blas.Upper, len(s), 0, 0, 0, s, e, nil, 1, nil, 1, nil, 1, make([]float64, 4*len(s))) {
		fill(of(1, len(s), s), math.NaN())
	}
	for i := range s {
		s[i] /= up
	}
	return s
}

// scaleUp multiplies a, whose elements are finite, by a power of two, which it returns, where its squares or sums may not be.
func scaleUp(a Matrix) float64 {
	largest := 0.0
	for i := range a.Rows {
		for _, v := range row(a, i) {
			largest = max(largest, math.Abs(v))
		}
	}
	e := math.Ilogb(largest)
	if largest == 0 || e > -400 && e < 400 {
		return 1
	}
	up := math.Ldexp(1, min(-e, 1023))
	for i := range a.Rows {
		r := row(a, i)
		for j := range r {
			r[j] *= up
		}
	}
	return up
}

// isTall says that a has so many more rows than columns that a QR decomposition comes first. Source: LAPACK, ILAENV.
func isTall(a Matrix) bool { return 5*a.Rows > 8*a.Cols }

// tall is SVD of a matrix with no fewer rows than columns. It reports false where it does not converge.
func tall(a Matrix, full bool) (u Matrix, s []float64, vt Matrix, ok bool) {
	m, n := a.Rows, a.Cols
	p := n
	if full {
		p = m
	}
	if isTall(a) {
		tau := Reflectors(a)
		r := New(n, n)
		Put(r, a)
		keep(r, true)
		inner, s, vt, ok := tall(r, false)
		u = orthogonal(New(m, 0), nil, p) // the identity
		Put(u, inner)
		multiply(a, tau, false, u)
		return u, s, vt, ok
	}
	s, e, tauQ, tauP := bidiagonal(a)
	u = orthogonal(a, tauQ, p)
	vt = orthogonal(New(n, 0), nil, n)
	if n > 1 {
		inner := part(vt, 1, 1, n-1, n-1)
		Put(inner, Transposed(orthogonal(Transposed(part(a, 0, 1, n-1, n-1)), tauP[:n-1], n-1)))
	}
	ok = impl.Dbdsqr(blas.Upper, n, n, m, 0, s, e, vt.Data, vt.Stride, u.Data, u.Stride, nil, 1, make([]float64, 4*n))
	return u, s, vt, ok
}

// bidiagonal reduces a, which has no fewer rows than columns, to an upper bidiagonal matrix of diagonal d and e above it.
func bidiagonal(a Matrix) (d, e, tauQ, tauP []float64) {
	n := a.Cols
	d, e, tauQ, tauP = make([]float64, n), make([]float64, n-1), make([]float64, n), make([]float64, n)
	work := make([]float64, 1)
	impl.Dgebrd(a.Rows, n, a.Data, a.Stride, d, e, tauQ, tauP, work, -1)
	work = make([]float64, max(int(work[0]), a.Rows))
	impl.Dgebrd(a.Rows, n, a.Data, a.Stride, d, e, tauQ, tauP, work, len(work))
	return d, e, tauQ, tauP
}

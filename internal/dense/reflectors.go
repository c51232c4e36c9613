package dense

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"
)

// Products of Householder reflectors by blocks, as LAPACK's DGEQRF, DORGQR and DORMQR. Those of gonum lose products of reflectors in which
// the second of a block ends in zeros and the first does not (its Dlarft), as those of permuted diagonal matrices do.

const (
	reflectorBlock = 32
	fewReflectors  = 128 // up to this many are applied one by one
)

var impl gonum.Implementation

// Reflectors overwrites a by the upper triangle R of its QR decomposition and, below it, the vectors of the Householder reflectors
// whose product is Q, of which it returns the factors.
func Reflectors(a Matrix) (tau []float64) {
	tau = make([]float64, min(a.Rows, a.Cols))
	work := make([]float64, max(a.Cols, 1))
	for k := 0; k < len(tau); k += reflectorBlock {
		if rest := len(tau) - k; rest <= fewReflectors {
			last := part(a, k, k, a.Rows-k, a.Cols-k)
			impl.Dgeqr2(last.Rows, last.Cols, last.Data, last.Stride, tau[k:], work)
			break
		}
		panel := part(a, k, k, a.Rows-k, reflectorBlock)
		impl.Dgeqr2(panel.Rows, panel.Cols, panel.Data, panel.Stride, tau[k:k+reflectorBlock], work)
		reflect(panel, tau[k:k+reflectorBlock], true, part(a, k, k+reflectorBlock, a.Rows-k, a.Cols-k-reflectorBlock))
	}
	return tau
}

// part is a view of rows x cols elements of a, neither of them 0, from row i and column j on.
func part(a Matrix, i, j, rows, cols int) Matrix {
	return Matrix{Rows: rows, Cols: cols, Stride: a.Stride, Data: a.Data[i*a.Stride+j : (i+rows-1)*a.Stride+j+cols]}
}

// reflect multiplies c from the left by the product of the reflectors below the diagonal of v, or by its transpose.
func reflect(v Matrix, tau []float64, transposed bool, c Matrix) {
	w := len(tau)
	whole := New(v.Rows, w) // with the ones and zeros that v does not hold
	for i := range v.Rows {
		copy(row(whole, i)[:min(i, w)], row(v, i))
		if i < w {
			row(whole, i)[i] = 1
		}
	}
	// The product is I - V T Vᵀ. Column i of T is -tau[i] T VᵀV[:, i] above the diagonal.
	inner, t := New(w, w), New(w, w)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, whole, whole, 0, inner)
	for i := range w {
		for j := range i {
			sum := 0.0
			for k := j; k < i; k++ {
				sum += t.Data[j*w+k] * inner.Data[k*w+i]
			}
			t.Data[j*w+i] = -tau[i] * sum
		}
		t.Data[i*w+i] = tau[i]
	}
	trans := blas.NoTrans
	if transposed {
		trans = blas.Trans
	}
	x, y := New(w, c.Cols), New(w, c.Cols)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, whole, c, 0, x)
	blas64.Gemm(trans, blas.NoTrans, 1, t, x, 0, y)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, whole, y, 1, c)
}

// multiply overwrites c by Q c, or Qᵀ c, where Q is the product of the reflectors below the diagonal of v.
func multiply(v Matrix, tau []float64, transposed bool, c Matrix) {
	if c.Cols == 0 {
		return
	}
	blocks := (len(tau) + reflectorBlock - 1) / reflectorBlock
	for b := range blocks {
		k := b * reflectorBlock
		if !transposed {
			k = (blocks - 1 - b) * reflectorBlock
		}
		w := min(reflectorBlock, len(tau)-k)
		reflect(part(v, k, k, v.Rows-k, w), tau[k:k+w], transposed, part(c, k, 0, c.Rows-k, c.Cols))
	}
}

// orthogonal are the first columns, at least one for each, of the product of the reflectors below the diagonal of v.
func orthogonal(v Matrix, tau []float64, columns int) Matrix {
	q := New(v.Rows, columns)
	for i := range min(q.Rows, q.Cols) {
		q.Data[i*q.Stride+i] = 1
	}
	if len(tau) == 0 {
		return q
	}
	first := max(0, len(tau)-fewReflectors+reflectorBlock-1) / reflectorBlock * reflectorBlock // the first reflector that is not in a block
	last := part(q, first, first, q.Rows-first, q.Cols-first)
	Put(last, part(v, first, first, v.Rows-first, len(tau)-first))
	impl.Dorg2r(last.Rows, last.Cols, len(tau)-first, last.Data, last.Stride, tau[first:], make([]float64, last.Cols))
	for k := first - reflectorBlock; k >= 0; k -= reflectorBlock { // columns before a reflector are those of the identity
		reflect(part(v, k, k, v.Rows-k, reflectorBlock), tau[k:k+reflectorBlock], false, part(q, k, k, q.Rows-k, q.Cols-k))
	}
	return q
}

package engine

import "fmt"

// SVD is the singular value decomposition a = U diag(s) Vᵀ. With K = min(M, N):
//
//	in   a   [Batch, M, N]  float32 or float64
//	out  u   [Batch, M, K]  of the same dtype, orthonormal columns; [Batch, M, M] with Full
//	     s   [Batch, K]     the largest first, none negative
//	     vt  [Batch, K, N]  orthonormal rows; [Batch, N, N] with Full
//
// The signs of a column of U and the row of Vᵀ are not determined. A matrix with an element that is not finite gives NaN.
// Source: Golub and Van Loan, Matrix Computations (2013), section 8.6.
type SVD struct {
	Batch, M, N int64
	Full        bool
}

func (f *SVD) String() string {
	return fmt.Sprintf("singular value decomposition of %d matrices of %d x %d", f.Batch, f.M, f.N)
}

func (f *SVD) valid() error { return extents(f.Batch, f.M, f.N) }

func (f *SVD) operands(t *Task) (ins, outs []Operand) {
	dt := wideOf(t)
	of := func(n int64) Operand { return Operand{DType: dt, Len: f.Batch * n} }
	k := min(f.M, f.N)
	us, vs := k, k
	if f.Full {
		us, vs = f.M, f.N
	}
	return []Operand{of(f.M * f.N)}, []Operand{of(f.M * us), of(k), of(vs * f.N)}
}

// Of bidiagonal matrices by QR iterations; section 8.6.3 has the counts.
func (f *SVD) cost(t *Task, c *Cost) {
	m, n := float64(max(f.M, f.N)), float64(min(f.M, f.N))
	flops := 4*m*n*n - 4*n*n*n/3
	if t.Reads(0) || t.Reads(2) {
		flops = 14*m*n*n + 8*n*n*n
	}
	factorCost(c, float64(f.Batch)*flops, f.Batch, max(f.M, f.N))
}

// Eigh is the eigenvalue decomposition a = V diag(w) Vᵀ of symmetric matrices:
//
//	in   a  [Batch, N, N]  float32 or float64; only the lower triangle is read, with Upper only the upper one
//	out  w  [Batch, N]     of the same dtype, the smallest first
//	     v  [Batch, N, N]  eigenvectors, as columns
//
// The signs of eigenvectors are not determined. A matrix with an element that is not finite gives NaN.
// Source: Golub and Van Loan, Matrix Computations (2013), sections 8.3 and 8.5.
type Eigh struct {
	Batch, N int64
	Upper    bool
}

func (f *Eigh) String() string {
	return fmt.Sprintf("eigenvalues of %d symmetric matrices of %d x %d", f.Batch, f.N, f.N)
}

func (f *Eigh) valid() error { return extents(f.Batch, f.N) }

func (f *Eigh) operands(t *Task) (ins, outs []Operand) {
	a := Operand{DType: wideOf(t), Len: f.Batch * f.N * f.N}
	return []Operand{a}, []Operand{{DType: a.DType, Len: f.Batch * f.N}, a}
}

// Of tridiagonal matrices by QR iterations; section 8.3.5 has the counts.
func (f *Eigh) cost(t *Task, c *Cost) {
	n := float64(f.N)
	flops := 4 * n * n * n / 3
	if t.Reads(1) {
		flops = 9 * n * n * n
	}
	factorCost(c, float64(f.Batch)*flops, f.Batch, f.N)
}

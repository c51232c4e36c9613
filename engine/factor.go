package engine

import (
	"fmt"

	"github.com/anycl/anycl/tensor"
)

// Cholesky is the decomposition a = L Lᵀ of symmetric positive definite matrices, of which it reads the lower triangles:
//
//	in   a     [Batch, N, N]  float32 or float64
//	out  l     [Batch, N, N]  of the same dtype, zeros above the diagonal
//	     info  [Batch]        int32: 0, or the order of the first leading minor that is not positive; l is NaN then
//
// Source: Golub and Van Loan, Matrix Computations (2013), section 4.2.
type Cholesky struct{ Batch, N int64 }

func (f *Cholesky) String() string {
	return fmt.Sprintf("Cholesky decomposition of %d matrices of %d x %d", f.Batch, f.N, f.N)
}

func (f *Cholesky) valid() error { return extents(f.Batch, f.N) }

func (f *Cholesky) operands(t *Task) (ins, outs []Operand) {
	a := Operand{DType: wideOf(t), Len: f.Batch * f.N * f.N}
	return []Operand{a}, []Operand{a, {DType: tensor.Int32, Len: f.Batch}}
}

func (f *Cholesky) cost(_ *Task, c *Cost) {
	n := float64(f.N)
	factorCost(c, float64(f.Batch)*n*n*n/3, f.Batch, f.N)
}

// LU is the decomposition a = P L U with partial pivoting:
//
//	in   a       [Batch, M, N]       float32 or float64
//	out  lu      [Batch, M, N]       of the same dtype: L, but for its diagonal of ones, and U
//	     pivots  [Batch, min(M, N)]  int32: in step i, row i was exchanged with row pivots[i], both counted from 1
//	     order   [Batch, M]          int32: row i of L U is row order[i] of a, both counted from 0
//	     info    [Batch]             int32: 0, or the first step, from 1, whose pivot is 0
//
// Source: Golub and Van Loan, Matrix Computations (2013), section 3.4; Toledo, Locality of Reference in LU Decomposition with
// Partial Pivoting (1997).
type LU struct{ Batch, M, N int64 }

func (f *LU) String() string {
	return fmt.Sprintf("LU decomposition of %d matrices of %d x %d", f.Batch, f.M, f.N)
}

func (f *LU) valid() error { return extents(f.Batch, f.M, f.N) }

func (f *LU) operands(t *Task) (ins, outs []Operand) {
	a := Operand{DType: wideOf(t), Len: f.Batch * f.M * f.N}
	of := func(n int64) Operand { return Operand{DType: tensor.Int32, Len: f.Batch * n} }
	return []Operand{a}, []Operand{a, of(min(f.M, f.N)), of(f.M), of(1)}
}

func (f *LU) cost(_ *Task, c *Cost) {
	m, n := float64(f.M), float64(f.N)
	k := min(m, n)
	factorCost(c, float64(f.Batch)*k*(2*m*n-(m+n)*k+2*k*k/3), f.Batch, max(f.M, f.N))
}

// QR is the decomposition a = Q R by Householder reflections. The signs are those of LAPACK: the diagonal of R may be negative.
//
//	in   a  [Batch, M, N]        float32 or float64
//	out  q  [Batch, M, Columns]  of the same dtype: the first columns of Q, Columns at least min(M, N) and at most M
//	     r  [Batch, Columns, N]  zeros below the diagonal
//
// A matrix with an element that is not finite gives NaN.
// Source: Golub and Van Loan, Matrix Computations (2013), section 5.2; Schreiber and Van Loan, A Storage-Efficient WY
// Representation for Products of Householder Transformations (1989).
type QR struct{ Batch, M, N, Columns int64 }

func (f *QR) String() string {
	return fmt.Sprintf("QR decomposition of %d matrices of %d x %d", f.Batch, f.M, f.N)
}

func (f *QR) valid() error {
	if f.Columns < min(f.M, f.N) || f.Columns > f.M {
		return fmt.Errorf("%d columns of Q", f.Columns)
	}
	return extents(f.Batch, f.M, f.N)
}

func (f *QR) operands(t *Task) (ins, outs []Operand) {
	dt := wideOf(t)
	return []Operand{{DType: dt, Len: f.Batch * f.M * f.N}},
		[]Operand{{DType: dt, Len: f.Batch * f.M * f.Columns}, {DType: dt, Len: f.Batch * f.Columns * f.N}}
}

func (f *QR) cost(t *Task, c *Cost) {
	m, n := float64(f.M), float64(f.N)
	k := min(m, n)
	flops := 2 * k * (m*n - (m+n)*k/2 + k*k/3)
	if t.Reads(0) {
		flops *= 2
	}
	factorCost(c, float64(f.Batch)*flops, f.Batch, max(f.M, f.N))
}

// Triangular solves systems of triangular matrices, op(a) x = b, or x op(a) = b with Right:
//
//	in   a  [Batch, N, N]        float32 or float64; only one triangle is read
//	     b  [Batch, N, Columns]  or [Batch, Columns, N] with Right
//	out  x  as b
//
// A zero on the diagonal gives infinities or NaN.
// Source: Golub and Van Loan, Matrix Computations (2013), section 3.1.
type Triangular struct {
	Batch, N, Columns int64
	Upper             bool // of a, as it lies in memory
	Transposed        bool // op(a) is the transpose of a
	Unit              bool // the diagonal counts as ones and is not read
	Right             bool
}

func (f *Triangular) String() string {
	return fmt.Sprintf("%d triangular systems of %d x %d for %d columns", f.Batch, f.N, f.N, f.Columns)
}

func (f *Triangular) valid() error { return extents(f.Batch, f.N, f.Columns) }

func (f *Triangular) operands(t *Task) (ins, outs []Operand) {
	dt := wideOf(t)
	b := Operand{DType: dt, Len: f.Batch * f.N * f.Columns}
	return []Operand{{DType: dt, Len: f.Batch * f.N * f.N}, b}, []Operand{b}
}

func (f *Triangular) cost(_ *Task, c *Cost) {
	c.Flops = float64(f.Batch) * float64(f.N) * float64(f.N) * float64(f.Columns)
	c.Parts, c.Least = float64(f.Batch*f.Columns), c.Flops
}

// factorCost is the cost of flops operations, of which those of a matrix of extent n wait for each other in n steps.
func factorCost(c *Cost, flops float64, batch, n int64) {
	c.Flops, c.Least = flops, flops
	c.Parts = max(float64(batch)*float64(n), 1)
}

// extents reports one below 0.
func extents(all ...int64) error {
	for _, n := range all {
		if n < 0 {
			return fmt.Errorf("extents %v", all)
		}
	}
	return nil
}

// wideOf is dtypeOf for float32 and float64.
func wideOf(t *Task) tensor.DType {
	if dt := dtypeOf(t); dt == tensor.Float32 || dt == tensor.Float64 {
		return dt
	}
	return tensor.Invalid
}

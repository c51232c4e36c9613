package sparse

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
)

// ErrPivot says that an incomplete factorisation met a pivot that is not positive, or not finite, or 0.
var ErrPivot = errors.New("sparse: a pivot vanishes")

// Preconditioner adds an approximate solution z of A·z = r to the graph.
type Preconditioner func(r *ops.Node) *ops.Node

// Jacobi divides by the diagonal of a. Errors, of the graph: a is not square or has no diagonal.
func Jacobi(a *Matrix) Preconditioner {
	if a.bad() {
		return func(*ops.Node) *ops.Node { return failure(a.graph(), nil, "sparse.Jacobi") }
	}
	at, err := a.Pattern.diagonal()
	if err != nil {
		bad := a.graph().Fail("sparse.Jacobi", err, a.Values)
		return func(*ops.Node) *ops.Node { return bad }
	}
	if len(at) == 0 {
		return func(r *ops.Node) *ops.Node { return r }
	}
	inverse := ops.Div(1.0, ops.Gather(a.Values, 0, constOf(a.graph(), at)))
	return func(r *ops.Node) *ops.Node { return ops.Mul(r, inverse) }
}

// LowerUpper solves with the factors that [ILU0] returns.
func LowerUpper[T Number](g *ops.Graph, lu *CSR[T]) Preconditioner {
	m := Const(g, lu)
	return func(r *ops.Node) *ops.Node {
		return SolveTriangular(m, SolveTriangular(m, r, Triangle{Unit: true}), Triangle{Upper: true})
	}
}

// LowerLower solves with the factor L that [IC0] returns, and with its transpose.
func LowerLower[T Number](g *ops.Graph, l *CSR[T]) Preconditioner {
	m := Const(g, l)
	if m.bad() {
		return func(*ops.Node) *ops.Node { return m.Values }
	}
	u := Const(g, l.Transpose())
	return func(r *ops.Node) *ops.Node {
		return SolveTriangular(u, SolveTriangular(m, r, Triangle{}), Triangle{Upper: true})
	}
}

// ILU0 returns the incomplete factors L and U of a square matrix in one, with the elements of a and no others: L below the diagonal, with
// ones on it, and U on and above. It is computed in float64. Errors: those of Check; a is not square; [ErrPivot], also where an element of
// the diagonal is missing.
// Source: Saad, Iterative methods for sparse linear systems (2003), algorithm 10.4.
func ILU0[T Number](a *CSR[T]) (*CSR[T], error) {
	if err := square(a); err != nil {
		return nil, err
	}
	f := a.Float64()
	diagonal := make([]int32, f.Rows)
	at := make([]int32, f.Cols) // the element of this row in a column, plus 1
	for r := range f.Rows {
		from, to := f.Ptr[r], f.Ptr[r+1]
		diagonal[r] = -1
		for i := from; i < to; i++ {
			at[f.Col[i]] = i + 1
		}
		for i := from; i < to; i++ {
			k := int(f.Col[i])
			if k >= r {
				if k == r {
					diagonal[r] = i
				}
				break
			}
			f.Value[i] /= f.Value[diagonal[k]]
			for j := diagonal[k] + 1; j < f.Ptr[k+1]; j++ {
				if n := at[f.Col[j]]; n > 0 {
					f.Value[n-1] -= f.Value[i] * f.Value[j]
				}
			}
		}
		for i := from; i < to; i++ {
			at[f.Col[i]] = 0
		}
		if d := diagonal[r]; d < 0 || f.Value[d] == 0 || math.IsNaN(f.Value[d]) || math.IsInf(f.Value[d], 0) {
			return nil, fmt.Errorf("%w, in row %d", ErrPivot, r)
		}
	}
	return converted[T](f), nil
}

// IC0 returns the incomplete Cholesky factor L of a symmetric matrix, L·Lᵀ ≈ a, with the elements of a's lower triangle, which alone is
// read. It is computed in float64. Errors: as [ILU0]; [ErrPivot] also where a pivot is negative, which can happen although a is positive
// definite, but not for M-matrices.
// Source: Meijerink and van der Vorst, An iterative solution method for linear systems of which the coefficient matrix is a symmetric
// M-matrix (1977).
func IC0[T Number](a *CSR[T]) (*CSR[T], error) {
	if err := square(a); err != nil {
		return nil, err
	}
	l := &CSR[float64]{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int32, a.Rows+1)}
	for r := range a.Rows {
		first := len(l.Col)
		diagonal := -1.0
		for i := a.Ptr[r]; i < a.Ptr[r+1]; i++ {
			c := int(a.Col[i])
			if c > r {
				break
			}
			s := float64(a.Value[i])
			// The product of the elements so far of row r and of row c before column c; columns ascend in both.
			j, end := l.Ptr[c], l.Ptr[c+1]
			if c == r {
				j, end = int32(first), int32(len(l.Col))
			}
			for m := first; m < len(l.Col) && j < end; {
				switch {
				case l.Col[m] == l.Col[j]:
					if int(l.Col[m]) < c {
						s -= l.Value[m] * l.Value[j]
					}
					m++
					j++
				case l.Col[m] < l.Col[j]:
					m++
				default:
					j++
				}
			}
			if c < r {
				s /= l.Value[l.Ptr[c+1]-1] // the diagonal of row c
			} else if diagonal = s; s > 0 {
				s = math.Sqrt(s)
			}
			l.Col, l.Value = append(l.Col, int32(c)), append(l.Value, s)
		}
		if !(diagonal > 0) || math.IsInf(diagonal, 0) {
			return nil, fmt.Errorf("%w, in row %d", ErrPivot, r)
		}
		l.Ptr[r+1] = int32(len(l.Col))
	}
	return converted[T](l), nil
}

func square[T Number](a *CSR[T]) error {
	if err := a.Check(); err != nil {
		return err
	}
	if a.Rows != a.Cols {
		return fmt.Errorf("sparse: %d x %d is not square", a.Rows, a.Cols)
	}
	return nil
}

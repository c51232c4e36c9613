package sparse

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Matrix is a sparse matrix of a graph: where its elements are, and a node with their values, float32 or float64, in the order of
// the rows. Any node will do, so a function of the elements of a is
//
//	sparse.New(a.Pattern, ops.Exp(a.Values))
type Matrix struct {
	Pattern *Pattern
	Values  *ops.Node
}

// New is the matrix with these values, [Pattern.Count] of them. A mistake, of another shape or dtype, is one of the graph.
func New(p *Pattern, values *ops.Node) *Matrix {
	if failed(values) || p == nil {
		return noMatrix(failure(nil, values, "sparse.New"))
	}
	if s, dt := values.Shape(), values.DType(); !slices.Equal(s, []int{p.Count()}) || dt != tensor.Float32 && dt != tensor.Float64 {
		values = values.Graph().Fail("sparse.New", fmt.Errorf("values are %v%v, not float32 or float64 [%d]", dt, s, p.Count()), values)
	}
	return &Matrix{p, values}
}

// Const is a matrix of the graph that does not change. A matrix that is not right, see [CSR.Check], is a mistake of the graph.
func Const[T Number](g *ops.Graph, a *CSR[T]) *Matrix {
	p, err := NewPattern(a)
	if err != nil {
		return noMatrix(g.Fail("sparse.Const", err))
	}
	return &Matrix{p, g.Const(tensor.Must(tensor.FromSlice(slices.Clone(a.Value), len(a.Value))))}
}

// Variable is a matrix of the graph with values that an update may change: its Values are a variable of that name.
func Variable[T Number](g *ops.Graph, name string, a *CSR[T]) *Matrix {
	p, err := NewPattern(a)
	if err != nil {
		return noMatrix(g.Fail("sparse.Variable", err))
	}
	return &Matrix{p, g.Variable(name, tensor.Must(tensor.FromSlice(slices.Clone(a.Value), len(a.Value))))}
}

// Apply is [Mul], as solvers want it.
func (a *Matrix) Apply(x *ops.Node) *ops.Node { return Mul(a, x) }

func failed(x *ops.Node) bool { return x == nil || x.DType() == tensor.Invalid }

// bad reports whether a or one of others cannot be computed with, which has been reported.
func (a *Matrix) bad() bool { return a == nil || a.Pattern == nil || failed(a.Values) }

func (a *Matrix) graph() *ops.Graph {
	if a == nil || a.Values == nil {
		return nil
	}
	return a.Values.Graph()
}

// Mul returns a·x for x a vector [cols], a matrix [cols, k], or a batch of matrices [b, cols, k]:
//
//	y[.., r, j] = Σ_c a[r, c] · x[.., c, j]
//
// The result is [rows], [rows, k] or [b, rows, k], in the dtype of both. Gradients flow to x and to a.Values. Sums are taken in an order
// that depends on the device. Errors: dtypes differ; shapes.
func Mul(a *Matrix, x *ops.Node) *ops.Node {
	const name = "sparse.Mul"
	if a.bad() || failed(x) {
		if a != nil && failed(a.Values) && a.Values != nil {
			return a.Values
		}
		return failure(a.graph(), x, name)
	}
	p, s := a.Pattern, x.Shape()
	rank := len(s)
	switch {
	case x.DType() != a.Values.DType():
		return x.Graph().Fail(name, fmt.Errorf("the matrix is %v and x %v", a.Values.DType(), x.DType()), x)
	case rank < 1 || rank > 3 || s[max(rank-2, 0)] != p.cols:
		return x.Graph().Fail(name, fmt.Errorf("a matrix of %d x %d times x %v", p.rows, p.cols, s), x)
	case rank == 3:
		y := Mul(a, ops.Reshape(ops.MoveDim(x, []int{0}, []int{1}), s[1], s[0]*s[2]))
		return ops.MoveDim(ops.Reshape(y, p.rows, s[0], s[2]), []int{1}, []int{0})
	}
	s[0] = p.rows
	if p.Count() == 0 || p.rows == 0 || x.Size() == 0 {
		return x.Graph().Zeros(x.DType(), s...)
	}
	return ops.CustomGradient(
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{p.multiply(in[0], in[1])} },
		func(in, _, g []*ops.Node) []*ops.Node {
			g0 := g[0].Graph()
			return []*ops.Node{
				sampled(p.constant(g0, p.rowOf()), p.constant(g0, p.col), g[0], in[1]),
				Mul(Transpose(&Matrix{p, in[0]}), g[0]),
			}
		}, a.Values, x)[0]
}

// noMatrix is the result of a call that has failed: a matrix whose values have.
func noMatrix(values *ops.Node) *Matrix { return &Matrix{newPattern(0, 0, []int32{0}, nil), values} }

// failure is the result of a call one of whose operands has failed, which has been reported, or is not there.
func failure(g *ops.Graph, x *ops.Node, name string) *ops.Node {
	switch {
	case x != nil && failed(x):
		return x
	case x != nil:
		g = x.Graph()
	case g == nil:
		return ops.Apply("sparse.multiply", nil, nil, nil, nil, nil)
	}
	return g.Fail(name, errors.New("an operand is nil, or has failed"))
}

// multiply adds the product of the matrix with these values and x to the graph.
func (p *Pattern) multiply(values, x *ops.Node) *ops.Node {
	if x.Rank() == 1 {
		if l := p.slices(); l != nil {
			return l.multiply(p, values, x)
		}
	}
	g, w := x.Graph(), p.work()
	ptr, col := p.constant(g, p.ptr), p.constant(g, p.col)
	switch {
	case w.ptr != nil: // pieces first, which a second product adds up
		pieces := ops.Apply("sparse.multiply_parts", nil, p.constant(g, w.ptr), col, values, x, p.constant(g, w.parts))
		return Multiply(p.constant(g, w.sums), p.constant(g, w.at), g.Ones(x.DType(), len(w.at)), pieces)
	case w.parts != nil:
		return ops.Apply("sparse.multiply_parts", nil, ptr, col, values, x, p.constant(g, w.parts))
	}
	return Multiply(ptr, col, values, x)
}

// Transpose returns the transpose of a.
func Transpose(a *Matrix) *Matrix {
	if a.bad() {
		return noMatrix(failure(a.graph(), nil, "sparse.Transpose"))
	}
	t, at := a.Pattern.transposed()
	if t.Count() == 0 {
		return &Matrix{t, a.Values}
	}
	return &Matrix{t, ops.Gather(a.Values, 0, a.Pattern.constant(a.graph(), at))}
}

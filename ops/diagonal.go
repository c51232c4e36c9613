package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// diagonalAttr names a diagonal of the planes of two axes.
type diagonalAttr struct {
	Offset int `default:"0" doc:"of the diagonal: above the main one where positive, below it where negative"`
	Axis1  int `default:"0" doc:"of rows"`
	Axis2  int `default:"1" doc:"of columns"`
}

// farthest is an offset beyond every diagonal.
const farthest = 1 << 60

// complete resolves the axes in a shape of that rank.
func (a *diagonalAttr) complete(rank int) (err error) {
	if a.Axis1, err = shapes.Axis(a.Axis1, rank); err == nil {
		a.Axis2, err = shapes.Axis(a.Axis2, rank)
	}
	if err == nil && a.Axis1 == a.Axis2 {
		err = errors.New("a plane has two axes")
	}
	if a.Offset > farthest || a.Offset < -farthest {
		err = fmt.Errorf("an offset of %d", a.Offset)
	}
	return err
}

// count is the length of the diagonal in a shape.
func (a diagonalAttr) count(shape []int) int {
	return max(min(shape[a.Axis1]-max(-a.Offset, 0), shape[a.Axis2]-max(a.Offset, 0)), 0)
}

// rest is a shape without the two axes.
func (a diagonalAttr) rest(shape []int) []int {
	var out []int
	for i, n := range shape {
		if i != a.Axis1 && i != a.Axis2 {
			out = append(out, n)
		}
	}
	return out
}

// Diagonal returns a diagonal of the matrices of x over two axes, as its last axis:
//
//	y[..., k] = x[..., k, ..., k + offset, ...]
//
// where a negative offset is taken from the row instead. It costs nothing. Errors: an axis does not exist; both are one.
// Source: PyTorch, diagonal.
func Diagonal(x *Node, offset, axis1, axis2 int) *Node {
	return apply("diagonal", diagonalAttr{offset, axis1, axis2}, x)
}

var _ = define(Op{
	Name: "diagonal", Category: "layout", Attributes: AttributesOf[diagonalAttr](), Operands: operandX, DTypes: every,
	Complete: func(c *Call) error {
		a := c.Attr.(diagonalAttr)
		err := a.complete(len(c.shape(0)))
		c.Attr = a
		return err
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(diagonalAttr)
		return append(a.rest(c.shape(0)), a.count(c.shape(0))), c.dt(0), nil
	},
	Grad: func(b *Back) {
		b.Add(0, apply("undiagonal", undiagonalAttr{b.Attr().(diagonalAttr), b.In(0).shape}, b.Grad()))
	},
	View: func(p Primitive, at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) {
		a, last := p.Attr().(diagonalAttr), len(at)-1
		var src []*engine.Index
		next := 0
		for i := range len(at) + 1 {
			switch i {
			case a.Axis1:
				src = append(src, at[last].AddConst(int64(max(-a.Offset, 0))))
			case a.Axis2:
				src = append(src, at[last].AddConst(int64(max(a.Offset, 0))))
			default:
				src = append(src, at[next])
				next++
			}
		}
		return src, nil
	},
})

// undiagonalAttr are the attributes of undiagonal, which puts a diagonal into matrices of zeros.
type undiagonalAttr struct {
	diagonalAttr
	Shape []int // of the result
}

var _ = define(Op{
	Name: "undiagonal", Traits: Traits(ir.TraitReadsInside), hidden: true,
	Attributes: AttributesOf[undiagonalAttr](), Operands: operandX, DTypes: every,
	Result: func(c *Call) ([]int, tensor.DType, error) { return c.Attr.(undiagonalAttr).Shape, c.dt(0), nil },
	Grad:   func(b *Back) { b.Add(0, apply("diagonal", b.Attr().(undiagonalAttr).diagonalAttr, b.Grad())) },
	View: func(p Primitive, at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) {
		a := p.Attr().(undiagonalAttr)
		var src []*engine.Index
		for i, x := range at {
			if i != a.Axis1 && i != a.Axis2 {
				src = append(src, x)
			}
		}
		k := at[a.Axis1].AddConst(int64(-max(-a.Offset, 0)))
		return append(src, k), []engine.Cond{
			{X: at[a.Axis2].Add(at[a.Axis1].Mul(-1)), Lo: int64(a.Offset), Hi: int64(a.Offset) + 1},
			{X: k, Lo: 0, Hi: int64(a.count(a.Shape))},
		}
	},
})

// DiagEmbed returns square matrices, over two axes of the result, with the last axis of x as their diagonal and zeros elsewhere: the
// inverse of [Diagonal]. It is folded into the kernels that read it. Errors: x is a scalar; an axis does not exist; both are one.
// Source: PyTorch, diag_embed.
func DiagEmbed(x *Node, offset, axis1, axis2 int) *Node {
	return apply("diag_embed", diagEmbedAttr{offset, axis1, axis2}, x)
}

type diagEmbedAttr struct {
	Offset int `default:"0" doc:"of the diagonal: above the main one where positive, below it where negative"`
	Axis1  int `default:"-2" doc:"of rows, in the result"`
	Axis2  int `default:"-1" doc:"of columns, in the result"`
}

// shape returns the shape of the result for an operand of shape x. It needs the attributes that Complete has filled in.
func (a diagEmbedAttr) shape(x []int) []int {
	n := plus(x[len(x)-1], max(a.Offset, -a.Offset))
	shape := slices.Clone(x[:len(x)-1])
	shape = slices.Insert(shape, min(a.Axis1, a.Axis2), n)
	return slices.Insert(shape, max(a.Axis1, a.Axis2), n)
}

var _ = define(Op{
	Name: "diag_embed", Category: "layout", Complex: eachPart, Attributes: AttributesOf[diagEmbedAttr](), Operands: operandX, DTypes: every,
	Complete: func(c *Call) error {
		a := diagonalAttr(c.Attr.(diagEmbedAttr))
		if len(c.shape(0)) == 0 {
			return errors.New("a scalar is no diagonal")
		}
		err := a.complete(len(c.shape(0)) + 1)
		c.Attr = diagEmbedAttr(a)
		return err
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		return c.Attr.(diagEmbedAttr).shape(c.shape(0)), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a := c.Attr.(diagEmbedAttr)
		return apply("undiagonal", undiagonalAttr{diagonalAttr(a), a.shape(c.shape(0))}, c.In[0])
	},
})

// Diag returns the square matrix with the vector x as a diagonal, or a diagonal of the matrix x. Errors: x is neither.
// Source: PyTorch, diag; NumPy, numpy.diag.
func Diag(x *Node, offset int) *Node {
	switch {
	case x == nil || x.bad:
		return apply("diagonal", nil, x)
	case x.Rank() == 1:
		return DiagEmbed(x, offset, 0, 1)
	case x.Rank() == 2:
		return Diagonal(x, offset, 0, 1)
	}
	return x.graph.fail("diag", []*Node{x}, fmt.Errorf("%v is neither a vector nor a matrix", x.shape))
}

// DiagFlat returns the square matrix with all elements of x, in row-major order, as a diagonal.
func DiagFlat(x *Node, offset int) *Node { return DiagEmbed(Reshape(x, -1), offset, 0, 1) }

// Tril returns the lower triangle of the matrices in the last two axes of x, with zeros elsewhere:
//
//	y[..., i, j] = x[..., i, j] where j <= i + k, else 0
//
// It is folded into the kernels that read it. Errors: x has fewer than two axes.
// Source: PyTorch, tril; NumPy, numpy.tril.
func Tril(x *Node, k int) *Node { return apply("tril", triangularAttr{k}, x) }

// Triu is the upper triangle: j >= i + k. See [Tril].
func Triu(x *Node, k int) *Node { return apply("triu", triangularAttr{k}, x) }

type triangularAttr struct {
	K int `default:"0" doc:"the last, or first, diagonal that is kept: 0 the main one, 1 that above it"`
}

func triangleOp(name string, keep func(row, column *Node) *Node) Op {
	return Op{
		Name: name, Category: "layout", Complex: eachPart, Attributes: AttributesOf[triangularAttr](), Operands: operandX, DTypes: every,
		Result: func(c *Call) ([]int, tensor.DType, error) {
			if len(c.shape(0)) < 2 {
				return nil, 0, fmt.Errorf("%v is no matrix", c.shape(0))
			}
			return same(c)
		},
		Compose: func(c *Call) *Node {
			x := c.In[0]
			n := len(x.shape)
			plane := x.shape[n-2:]
			row, column := x.graph.Iota(tensor.Int64, 0, plane...), x.graph.Iota(tensor.Int64, 1, plane...)
			row = Add(row, int64(min(max(c.Attr.(triangularAttr).K, -farthest), farthest)))
			return Where(keep(row, column), x, ScalarLike(x, 0))
		},
	}
}

var (
	_ = define(triangleOp("tril", func(row, column *Node) *Node { return LessEqual(column, row) }))
	_ = define(triangleOp("triu", func(row, column *Node) *Node { return GreaterEqual(column, row) }))
)

// TrilIndices are the rows and the columns, int64 [2, n], of the lower triangle of a matrix, row by row: where column <= row + k.
// Source: PyTorch, tril_indices.
func (g *Graph) TrilIndices(rows, columns, k int) *Node {
	return g.triangle("tril_indices", rows, columns, func(i, j int) bool { return j <= i+k })
}

// TriuIndices are the indices of the upper triangle: column >= row + k. See [Graph.TrilIndices].
func (g *Graph) TriuIndices(rows, columns, k int) *Node {
	return g.triangle("triu_indices", rows, columns, func(i, j int) bool { return j >= i+k })
}

func (g *Graph) triangle(name string, rows, columns int, in func(i, j int) bool) *Node {
	if err := checkSize([]int{2, max(rows, 0), max(columns, 0)}, tensor.Int64); err != nil || g == nil || rows < 0 || columns < 0 {
		return g.fail(name, nil, fmt.Errorf("a matrix of %d rows and %d columns", rows, columns))
	}
	var at [2][]int64
	for i := range rows {
		for j := range columns {
			if in(i, j) {
				at[0], at[1] = append(at[0], int64(i)), append(at[1], int64(j))
			}
		}
	}
	return g.Const(tensor.Must(tensor.FromSlice(slices.Concat(at[0], at[1]), 2, len(at[0]))))
}

type equalAxesAttr struct{ First, Second int }

// The elements of x whose coordinates on two axes are equal; the second axis vanishes.
var _ = define(Op{
	Name: "equal_axes", Attributes: AttributesOf[equalAxesAttr](), Operands: operandX, DTypes: every, hidden: true,
	Traits: Traits(ir.TraitRepeats),
	Result: func(c *Call) ([]int, tensor.DType, error) {
		return slices.Delete(slices.Clone(c.shape(0)), c.Attr.(equalAxesAttr).Second, c.Attr.(equalAxesAttr).Second+1), c.dt(0), nil
	},
	View: func(p Primitive, at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) {
		a := p.Attr().(equalAxesAttr)
		return slices.Insert(slices.Clone(at), a.Second, at[a.First]), nil
	},
	Grad: func(b *Back) {
		x, a := b.In(0), b.Attr().(equalAxesAttr)
		i, j := x.graph.Iota(tensor.Int32, a.First, x.shape...), x.graph.Iota(tensor.Int32, a.Second, x.shape...)
		b.Add(0, Where(Equal(i, j), ExpandDims(b.Grad(), a.Second), ScalarLike(b.Grad(), 0)))
	},
})

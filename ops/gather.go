package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Gather returns the slices of x along axis that the integers idx name:
//
//	y[p, i, q] = x[p, idx[i], q]
//
// where i stands for all axes of idx, which take the place of axis. An index
// outside [0, extent) gives zeros. Errors: idx is not an integer; the axis does
// not exist.
func Gather(x *Node, axis int, idx *Node) *Node {
	return apply("gather", ir.GatherAttr{Axis: axis}, x, idx)
}

// TakeAlong returns for every position of the integers idx the element of x
// that it names along axis:
//
//	y[p, i, q] = x[p, idx[p, i, q], q]
//
// idx has the rank of x and its extents in every axis but axis. An index outside
// [0, extent) gives 0. Errors: idx is not an integer; the axis does not exist;
// shapes differ beside axis.
func TakeAlong(x *Node, axis int, idx *Node) *Node {
	return apply("take_along", ir.GatherAttr{Axis: axis}, x, idx)
}

// completeIndex resolves the axis that an index selects from.
func completeIndex(along bool) func(c *Call) error {
	return func(c *Call) error {
		axis, err := shapes.Axis(c.Attr.(ir.GatherAttr).Axis, len(c.shape(0)))
		c.Attr = ir.GatherAttr{Axis: axis, Along: along}
		return err
	}
}

var indexing = []Operand{{Name: "x"}, {Name: "idx", DTypes: ints}}

var _ = define(Op{
	Name:    "gather",
	Complex: eachPart, Category: "indexing",
	Attributes: AttributesOf[ir.GatherAttr](), Complete: completeIndex(false),
	Operands: indexing, DTypes: every, kind: ir.KindGather,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		x, axis := c.shape(0), c.Attr.(ir.GatherAttr).Axis
		return slices.Concat(x[:axis], c.shape(1), x[axis+1:]), c.dt(0), nil
	},
	Grad: func(b *Back) {
		b.Add(0, ScatterAdd(zerosLike(b.In(0)), b.Attr().(ir.GatherAttr).Axis, b.In(1), b.Grad()))
	},
})

var _ = define(Op{
	Name:    "take_along",
	Complex: eachPart, Category: "indexing",
	Attributes: AttributesOf[ir.GatherAttr](), Complete: completeIndex(true),
	Operands: indexing, DTypes: every, kind: ir.KindGather,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		x, idx, axis := c.shape(0), c.shape(1), c.Attr.(ir.GatherAttr).Axis
		want := slices.Clone(x)
		if len(idx) == len(x) {
			want[axis] = idx[axis]
		}
		if !slices.Equal(want, idx) {
			return nil, 0, fmt.Errorf("indices %v do not fit %v beside axis %d", idx, x, axis)
		}
		return idx, c.dt(0), nil
	},
	Grad: func(b *Back) {
		x, idx, axis := b.In(0), b.In(1), b.Attr().(ir.GatherAttr).Axis
		if idx.shape[axis] != 1 {
			b.Add(0, scatterInto(zerosLike(x), idx, b.Grad(), ir.ScatterAttr{Axis: axis, Along: true}))
			return
		}
		// One element of each line, as labels choose it: a comparison fuses with the ops that read the gradient, a scatter does not.
		here := Equal(x.graph.Iota(tensor.Int64, axis, x.shape...), Cast(idx, tensor.Int64))
		b.Add(0, Where(here, b.Grad(), ScalarLike(b.Grad(), 0)))
	},
})

// IndexOptions say how an op takes indices. The zero value and nil: one outside [0, extent) reads zero and writes nothing.
type IndexOptions struct {
	// NegativeIndices counts indices below 0 from the end, as NumPy and ONNX do.
	NegativeIndices bool
}

func (o *IndexOptions) negative() bool { return o != nil && o.NegativeIndices }

type indexAttr struct {
	Axis            int  `default:"0" doc:"of x along which the index counts, from the end where negative"`
	NegativeIndices bool `default:"false" doc:"indices below 0 count from the end; otherwise they read zero"`
}

// GatherElements returns for every element of the integers idx the element of x at its place, with the index along axis:
//
//	y[p, i, q] = x[p, idx[p, i, q], q]
//
// In the other axes idx may be smaller than x; elements of x behind it are not read. [TakeAlong] wants equal extents. An index outside
// [0, extent) gives 0. Derivatives are added up where elements came from. Errors: idx is not an integer; the axis does not exist; the
// ranks differ; idx is larger than x beside axis.
// Source: PyTorch, gather; ONNX, operator GatherElements.
func GatherElements(x *Node, axis int, idx *Node, o *IndexOptions) *Node {
	return apply("gather_elements", indexAttr{axis, o.negative()}, x, idx)
}

var _ = define(Op{
	Name: "gather_elements", Category: "indexing", Complex: eachPart, Attributes: AttributesOf[indexAttr](), Operands: indexing, DTypes: every,
	Complete: completeElementAxis,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		x, idx, axis := c.shape(0), c.shape(1), c.Attr.(indexAttr).Axis
		bad := len(x) != len(idx) && !(len(x) == 0 && len(idx) == 1)
		for i := 0; i < len(x) && !bad; i++ {
			bad = i != axis && idx[i] > x[i]
		}
		if bad {
			return nil, 0, fmt.Errorf("indices %v do not fit %v beside axis %d", idx, x, axis)
		}
		return idx, c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a, x, idx := c.Attr.(indexAttr), c.In[0], c.In[1]
		shape := idx.shape
		if len(x.shape) == 0 {
			x, idx = Reshape(x, 1), Reshape(idx, idx.Size())
		}
		part := slices.Clone(idx.shape)
		part[a.Axis] = x.shape[a.Axis]
		if a.NegativeIndices {
			idx = wrapIndices(idx, x.shape[a.Axis])
		}
		return Reshape(TakeAlong(cutTo(x, part), a.Axis, idx), shape...)
	},
})

// completeElementAxis resolves the axis of operand 0, a scalar of which counts as one element.
func completeElementAxis(c *Call) (err error) {
	a := c.Attr.(indexAttr)
	a.Axis, err = scatterAxis(a.Axis, c)
	c.Attr = a
	return err
}

// IndexSelect is [Gather] with options, by PyTorch's name.
func IndexSelect(x *Node, axis int, idx *Node, o *IndexOptions) *Node {
	return apply("index_select", indexAttr{axis, o.negative()}, x, idx)
}

var _ = define(Op{
	Name: "index_select", Category: "indexing", Complex: eachPart, Attributes: AttributesOf[indexAttr](), Operands: indexing, DTypes: every,
	Complete: completeElementAxis,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		x, axis := c.shape(0), c.Attr.(indexAttr).Axis
		if len(x) == 0 { // one element, at index 0
			return c.shape(1), c.dt(0), nil
		}
		return slices.Concat(x[:axis], c.shape(1), x[axis+1:]), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a, x, idx := c.Attr.(indexAttr), c.In[0], c.In[1]
		if len(x.shape) == 0 {
			x = Reshape(x, 1)
		}
		if a.NegativeIndices {
			idx = wrapIndices(idx, x.shape[a.Axis])
		}
		return Gather(x, a.Axis, idx)
	},
})

// Take returns the elements of x, in row-major order, that the integers idx name; negative ones count from the end, and those outside
// give 0. The result has the shape of idx. Errors: idx is not an integer.
// Source: PyTorch, take.
func Take(x, idx *Node) *Node {
	return Gather(Reshape(x, -1), 0, WrapIndices(idx, Reshape(x, -1), 0))
}

// WrapIndices returns the integers idx with those below 0 counted from the end of an axis of x, for ops that have no option for
// it:
//
//	y = idx + extent where idx < 0, else idx
//
// Errors: idx is not an integer; the axis does not exist.
func WrapIndices(idx, x *Node, axis int) *Node { return apply("wrap_indices", axisAttr{axis}, idx, x) }

var _ = define(Op{
	Name: "wrap_indices", Category: "indexing", Attributes: AttributesOf[axisAttr](), DTypes: ints, Flat: true,
	Operands: []Operand{{Name: "idx"}, {Name: "x", DTypes: every}},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		_, err := shapes.Axis(c.Attr.(axisAttr).Axis, len(c.shape(1)))
		dt := c.dt(0)
		if dt.IsSigned() {
			dt = tensor.Int64
		}
		return c.shape(0), dt, err
	},
	Compose: func(c *Call) *Node {
		axis, _ := shapes.Axis(c.Attr.(axisAttr).Axis, len(c.shape(1)))
		idx := c.In[0]
		if idx.dtype.IsSigned() {
			idx = Cast(idx, tensor.Int64)
		}
		return wrapIndices(idx, c.shape(1)[axis])
	},
})

// GatherNDOptions say how GatherND and ScatterND take indices.
type GatherNDOptions struct {
	// Batch is how many leading axes x and idx have in common.
	Batch int
	// NegativeIndices counts indices below 0 from the end.
	NegativeIndices bool
}

// GatherND returns the parts of x that tuples of indices, the last axis of the integers idx, name:
//
//	y[b, i, q] = x[b, idx[b, i, 0], idx[b, i, 1], ..., q]
//
// where b stands for the axes that x and idx have in common, i for the others of idx, and q for the axes of x that the tuples do not
// reach. A tuple outside x gives zeros. Derivatives are added up where parts came from. Errors: idx is not an integer or a scalar; tuples
// are longer than x has axes; the common axes differ.
// Source: ONNX, operator GatherND; TensorFlow, tf.gather_nd.
func GatherND(x, idx *Node, o *GatherNDOptions) *Node {
	var a ndAttr
	if o != nil {
		a = ndAttr{o.Batch, o.NegativeIndices}
	}
	return apply("gather_nd", a, x, idx)
}

type ndAttr struct {
	Batch           int  `default:"0" doc:"how many leading axes x and idx have in common"`
	NegativeIndices bool `default:"false" doc:"indices below 0 count from the end; otherwise they are outside"`
}

// parts are the axes that idx addresses, behind batch common ones, and those behind them. The call has been checked.
func (a ndAttr) parts(x, idx []int) (addressed, rest []int) {
	k := a.Batch + idx[len(idx)-1]
	return x[a.Batch:k], x[k:]
}

func (a ndAttr) check(x, idx []int) error {
	n := len(idx) - 1
	switch {
	case n < 0:
		return fmt.Errorf("indices are a scalar, and hold no tuples")
	case a.Batch < 0 || a.Batch > min(n, len(x)) || !slices.Equal(x[:max(a.Batch, 0)], idx[:max(a.Batch, 0)]):
		return fmt.Errorf("x %v and indices %v have not %d leading axes in common", x, idx, a.Batch)
	case idx[n] > len(x)-a.Batch:
		return fmt.Errorf("tuples of %d indices for x %v behind %d axes", idx[n], x, a.Batch)
	}
	return nil
}

// rows are, for every tuple, the number of the part of x in row-major order, or -1, with the common axes made part of it.
func (a ndAttr) rows(x, idx *Node) *Node {
	n := len(idx.shape) - 1
	addressed, _ := a.parts(x.shape, idx.shape)
	idx = Cast(idx, tensor.Int64)
	g, lead := x.graph, idx.shape[:n]
	at := g.Zeros(tensor.Int64, lead...)
	for i := range a.Batch {
		at = Add(Mul(at, int64(x.shape[i])), g.Iota(tensor.Int64, i, lead...))
	}
	var inside *Node
	for k, extent := range addressed {
		i := Squeeze(Slice(idx, Between(n, k, k+1)), n)
		if a.NegativeIndices {
			i = wrapIndices(i, extent)
		}
		ok := And(GreaterEqual(i, 0), Less(i, int64(extent)))
		if inside == nil {
			inside = ok
		} else {
			inside = And(inside, ok)
		}
		at = Add(Mul(at, int64(extent)), i)
	}
	if inside != nil {
		at = Where(inside, at, int64(-1))
	}
	return at
}

// matrix is x with all that tuples address as rows.
func (a ndAttr) matrix(x *Node, idx []int) *Node {
	addressed, rest := a.parts(x.shape, idx)
	return Reshape(x, ir.Product(x.shape[:a.Batch])*ir.Product(addressed), ir.Product(rest))
}

var _ = define(Op{
	Name: "gather_nd", Category: "indexing", Complex: eachPart, Attributes: AttributesOf[ndAttr](), Operands: indexing, DTypes: every,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, x, idx := c.Attr.(ndAttr), c.shape(0), c.shape(1)
		if err := a.check(x, idx); err != nil {
			return nil, 0, err
		}
		_, rest := a.parts(x, idx)
		return slices.Concat(idx[:len(idx)-1], rest), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a, x, idx := c.Attr.(ndAttr), c.In[0], c.In[1]
		_, rest := a.parts(x.shape, idx.shape)
		at := a.rows(x, idx)
		return Reshape(Gather(a.matrix(x, idx.shape), 0, at), slices.Concat(at.shape, rest)...)
	},
})

// ScatterND returns x with updates folded, by a reduction as in [ScatterReduce], into the parts that tuples of indices name: updates has
// the shape of GatherND(x, idx, o). Of several updates of one part "set" leaves the last. Errors: as [GatherND]; shapes; dtypes; there is
// no such reduction.
// Source: ONNX, operator ScatterND.
func ScatterND(x, idx, updates *Node, reduction string, o *GatherNDOptions) *Node {
	a := scatterNDAttr{Reduction: reduction}
	if o != nil {
		a.Batch, a.NegativeIndices = o.Batch, o.NegativeIndices
	}
	return apply("scatter_nd", a, x, idx, updates)
}

type scatterNDAttr struct {
	Reduction       string `default:"set" doc:"set, add, mul, min, max or mean"`
	Batch           int    `default:"0" doc:"how many leading axes x and idx have in common"`
	NegativeIndices bool   `default:"false" doc:"indices below 0 count from the end; otherwise they are skipped"`
}

var _ = define(Op{
	Name: "scatter_nd", Category: "indexing", Complex: eachPart,
	Attributes: AttributesOf[scatterNDAttr](), Operands: scattering, DTypes: every,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, x, idx := c.Attr.(scatterNDAttr), c.shape(0), c.shape(1)
		nd := ndAttr{a.Batch, a.NegativeIndices}
		if err := nd.check(x, idx); err != nil {
			return nil, 0, err
		}
		_, rest := nd.parts(x, idx)
		if want := slices.Concat(idx[:len(idx)-1], rest); !slices.Equal(want, c.shape(2)) {
			return nil, 0, fmt.Errorf("updates are %v, not %v", c.shape(2), want)
		}
		return x, c.dt(0), checkPut(a.Reduction, c.dt(0))
	},
	Compose: func(c *Call) *Node {
		a, x, idx := c.Attr.(scatterNDAttr), c.In[0], c.In[1]
		nd := ndAttr{a.Batch, a.NegativeIndices}
		to, at := nd.matrix(x, idx.shape), nd.rows(x, idx)
		at = Reshape(at, at.Size())
		u := Reshape(c.In[2], at.shape[0], to.shape[1])
		return Reshape(scatterReduced(to, at, u, a.Reduction, false, ir.ScatterAttr{}), x.shape...)
	},
})

// within is x, integers that are known to lie in [lo, hi]: reads at such positions need no test against bounds. It is
// for tables and positions that this package computes: those that users feed may lie anywhere.
func within(x *Node, lo, hi int64) *Node { return apply("within", ir.WithinAttr{Lo: lo, Hi: hi}, x) }

var _ = define(Op{
	Name: "within", Traits: Traits(ir.TraitRepeats), hidden: true, role: roleBound,
	Attributes: AttributesOf[ir.WithinAttr](), Operands: operandX, DTypes: ints, Result: same,
	NoGrad: "integers have no derivative",
	View: func(_ Primitive, at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) {
		return at, nil
	},
})

// positionsOf is a constant of integers, of which is known where they lie.
func positionsOf[T int32 | int64](g *Graph, dt tensor.DType, values []T, shape ...int) *Node {
	x := constOf(g, dt, values, shape...)
	if len(values) == 0 || x.bad {
		return x
	}
	lo, hi := values[0], values[0]
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	return within(x, int64(lo), int64(hi))
}

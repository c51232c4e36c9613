package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/internal/store"
	"github.com/anycl/anycl/tensor"
)

// Nodes without operands: what a graph starts from.

type inputAttr struct{ name string }

// Input declares a tensor that every Run is fed with. Extents may be open: [Dynamic], or [Dim]. Errors: the shape has a
// negative extent, or the dtype is invalid.
func (g *Graph) Input(name string, dt tensor.DType, shape ...int) *Node {
	if dt.IsComplex() {
		return g.complexLeaf(g.Input(name, dt.Part(), append(slices.Clone(shape), 2)...))
	}
	return applySource(g, "input", inputAttr{name}, dt, shape)
}

// Const is a tensor that never changes. Its elements are not copied: do not
// write to t afterwards.
func (g *Graph) Const(t *tensor.Tensor) *Node {
	if t == nil {
		return g.fail("const", nil, errors.New("the tensor is nil"))
	}
	if r, err := t.AsReal(); err == nil {
		return g.complexLeaf(g.Const(r))
	}
	return applySource(g, "const", t, t.DType(), t.Shape())
}

// Full is a tensor of the given shape filled with v. For integer dtypes v is
// truncated and saturated; for bool it is v != 0.
func (g *Graph) Full(dt tensor.DType, v float64, shape ...int) *Node {
	return BroadcastTo(scalarConst(g, dt, v), shape...)
}

// Variable declares a tensor that lives on from one Run to the next, starting
// as init, and that updates such as [Assign] write. It is kept where it is
// used: on the device, when the graph runs there. init is copied.
func (g *Graph) Variable(name string, init *tensor.Tensor) *Node {
	if init == nil {
		return g.fail("variable", nil, fmt.Errorf("variable %q: the initial tensor is nil", name))
	}
	if r, err := init.AsReal(); err == nil {
		return g.complexLeaf(g.Variable(name, r))
	}
	n := applySource(g, "variable", nil, init.DType(), init.Shape())
	if !n.bad {
		n.state = store.NewVariable(name, init)
		n.attr = n.state
	}
	return n
}

// Iota is a tensor whose every element is its own coordinate along axis:
//
//	y[..., i, ...] = i
//
// Errors: the axis does not exist, or the dtype is bool.
func (g *Graph) Iota(dt tensor.DType, axis int, shape ...int) *Node {
	a, err := shapes.Axis(axis, len(shape))
	if err == nil && !slices.Contains(numbers, dt) {
		err = dtypeError(dt, numbers)
	}
	if err != nil {
		return g.fail("iota", nil, err)
	}
	return applySource(g, "iota", ir.IotaAttr{Axis: a}, dt, shape)
}

// countLike is n, which follows from extents, as a scalar of x's dtype: kernels take it as an argument.
func countLike(x *Node, n int) *Node {
	return x.graph.count(x.dtype, n)
}

func (g *Graph) count(dt tensor.DType, n int) *Node {
	return g.add(opNamed("count"), ir.CountAttr{N: n}, nil, nil, dt)
}

// applySource adds an op without operands: what the call says is the result.
func applySource(g *Graph, name string, attr any, dt tensor.DType, shape []int) *Node {
	switch {
	case g == nil:
		return g.fail(name, nil, errNoGraph)
	case !dt.Valid():
		return g.fail(name, nil, fmt.Errorf("dtype %v is not valid", dt))
	}
	what := ""
	if in, ok := attr.(inputAttr); ok {
		what = in.name
	}
	shape, err := g.declare(shape, what)
	if err == nil && !slices.ContainsFunc(shape, isOpen) {
		err = checkSize(shape, dt)
	}
	if err != nil {
		return g.fail(name, nil, err)
	}
	return g.add(opNamed(name), attr, nil, shape, dt)
}

var (
	_ = define(Op{Name: "input", Traits: TraitDistinct, hidden: true, kind: ir.KindInput})
	_ = define(Op{Name: "const", hidden: true, kind: ir.KindConst})
	_ = define(Op{Name: "variable", hidden: true, kind: ir.KindVariable})
	_ = define(Op{
		Name: "iota", builtBy: "Graph.Iota",
		Category: "source",
		DTypes:   numbers,
		Flat:     true,
		kind:     ir.KindIota,
	})
	_ = define(Op{Name: "count", DTypes: numbers, Flat: true, hidden: true, kind: ir.KindIota})
)

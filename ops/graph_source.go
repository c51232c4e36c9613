package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/exec"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/internal/store"
	"github.com/anycl/anycl/tensor"
)

// Nodes without operands, from which a graph starts.

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

// applySource adds an op without operands, whose result the call describes.
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

// Value returns a copy of the current value of the variable v. It waits for runs that
// write it. Errors: v is not a variable; ctx is done; the device failed.
func Value(ctx context.Context, v *Node) (*tensor.Tensor, error) {
	if !IsVariable(v) {
		return nil, fmt.Errorf("ops: value: %v is not a variable", v)
	}
	if err := alive(ctx); err != nil {
		return nil, err
	}
	t, err := v.state.Value(ctx)
	if err != nil {
		return nil, fmt.Errorf("ops: %w", exec.EngineClosed(err))
	}
	if v.dtype.IsComplex() {
		return t.AsComplex()
	}
	return t, nil
}

// Set gives the variable v the value t, which is copied. It waits for runs that
// use v. Errors: v is not a variable; shape or dtype differ; ctx is done.
func Set(ctx context.Context, v *Node, t *tensor.Tensor) error {
	switch {
	case !IsVariable(v):
		return fmt.Errorf("ops: set: %v is not a variable", v)
	case t == nil:
		return fmt.Errorf("ops: set %s: the tensor is nil", v.state.Name)
	case t.DType() != v.dtype || !slices.Equal(t.Shape(), v.shape):
		return fmt.Errorf("ops: set %s: variable is %v%v, not %v%v", v.state.Name, v.dtype, v.shape, t.DType(), t.Shape())
	}
	if err := alive(ctx); err != nil {
		return err
	}
	if r, err := t.AsReal(); err == nil {
		t = r
	}
	v.state.Set(t)
	return nil
}

// Assign sets the variable v to x when the graph runs: everything else in the
// graph that reads v reads the value from before the run. Name the result in
// [Target].Updates; its value, for those that want it, is x. Errors: v is not a
// variable; shapes or dtypes differ; it is called within a branch or a loop.
func Assign(v, x *Node) *Node {
	if g := graphOf(v, x); g != nil && g.region != nil {
		return g.fail("assign", []*Node{v, x}, fmt.Errorf(
			"within %s at %s: return the new value, and assign it outside", g.region.op, g.region.caller))
	}
	if v != nil && x != nil && !v.bad && !x.bad && v.leaf() != v && v.dtype == x.dtype {
		v, x = v.leaf(), ViewAsReal(x)
	}
	return apply("assign", nil, v, x)
}

var _ = define(Op{
	Name: "assign", Operands: []Operand{{Name: "v"}, {Name: "x", DTypes: every}}, hidden: true, kind: ir.KindAssign,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		switch {
		case c.In[0].state == nil:
			return nil, 0, errors.New("the first operand is not a variable")
		case c.dt(0) != c.dt(1) || !slices.Equal(c.shape(0), c.shape(1)):
			return nil, 0, fmt.Errorf("variable %s is %v%v, not %v%v", c.In[0].state.Name, c.dt(0), c.shape(0), c.dt(1), c.shape(1))
		}
		return c.shape(0), c.dt(0), nil
	},
})

// IsVariable reports whether n was made by [Graph.Variable].
func IsVariable(n *Node) bool { return n != nil && n.state != nil }

// int is an int64 constant, exactly.
func (g *Graph) int(v int64) *Node { return g.Const(tensor.Scalar(v)) }

// fullInt is int64 numbers that are all v.
func (g *Graph) fullInt(v int64, shape []int) *Node { return BroadcastTo(g.int(v), shape...) }

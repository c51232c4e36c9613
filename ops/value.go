package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/exec"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Value returns a copy of what the variable v holds now. It waits for runs that
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

package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

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

package ops

import (
	"errors"
	"fmt"

	"github.com/anycl/anycl/tensor"
)

// Functions for packages that define ops, beside [Op], [Call] and [Back], or that build layers and optimisers on this one.

// SameResult is the Result of an op whose result has the shape and dtype of operand 0.
func SameResult(c *Call) (shape []int, dt tensor.DType, err error) { return same(c) }

// BroadcastResult is the Result of an op whose operands broadcast, as in NumPy, and whose result has the dtype of operand 0.
func BroadcastResult(c *Call) (shape []int, dt tensor.DType, err error) { return broadcast(c) }

// ApplyNumbers is [Apply] for element-wise ops: operands are each a *Node or a Go number, as [NodeOrNumber] has it, and a number
// stands for a scalar of the dtype of the first node.
func ApplyNumbers(name string, attr any, operands ...any) *Node {
	return Apply(name, attr, nodesOf(name, nil, operands...)...)
}

// OperandName is the name of operand i in errors, with its position among the operands of that name if these are repeated.
func (c *Call) OperandName(i int) string { return c.operand(i) }

// Fail records that a composition cannot be built, and returns a node that is known to have failed, as the composition's
// result.
func (c *Call) Fail(err error) *Node { return graphOf(c.In...).fail(c.Op.Name, c.In, err) }

// Fail records that there is no derivative, for the reason err, and returns a node that is known to have failed.
func (b *Back) Fail(err error) *Node { return b.fail("%w", err) }

// Widen is x in float32 where it is a float of 16 bits, else x: compositions begin so where a value on the way must not be
// rounded to 16 bits, and end with a [Cast].
func Widen(x *Node) *Node { return widen(x) }

// Name is the name that an input or a variable was given, and of other nodes that of their op.
func (n *Node) Name() string {
	if n == nil {
		return ""
	}
	return n.label()
}

// Fail records a mistake of the function that is called op, as the functions of this package do: building goes on,
// nodes built on the result add no further errors, and [Graph.Compile] returns err with the caller's line and the operands in. A nil
// err is a mistake of its own.
func (g *Graph) Fail(op string, err error, in ...*Node) *Node {
	if err == nil {
		err = errors.New("it failed without an error")
	}
	return g.fail(op, in, err)
}

// Helper makes the package that calls it one through which errors look: the line that they name is where a function of that
// package was called, as it is with packages that [Define] ops. It is called once, when a program begins:
//
//	func init() { ops.Helper() }
//
// Lines of tests and of a program's main package are named all the same.
func Helper() { definedHere() }

// Named gives the nodes that build adds to the graph the name of one op, as the parts of a composition have it: mistakes, tasks and
// profiles bear it, with the line that called this. Within another that is named, the outer name counts.
func (g *Graph) Named(name string, build func()) {
	if g == nil {
		build()
		return
	}
	g.scope = append(g.scope, scope{name: name, caller: callerLine()})
	defer func() { g.scope = g.scope[:len(g.scope)-1] }()
	build()
}

// Rules for shape and dtype that several ops share.

// same gives the result the shape and dtype of operand 0.
func same(c *Call) ([]int, tensor.DType, error) { return c.shape(0), c.dt(0), nil }

// broadcast gives the NumPy broadcast of all operands, which share a dtype.
func broadcast(c *Call) ([]int, tensor.DType, error) {
	shape, err := broadcastShapes(c)
	return shape, c.dt(0), err
}

// compare is broadcast with a bool result.
func compare(c *Call) ([]int, tensor.DType, error) {
	shape, err := broadcastShapes(c)
	return shape, tensor.Bool, err
}

// sameBool gives the result the shape of operand 0 and dtype bool.
func sameBool(c *Call) ([]int, tensor.DType, error) { return c.shape(0), tensor.Bool, nil }

func broadcastShapes(c *Call) ([]int, error) {
	shape := c.shape(0)
	for i := 1; i < len(c.In); i++ {
		s, err := tensor.Broadcast(shape, c.shape(i))
		if err != nil {
			return nil, fmt.Errorf("shapes do not broadcast: %v x %v", shape, c.shape(i))
		}
		shape = s
	}
	return shape, nil
}

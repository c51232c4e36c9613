package ops

import "github.com/anycl/anycl/tensor"

// What packages that define ops need beside [Op], [Call] and [Back].

// SameResult is the Result of an op whose result has the shape and dtype of operand 0.
func SameResult(c *Call) (shape []int, dt tensor.DType, err error) { return c.Shape(0), c.dt(0), nil }

// BroadcastResult is the Result of an op whose operands broadcast, as NumPy has it, and whose result has the dtype of operand 0.
func BroadcastResult(c *Call) (shape []int, dt tensor.DType, err error) { return broadcast(c) }

// ApplyNumbers is [Apply] for element-wise ops: operands are each a *Node or a Go number, as [NodeOrNumber] has it, and a number
// stands for a scalar of the dtype of the first node.
func ApplyNumbers(name string, attr any, operands ...any) *Node {
	return Apply(name, attr, nodesOf(name, nil, operands...)...)
}

// OperandName is what errors call operand i: its name, and its place among those of an operand that is repeated.
func (c *Call) OperandName(i int) string { return c.operand(i) }

// Fail records that a composition cannot be built, and returns a node that is known to have failed, as the composition's
// result.
func (c *Call) Fail(err error) *Node { return graphOf(c.In...).fail(c.Op.Name, c.In, err) }

// Fail records that there is no derivative, for the reason err, and returns a node that is known to have failed.
func (b *Back) Fail(err error) *Node { return b.fail("%w", err) }

// Widen is x in float32 where it is a float of 16 bits, else x: compositions begin so where a value on the way must not be
// rounded to 16 bits, and end with a [Cast].
func Widen(x *Node) *Node { return widen(x) }

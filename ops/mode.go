package ops

import (
	"slices"

	"github.com/anycl/anycl/tensor"
)

// Mode returns the most frequent values of x along axis, which vanishes, the smallest of several, and as int64 where the last of each stands. NaN equals
// nothing, not itself. The derivative goes to the element at that position. x is any number. Errors: dtype is bool; the axis does not exist or is empty.
// Source: PyTorch, function mode.
func Mode(x *Node, axis int) (values, positions *Node) { return rankedWithIndex("mode", x, axis) }

var _ = define(medianIndexOp("mode", func(x *Node, axes []int) (*Node, *Node) {
	rows := joinedRows(x, axes)
	last := rows.Rank() - 1
	v, p := Sort(rows, -1, nil)
	// Runs of equal values: where each began is the largest of the beginnings so far.
	at := x.graph.Iota(tensor.Int64, last, rows.shape...)
	first := Equal(at, 0)
	if n := rows.Dim(-1); n > 1 {
		changed := NotEqual(part(v, last, 1, n-1), part(v, last, 0, n-1))
		first = Concat(last, x.graph.fullBool(true, rows.shape, last), changed)
	}
	began, _ := CumMax(Where(first, at, 0), last, nil)
	end := ExpandDims(ArgMax(Sub(at, began), last), last) // of the first of the longest runs
	return TakeAlong(v, last, end), TakeAlong(p, last, end)
}))

// fullBool is b in a shape whose given axis has extent 1.
func (g *Graph) fullBool(b bool, shape []int, axis int) *Node {
	shape = slices.Clone(shape)
	shape[axis] = 1
	return BroadcastTo(g.Const(tensor.Scalar(b)), shape...)
}

package ops

import (
	"errors"
	"slices"
)

// KeepDims returns y, the result of a reduction, with the axes that it has lost back in their places with extent 1, so that
// it broadcasts against the operand:
//
//	centred := ops.Sub(x, ops.KeepDims(ops.Mean(x, 1)))
//
// It costs nothing. A reduction is every op whose attributes have a method ReducedAxes() []int, also one that another package
// defines. Errors: y is no result of a reduction.
func KeepDims(y *Node) *Node {
	if y == nil || y.bad {
		return apply("reshape", nil, y)
	}
	n := y
	if of, _, ok := y.result(); ok {
		n = of
	}
	a, ok := n.attr.(interface{ ReducedAxes() []int })
	if !ok || len(n.in) == 0 {
		return y.graph.fail("keep_dims", []*Node{y}, errors.New("the operand is no result of a reduction"))
	}
	axes := a.ReducedAxes()
	if len(y.shape)+len(axes) != len(n.in[0].shape) { // rows of values that a reduction keeps, for one
		return y.graph.fail("keep_dims", []*Node{y}, errors.New("the reduction has not removed its axes"))
	}
	return ExpandDims(y, slices.Clone(axes)...)
}

// Package build holds the helpers by which the packages below ops define their ops: parts of nodes, and kernels for the host.
package build

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func init() { ops.Helper() }

// Failed reports whether the op that makes x has failed: its shape and dtype are not known.
func Failed(x *ops.Node) bool { return x == nil || x.DType() == tensor.Invalid }

// SwapLast is x with its last two axes exchanged: each of its matrices transposed.
func SwapLast(x *ops.Node) *ops.Node { return ops.SwapAxes(x, -2, -1) }

// Cut is the part of x from index from on up to and without to along an axis, which counts from the end where it is negative.
func Cut(x *ops.Node, axis, from, to int) *ops.Node {
	if Failed(x) || from == 0 && to == x.Dim(axis) {
		return x
	}
	return ops.Narrow(x, axis, from, to-from)
}

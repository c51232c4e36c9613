package ir

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// Attributes of primitive ops: what a call fixes beside its operands.

// ReduceAttr names the axes that a reduction folds.
type ReduceAttr struct {
	Axes []int `default:"" doc:"that are folded, counted from the end where negative; none: all"`
}

// ReducedAxes are the axes that are folded.
func (a ReduceAttr) ReducedAxes() []int { return a.Axes }

// ContractAttr names the axes of the two operands of a contraction by role:
//
//	y[b, m, n] = Σ_k A[b, m, k] · B[b, n, k]
//
// with any number of axes for each letter. The result has the axes b, m, n in
// this order.
type ContractAttr struct {
	ABatch, AM, AK []int
	BBatch, BN, BK []int
}

// GatherAttr names the axis of operand 0 that the index of operand 1 selects from.
type GatherAttr struct {
	Axis  int  `default:"0" doc:"of x that the index selects from, counted from the end where negative"`
	Along bool `attr:"-"` // the index has a position for every element of the result, as in NumPy's take_along_axis
}

// Coords maps a position of the result to one of operand 0; pos is the value of
// the index there, which has the given rank.
func (a GatherAttr) Coords(at []*engine.Index, pos *engine.Index, rank int) []*engine.Index {
	src := slices.Clone(at[:a.Axis])
	if a.Along {
		return append(append(src, pos), at[a.Axis+1:]...)
	}
	return append(append(src, pos), at[a.Axis+rank:]...)
}

// ScatterAttr says where the updates of a scatter go, and what they do there. An index is counted along Axis.
type ScatterAttr struct {
	Axis     int
	Along    bool // the index has a position for every update, as in PyTorch's scatter
	Put      engine.Put
	Distinct bool // no two updates meet in one element
}

// MaterializeAttr says how a tensor that is stored lies in memory: by its axes in this order, outermost
// first; without Order, like its operand. With Edge it is a padded image that needs no buffer where it is
// nothing but that: windows that slide over it find its edge themselves.
type MaterializeAttr struct {
	Order []int
	Edge  bool
}

// ReshapeAttr is the shape that a reshape gives.
type ReshapeAttr struct {
	Shape []int `doc:"of the result; one extent may be -1, which is what is left"`
}

// BroadcastAttr is the shape that a tensor is stretched to.
type BroadcastAttr struct {
	Shape []int `doc:"of the result"`
}

// TransposeAttr is a permutation: axis k of the result is axis Perm[k] of the operand.
type TransposeAttr struct {
	Perm []int `default:"" doc:"axis of x for each axis of the result; none: all axes in reverse order"`
}

// CountAttr is a number that follows from extents. Kernels get it as an argument, like extents, so that the same kernels serve other
// extents.
type CountAttr struct{ N int }

// IotaAttr names the axis whose coordinate an element is.
type IotaAttr struct {
	Axis int `doc:"whose coordinate an element is"`
}

// WithinAttr is the known range of integers: they lie in [Lo, Hi].
type WithinAttr struct{ Lo, Hi int64 }

// RandomAttr tells draws of one graph apart.
type RandomAttr struct {
	Stream uint32
	Shape  []int
	DType  tensor.DType
	Again  int // tells a draw of the same numbers from the one before, which is not to be kept for it; 0: the first
}

// PickAttr names one result of an op that has several.
type PickAttr struct{ I int }

// ParamAttr names a value that a loop carries, as an iteration finds it.
type ParamAttr struct{ I int }

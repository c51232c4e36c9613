package indexing

import (
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Gathers and scatters. An index outside its axis reads zero and is not
// written to.

func init() {
	spec.Register("gather", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, idx, axis := c.In[0], c.In[1], reference.WrapAxis(reference.Attr[int](c), len(c.In[0].Shape))
			y := spec.NewArray(x.DType, slices.Concat(x.Shape[:axis], idx.Shape, x.Shape[axis+1:])...)
			from := make([]int, len(x.Shape))
			for p, at := range reference.Coordinates(y.Shape) {
				copy(from, at[:axis])
				copy(from[axis+1:], at[axis+len(idx.Shape):])
				from[axis] = reference.IndexAt(idx, reference.Position(idx.Shape, at[axis:axis+len(idx.Shape)]))
				if from[axis] >= 0 && from[axis] < x.Shape[axis] {
					reference.CopyElement(y, p, x, reference.Position(x.Shape, from))
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Moved,
		Samples: slices.Concat(
			gatherCase("rows", ops.Gather, []int{9, 5}, 0, []int{7}),
			gatherCase("columns", ops.Gather, []int{4, 9}, -1, []int{2, 3}),
			gatherCase("middle", ops.Gather, []int{3, 7, 4}, 1, []int{5}),
			gatherCase("scalar index", ops.Gather, []int{6, 3}, 0, []int{}),
			gatherCase("no indices", ops.Gather, []int{6, 3}, 0, []int{0}),
			gatherCase("from nothing", ops.Gather, []int{0, 3}, 0, []int{4}),
		),
	})
	spec.Register("take_along", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, idx, axis := c.In[0], c.In[1], reference.WrapAxis(reference.Attr[int](c), len(c.In[0].Shape))
			y := spec.NewArray(x.DType, idx.Shape...)
			from := make([]int, len(x.Shape))
			for p, at := range reference.Coordinates(y.Shape) {
				copy(from, at)
				from[axis] = reference.IndexAt(idx, p)
				if from[axis] >= 0 && from[axis] < x.Shape[axis] {
					reference.CopyElement(y, p, x, reference.Position(x.Shape, from))
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Moved,
		Samples: slices.Concat(
			gatherCase("one a row", ops.TakeAlong, []int{9, 5}, 1, []int{9, 1}),
			gatherCase("several", ops.TakeAlong, []int{4, 6, 3}, 1, []int{4, 8, 3}),
			gatherCase("vector", ops.TakeAlong, []int{7}, 0, []int{3}),
		),
	})
	spec.Register("scatter_add", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, idx, updates, axis := c.In[0], c.In[1], c.In[2], reference.WrapAxis(reference.Attr[int](c), len(c.In[0].Shape))
			s := reference.NewSum(x.DType, x.Shape)
			for p := range x.Len() {
				s.Plus(p, x, p)
			}
			to := make([]int, len(x.Shape))
			for q, at := range reference.Coordinates(updates.Shape) {
				copy(to, at[:axis])
				copy(to[axis+1:], at[axis+len(idx.Shape):])
				to[axis] = reference.IndexAt(idx, reference.Position(idx.Shape, at[axis:axis+len(idx.Shape)]))
				if to[axis] >= 0 && to[axis] < x.Shape[axis] {
					s.Plus(reference.Position(x.Shape, to), updates, q)
				}
			}
			return spec.Result{Array: s.Y, Terms: s.Terms, N: float64(idx.Len() + 1)}
		},
		Tolerance: spec.Summed(spec.AnySum),
		Samples: slices.Concat(
			scatterCase("rows", []int{9, 5}, 0, []int{17}),
			scatterCase("columns", []int{4, 6}, 1, []int{2, 3}),
			scatterCase("middle", []int{3, 5, 4}, 1, []int{7}),
			scatterCase("vector", []int{6}, 0, []int{31}),
			scatterCase("no updates", []int{6, 2}, 0, []int{0}),
			scatterCase("one bin", []int{1, 3}, 0, []int{40}),
		),
	})
}

// gatherCase tries int32 and int64 indices, some of them outside the axis.
func gatherCase(label string, call func(x *ops.Node, axis int, idx *ops.Node) *ops.Node, shape []int, axis int, idx []int) []spec.Sample {
	var out []spec.Sample
	a := axis
	if a < 0 {
		a += len(shape)
	}
	for _, dt := range []tensor.DType{tensor.Int32, tensor.Int64} {
		out = append(out, spec.Sample{
			Label:    label + " " + dt.String(),
			Operands: []spec.Operand{{Shape: shape}, {Shape: idx, DType: dt, Lo: -1, Hi: float64(shape[a])}},
			Attr:     axis,
			Build:    func(in []*ops.Node) *ops.Node { return call(in[0], axis, in[1]) },
		})
	}
	return out
}

func scatterCase(label string, shape []int, axis int, idx []int) []spec.Sample {
	updates := slices.Concat(shape[:axis], idx, shape[axis+1:])
	var out []spec.Sample
	for _, dt := range []tensor.DType{tensor.Int32, tensor.Int64} {
		out = append(out, spec.Sample{
			Label:    label + " " + dt.String(),
			Operands: []spec.Operand{{Shape: shape}, {Shape: idx, DType: dt, Lo: -1, Hi: float64(shape[axis])}, {Shape: updates}},
			Attr:     axis,
			Build:    func(in []*ops.Node) *ops.Node { return ops.ScatterAdd(in[0], axis, in[1], in[2]) },
		})
	}
	return out
}

package optest

import (
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Gathers and scatters. An index outside its axis reads zero and is not
// written to.

func init() {
	Register("gather", Spec{
		Reference: func(c Case) Result {
			x, idx, axis := c.In[0], c.In[1], wrapAxis(attr[int](c), len(c.In[0].Shape))
			y := NewArray(x.DType, slices.Concat(x.Shape[:axis], idx.Shape, x.Shape[axis+1:])...)
			from := make([]int, len(x.Shape))
			for p, at := range coordinates(y.Shape) {
				copy(from, at[:axis])
				copy(from[axis+1:], at[axis+len(idx.Shape):])
				from[axis] = idx.index(position(idx.Shape, at[axis:axis+len(idx.Shape)]))
				if from[axis] >= 0 && from[axis] < x.Shape[axis] {
					y.copy(p, x, position(x.Shape, from))
				}
			}
			return exactly(y)
		},
		Tolerance: moved,
		Samples: slices.Concat(
			gatherCase("rows", ops.Gather, []int{9, 5}, 0, []int{7}),
			gatherCase("columns", ops.Gather, []int{4, 9}, -1, []int{2, 3}),
			gatherCase("middle", ops.Gather, []int{3, 7, 4}, 1, []int{5}),
			gatherCase("scalar index", ops.Gather, []int{6, 3}, 0, []int{}),
			gatherCase("no indices", ops.Gather, []int{6, 3}, 0, []int{0}),
			gatherCase("from nothing", ops.Gather, []int{0, 3}, 0, []int{4}),
		),
	})
	Register("take_along", Spec{
		Reference: func(c Case) Result {
			x, idx, axis := c.In[0], c.In[1], wrapAxis(attr[int](c), len(c.In[0].Shape))
			y := NewArray(x.DType, idx.Shape...)
			from := make([]int, len(x.Shape))
			for p, at := range coordinates(y.Shape) {
				copy(from, at)
				from[axis] = idx.index(p)
				if from[axis] >= 0 && from[axis] < x.Shape[axis] {
					y.copy(p, x, position(x.Shape, from))
				}
			}
			return exactly(y)
		},
		Tolerance: moved,
		Samples: slices.Concat(
			gatherCase("one a row", ops.TakeAlong, []int{9, 5}, 1, []int{9, 1}),
			gatherCase("several", ops.TakeAlong, []int{4, 6, 3}, 1, []int{4, 8, 3}),
			gatherCase("vector", ops.TakeAlong, []int{7}, 0, []int{3}),
		),
	})
	Register("scatter_add", Spec{
		Reference: func(c Case) Result {
			x, idx, updates, axis := c.In[0], c.In[1], c.In[2], wrapAxis(attr[int](c), len(c.In[0].Shape))
			s := newSum(x.DType, x.Shape)
			for p := range x.Len() {
				s.plus(p, x, p)
			}
			to := make([]int, len(x.Shape))
			for q, at := range coordinates(updates.Shape) {
				copy(to, at[:axis])
				copy(to[axis+1:], at[axis+len(idx.Shape):])
				to[axis] = idx.index(position(idx.Shape, at[axis:axis+len(idx.Shape)]))
				if to[axis] >= 0 && to[axis] < x.Shape[axis] {
					s.plus(position(x.Shape, to), updates, q)
				}
			}
			return Result{Array: s.y, Terms: s.terms, N: float64(idx.Len() + 1)}
		},
		Tolerance: summed(anySum),
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
func gatherCase(label string, call func(x *ops.Node, axis int, idx *ops.Node) *ops.Node, shape []int, axis int, idx []int) []Sample {
	var out []Sample
	a := axis
	if a < 0 {
		a += len(shape)
	}
	for _, dt := range []tensor.DType{tensor.Int32, tensor.Int64} {
		out = append(out, Sample{
			Label:    label + " " + dt.String(),
			Operands: []Operand{{Shape: shape}, {Shape: idx, DType: dt, Lo: -1, Hi: float64(shape[a])}},
			Attr:     axis,
			Build:    func(in []*ops.Node) *ops.Node { return call(in[0], axis, in[1]) },
		})
	}
	return out
}

func scatterCase(label string, shape []int, axis int, idx []int) []Sample {
	updates := slices.Concat(shape[:axis], idx, shape[axis+1:])
	var out []Sample
	for _, dt := range []tensor.DType{tensor.Int32, tensor.Int64} {
		out = append(out, Sample{
			Label:    label + " " + dt.String(),
			Operands: []Operand{{Shape: shape}, {Shape: idx, DType: dt, Lo: -1, Hi: float64(shape[axis])}, {Shape: updates}},
			Attr:     axis,
			Build:    func(in []*ops.Node) *ops.Node { return ops.ScatterAdd(in[0], axis, in[1], in[2]) },
		})
	}
	return out
}

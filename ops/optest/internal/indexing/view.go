// Package indexing has the specs of ops that move elements: views, layout, gathers and scatters, sorts, selection.
package indexing

import (
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/format"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Views and ops that rearrange: every element of the result is one of an operand.

func init() {
	spec.Register("reshape", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			y := spec.NewArray(c.In[0].DType, reference.Attr[[]int](c)...)
			for p := range y.Len() {
				reference.CopyElement(y, p, c.In[0], p)
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Moved,
		Samples: views(
			viewCase{"flat", []int{3, 5, 7}, []int{105}, func(x *ops.Node) *ops.Node { return ops.Reshape(x, -1) }},
			viewCase{"split", []int{30}, []int{2, 3, 5}, func(x *ops.Node) *ops.Node { return ops.Reshape(x, 2, -1, 5) }},
			viewCase{"across", []int{4, 9}, []int{6, 6}, func(x *ops.Node) *ops.Node { return ops.Reshape(x, 6, 6) }},
			viewCase{"to scalar", []int{1, 1}, []int{}, func(x *ops.Node) *ops.Node { return ops.Reshape(x) }},
			viewCase{"empty", []int{0, 4}, []int{2, 0}, func(x *ops.Node) *ops.Node { return ops.Reshape(x, 2, 0) }},
		),
	})
	spec.Register("stop_gradient", spec.Spec{
		Call:      sample.One(ops.StopGradient),
		Reference: func(c spec.Case) spec.Result { return reference.Exactly(c.In[0]) },
		Tolerance: spec.Moved,
		Samples:   views(viewCase{"matrix", []int{3, 4}, nil, ops.StopGradient}),
	})
	spec.Register("transpose", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, perm := c.In[0], reference.Attr[[]int](c)
			shape := make([]int, len(perm))
			for k, a := range perm {
				shape[k] = x.Shape[a]
			}
			from := make([]int, len(perm))
			return reference.Pick(x, shape, func(at []int) int {
				for k, a := range perm {
					from[a] = at[k]
				}
				return reference.Position(x.Shape, from)
			})
		},
		Tolerance: spec.Moved,
		Samples: views(
			viewCase{"matrix", []int{5, 7}, []int{1, 0}, func(x *ops.Node) *ops.Node { return ops.Transpose(x) }},
			viewCase{"rotate", []int{3, 4, 5}, []int{2, 0, 1}, func(x *ops.Node) *ops.Node { return ops.Transpose(x, -1, 0, 1) }},
			viewCase{"vector", []int{9}, []int{0}, func(x *ops.Node) *ops.Node { return ops.Transpose(x) }},
			viewCase{"channels last", []int{3, 9, 13}, []int{1, 2, 0}, func(x *ops.Node) *ops.Node { return ops.Transpose(x, 1, 2, 0) }},
			viewCase{"empty", []int{2, 0, 3}, []int{2, 1, 0}, func(x *ops.Node) *ops.Node { return ops.Transpose(x) }},
		),
	})
	spec.Register("broadcast_to", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x := c.In[0]
			return reference.Pick(x, reference.Attr[[]int](c), func(at []int) int { return reference.Stretched(x.Shape, at) })
		},
		Tolerance: spec.Moved,
		Samples: views(
			viewCase{"row", []int{7}, []int{5, 7}, func(x *ops.Node) *ops.Node { return ops.BroadcastTo(x, 5, 7) }},
			viewCase{"column", []int{5, 1}, []int{5, 7}, func(x *ops.Node) *ops.Node { return ops.BroadcastTo(x, 5, 7) }},
			viewCase{"scalar", []int{}, []int{2, 3}, func(x *ops.Node) *ops.Node { return ops.BroadcastTo(x, 2, 3) }},
			viewCase{"to empty", []int{1, 3}, []int{0, 3}, func(x *ops.Node) *ops.Node { return ops.BroadcastTo(x, 0, 3) }},
		),
	})
	spec.Register("slice", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x := c.In[0]
			chosen := make([][]int, len(x.Shape)) // which indices of each axis are taken
			for a, n := range x.Shape {
				chosen[a] = selected(ops.Range{}, n)
			}
			for _, r := range reference.Attr[[]ops.Range](c) {
				a := reference.WrapAxis(r.Axis, len(x.Shape))
				chosen[a] = selected(r, x.Shape[a])
			}
			shape := make([]int, len(x.Shape))
			for a := range shape {
				shape[a] = len(chosen[a])
			}
			from := make([]int, len(shape))
			return reference.Pick(x, shape, func(at []int) int {
				for a := range at {
					from[a] = chosen[a][at[a]]
				}
				return reference.Position(x.Shape, from)
			})
		},
		Tolerance: spec.Moved,
		Samples: slices.Concat(
			sliceCase("middle", []int{9, 5}, ops.Range{Axis: 0, Start: 2, Stop: 7}),
			sliceCase("steps", []int{4, 11}, ops.Range{Axis: 1, Start: 1, Stop: -1, Step: 3}),
			sliceCase("reversed", []int{7, 3}, ops.Range{Axis: 0, Start: -1, Step: -1}),
			sliceCase("reversed steps", []int{13}, ops.Range{Axis: 0, Start: 10, Stop: 1, Step: -4}),
			sliceCase("two axes", []int{6, 1, 8}, ops.Range{Axis: 0, Step: 2}, ops.Range{Axis: -1, Start: -3}),
			sliceCase("empty", []int{6}, ops.Range{Axis: 0, Start: 4, Stop: 4}),
			sliceCase("beyond", []int{6}, ops.Range{Axis: 0, Start: 3, Stop: 100}),
		),
	})
	spec.Register("pad", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, s := c.In[0], reference.Attr[PadAttr](c)
			shape, before := slices.Clone(x.Shape), make([]int, len(x.Shape))
			for _, p := range s.Paddings {
				a := reference.WrapAxis(p.Axis, len(shape))
				before[a] = p.Before
				shape[a] += p.Before + p.After
			}
			fill := spec.FromTensor(tensor.Must(tensor.Cast(tensor.Scalar(s.Value), x.DType)))
			y := spec.NewArray(x.DType, shape...)
			for p := range y.Len() {
				reference.CopyElement(y, p, fill, 0)
			}
			to := make([]int, len(shape))
			for p, at := range reference.Coordinates(x.Shape) {
				for a := range at {
					to[a] = at[a] + before[a]
				}
				reference.CopyElement(y, reference.Position(shape, to), x, p)
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Moved,
		Samples: slices.Concat(
			padCase("both ends", []int{5, 7}, 0, ops.Padding{Axis: 0, Before: 1, After: 2}, ops.Padding{Axis: 1, Before: 3, After: 0}),
			padCase("value", []int{4}, 3, ops.Padding{Axis: -1, Before: 2, After: 2}),
			padCase("empty", []int{0, 3}, 1, ops.Padding{Axis: 0, Before: 2, After: 1}),
			padCase("nothing", []int{3, 2}, 1),
		),
	})
	spec.Register("concat", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			axis := reference.WrapAxis(reference.Attr[int](c), len(c.In[0].Shape))
			shape := slices.Clone(c.In[0].Shape)
			for _, x := range c.In[1:] {
				shape[axis] += x.Shape[axis]
			}
			y := spec.NewArray(c.In[0].DType, shape...)
			to, from := make([]int, len(shape)), 0
			for _, x := range c.In {
				for p, at := range reference.Coordinates(x.Shape) {
					copy(to, at)
					to[axis] += from
					reference.CopyElement(y, reference.Position(shape, to), x, p)
				}
				from += x.Shape[axis]
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Moved,
		Samples: []spec.Sample{
			concatCase("many", 0, []int{1}, []int{2}, []int{3}, []int{0}, []int{70}, []int{1}, []int{1}, []int{4}, []int{1}, []int{9}, []int{2}),
			concatCase("two", 0, []int{3, 5}, []int{4, 5}),
			concatCase("three", -1, []int{2, 3}, []int{2, 1}, []int{2, 7}),
			concatCase("with empty", 0, []int{0, 2}, []int{3, 2}),
			concatCase("one", 1, []int{2, 3}),
			concatCase("many side by side", -1, slices.Repeat([][]int{{5, 1}, {5, 3}, {5, 0}, {5, 2}}, 5)...),
			concatCase("many in the middle", 1, slices.Repeat([][]int{{2, 3, 4}, {2, 1, 4}}, 9)...),
		},
	})
	spec.Register("windows", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, windows := c.In[0], reference.Attr[[]ops.Window](c)
			shape := slices.Clone(x.Shape)
			for _, w := range windows {
				a, n := reference.WrapAxis(w.Axis, len(x.Shape)), 0
				for last := (w.Size - 1) * max(w.Dilation, 1); last < x.Shape[a]; last += max(w.Stride, 1) {
					n++
				}
				shape[a] = n
				shape = append(shape, w.Size)
			}
			from := make([]int, len(x.Shape))
			return reference.Pick(x, shape, func(at []int) int {
				copy(from, at)
				for i, w := range windows {
					a := reference.WrapAxis(w.Axis, len(x.Shape))
					from[a] = at[a]*max(w.Stride, 1) + at[len(x.Shape)+i]*max(w.Dilation, 1)
				}
				return reference.Position(x.Shape, from)
			})
		},
		Tolerance: spec.Moved,
		Samples: []spec.Sample{
			windowCase("overlapping", []int{9}, ops.Window{Axis: 0, Size: 3}),
			windowCase("stride", []int{2, 11}, ops.Window{Axis: 1, Size: 3, Stride: 2}),
			windowCase("dilated", []int{12, 2}, ops.Window{Axis: 0, Size: 3, Dilation: 2}),
			windowCase("plane", []int{2, 7, 8}, ops.Window{Axis: 1, Size: 3, Stride: 2}, ops.Window{Axis: 2, Size: 2, Stride: 3}),
			windowCase("too large", []int{4}, ops.Window{Axis: 0, Size: 5}),
		},
	})
	spec.Register("iota", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			y := spec.NewArray(c.DType, c.Shape...)
			axis := reference.WrapAxis(reference.Attr[int](c), len(c.Shape))
			for p, at := range reference.Coordinates(c.Shape) {
				switch v := at[axis]; {
				case y.F != nil:
					y.F[p] = format.Round(y.DType, float64(v))
				case y.I != nil:
					y.I[p] = reference.WrapInt(y.DType, int64(v))
				default:
					y.U[p] = reference.WrapUint(y.DType, uint64(v))
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Tolerance{Source: spec.Unchanged, ULP: 0.5, ULP64: 0.5},
		Samples:   iotaSamples(),
	})
	spec.Register("where", spec.Spec{
		Call: sample.Three(ops.Where),
		Reference: func(c spec.Case) spec.Result {
			cond, a, b := c.In[0], c.In[1], c.In[2]
			y := spec.NewArray(a.DType, reference.Broadcast(cond.Shape, reference.Broadcast(a.Shape, b.Shape))...)
			for p, at := range reference.Coordinates(y.Shape) {
				if cond.U[reference.Stretched(cond.Shape, at)] != 0 {
					reference.CopyElement(y, p, a, reference.Stretched(a.Shape, at))
				} else {
					reference.CopyElement(y, p, b, reference.Stretched(b.Shape, at))
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Exact,
		Samples:   choices(),
	})
}

// selected lists the indices that a range takes from an axis of extent n, as
// Python's x[start:stop:step] does, where a zero Stop stands for "to the end".
func selected(r ops.Range, n int) []int {
	step := r.Step
	if step == 0 {
		step = 1
	}
	wrap := func(i int) int {
		if i < 0 {
			i += n
		}
		return i
	}
	var out []int
	if step > 0 {
		stop := n
		if r.Stop != 0 {
			stop = min(wrap(r.Stop), n)
		}
		for i := max(wrap(r.Start), 0); i < stop; i += step {
			out = append(out, i)
		}
		return out
	}
	stop := -1
	if r.Stop != 0 {
		stop = max(wrap(r.Stop), -1)
	}
	for i := min(wrap(r.Start), n-1); i > stop; i += step {
		out = append(out, i)
	}
	return out
}

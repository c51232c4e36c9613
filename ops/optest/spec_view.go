package optest

import (
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Views and what rearranges: every element of the result is one of an operand.

func init() {
	Register("reshape", Spec{
		Reference: func(c Case) Result {
			y := NewArray(c.In[0].DType, attr[[]int](c)...)
			for p := range y.Len() {
				y.copy(p, c.In[0], p)
			}
			return exactly(y)
		},
		Tolerance: moved,
		Samples: views(
			viewCase{"flat", []int{3, 5, 7}, []int{105}, func(x *ops.Node) *ops.Node { return ops.Reshape(x, -1) }},
			viewCase{"split", []int{30}, []int{2, 3, 5}, func(x *ops.Node) *ops.Node { return ops.Reshape(x, 2, -1, 5) }},
			viewCase{"across", []int{4, 9}, []int{6, 6}, func(x *ops.Node) *ops.Node { return ops.Reshape(x, 6, 6) }},
			viewCase{"to scalar", []int{1, 1}, []int{}, func(x *ops.Node) *ops.Node { return ops.Reshape(x) }},
			viewCase{"empty", []int{0, 4}, []int{2, 0}, func(x *ops.Node) *ops.Node { return ops.Reshape(x, 2, 0) }},
		),
	})
	Register("stop_gradient", Spec{
		Call:      one(ops.StopGradient),
		Reference: func(c Case) Result { return exactly(c.In[0]) },
		Tolerance: moved,
		Samples:   views(viewCase{"matrix", []int{3, 4}, nil, ops.StopGradient}),
	})
	Register("transpose", Spec{
		Reference: func(c Case) Result {
			x, perm := c.In[0], attr[[]int](c)
			shape := make([]int, len(perm))
			for k, a := range perm {
				shape[k] = x.Shape[a]
			}
			from := make([]int, len(perm))
			return pick(x, shape, func(at []int) int {
				for k, a := range perm {
					from[a] = at[k]
				}
				return position(x.Shape, from)
			})
		},
		Tolerance: moved,
		Samples: views(
			viewCase{"matrix", []int{5, 7}, []int{1, 0}, func(x *ops.Node) *ops.Node { return ops.Transpose(x) }},
			viewCase{"rotate", []int{3, 4, 5}, []int{2, 0, 1}, func(x *ops.Node) *ops.Node { return ops.Transpose(x, -1, 0, 1) }},
			viewCase{"vector", []int{9}, []int{0}, func(x *ops.Node) *ops.Node { return ops.Transpose(x) }},
			viewCase{"channels last", []int{3, 9, 13}, []int{1, 2, 0}, func(x *ops.Node) *ops.Node { return ops.Transpose(x, 1, 2, 0) }},
			viewCase{"empty", []int{2, 0, 3}, []int{2, 1, 0}, func(x *ops.Node) *ops.Node { return ops.Transpose(x) }},
		),
	})
	Register("broadcast_to", Spec{
		Reference: func(c Case) Result {
			x := c.In[0]
			return pick(x, attr[[]int](c), func(at []int) int { return stretched(x.Shape, at) })
		},
		Tolerance: moved,
		Samples: views(
			viewCase{"row", []int{7}, []int{5, 7}, func(x *ops.Node) *ops.Node { return ops.BroadcastTo(x, 5, 7) }},
			viewCase{"column", []int{5, 1}, []int{5, 7}, func(x *ops.Node) *ops.Node { return ops.BroadcastTo(x, 5, 7) }},
			viewCase{"scalar", []int{}, []int{2, 3}, func(x *ops.Node) *ops.Node { return ops.BroadcastTo(x, 2, 3) }},
			viewCase{"to empty", []int{1, 3}, []int{0, 3}, func(x *ops.Node) *ops.Node { return ops.BroadcastTo(x, 0, 3) }},
		),
	})
	Register("slice", Spec{
		Reference: func(c Case) Result {
			x := c.In[0]
			chosen := make([][]int, len(x.Shape)) // which indices of each axis are taken
			for a, n := range x.Shape {
				chosen[a] = selected(ops.Range{}, n)
			}
			for _, r := range attr[[]ops.Range](c) {
				a := wrapAxis(r.Axis, len(x.Shape))
				chosen[a] = selected(r, x.Shape[a])
			}
			shape := make([]int, len(x.Shape))
			for a := range shape {
				shape[a] = len(chosen[a])
			}
			from := make([]int, len(shape))
			return pick(x, shape, func(at []int) int {
				for a := range at {
					from[a] = chosen[a][at[a]]
				}
				return position(x.Shape, from)
			})
		},
		Tolerance: moved,
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
	Register("pad", Spec{
		Reference: func(c Case) Result {
			x, s := c.In[0], attr[padAttr](c)
			shape, before := slices.Clone(x.Shape), make([]int, len(x.Shape))
			for _, p := range s.Paddings {
				a := wrapAxis(p.Axis, len(shape))
				before[a] = p.Before
				shape[a] += p.Before + p.After
			}
			fill := FromTensor(tensor.Must(tensor.Cast(tensor.Scalar(s.Value), x.DType)))
			y := NewArray(x.DType, shape...)
			for p := range y.Len() {
				y.copy(p, fill, 0)
			}
			to := make([]int, len(shape))
			for p, at := range coordinates(x.Shape) {
				for a := range at {
					to[a] = at[a] + before[a]
				}
				y.copy(position(shape, to), x, p)
			}
			return exactly(y)
		},
		Tolerance: moved,
		Samples: slices.Concat(
			padCase("both ends", []int{5, 7}, 0, ops.Padding{Axis: 0, Before: 1, After: 2}, ops.Padding{Axis: 1, Before: 3, After: 0}),
			padCase("value", []int{4}, 3, ops.Padding{Axis: -1, Before: 2, After: 2}),
			padCase("empty", []int{0, 3}, 1, ops.Padding{Axis: 0, Before: 2, After: 1}),
			padCase("nothing", []int{3, 2}, 1),
		),
	})
	Register("concat", Spec{
		Reference: func(c Case) Result {
			axis := wrapAxis(attr[int](c), len(c.In[0].Shape))
			shape := slices.Clone(c.In[0].Shape)
			for _, x := range c.In[1:] {
				shape[axis] += x.Shape[axis]
			}
			y := NewArray(c.In[0].DType, shape...)
			to, from := make([]int, len(shape)), 0
			for _, x := range c.In {
				for p, at := range coordinates(x.Shape) {
					copy(to, at)
					to[axis] += from
					y.copy(position(shape, to), x, p)
				}
				from += x.Shape[axis]
			}
			return exactly(y)
		},
		Tolerance: moved,
		Samples: []Sample{
			concatCase("many", 0, []int{1}, []int{2}, []int{3}, []int{0}, []int{70}, []int{1}, []int{1}, []int{4}, []int{1}, []int{9}, []int{2}),
			concatCase("two", 0, []int{3, 5}, []int{4, 5}),
			concatCase("three", -1, []int{2, 3}, []int{2, 1}, []int{2, 7}),
			concatCase("with empty", 0, []int{0, 2}, []int{3, 2}),
			concatCase("one", 1, []int{2, 3}),
			concatCase("many side by side", -1, slices.Repeat([][]int{{5, 1}, {5, 3}, {5, 0}, {5, 2}}, 5)...),
			concatCase("many in the middle", 1, slices.Repeat([][]int{{2, 3, 4}, {2, 1, 4}}, 9)...),
		},
	})
	Register("windows", Spec{
		Reference: func(c Case) Result {
			x, windows := c.In[0], attr[[]ops.Window](c)
			shape := slices.Clone(x.Shape)
			for _, w := range windows {
				a, n := wrapAxis(w.Axis, len(x.Shape)), 0
				for last := (w.Size - 1) * max(w.Dilation, 1); last < x.Shape[a]; last += max(w.Stride, 1) {
					n++
				}
				shape[a] = n
				shape = append(shape, w.Size)
			}
			from := make([]int, len(x.Shape))
			return pick(x, shape, func(at []int) int {
				copy(from, at)
				for i, w := range windows {
					a := wrapAxis(w.Axis, len(x.Shape))
					from[a] = at[a]*max(w.Stride, 1) + at[len(x.Shape)+i]*max(w.Dilation, 1)
				}
				return position(x.Shape, from)
			})
		},
		Tolerance: moved,
		Samples: []Sample{
			windowCase("overlapping", []int{9}, ops.Window{Axis: 0, Size: 3}),
			windowCase("stride", []int{2, 11}, ops.Window{Axis: 1, Size: 3, Stride: 2}),
			windowCase("dilated", []int{12, 2}, ops.Window{Axis: 0, Size: 3, Dilation: 2}),
			windowCase("plane", []int{2, 7, 8}, ops.Window{Axis: 1, Size: 3, Stride: 2}, ops.Window{Axis: 2, Size: 2, Stride: 3}),
			windowCase("too large", []int{4}, ops.Window{Axis: 0, Size: 5}),
		},
	})
	Register("iota", Spec{
		Reference: func(c Case) Result {
			y := NewArray(c.DType, c.Shape...)
			axis := wrapAxis(attr[int](c), len(c.Shape))
			for p, at := range coordinates(c.Shape) {
				switch v := at[axis]; {
				case y.F != nil:
					y.F[p] = round(y.DType, float64(v))
				case y.I != nil:
					y.I[p] = wrapInt(y.DType, int64(v))
				default:
					y.U[p] = wrapUint(y.DType, uint64(v))
				}
			}
			return exactly(y)
		},
		Tolerance: Tolerance{Source: unchanged, ULP: 0.5, ULP64: 0.5},
		Samples:   iotaSamples(),
	})
	Register("where", Spec{
		Call: three(ops.Where),
		Reference: func(c Case) Result {
			cond, a, b := c.In[0], c.In[1], c.In[2]
			y := NewArray(a.DType, broadcastShape(cond.Shape, broadcastShape(a.Shape, b.Shape))...)
			for p, at := range coordinates(y.Shape) {
				if cond.U[stretched(cond.Shape, at)] != 0 {
					y.copy(p, a, stretched(a.Shape, at))
				} else {
					y.copy(p, b, stretched(b.Shape, at))
				}
			}
			return exactly(y)
		},
		Tolerance: exact,
		Samples:   choices(),
	})
}

// pick is the array of a shape whose element at a coordinate is x's element at
// a position.
func pick(x Array, shape []int, from func(at []int) int) Result {
	y := NewArray(x.DType, shape...)
	for p, at := range coordinates(shape) {
		y.copy(p, x, from(at))
	}
	return exactly(y)
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

// wrapAxis counts a negative axis from the end.
func wrapAxis(axis, rank int) int {
	if axis < 0 {
		return axis + rank
	}
	return axis
}

package optest

import (
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Views and what rearranges: every element of the result is one of an operand.

func init() {
	reference("reshape", func(c Case) Result {
		y := NewArray(c.In[0].DType, attr[[]int](c)...)
		for p := range y.Len() {
			y.copy(p, c.In[0], p)
		}
		return exactly(y)
	})
	reference("stop_gradient", func(c Case) Result { return exactly(c.In[0]) })
	reference("transpose", func(c Case) Result {
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
	})
	reference("broadcast_to", func(c Case) Result {
		x := c.In[0]
		return pick(x, attr[[]int](c), func(at []int) int { return stretched(x.Shape, at) })
	})
	reference("slice", func(c Case) Result {
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
	})
	reference("pad", func(c Case) Result {
		x, s := c.In[0], attr[ops.PadSample](c)
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
	})
	reference("concat", func(c Case) Result {
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
	})
	reference("windows", func(c Case) Result {
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
	})
	reference("iota", func(c Case) Result {
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
	})
	reference("where", func(c Case) Result {
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

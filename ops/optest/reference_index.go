package optest

import (
	"slices"
)

// Gathers and scatters. An index outside its axis reads zero and is not
// written to.

func init() {
	reference("gather", func(c Case) Result {
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
	})
	reference("take_along", func(c Case) Result {
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
	})
	reference("scatter_add", func(c Case) Result {
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
	})
}

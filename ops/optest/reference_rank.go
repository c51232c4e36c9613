package optest

import (
	"cmp"
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Sorts, by the sort of the standard library.

func init() {
	reference("top_k", rank)
	reference("sort", rank)
}

func rank(c Case) Result {
	x, a := c.In[0], attr[ops.RankCase](c)
	shape := slices.Clone(x.Shape)
	shape[a.Axis] = a.Keep
	y, positions := NewArray(x.DType, shape...), NewArray(tensor.Int64, shape...)
	at := make([]int, len(shape))
	each := slices.Clone(x.Shape)
	each[a.Axis] = 1
	for _, base := range coordinates(each) {
		copy(at, base)
		where := func(shape []int, i int) int {
			at[a.Axis] = i
			return position(shape, at)
		}
		order := make([]int, x.Shape[a.Axis])
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int {
			r := x.order(where(x.Shape, i), where(x.Shape, j))
			if a.Descending {
				return -r
			}
			return r
		})
		order = order[:a.Keep]
		if a.ByPosition {
			slices.Sort(order)
		}
		for to, from := range order {
			positions.I[where(shape, to)] = int64(from)
			y.copy(where(shape, to), x, where(x.Shape, from))
		}
	}
	if a.Positions {
		return exactly(positions)
	}
	return exactly(y)
}

// order compares elements i and j of a; NaN is larger than every number.
func (a Array) order(i, j int) int {
	switch {
	case a.F != nil:
		p, q := math.IsNaN(a.F[i]), math.IsNaN(a.F[j])
		switch {
		case p && q:
			return 0
		case p:
			return 1
		case q:
			return -1
		}
		return cmp.Compare(a.F[i], a.F[j])
	case a.I != nil:
		return cmp.Compare(a.I[i], a.I[j])
	}
	return cmp.Compare(a.U[i], a.U[j])
}

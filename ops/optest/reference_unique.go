package optest

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Unique items, each compared with all that were found before.

func init() {
	reference("unique", func(c Case) Result {
		x, a := coarse(c.In[0]), attr[ops.UniqueCase](c)
		n, axis := x.Len(), -1
		if a.Along {
			axis = wrapAxis(a.Axis, len(x.Shape))
			n = x.Shape[axis]
		}
		// places are where the elements of item i lie in x.
		places := make([][]int, n)
		for p, at := range coordinates(x.Shape) {
			if axis < 0 {
				places[p] = []int{p}
			} else {
				places[at[axis]] = append(places[at[axis]], p)
			}
		}
		order := func(i, j int) int {
			for k, p := range places[i] {
				if r := x.order(p, places[j][k]); r != 0 {
					return r
				}
			}
			return 0
		}
		var found [][]int // the items of each group
		for i := range n {
			g := slices.IndexFunc(found, func(g []int) bool { return order(g[0], i) == 0 })
			if g < 0 {
				g = len(found)
				found = append(found, nil)
			}
			found[g] = append(found[g], i)
		}
		if !a.FirstSeen {
			slices.SortFunc(found, func(g, h []int) int { return order(g[0], h[0]) })
		}
		ints := make([]int64, n)
		switch a.Result {
		case 0:
			shape := x.Shape
			if axis < 0 {
				shape = []int{n}
			}
			y := NewArray(x.DType, shape...)
			for g, items := range found {
				for k, p := range places[items[0]] {
					y.copy(places[g][k], x, p)
				}
			}
			return exactly(y)
		case 1:
			for g := range ints {
				if ints[g] = -1; g < len(found) {
					ints[g] = int64(found[g][0])
				}
			}
		case 2:
			for g, items := range found {
				for _, i := range items {
					ints[i] = int64(g)
				}
			}
		case 3:
			for g, items := range found {
				ints[g] = int64(len(items))
			}
		default:
			return exactly(Array{DType: tensor.Int64, Shape: []int{}, I: []int64{int64(len(found))}})
		}
		return exactly(Array{DType: tensor.Int64, Shape: []int{n}, I: ints})
	})
}

// coarse is x with its fractions dropped, as the samples do it.
func coarse(x Array) Array {
	y := NewArray(x.DType, x.Shape...)
	for p := range x.Len() {
		if y.copy(p, x, p); x.F != nil && math.Abs(x.F[p]) < 4 {
			y.F[p] = math.Floor(x.F[p])
		}
	}
	return y
}

package cluster

import (
	"fmt"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Components numbers the connected parts of masks, [..., h, w] of bool: pixels that are set and meet at their sides, or with corners also
// there, have one number, from 1 in the order of their first pixels, row by row; the others have 0. labels is int32 of the shape of mask,
// count int32 [...]: how many parts there are. Errors, of the graph: mask is not of bool, or not of images; more than 2³⁰ pixels.
//
// Each pixel takes the least position of its neighbours, and then the one that this position has, until nothing changes: the second step
// halves the way to the first pixel, so that iterations are few where parts are wound little.
// Source: Shiloach and Vishkin, An O(log n) Parallel Connectivity Algorithm (1982); SciPy, scipy.ndimage.label.
func Components(mask *ops.Node, corners bool) (labels, count *ops.Node) {
	g := mask.Graph()
	shape := mask.Shape()
	rank := len(shape)
	if rank < 2 || mask.DType() != tensor.Bool || mask.Size() > 1<<30 {
		n := g.Fail("cluster.Components", fmt.Errorf("the mask is %v%v, not images of bool", mask.DType(), shape), mask)
		return n, n
	}
	h, w, all := shape[rank-2], shape[rank-1], mask.Size()
	images := 1
	for _, n := range shape[:rank-2] {
		images *= n
	}
	if all == 0 {
		return g.Zeros(tensor.Int32, shape...), g.Zeros(tensor.Int32, shape[:rank-2]...)
	}
	set := ops.Reshape(mask, images, h, w)
	own := ops.Reshape(g.Iota(tensor.Int32, 0, all), images, h, w)
	none := ops.ScalarLike(own, float64(all)) // the label of elements that are not set
	at := ops.Where(set, own, none)
	least := func(at *ops.Node) *ops.Node {
		next := at
		wide := ops.Pad(at, float64(all), ops.Padding{Axis: 1, Before: 1, After: 1}, ops.Padding{Axis: 2, Before: 1, After: 1})
		for dy := range 3 {
			for dx := range 3 {
				if dy == 1 && dx == 1 || !corners && dy != 1 && dx != 1 {
					continue
				}
				next = ops.Minimum(next, ops.Narrow(ops.Narrow(wide, 1, dy, h), 2, dx, w))
			}
		}
		return ops.Where(set, next, none)
	}
	follow := func(at *ops.Node) *ops.Node { // elements that are not set keep the label none
		list := ops.Concat(0, ops.Reshape(at, all), ops.Reshape(none, 1))
		return ops.Reshape(ops.Gather(list, 0, ops.Reshape(at, all)), images, h, w)
	}
	out := ops.While([]*ops.Node{at, g.Const(tensor.Scalar(true))}, func(v []*ops.Node) *ops.Node { return v[1] },
		func(v []*ops.Node) []*ops.Node {
			next := follow(follow(least(v[0])))
			return []*ops.Node{next, ops.Any(ops.NotEqual(next, v[0]))}
		}, nil)
	first := ops.Cast(ops.And(set, ops.Equal(out[0], own)), tensor.Int32)
	number := ops.CumSum(ops.Reshape(first, images, h*w), 1, nil)
	count = ops.Reshape(ops.Narrow(number, 1, h*w-1, 1), shape[:rank-2]...)
	list := ops.Concat(0, ops.Reshape(number, all), g.Zeros(tensor.Int32, 1))
	return ops.Reshape(ops.Gather(list, 0, ops.Reshape(out[0], all)), shape...), count
}

package main

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

//go:embed nearest.cl
var source string

// nearest adds the search to the graph: for each of queries [m, 3], the squared distance of the k-th nearest of points [n, 3], and
// which of them is the nearest that is not at the same place, int32. The points are sorted into a grid by ops, and
// searched by a kernel; see nearest.cl.
func nearest(points, queries *ops.Node, k int) (radius2, other *ops.Node) {
	g := points.Graph()
	n, m := points.Shape()[0], queries.Shape()[0]
	cells := max(1, int(math.Sqrt(float64(n)/16))) // in each direction: a cell at the sphere has about fifteen points
	number := ops.Cast(ops.Clip(ops.Floor(ops.Mul(ops.Add(points, 1), float64(cells)/2)), 0, float64(cells-1)), tensor.Int32)
	weights := g.Const(tensor.Must(tensor.FromSlice([]int32{1, int32(cells), int32(cells * cells)})))
	cell, order := ops.Sort(ops.Sum(ops.Mul(number, weights), 1), 0, nil)
	starts := ops.Cast(ops.SearchSorted(cell, g.Iota(tensor.Int32, 0, cells*cells*cells+1), nil), tensor.Int32)
	found := ops.Kernel(g, ops.KernelOptions{
		Source: source, Entry: "nearest", Options: fmt.Sprintf("-DK=%d -DG=%d", k, cells),
		Results: []ops.Result{{DType: tensor.Float32, Shape: []int{m}}, {DType: tensor.Int32, Shape: []int{m}}},
		Host:    func(outs, ins []*tensor.Tensor) error { return search(outs, ins, k, cells) },
	}, ops.Gather(points, 0, order), starts, queries)
	return found[0], ops.Gather(ops.Cast(order, tensor.Int32), 0, found[1])
}

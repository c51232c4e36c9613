package main

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// kmeans returns the means [k, 3] after so many iterations of Lloyd's: each point belongs to the mean that is closest, and each
// mean goes to the middle of its points. Source: Lloyd, Least Squares Quantization in PCM (1982).
func kmeans(points, means *ops.Node, iterations int) *ops.Node {
	g := points.Graph()
	n, k := points.Shape()[0], means.Shape()[0]
	counted := ops.Concat(1, points, g.Ones(tensor.Float32, n, 1))
	last, _ := ops.Scan([]*ops.Node{means}, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, _ []*ops.Node) {
		part, _ := closest(points, s[0])
		sums := ops.ScatterAdd(g.Zeros(tensor.Float32, k, 4), 0, part, counted)
		count := ops.Slice(sums, ops.Range{Axis: 1, Start: 3, Stop: 4})
		mean := ops.Div(ops.Slice(sums, ops.Range{Axis: 1, Start: 0, Stop: 3}), ops.Maximum(count, 1))
		return []*ops.Node{mean}, nil
	}, &ops.ScanOptions{Trips: iterations})
	return last[0]
}

// closest returns which of the means each point is closest to, and the square of how far it is:
// |p - m|^2 = |p|^2 - 2 (p m - |m|^2 / 2), with |p| = 1 here.
func closest(points, means *ops.Node) (part, distance2 *ops.Node) {
	score := ops.Sub(ops.MatMul(points, ops.Transpose(means)), ops.Div(ops.Sum(ops.Mul(means, means), 1), 2))
	most, part := ops.MaxWithIndex(score, 1)
	return part, ops.Sub(1, ops.Mul(2, most))
}

// spread are n places that divide the sphere about evenly: each is turned by the golden angle from the one before.
// Source: Swinbank and Purser, Fibonacci Grids (2006).
func spread(n int) []float32 {
	var place []float32
	for i := range n {
		z := 1 - (2*float64(i)+1)/float64(n)
		sin, cos := math.Sincos(float64(i) * math.Pi * (3 - math.Sqrt(5)))
		r := math.Sqrt(1 - z*z)
		place = append(place, float32(r*cos), float32(r*sin), float32(z))
	}
	return place
}

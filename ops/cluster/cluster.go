// Package cluster finds points that are near each other: nearest neighbours, clusters of points, connected parts of images.
package cluster

import (
	"fmt"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/tensor"
)

func init() { ops.Helper() }

// Nearest returns for each of queries the k nearest of points, the nearest first, as Euclidean distances and as positions, int64:
//
//	distance[i, j] = |queries[i] - points[position[i, j]]|
//
// queries are [n, d], points [m, d], of one float dtype, and the results [n, k]. Which are nearest is found by a matrix of all n·m
// distances, that is a product of matrices where there are many, and can differ for points that are as near to within rounding; the
// distances themselves are exact. Their derivatives are those of the distances to these points. Errors, of the graph: dtypes; shapes; k
// is not from 0 to m.
func Nearest(queries, points *ops.Node, k int) (distance, position *ops.Node) {
	g := queries.Graph()
	fail := func(err error) (*ops.Node, *ops.Node) {
		n := g.Fail("cluster.Nearest", err, queries, points)
		return n, n
	}
	if err := vectors(queries, points); err != nil {
		return fail(err)
	}
	if k < 0 || k > points.Dim(0) {
		return fail(fmt.Errorf("%d of %d points", k, points.Dim(0)))
	}
	all := ops.StopGradient(linalg.Cdist(queries, points, 2, linalg.CdistAuto))
	_, position = ops.TopK(all, k, 1, &ops.TopKOptions{Smallest: true})
	near := ops.Gather(points, 0, ops.Reshape(position, -1))
	off := ops.Sub(ops.ExpandDims(queries, 1), ops.Reshape(near, queries.Dim(0), k, points.Dim(1)))
	return ops.VectorNorm(off, 2, -1), position
}

// vectors reports operands that are not vectors of one length and dtype.
func vectors(a, b *ops.Node) error {
	switch {
	case !a.DType().IsFloat() || a.DType() != b.DType():
		return fmt.Errorf("dtypes are %v and %v, not one of floats", a.DType(), b.DType())
	case a.Rank() != 2 || b.Rank() != 2 || a.Dim(1) != b.Dim(1):
		return fmt.Errorf("%v and %v are no vectors of one length", a.Shape(), b.Shape())
	}
	return nil
}

// Clusters is the result of [KMeans].
type Clusters struct {
	Centres *ops.Node // [k, d]
	Labels  *ops.Node // of each point, that of its centre: int64 [n]
	Inertia *ops.Node // the sum of squares of the distances of points to their centres
	// Iterations is how often centres moved, int32.
	Iterations *ops.Node
	// Converged: no point changed its centre in the last iteration, bool.
	Converged *ops.Node
}

// KMeans divides points [n, d] into clusters around as many centres as it begins with, [k, d], of one dtype, float32 or float64: each
// point belongs to the nearest centre, and centres move to the means of their points, until none changes, or for limit iterations. A
// centre without points stays where it is. The results have no derivatives. Errors, of the graph: dtypes; shapes; no centres; limit below
// 0.
// Source: Lloyd, Least Squares Quantization in PCM (1982).
func KMeans(points, centres *ops.Node, limit int) *Clusters {
	g := points.Graph()
	fail := func(err error) *Clusters {
		n := g.Fail("cluster.KMeans", err, points, centres)
		return &Clusters{n, n, n, n, n}
	}
	if err := vectors(points, centres); err != nil {
		return fail(err)
	}
	if dt := points.DType(); centres.Dim(0) == 0 || limit < 0 || dt != tensor.Float32 && dt != tensor.Float64 {
		return fail(fmt.Errorf("%d centres of %v, %d iterations", centres.Dim(0), dt, limit))
	}
	points, centres = ops.StopGradient(points), ops.StopGradient(centres)
	n, k := points.Dim(0), centres.Dim(0)
	// Around the mean of all points products lose fewer digits.
	middle := ops.Mean(points, 0)
	if n == 0 {
		middle = ops.ScalarLike(points, 0)
	}
	around := ops.Sub(points, middle)
	assign := func(centres *ops.Node) *ops.Node {
		near := ops.Sub(ops.Mul(0.5, ops.Sum(ops.Square(centres), 1)), ops.MatMul(around, ops.Transpose(centres)))
		return ops.ArgMin(near, 1)
	}
	start := ops.Sub(centres, middle)
	state := []*ops.Node{start, assign(start), g.Const(tensor.Scalar(int32(0))), g.Const(tensor.Scalar(true))}
	out := ops.While(state, func(v []*ops.Node) *ops.Node {
		return ops.And(v[3], ops.Less(v[2], ops.ScalarLike(v[2], float64(limit))))
	}, func(v []*ops.Node) []*ops.Node {
		counts := ops.ScatterAdd(g.Zeros(points.DType(), k), 0, v[1], g.Ones(points.DType(), n))
		sums := ops.ScatterAdd(g.Zeros(points.DType(), k, points.Dim(1)), 0, v[1], around)
		some := ops.ExpandDims(ops.Greater(counts, ops.ScalarLike(counts, 0)), 1)
		next := ops.Where(some, ops.Div(sums, ops.ExpandDims(ops.Maximum(counts, 1), 1)), v[0])
		labels := assign(next)
		return []*ops.Node{next, labels, ops.Add(v[2], 1), ops.Any(ops.NotEqual(labels, v[1]))}
	}, nil)
	c := &Clusters{Centres: ops.Add(out[0], middle), Labels: out[1], Iterations: out[2], Converged: ops.Not(out[3])}
	c.Inertia = ops.Sum(ops.Square(ops.Sub(around, ops.Gather(out[0], 0, out[1]))))
	return c
}

// Seeds returns k of points [n, d], at random, that lie apart: after the first, each is drawn with a probability in proportion to the
// square of its distance from those drawn before. [KMeans] that begins with them ends near the best clusters more often. Where all points
// are drawn already, the first one comes again. Errors, of the graph: dtype; shape; k is not positive, or there are no points.
// Source: Arthur and Vassilvitskii, k-means++: The Advantages of Careful Seeding (2007).
func Seeds(points *ops.Node, k int) *ops.Node {
	g := points.Graph()
	if err := vectors(points, points); err != nil {
		return g.Fail("cluster.Seeds", err, points)
	}
	n := points.Dim(0)
	if k < 1 || n == 0 {
		return g.Fail("cluster.Seeds", fmt.Errorf("%d of %d points", k, n), points)
	}
	points = ops.StopGradient(points)
	weights := g.Ones(points.DType(), n)
	_, drawn := ops.Scan([]*ops.Node{weights, g.Full(points.DType(), -1, n)}, []*ops.Node{g.Iota(tensor.Int32, 0, k)},
		func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
			// The largest of log w + Gumbel noise is drawn with a probability in proportion to w.
			at := ops.ArgMax(ops.Add(ops.Log(s[0]), g.Gumbel(points.DType(), n)), 0)
			seed := ops.Gather(points, 0, ops.Reshape(at, 1))
			square := ops.Sum(ops.Square(ops.Sub(points, seed)), 1)
			least := ops.Where(ops.Less(s[1], ops.ScalarLike(s[1], 0)), square, ops.Minimum(s[1], square))
			return []*ops.Node{least, least}, []*ops.Node{ops.Squeeze(seed, 0)}
		}, nil)
	return drawn[0]
}

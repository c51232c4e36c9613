package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// Meshgrid returns each of the vectors, or scalars, of which there may be any number, stretched to the grid that all of them span:
//
//	y_k[i_1, i_2, ...] = x_k[i_k]
//
// It costs nothing. Errors: one has more than one axis; dtypes differ. [MeshgridXY] swaps the first two axes.
// Source: PyTorch, meshgrid with indexing="ij".
func Meshgrid(xs ...*Node) []*Node { return meshgrid(false, xs) }

// MeshgridXY is [Meshgrid] with the axes of the first two vectors exchanged, as NumPy does it without a word.
func MeshgridXY(xs ...*Node) []*Node { return meshgrid(true, xs) }

func meshgrid(xy bool, xs []*Node) []*Node {
	out := make([]*Node, len(xs))
	shape := make([]int, len(xs))
	place := func(k int) int { // the axis of vector k
		if xy && k < 2 && len(xs) > 1 {
			return 1 - k
		}
		return k
	}
	for k, x := range xs {
		if x == nil || x.bad {
			return slices.Repeat([]*Node{apply("broadcast_to", nil, x)}, len(xs))
		}
		if x.Rank() > 1 {
			return slices.Repeat([]*Node{x.graph.fail("meshgrid", xs, fmt.Errorf("operand %d is %v, no vector", k, x.shape))}, len(xs))
		}
		shape[place(k)] = x.Size()
	}
	if slices.ContainsFunc(xs, hasOpenSizes) {
		return xs[0].graph.sized("meshgrid", xs, len(xs), func(_ *Graph, in []*Node, _ func(d int) int) []*Node { return meshgrid(xy, in) })
	}
	for k, x := range xs {
		lying := slices.Repeat([]int{1}, len(xs))
		lying[place(k)] = x.Size()
		out[k] = BroadcastTo(Reshape(x, lying...), shape...)
	}
	return out
}

// CartesianProd returns all combinations of an element of each vector, as rows: the last vector's element changes fastest. Of one
// vector it is the vector. Errors: no vectors; one has more than one axis; dtypes differ.
// Source: PyTorch, cartesian_prod.
func CartesianProd(xs ...*Node) *Node {
	if len(xs) == 0 {
		return detached().fail("cartesian_prod", nil, errors.New("no tensors"))
	}
	if len(xs) == 1 {
		return Reshape(xs[0], -1)
	}
	grid := Meshgrid(xs...)
	for i := range grid {
		grid[i] = Reshape(grid[i], -1)
	}
	return Stack(1, grid...)
}

// Combinations returns all choices of r elements of a vector, in order, as rows; with replacement an element may be chosen again. Errors: x
// is no vector; r is negative; there are too many.
// Source: PyTorch, combinations.
func Combinations(x *Node, r int, replacement bool) *Node {
	const most = 1 << 24
	if x == nil || x.bad {
		return apply("gather", nil, x)
	}
	if x.Rank() != 1 || r < 0 {
		return x.graph.fail("combinations", []*Node{x}, fmt.Errorf("choices of %d elements of %v", r, x.shape))
	}
	n := x.shape[0]
	var rows []int32
	count := 0
	at := make([]int32, r)
	var choose func(k, from int) bool
	choose = func(k, from int) bool {
		if k == r {
			rows = append(rows, at...)
			count++
			return count <= most
		}
		for i := from; i < n; i++ {
			at[k] = int32(i)
			next := i + 1
			if replacement {
				next = i
			}
			if !choose(k+1, next) {
				return false
			}
		}
		return true
	}
	if r == 0 {
		return x.graph.Zeros(x.dtype, 0)
	}
	if !choose(0, 0) {
		return x.graph.fail("combinations", []*Node{x}, fmt.Errorf("more than %d choices of %d of %d elements", most, r, n))
	}
	return Gather(x, 0, positionsOf(x.graph, tensor.Int32, rows, count, r))
}

// BlockDiag returns the matrix that has the given matrices along its diagonal and zeros elsewhere; a vector is a row, a scalar one
// element. Errors: no tensors; one has more than two axes; dtypes differ.
// Source: PyTorch, block_diag.
func BlockDiag(xs ...*Node) *Node {
	if len(xs) == 0 {
		return detached().fail("block_diag", nil, errors.New("no tensors"))
	}
	blocks := make([]*Node, len(xs))
	columns := 0
	for i, x := range xs {
		switch {
		case x == nil || x.bad:
			return apply("concat", nil, x)
		case x.Rank() > 2:
			return x.graph.fail("block_diag", xs, fmt.Errorf("operand %d is %v, no matrix", i, x.shape))
		}
		for x.Rank() < 2 {
			x = ExpandDims(x, 0)
		}
		blocks[i] = x
		columns = plus(columns, x.shape[1])
	}
	before := 0
	for i, x := range blocks {
		n := x.shape[1]
		blocks[i] = Pad(x, 0, Padding{Axis: 1, Before: before, After: columns - before - n})
		before += n
	}
	return Concat(0, blocks...)
}

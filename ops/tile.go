package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Tile returns x repeated along each of its last axes as often as reps say; axes of extent 1 come before those of x where there are
// more reps than axes:
//
//	y[i_1, i_2, ...] = x[i_1 mod n_1, i_2 mod n_2, ...]
//
// PyTorch's repeat is the same, but refuses fewer reps than axes. It costs nothing. Errors: a number of repetitions is negative.
// Source: NumPy, numpy.tile; PyTorch, tile.
func Tile(x *Node, reps ...int) *Node { return apply("tile", tileAttr{slices.Clone(reps)}, x) }

// Repeat is [Tile] by PyTorch's name, not NumPy's repeat, which is [RepeatInterleave].
func Repeat(x *Node, reps ...int) *Node { return Tile(x, reps...) }

type tileAttr struct {
	Reps []int `doc:"of the last axes, as often as they are repeated"`
}

// full are the extents and repetitions of a tiled shape.
func (a tileAttr) full(x []int) (extents, reps []int) {
	ones := func(n int) []int { return slices.Repeat([]int{1}, max(n, 0)) }
	return slices.Concat(ones(len(a.Reps)-len(x)), x), slices.Concat(ones(len(x)-len(a.Reps)), a.Reps)
}

var _ = define(Op{
	Name: "tile", Category: "layout", Complex: eachPart, Attributes: AttributesOf[tileAttr](), Operands: operandX, DTypes: every,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape, reps := c.Attr.(tileAttr).full(c.shape(0))
		shape = slices.Clone(shape)
		for i, r := range reps {
			if r < 0 {
				return nil, 0, fmt.Errorf("%d repetitions", r)
			}
			shape[i] = multiplied(shape[i], r)
		}
		return shape, c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		x := c.In[0]
		extents, reps := c.Attr.(tileAttr).full(x.shape)
		var apart, wide, shape []int
		for i, n := range extents {
			apart, wide, shape = append(apart, 1, n), append(wide, reps[i], n), append(shape, reps[i]*n)
		}
		return Reshape(BroadcastTo(Reshape(x, apart...), wide...), shape...)
	},
})

// multiplied is the product of two extents; it saturates, for checkSize to find.
func multiplied(a, b int) int {
	if a > 0 && b > (1<<62)/a {
		return 1 << 62
	}
	return a * b
}

// RepeatInterleave returns x with each slice along axis n times in a row:
//
//	y[p, i, q] = x[p, i div n, q]
//
// It costs nothing. Errors: the axis does not exist; n is negative.
// Source: PyTorch, repeat_interleave; NumPy, numpy.repeat.
func RepeatInterleave(x *Node, axis, n int) *Node {
	return apply("repeat_interleave", repeatAttr{axis, n}, x)
}

type repeatAttr struct {
	Axis  int `default:"0" doc:"counted from the end where negative"`
	Times int `doc:"as often as each slice is there"`
}

var _ = define(Op{
	Name: "repeat_interleave", Category: "layout", Complex: eachPart,
	Attributes: AttributesOf[repeatAttr](), Operands: operandX, DTypes: every,
	Complete: func(c *Call) (err error) {
		a := c.Attr.(repeatAttr)
		if a.Axis, err = shapes.Axis(a.Axis, len(c.shape(0))); err == nil && a.Times < 0 {
			err = fmt.Errorf("%d repetitions", a.Times)
		}
		c.Attr = a
		return err
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, shape := c.Attr.(repeatAttr), slices.Clone(c.shape(0))
		shape[a.Axis] = multiplied(shape[a.Axis], a.Times)
		return shape, c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(repeatAttr), ExpandDims(c.In[0], c.Attr.(repeatAttr).Axis+1)
		wide := slices.Clone(x.shape)
		wide[a.Axis+1] = a.Times
		shape := slices.Clone(c.shape(0))
		shape[a.Axis] *= a.Times
		return Reshape(BroadcastTo(x, wide...), shape...)
	},
})

// RepeatCounts returns x with each slice along axis as often as counts, integers, one for each slice, say: the result has room for
// total slices, unused room is filled with 0, and slices beyond total are left out. [Trim] cuts the result to the
// sum of counts. A negative count is 0. Errors: the axis does not exist; counts are not one for each slice; total is negative.
// Source: PyTorch, repeat_interleave with a tensor and output_size.
func RepeatCounts(x *Node, axis int, counts *Node, total int) *Node {
	return apply("repeat_counts", repeatCountsAttr{axis, total}, x, counts)
}

type repeatCountsAttr struct {
	Axis  int `default:"0" doc:"counted from the end where negative"`
	Total int `doc:"how many slices the result has"`
}

var _ = define(Op{
	Name: "repeat_counts", Category: "layout", Complex: eachPart, Attributes: AttributesOf[repeatCountsAttr](),
	Operands: []Operand{{Name: "x"}, {Name: "counts", DTypes: ints}}, DTypes: every,
	Complete: func(c *Call) (err error) {
		a := c.Attr.(repeatCountsAttr)
		a.Axis, err = shapes.Axis(a.Axis, len(c.shape(0)))
		switch {
		case err != nil:
		case a.Total < 0:
			err = fmt.Errorf("a total of %d slices", a.Total)
		case !slices.Equal(c.shape(1), c.shape(0)[a.Axis:a.Axis+1]):
			err = fmt.Errorf("counts are %v for axis %d of %v", c.shape(1), a.Axis, c.shape(0))
		}
		c.Attr = a
		return err
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, shape := c.Attr.(repeatCountsAttr), slices.Clone(c.shape(0))
		shape[a.Axis] = a.Total
		return shape, c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a, counts := c.Attr.(repeatCountsAttr), Cast(c.In[1], tensor.Int64)
		counts = Maximum(counts, ScalarLike(counts, 0))
		return Gather(c.In[0], a.Axis, segmentsOf(CumSum(counts, 0, nil), a.Total))
	},
})

// segmentsOf returns, for each of n positions, the number of its segment: the number of ends at or before the position. ends, int64
// and in ascending order along the last axis, are the positions at which segments end.
func segmentsOf(ends *Node, n int) *Node {
	g, axis := ends.graph, len(ends.shape)-1
	shape := slices.Clone(ends.shape)
	shape[axis] = n
	marks := scatterInto(g.Full(tensor.Int64, 0, shape...), ends, g.Full(tensor.Int64, 1, ends.shape...),
		ir.ScatterAttr{Axis: axis, Along: axis > 0})
	return CumSum(marks, axis, nil)
}

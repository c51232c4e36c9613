package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Results whose size is known only when a graph runs: they have room for as many elements as bound says, and come with the count of
// those that exist. Trim cuts an output to it. A running sum gives each element its place: no sort.

// NonZero returns the positions of the elements of x that are neither zero nor false, in row-major order: int64 [bound, rank], behind the
// count rows of -1. Rows beyond bound are left out; bound -1 has room for all. NaN is not zero. The count, an int64 scalar, is of the rows
// that are there. Errors: bound is below -1.
// Source: PyTorch, nonzero; ONNX, operator NonZero, whose result is transposed.
func NonZero(x *Node, bound int) (positions, count *Node) {
	return firstAndLast(ApplyAll("nonzero", boundAttr{bound}, x))
}

// ArgWhere is [NonZero] by NumPy's name.
func ArgWhere(x *Node, bound int) (positions, count *Node) { return NonZero(x, bound) }

func firstAndLast(all []*Node) (first, second *Node) { return all[0], all[len(all)-1] }

type boundAttr struct {
	Bound int `default:"-1" doc:"how many there is room for; -1: all"`
}

// of is the bound of n.
func (a boundAttr) of(n int) (int, error) {
	if a.Bound < -1 {
		return 0, fmt.Errorf("a bound of %d", a.Bound)
	}
	if a.Bound == -1 {
		return n, nil
	}
	return a.Bound, nil
}

// places are, for the elements of a mask along its only axis, where those that are true go when they are moved together, and -1 for
// others and those that find no room; and how many there are, at most bound.
func places(mask *Node, bound int) (at, count *Node) {
	n := mask.shape[0]
	dt := counting(n)
	ones := Cast(mask, dt)
	at = Where(mask, CumSum(ones, 0, &CumSumOptions{Exclusive: true}), ScalarLike(ones, -1))
	count = Minimum(Cast(Sum(ones, 0), tensor.Int64), int64(bound))
	return at, count
}

// compacted are the slices of x along axis 0 that have a place, and fill behind them.
func compacted(x, at *Node, bound int, fill float64) *Node {
	to := BroadcastTo(ScalarLike(x, fill), slices.Concat([]int{bound}, x.shape[1:])...)
	return scatterReduced(to, at, x, "set", false, ir.ScatterAttr{Distinct: true})
}

var _ = define(Op{
	Name: "nonzero", Category: "indexing", Attributes: AttributesOf[boundAttr](), Operands: operandX, DTypes: every, Flat: true,
	ResultNames: []string{"positions", "count"},
	Results: func(c *Call) ([]Result, error) {
		bound, err := c.Attr.(boundAttr).of(ir.Product(c.shape(0)))
		return []Result{{tensor.Int64, []int{bound, len(c.shape(0))}}, {tensor.Int64, nil}}, err
	},
	ComposeAll: func(c *Call) []*Node {
		x := c.In[0]
		n := x.Size()
		bound, _ := c.Attr.(boundAttr).of(n)
		mask := Reshape(x, n)
		if x.dtype != tensor.Bool {
			mask = NotEqual(mask, ScalarLike(mask, 0))
		}
		at, count := places(mask, bound)
		flat := compacted(x.graph.Iota(tensor.Int64, 0, n), at, bound, -1)
		if len(x.shape) == 0 {
			return []*Node{x.graph.Zeros(tensor.Int64, bound, 0), count}
		}
		// Its coordinates, by divisions; -1 stays.
		axes := make([]*Node, len(x.shape))
		rest := flat
		for a := len(x.shape) - 1; a >= 0; a-- {
			d := int64(max(x.shape[a], 1))
			q := Div(rest, d)
			axes[a] = Where(Less(flat, 0), flat, Sub(rest, Mul(q, d)))
			rest = q
		}
		return []*Node{Stack(1, axes...), count}
	},
})

// MaskedSelect returns the elements of x where mask is true, in row-major order, in a vector with room for bound of them, -1 for all, and
// 0 behind the count; x and mask broadcast. See [NonZero]. Derivatives go back to the elements. Errors: mask is not bool; shapes do not
// broadcast; bound is below -1.
// Source: PyTorch, masked_select.
func MaskedSelect(x, mask *Node, bound int) (values, count *Node) {
	return firstAndLast(ApplyAll("masked_select", boundAttr{bound}, x, mask))
}

var _ = define(Op{
	Name: "masked_select", Category: "indexing", Attributes: AttributesOf[boundAttr](), DTypes: every,
	Operands:    []Operand{{Name: "x"}, {Name: "mask", DTypes: bools}},
	ResultNames: []string{"values", "count"},
	Results: func(c *Call) ([]Result, error) {
		full, err := tensor.Broadcast(c.shape(0), c.shape(1))
		if err != nil {
			return nil, fmt.Errorf("mask %v does not broadcast against %v", c.shape(1), c.shape(0))
		}
		bound, err := c.Attr.(boundAttr).of(ir.Product(full))
		return []Result{{c.dt(0), []int{bound}}, {tensor.Int64, nil}}, err
	},
	ComposeAll: func(c *Call) []*Node {
		full, _ := tensor.Broadcast(c.shape(0), c.shape(1))
		n := ir.Product(full)
		bound, _ := c.Attr.(boundAttr).of(n)
		at, count := places(Reshape(BroadcastTo(c.In[1], full...), n), bound)
		return []*Node{compacted(Reshape(BroadcastTo(c.In[0], full...), n), at, bound, 0), count}
	},
})

// Compress returns the slices of x along axis where the vector mask is true, with room for bound of them, -1 for all, and zeros behind the
// count. Slices beyond the end of mask are left out. See [MaskedSelect]. Errors: mask is no bool vector, or longer than the axis; the
// axis does not exist; bound is below -1.
// Source: NumPy, numpy.compress; ONNX, operator Compress.
func Compress(x *Node, axis int, mask *Node, bound int) (values, count *Node) {
	return firstAndLast(ApplyAll("compress", compressAttr{axis, bound}, x, mask))
}

type compressAttr struct {
	Axis  int `default:"0" doc:"counted from the end where negative"`
	Bound int `default:"-1" doc:"how many there is room for; -1: all"`
}

var _ = define(Op{
	Name: "compress", Category: "indexing", Attributes: AttributesOf[compressAttr](), DTypes: every,
	Operands:    []Operand{{Name: "x"}, {Name: "mask", DTypes: bools}},
	ResultNames: []string{"values", "count"},
	Complete: func(c *Call) (err error) {
		a := c.Attr.(compressAttr)
		a.Axis, err = shapes.Axis(a.Axis, len(c.shape(0)))
		c.Attr = a
		return err
	},
	Results: func(c *Call) ([]Result, error) {
		a, shape := c.Attr.(compressAttr), slices.Clone(c.shape(0))
		if m := c.shape(1); len(m) != 1 || m[0] > shape[a.Axis] {
			return nil, fmt.Errorf("mask %v is no vector for axis %d of %v", m, a.Axis, shape)
		}
		bound, err := boundAttr{a.Bound}.of(c.shape(1)[0])
		shape[a.Axis] = bound
		return []Result{{c.dt(0), shape}, {tensor.Int64, nil}}, err
	},
	ComposeAll: func(c *Call) []*Node {
		a, x, mask := c.Attr.(compressAttr), c.In[0], c.In[1]
		bound, _ := boundAttr{a.Bound}.of(mask.shape[0])
		part := slices.Clone(x.shape)
		part[a.Axis] = mask.shape[0]
		at, count := places(mask, bound)
		to := slices.Clone(part)
		to[a.Axis] = bound
		y := scatterReduced(zerosOf(x, to), at, cutTo(x, part), "set", false, ir.ScatterAttr{Axis: a.Axis, Distinct: true})
		return []*Node{y, count}
	},
})

// rangeError says that there is no k-th of n elements.
func rangeError(k, n int) error {
	return fmt.Errorf("there is no element %d of %d, counted from 1", k, n)
}

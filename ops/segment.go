package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// SegmentOptions describe the segments. The zero value and nil are lengths along axis 0 and sums from 0 on.
type SegmentOptions struct {
	Axis int
	// Offsets says that the operand holds where segments begin, and where the last one ends, instead of their lengths.
	Offsets bool
	// Initial is the value that the fold of each segment begins with; nil: none.
	Initial *float64
}

// SegmentReduce folds runs of slices of x along an axis: "sum", "mean", "min", "max" or "prod". Segment s are the slices from the sum of
// the lengths before it on. lengths, integers, has the axes of x before axis, of which each combination has segments of its own, and then
// one for the segments:
//
//	y[p, s, q] = Σ_i x[p, i, q],  Σ_{r<s} lengths[p, r] <= i < Σ_{r<=s} lengths[p, r]
//
// Slices behind the last segment do not count. An empty segment is Initial, or 0, NaN, +Inf, -Inf and 1; a mean has Initial as its value
// only if it is empty. Ties of extremes share the derivative. x is a float. Errors: the axis does not exist; lengths have not the axes
// before it; there is no such reduction.
// Source: PyTorch, segment_reduce.
func SegmentReduce(x *Node, reduction string, lengths *Node, o *SegmentOptions) *Node {
	a := segmentAttr{Reduction: reduction, Initial: math.NaN()}
	if o != nil {
		a.Axis, a.Offsets = o.Axis, o.Offsets
		if o.Initial != nil {
			a.Initial, a.HasInitial = *o.Initial, true
		}
	}
	return apply("segment_reduce", a, x, lengths)
}

type segmentAttr struct {
	Axis       int     `default:"0" doc:"along which slices are folded"`
	Reduction  string  `default:"sum" doc:"sum, mean, min, max or prod"`
	Offsets    bool    `default:"false" doc:"the lengths are where segments begin, and where the last one ends"`
	HasInitial bool    `default:"false" doc:"segments are folded into initial"`
	Initial    float64 `default:"NaN" doc:"what segments are folded into"`
}

var _ = define(Op{
	Name: "segment_reduce", Category: "indexing", Attributes: AttributesOf[segmentAttr](), DTypes: floats,
	Operands: []Operand{{Name: "x"}, {Name: "lengths", DTypes: ints}},
	Complete: func(c *Call) (err error) {
		a := c.Attr.(segmentAttr)
		a.Axis, err = shapes.Axis(a.Axis, len(c.shape(0)))
		c.Attr = a
		return err
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, x, n := c.Attr.(segmentAttr), c.shape(0), c.shape(1)
		if !slices.Contains([]string{"sum", "mean", "min", "max", "prod"}, a.Reduction) {
			return nil, 0, fmt.Errorf("there is no reduction %q; use sum, mean, min, max or prod", a.Reduction)
		}
		if len(n) != a.Axis+1 || !slices.Equal(n[:a.Axis], x[:a.Axis]) || a.Offsets && n[a.Axis] == 0 {
			return nil, 0, fmt.Errorf("lengths are %v for axis %d of x %v", n, a.Axis, x)
		}
		shape := slices.Clone(x)
		if shape[a.Axis] = n[a.Axis]; a.Offsets {
			shape[a.Axis]--
		}
		return shape, c.dt(0), nil
	},
	// The segment of each slice is the running number of ends before it: linear, whatever the lengths are.
	Compose: func(c *Call) *Node {
		a, x, lengths := c.Attr.(segmentAttr), c.In[0], Cast(c.In[1], tensor.Int64)
		n, axis := x.shape[a.Axis], a.Axis
		var first *Node // slices before it are in no segment
		ends := lengths
		if a.Offsets {
			count := lengths.shape[axis]
			first, ends = Slice(lengths, Between(axis, 0, 1)), Slice(lengths, Between(axis, 1, count))
		} else {
			ends = CumSum(lengths, axis, nil)
		}
		at := segmentsOf(ends, n)
		if first != nil {
			at = Where(Less(x.graph.Iota(tensor.Int64, axis, at.shape...), first), int64(-1), at)
		}
		shape := slices.Clone(x.shape)
		shape[axis] = ends.shape[axis]
		wide := widened(x.dtype)
		x = Cast(x, wide)
		to := ir.ScatterAttr{Axis: axis, Along: axis > 0}
		if to.Along {
			full := slices.Clone(at.shape)
			for len(full) < len(x.shape) {
				at, full = ExpandDims(at, -1), append(full, x.shape[len(full)])
			}
			at = BroadcastTo(at, full...)
		}
		reduction := map[string]string{"sum": "add", "mean": "add", "prod": "mul"}[a.Reduction]
		if reduction == "" {
			reduction = a.Reduction
		}
		initial := x.graph.Const(identityOf(puts[reduction], wide))
		if a.HasInitial && a.Reduction != "mean" {
			initial = ScalarLike(x, a.Initial)
		}
		y := scatterReduced(BroadcastTo(initial, shape...), at, x, reduction, false, to)
		if a.Reduction == "mean" {
			count := scatterReduced(x.graph.Zeros(wide, shape...), at, x.graph.Ones(wide, x.shape...), "add", false, to)
			y = Where(Greater(count, 0), Div(y, Maximum(count, 1)), ScalarLike(y, a.Initial))
		}
		return Cast(y, c.dt(0))
	},
})

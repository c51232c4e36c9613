package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Median returns the medians of x over the named axes, which vanish, or over all: of an even number of elements the lower one in the
// middle, as in PyTorch. NumPy takes the mean of both, as [Quantile] does with q = 0.5. NaN anywhere gives NaN. The derivative goes to
// the element itself. x is any number. Errors: dtype is bool; an axis does not exist or is named twice; there are no elements.
func Median(x *Node, axes ...int) *Node { return reduction("median", x, axes) }

// NanMedian returns the medians of the elements of x that are not NaN. Otherwise as [Median].
func NanMedian(x *Node, axes ...int) *Node { return reduction("nanmedian", x, axes) }

// MedianWithIndex returns the medians of x along axis, which vanishes, as [Median] does, and as int64 where the first of each stands.
func MedianWithIndex(x *Node, axis int) (values, positions *Node) {
	return rankedWithIndex("median_with_index", x, axis)
}

// NanMedianWithIndex returns the medians along axis of the elements of x that are not NaN, and their positions. Otherwise as
// [MedianWithIndex].
func NanMedianWithIndex(x *Node, axis int) (values, positions *Node) {
	return rankedWithIndex("nanmedian_with_index", x, axis)
}

func rankedWithIndex(name string, x *Node, axis int) (values, positions *Node) {
	all := picks(reduction(name, x, []int{axis}), 2)
	return all[0], all[1]
}

// joinedRows is x with the named axes as one, the last.
func joinedRows(x *Node, axes []int) *Node {
	perm := []int{}
	shape, n := []int{}, 1
	for a, extent := range x.shape {
		if slices.Contains(axes, a) {
			n *= extent
		} else {
			perm, shape = append(perm, a), append(shape, extent)
		}
	}
	return Reshape(Transpose(x, append(perm, axes...)...), append(shape, n)...)
}

// middle are the medians of rows and their positions, each [rows, 1].
func middle(x *Node, axes []int, skipNaN bool) (values, positions *Node) {
	rows := joinedRows(x, axes)
	n := rows.Dim(-1)
	v, p := Sort(rows, -1, nil) // NaN stands last
	shape := slices.Clone(rows.shape)
	shape[len(shape)-1] = 1
	at := x.graph.fullInt(int64((n-1)/2), shape)
	if x.dtype.IsFloat() {
		there := ExpandDims(reduction("sum", Cast(Not(IsNaN(rows)), tensor.Int64), []int{len(shape) - 1}), -1)
		if skipNaN {
			at = ShiftRight(Maximum(Sub(there, 1), 0), 1)
		} else {
			at = Where(Less(there, n), there, at)
		}
	}
	last := len(shape) - 1
	return TakeAlong(v, last, at), TakeAlong(p, last, at)
}

func medianOp(name string, skipNaN bool) Op {
	o := composedReduction(name, numbers, tensor.Invalid, func(c *Call) *Node {
		v, _ := middle(c.In[0], c.axes(), skipNaN)
		return Reshape(v, reduced(c)...)
	})
	o.Result = func(c *Call) ([]int, tensor.DType, error) {
		if foldSize(c) == 0 && ir.Product(reduced(c)) > 0 {
			return nil, 0, fmt.Errorf("nothing of %v has no median", c.shape(0))
		}
		return reduceResult(c)
	}
	return o
}

var _ = define(medianOp("median", false))

var _ = define(medianOp("nanmedian", true))

func medianIndexOp(name string, of func(x *Node, axes []int) (values, positions *Node)) Op {
	o := withIndexOp(name, "")
	o.ComposeAll = func(c *Call) []*Node {
		v, p := of(c.In[0], c.axes())
		return []*Node{Reshape(v, reduced(c)...), Reshape(p, reduced(c)...)}
	}
	return o
}

var _ = define(medianIndexOp("median_with_index", func(x *Node, axes []int) (*Node, *Node) { return middle(x, axes, false) }))

var _ = define(medianIndexOp("nanmedian_with_index", func(x *Node, axes []int) (*Node, *Node) { return middle(x, axes, true) }))

// How Quantile takes a value that lies between two elements.
const (
	QuantileLinear   = "linear"   // on the line between them
	QuantileLower    = "lower"    // the lower one
	QuantileHigher   = "higher"   // the higher one
	QuantileNearest  = "nearest"  // the nearer one, of two as near that with an even number
	QuantileMidpoint = "midpoint" // half way
)

// QuantileOptions say how Quantile counts. The zero value and nil: linearly, NaN gives NaN.
type QuantileOptions struct {
	Interpolation string // QuantileLinear, which is "" too, or another
	IgnoreNaN     bool   // NaN is left out, as in nanquantile of NumPy and PyTorch
}

// Quantile returns the values below which the fractions q of the elements of x lie, over the named axes, which vanish, or over all:
//
//	y[k, p] = the element number q[k] · (n - 1) of x[p, ...] in ascending order
//
// and between two elements where that is not whole. q is a number, a scalar or a vector, of x's dtype, whose axis comes first in the
// result; it is limited to [0, 1]. x is a float. Errors: dtypes; q has more than one axis; an axis does not exist or is named twice;
// there are no elements; the interpolation has another name.
func Quantile[Q NodeOrNumber](x *Node, q Q, o *QuantileOptions, axes ...int) *Node {
	a := quantileAttr{Axes: axes, Interpolation: QuantileLinear}
	if o != nil {
		if a.IgnoreNaN = o.IgnoreNaN; o.Interpolation != "" {
			a.Interpolation = o.Interpolation
		}
	}
	return applyNumbers("quantile", a, x, q)
}

// NanQuantile is [Quantile] of the elements that are not NaN.
func NanQuantile[Q NodeOrNumber](x *Node, q Q, o *QuantileOptions, axes ...int) *Node {
	with := QuantileOptions{IgnoreNaN: true}
	if o != nil {
		with.Interpolation = o.Interpolation
	}
	return Quantile(x, q, &with, axes...)
}

type quantileAttr struct {
	Axes          []int  `default:"" doc:"that are folded, counted from the end where negative; none: all"`
	Interpolation string `default:"\"linear\"" doc:"linear, lower, higher, nearest or midpoint"`
	IgnoreNaN     bool   `attr:"ignore_nan" default:"false" doc:"NaN is left out"`
}

// ReducedAxes are the axes that are folded.
func (a quantileAttr) ReducedAxes() []int { return a.Axes }

var _ = define(Op{
	Name: "quantile", Category: "reduction", Attributes: AttributesOf[quantileAttr](), Operands: []Operand{{Name: "x"}, {Name: "q"}},
	DTypes: floats,
	Complete: func(c *Call) (err error) {
		a := c.Attr.(quantileAttr)
		a.Axes, err = shapes.Axes(a.Axes, len(c.shape(0)))
		c.Attr = a
		return err
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, left := c.Attr.(quantileAttr), withoutAxes(c.shape(0), c.Attr.(quantileAttr).Axes)
		n := 1
		for _, axis := range a.Axes {
			n *= c.shape(0)[axis]
		}
		switch known := []string{QuantileLinear, QuantileLower, QuantileHigher, QuantileNearest, QuantileMidpoint}; {
		case !slices.Contains(known, a.Interpolation):
			return nil, 0, fmt.Errorf("interpolation %q is none of %q", a.Interpolation, known)
		case len(c.shape(1)) > 1:
			return nil, 0, errors.New("q has more than one axis")
		case n == 0 && ir.Product(left) > 0:
			return nil, 0, fmt.Errorf("nothing of %v has no quantile", c.shape(0))
		}
		return append(slices.Clone(c.shape(1)), left...), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(quantileAttr), c.In[0]
		q := Reshape(widen(c.In[1]), -1)
		rows := joinedRows(x, a.Axes)
		last, n := rows.Rank()-1, rows.Dim(-1)
		sorted, _ := Sort(rows, -1, nil)
		v := widen(sorted)
		there := ExpandDims(reduction("sum", Cast(Not(IsNaN(rows)), v.dtype), []int{last}), -1)
		top := x.graph.Const(tensor.Must(tensor.Cast(tensor.Scalar(float64(max(n-1, 0))), v.dtype)))
		if a.IgnoreNaN {
			top = Maximum(Sub(there, 1), 0)
		}
		shape := append(slices.Clone(rows.shape[:last]), q.Dim(0))
		at := BroadcastTo(Mul(Minimum(Maximum(q, 0), 1), top), shape...)
		low := Floor(at)
		take := func(at *Node) *Node { return TakeAlong(v, last, Cast(at, tensor.Int64)) }
		var y *Node
		switch a.Interpolation {
		case QuantileLower:
			y = take(low)
		case QuantileHigher:
			y = take(Ceil(at))
		case QuantileNearest:
			y = take(Round(at))
		default:
			w := Sub(at, low)
			if a.Interpolation == QuantileMidpoint {
				w = Where(Greater(w, 0), ScalarLike(w, 0.5), ScalarLike(w, 0))
			}
			p, r := take(low), take(Ceil(at))
			same := Equal(p, r) // infinities too, which have no difference
			y = Where(same, p, Lerp(p, Where(same, p, r), w))
		}
		if !a.IgnoreNaN {
			y = Where(Less(there, n), part(v, last, n-1, 1), y)
		}
		perm := append([]int{last}, ir.Range(0, last)...)
		return Cast(Reshape(Transpose(y, perm...), append(slices.Clone(c.shape(1)), shape[:last]...)...), c.dt(0))
	},
})

// KthValue returns the k-th smallest element, counted from 1, of each row of x along axis, and as int64 where it stands. NaN counts as
// larger than every number; of equal elements the first come first. The derivative goes to that element. Errors: the axis does not exist;
// k is not in [1, extent].
// Source: PyTorch, kthvalue.
func KthValue(x *Node, k, axis int) (values, positions *Node) {
	all := ApplyAll("kth_value", kthAttr{k, axis}, x)
	return all[0], all[len(all)-1]
}

type kthAttr struct {
	K    int `doc:"which, counted from 1"`
	Axis int `default:"-1" doc:"counted from the end where negative"`
}

// ReducedAxes is for KeepDims.
func (a kthAttr) ReducedAxes() []int { return []int{a.Axis} }

var _ = define(Op{
	Name: "kth_value", Category: "order", Attributes: AttributesOf[kthAttr](), Operands: operandX, DTypes: numbers,
	ResultNames: []string{"values", "positions"},
	Complete: func(c *Call) (err error) {
		a := c.Attr.(kthAttr)
		a.Axis, err = scatterAxis(a.Axis, c)
		c.Attr = a
		return err
	},
	Results: func(c *Call) ([]Result, error) {
		a, x := c.Attr.(kthAttr), c.shape(0)
		n := 1
		if len(x) > 0 {
			n = x[a.Axis]
		}
		if a.K < 1 || a.K > n {
			return nil, rangeError(a.K, n)
		}
		if len(x) > 0 {
			x = slices.Delete(slices.Clone(x), a.Axis, a.Axis+1)
		}
		return []Result{{c.dt(0), x}, {tensor.Int64, x}}, nil
	},
	ComposeAll: func(c *Call) []*Node {
		a, x := c.Attr.(kthAttr), c.In[0]
		shape := x.shape
		if len(shape) == 0 {
			x = Reshape(x, 1)
		} else {
			shape = slices.Delete(slices.Clone(shape), a.Axis, a.Axis+1)
		}
		values, positions := TopK(x, a.K, a.Axis, &TopKOptions{Smallest: true})
		last := func(n *Node) *Node { return Reshape(Slice(n, Between(a.Axis, a.K-1, a.K)), shape...) }
		return []*Node{last(values), last(positions)}
	},
})

// MSort returns x sorted along its first axis, ascending: the values of [Sort].
// Source: PyTorch, msort.
func MSort(x *Node) *Node {
	values, _ := Sort(x, 0, nil)
	return values
}

// Mode returns the most frequent values of x along axis, which vanishes, the smallest of several, and as int64 where the last of each
// stands. NaN equals nothing, not itself. The derivative goes to the element at that position. x is any number. Errors: dtype is bool;
// the axis does not exist or is empty.
// Source: PyTorch, function mode.
func Mode(x *Node, axis int) (values, positions *Node) { return rankedWithIndex("mode", x, axis) }

var _ = define(medianIndexOp("mode", func(x *Node, axes []int) (*Node, *Node) {
	rows := joinedRows(x, axes)
	last := rows.Rank() - 1
	v, p := Sort(rows, -1, nil)
	// Runs of equal values: where each began is the largest of the beginnings so far.
	at := x.graph.Iota(tensor.Int64, last, rows.shape...)
	first := Equal(at, 0)
	if n := rows.Dim(-1); n > 1 {
		changed := NotEqual(part(v, last, 1, n-1), part(v, last, 0, n-1))
		first = Concat(last, x.graph.fullBool(true, rows.shape, last), changed)
	}
	began, _ := CumMax(Where(first, at, 0), last, nil)
	end := ExpandDims(ArgMax(Sub(at, began), last), last) // of the first of the longest runs
	return TakeAlong(v, last, end), TakeAlong(p, last, end)
}))

// fullBool is b in a shape whose given axis has extent 1.
func (g *Graph) fullBool(b bool, shape []int, axis int) *Node {
	shape = slices.Clone(shape)
	shape[axis] = 1
	return BroadcastTo(g.Const(tensor.Scalar(b)), shape...)
}

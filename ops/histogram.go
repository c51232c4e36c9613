package ops

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// BinCount returns how often each of the numbers from 0 on stands among the integers x, of which length are counted:
//
//	y[v] = how many x[i] = v,  or Σ weights[i] over them
//
// Others are skipped. The counts are int64, or of the dtype of weights, which have x's shape and may be nil. The derivative goes to
// weights. Errors: x is no integer; weights are no numbers or of another shape; length is negative.
func BinCount(x *Node, length int, weights *Node) *Node {
	a := binCountAttr{length}
	if weights == nil {
		return apply("bincount", a, x)
	}
	return apply("bincount", a, x, weights)
}

type binCountAttr struct {
	Length int `doc:"how many numbers are counted"`
}

var _ = define(Op{
	Name: "bincount", Category: "order", Attributes: AttributesOf[binCountAttr](), DTypes: ints,
	Operands: []Operand{{Name: "x"}, {Name: "weights", DTypes: numbers, Optional: true}},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		n := c.Attr.(binCountAttr).Length
		if n < 0 {
			return nil, 0, fmt.Errorf("%d numbers", n)
		}
		if len(c.In) == 2 {
			if !slices.Equal(c.shape(0), c.shape(1)) {
				return nil, 0, fmt.Errorf("weights %v of %v", c.shape(1), c.shape(0))
			}
			return []int{n}, c.dt(1), nil
		}
		return []int{n}, tensor.Int64, nil
	},
	Compose: func(c *Call) *Node {
		x := Reshape(c.In[0], -1)
		return countInto(c.Attr.(binCountAttr).Length, Cast(x, tensor.Int64), weightsOf(c, 1, x, tensor.Int64))
	},
})

// weightsOf is operand i as a vector, or ones of dt like x.
func weightsOf(c *Call, i int, x *Node, dt tensor.DType) *Node {
	if len(c.In) > i {
		return Reshape(c.In[i], -1)
	}
	return BroadcastTo(scalarConst(x.graph, dt, 1), x.Size())
}

// countInto adds each of weights to the one of n sums that at names.
func countInto(n int, at, weights *Node) *Node {
	return ScatterAdd(BroadcastTo(scalarConst(at.graph, weights.dtype, 0), n), 0, at, weights)
}

// HistogramOptions say how Histogram counts. The zero value and nil: from the smallest to the largest element, one for each.
type HistogramOptions struct {
	// Low and High bound the elements that are counted; both 0: the smallest and the largest element, and where these are equal one half
	// below and above.
	Low, High float64
	// Weights are counted instead of ones, of x's dtype and shape.
	Weights *Node
	// Density divides counts by their sum and by the width of each bin.
	Density bool
}

// Histogram counts how many elements of x lie in each of bins of equal width, and returns the edges of these as well, one more:
//
//	counts[k] = how many edges[k] <= x[i] < edges[k+1], with the last edge
//
// both of x's dtype. Elements outside, and NaN, are not counted. x is a float. The derivative goes to the weights. Errors: dtype is not a
// float; there are no bins; High is below Low; weights have another dtype or shape.
// Source: NumPy, function histogram.
func Histogram(x *Node, bins int, o *HistogramOptions) (counts, edges *Node) {
	a := histogramAttr{Bins: bins}
	in := []*Node{x}
	if o != nil {
		a.Low, a.High, a.Density = o.Low, o.High, o.Density
		if o.Weights != nil {
			in = append(in, o.Weights)
		}
	}
	all := picks(apply("histogram", a, in...), 2)
	return all[0], all[1]
}

// HistC returns the counts of [Histogram] with the limits lo and hi. Where both are 0 they are the smallest and the largest element, and
// where they are equal, one less and more, as in PyTorch.
func HistC(x *Node, bins int, lo, hi float64) *Node {
	if lo == hi && lo != 0 {
		lo, hi = lo-1, hi+1
	}
	return picks(apply("histogram", histogramAttr{Bins: bins, Low: lo, High: hi, Widen: 1}, x), 2)[0]
}

// HistogramEdges counts as [Histogram] does between edges, which are ascending and of x's dtype. weights may be nil.
func HistogramEdges(x, edges, weights *Node) *Node {
	if weights == nil {
		return apply("histogram_edges", nil, x, edges)
	}
	return apply("histogram_edges", nil, x, edges, weights)
}

type histogramAttr struct {
	Bins    int     `default:"10" doc:"of equal width"`
	Low     float64 `default:"0" doc:"where the first one begins; with high = 0 the smallest element"`
	High    float64 `default:"0" doc:"where the last one ends; with low = 0 the largest element"`
	Widen   float64 `default:"0.5" doc:"how far the limits move where all elements are equal"`
	Density bool    `default:"false" doc:"counts are divided by their sum and by the width"`
}

var _ = define(Op{
	Name: "histogram", Category: "order", Attributes: AttributesOf[histogramAttr](), DTypes: floats,
	Operands: []Operand{{Name: "x"}, {Name: "weights", Optional: true}},
	Complete: func(c *Call) error {
		a := c.Attr.(histogramAttr)
		if a.Widen == 0 {
			a.Widen = 0.5
		}
		c.Attr = a
		return nil
	},
	ResultNames: []string{"counts", "edges"},
	Results: func(c *Call) ([]Result, error) {
		a := c.Attr.(histogramAttr)
		switch width := a.High - a.Low; {
		case a.Bins < 1 || a.Bins > math.MaxInt32:
			return nil, fmt.Errorf("%d bins", a.Bins)
		case !(width >= 0) || math.IsInf(width, 0) || width == 0 && a.Low != 0:
			return nil, fmt.Errorf("bins from %v to %v", a.Low, a.High)
		case len(c.In) == 2 && !slices.Equal(c.shape(0), c.shape(1)):
			return nil, fmt.Errorf("weights %v of %v", c.shape(1), c.shape(0))
		}
		return []Result{{c.dt(0), []int{a.Bins}}, {c.dt(0), []int{a.Bins + 1}}}, nil
	},
	ComposeAll: func(c *Call) []*Node {
		a, x := c.Attr.(histogramAttr), Reshape(widen(c.In[0]), -1)
		at, edges, width := a.binsOf(x)
		counts := countInto(a.Bins, at, widen(weightsOf(c, 1, x, x.dtype)))
		if a.Density {
			counts = Div(counts, Mul(reduction("sum", counts, nil), width))
		}
		return []*Node{Cast(counts, c.dt(0)), Cast(edges, c.dt(0))}
	},
})

// binsOf are the bin of each element of the vector x, -1 for none, the edges of the bins, and their width.
func (a histogramAttr) binsOf(x *Node) (at, edges, width *Node) {
	lo, hi := ScalarLike(x, a.Low), ScalarLike(x, a.High)
	if a.Low == 0 && a.High == 0 {
		lo, hi = ScalarLike(x, 0), ScalarLike(x, 1)
		if x.Size() > 0 {
			lo, hi = Min(x), Max(x)
			same := Equal(lo, hi)
			lo, hi = Where(same, Sub(lo, a.Widen), lo), Where(same, Add(hi, a.Widen), hi)
		}
	}
	span := Sub(hi, lo)
	width = Div(span, float64(a.Bins))
	k := x.graph.Iota(x.dtype, 0, a.Bins+1)
	edges = Where(Equal(k, a.Bins), hi, Add(lo, Mul(k, width)))
	edges = materialize(edges)
	// The place by arithmetic is off by one at most; the edges themselves decide.
	guess := Minimum(Maximum(Floor(Div(Mul(Sub(x, lo), float64(a.Bins)), span)), 0), float64(a.Bins-1))
	guess = Cast(Where(IsNaN(guess), 0, guess), tensor.Int64)
	below, above := Less(x, Gather(edges, 0, guess)), GreaterEqual(x, Gather(edges, 0, Add(guess, 1)))
	at = Minimum(Add(Sub(guess, Cast(below, tensor.Int64)), Cast(above, tensor.Int64)), int64(a.Bins-1))
	inside := And(GreaterEqual(x, lo), LessEqual(x, hi))
	return Where(inside, at, -1), edges, width
}

var _ = define(Op{
	Name: "histogram_edges", Category: "order", DTypes: floats,
	Operands: []Operand{{Name: "x"}, {Name: "edges"}, {Name: "weights", Optional: true}},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		e := c.shape(1)
		switch {
		case len(e) != 1 || e[0] < 1:
			return nil, 0, fmt.Errorf("edges %v are no vector", e)
		case len(c.In) == 3 && !slices.Equal(c.shape(0), c.shape(2)):
			return nil, 0, fmt.Errorf("weights %v of %v", c.shape(2), c.shape(0))
		}
		return []int{e[0] - 1}, c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		x, e := Reshape(widen(c.In[0]), -1), widen(c.In[1])
		n := e.Dim(0)
		at := Sub(SearchSorted(e, x, &SearchOptions{Right: true}), 1)
		last := part(e, 0, n-1, 1)
		at = Where(Equal(x, last), int64(n-2), at)
		at = Where(Less(at, int64(n-1)), at, -1)
		return Cast(countInto(n-1, at, widen(weightsOf(c, 2, x, x.dtype))), c.dt(0))
	},
})

// HistogramDDOptions say how HistogramDD counts. The zero value and nil: from the smallest to the largest elements, one for each row.
type HistogramDDOptions struct {
	// Limits are where the bins of each axis begin and end, in pairs; none: at the smallest and the largest elements.
	Limits []float64
	// Weights are counted instead of ones, of x's dtype and of the shape of its rows.
	Weights *Node
	// Density divides counts by their sum and by the volume of a box.
	Density bool
}

// HistogramDD counts how many rows of x, [..., d], lie in each of boxes of equal size, of which there are bins[k] along axis k, and
// returns the edges along each axis as well:
//
//	counts[k...] = how many rows have edges[a][k[a]] <= x[..., a] < edges[a][k[a]+1] for every axis a, with the last edge
//
// x is a float. Otherwise as [Histogram]. Errors: those; bins and limits do not fit the last axis of x.
// Source: NumPy, function histogramdd.
func HistogramDD(x *Node, bins []int, o *HistogramDDOptions) (counts *Node, edges []*Node) {
	a := histogramDDAttr{Bins: bins}
	in := []*Node{x}
	if o != nil {
		a.Limits, a.Density = o.Limits, o.Density
		if o.Weights != nil {
			in = append(in, o.Weights)
		}
	}
	all := picks(apply("histogramdd", a, in...), 1+len(bins))
	return all[0], all[1:]
}

type histogramDDAttr struct {
	Bins    []int     `doc:"along each axis"`
	Limits  []float64 `default:"" doc:"where the bins of each axis begin and end, in pairs; none: at the smallest and the largest elements"`
	Density bool      `default:"false" doc:"counts are divided by their sum and by the size"`
}

var _ = define(Op{
	Name: "histogramdd", Category: "order", Attributes: AttributesOf[histogramDDAttr](), DTypes: floats, builtBy: "ops.HistogramDD",
	Operands:    []Operand{{Name: "x"}, {Name: "weights", Optional: true}},
	ResultNames: []string{"counts", "edges"},
	Results: func(c *Call) ([]Result, error) {
		a, x := c.Attr.(histogramDDAttr), c.shape(0)
		switch {
		case len(x) < 2 || x[len(x)-1] != len(a.Bins) || len(a.Bins) == 0:
			return nil, fmt.Errorf("%v is not [..., %d] of at least two axes", x, len(a.Bins))
		case len(a.Limits) != 0 && len(a.Limits) != 2*len(a.Bins):
			return nil, fmt.Errorf("%d limits of %d axes", len(a.Limits), len(a.Bins))
		case len(c.In) == 2 && !slices.Equal(c.shape(1), x[:len(x)-1]):
			return nil, fmt.Errorf("weights %v of %v", c.shape(1), x)
		}
		all := []Result{{c.dt(0), slices.Clone(a.Bins)}}
		for _, n := range a.Bins {
			if n < 1 || n > math.MaxInt32 {
				return nil, errors.New("an axis has no bins")
			}
			all = append(all, Result{c.dt(0), []int{n + 1}})
		}
		return all, nil
	},
	ComposeAll: func(c *Call) []*Node {
		a, x := c.Attr.(histogramDDAttr), widen(c.In[0])
		all := make([]*Node, 1+len(a.Bins))
		var at, size *Node
		for k, n := range a.Bins {
			h := histogramAttr{Bins: n, Widen: 0.5}
			if len(a.Limits) > 0 {
				h.Low, h.High = a.Limits[2*k], a.Limits[2*k+1]
			}
			own, edges, width := h.binsOf(Reshape(part(x, x.Rank()-1, k, 1), -1))
			all[1+k] = Cast(edges, c.dt(0))
			if k == 0 {
				at, size = own, width
				continue
			}
			at = Where(Or(Less(at, 0), Less(own, 0)), -1, Add(Mul(at, int64(n)), own))
			size = Mul(size, width)
		}
		counts := countInto(ir.Product(a.Bins), at, widen(weightsOf(c, 1, at, x.dtype)))
		if a.Density {
			counts = Div(counts, Mul(reduction("sum", counts, nil), size))
		}
		all[0] = Cast(Reshape(counts, a.Bins...), c.dt(0))
		return all
	},
})

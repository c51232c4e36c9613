package ops

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// CumProd returns the running products of x along axis:
//
//	y[p, i, q] = Π_j x[p, j, q],  j <= i
//
// Exclusive products have j < i, reverse ones j >= i, both together j > i. x is any number, complex ones too, and keeps its shape and
// dtype: integers wrap, floats of 16 bits are multiplied in float32. A product of n floats is off by at most n u of itself, as long as no
// part of it overflows or underflows. The derivative takes as long as the products, and zeros in x do not matter to it. Errors: dtype is
// bool; the axis does not exist.
func CumProd(x *Node, axis int, o *CumSumOptions) *Node {
	if x != nil && !x.bad && x.dtype.IsComplex() {
		return complexCumProd(x, axis, o)
	}
	return picks(apply("cumprod", cumSumAttrOf(axis, o), x), 1)[0]
}

// CumMax returns the largest elements of x along axis so far, and as int64 the last positions at which they stand:
//
//	values[p, i, q] = max_j x[p, j, q],  j <= i
//
// NaN beats every number. Exclusive ones have j < i, where nothing is -Inf or the smallest integer, at -1; reverse ones j >= i. The
// derivative goes to the element at each position. x is any number. Errors: dtype is bool; the axis does not exist.
// Source: PyTorch, function cummax.
func CumMax(x *Node, axis int, o *CumSumOptions) (values, positions *Node) {
	all := picks(apply("cummax", cumSumAttrOf(axis, o), x), 2)
	return all[0], all[1]
}

// CumMin returns the smallest elements of x along axis so far, and the last positions at which they stand. Otherwise as [CumMax].
func CumMin(x *Node, axis int, o *CumSumOptions) (values, positions *Node) {
	all := picks(apply("cummin", cumSumAttrOf(axis, o), x), 2)
	return all[0], all[1]
}

// LogCumSumExp returns the logarithms of the running sums of exponentials of x along axis:
//
//	y[p, i, q] = log Σ_j exp(x[p, j, q]),  j <= i
//
// without overflow, and without losing small terms beside larger ones that come later. Options are those of [CumSum]; nothing is -Inf. x is
// a float. Errors: dtype is not a float; the axis does not exist.
func LogCumSumExp(x *Node, axis int, o *CumSumOptions) *Node {
	return picks(apply("logcumsumexp", cumSumAttrOf(axis, o), x), 1)[0]
}

// LinearRecurrence returns the values of a recurrence along axis:
//
//	y[p, i, q] = a[p, i, q] · y[p, i-1, q] + b[p, i, q],  y[p, -1, q] = 0
//
// which is a running sum where a is 1, a moving average where it is constant, and a layer of a state space model. Reverse ones begin at
// the end. a and b have the same shape and float dtype; floats of 16 bits are computed in float32. It and its derivative take a step for
// each element, on several processors side by side also where there is one row. Errors: dtypes; shapes differ; the axis does not exist;
// the option Exclusive is given.
// Source: Blelloch, Prefix Sums and Their Applications (1990), section 1.4.
func LinearRecurrence(a, b *Node, axis int, o *CumSumOptions) *Node {
	return picks(apply("linear_recurrence", cumSumAttrOf(axis, o), a, b), 1)[0]
}

func cumSumAttrOf(axis int, o *CumSumOptions) cumSumAttr {
	a := cumSumAttr{Axis: axis}
	if o != nil {
		a.Exclusive, a.Reverse = o.Exclusive, o.Reverse
	}
	return a
}

func runningOp(name string, fold engine.RunningFold, dtypes []tensor.DType, grad func(b *Back, a cumSumAttr)) Op {
	o := Op{
		Name: name, Category: "scan", Attributes: AttributesOf[cumSumAttr](), Operands: operandX, DTypes: dtypes, kind: ir.KindRoutine,
		Complete: func(c *Call) (err error) {
			a := c.Attr.(cumSumAttr)
			if len(c.shape(0)) == 0 && (a.Axis == 0 || a.Axis == -1) { // a scalar is a row of one
				a.Axis = 0
			} else {
				a.Axis, err = shapes.Axis(a.Axis, len(c.shape(0)))
			}
			c.Attr = a
			return err
		},
		ResultNames: []string{"values", "positions"}[:1+oneIf(fold.Extreme())],
		Results: func(c *Call) ([]Result, error) {
			all := []Result{{c.dt(0), c.shape(0)}}
			if fold.Extreme() {
				all = append(all, Result{tensor.Int64, c.shape(0)})
			}
			return all, nil
		},
		algorithm: func(n *ir.Node) engine.Algorithm {
			x, a := n.In[0].Shape, n.Attr.(cumSumAttr)
			if len(x) == 0 {
				x = []int{1}
			}
			return &engine.Running{
				Outer: int64(ir.Product(x[:a.Axis])), Length: int64(x[a.Axis]), Inner: int64(ir.Product(x[a.Axis+1:])),
				Fold: fold, Exclusive: a.Exclusive, Reverse: a.Reverse,
			}
		},
		Grad: func(b *Back) {
			if len(b.In(0).shape) == 0 {
				b.ofOne()
				return
			}
			grad(b, b.Attr().(cumSumAttr))
		},
	}
	return o
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// ofOne is the gradient of a running fold of a scalar: itself, but where it is left out.
func (b *Back) ofOne() {
	if b.Attr().(cumSumAttr).Exclusive {
		b.Add(0, zerosLike(b.In(0)))
		return
	}
	b.Add(0, b.GradOf(0))
}

// later is x moved by one step along the axis of a running fold, so that each place has the element of the step after it, and the last one
// fill.
func (a cumSumAttr) later(x *Node, fill float64) *Node {
	n := x.shape[a.Axis]
	if n == 0 {
		return x
	}
	if a.Reverse {
		return Pad(part(x, a.Axis, 0, n-1), fill, Padding{Axis: a.Axis, Before: 1})
	}
	return Pad(part(x, a.Axis, 1, n-1), fill, Padding{Axis: a.Axis, After: 1})
}

// back is the recurrence from the end of the axis of a running fold to its beginning.
func (a cumSumAttr) back(factors, summands *Node) *Node {
	return LinearRecurrence(factors, summands, a.Axis, &CumSumOptions{Reverse: !a.Reverse})
}

// The derivative by x[j] is the product of those before it times
//
//	s[j] = Σ_{i >= j} d[i] · Π_{j < k <= i} x[k] = d[j] + x[j+1] · s[j+1]
var _ = define(runningOp("cumprod", engine.RunningProd, numbers, func(b *Back, a cumSumAttr) {
	x := b.In(0)
	before := CumProd(x, a.Axis, &CumSumOptions{Exclusive: true, Reverse: a.Reverse})
	var s *Node
	if a.Exclusive { // Σ_{i > j} d[i] · Π_{j < k < i} x[k]
		s = a.later(a.back(x, b.GradOf(0)), 0)
	} else {
		s = a.back(a.later(x, 0), b.GradOf(0))
	}
	b.Add(0, Mul(before, s))
}))

var _ = define(runningOp("cummax", engine.RunningMax, numbers, extremesGrad))

var _ = define(runningOp("cummin", engine.RunningMin, numbers, extremesGrad))

// extremesGrad adds each derivative where its position says: all rows are one vector.
func extremesGrad(b *Back, a cumSumAttr) {
	x, at := b.In(0), b.Result(1)
	perm := ir.Range(0, x.Rank())
	perm[a.Axis], perm[len(perm)-1] = perm[len(perm)-1], perm[a.Axis] // its own inverse
	turned := Transpose(x, perm...)
	n := turned.Dim(-1)
	size := ir.Product(turned.shape)
	at = Transpose(at, perm...)
	starts := Mul(rowNumbers(turned), int64(n))
	flat := Reshape(Where(Less(at, 0), -1, Add(at, starts)), size)
	d := ScatterAdd(zerosLike(Reshape(turned, size)), 0, flat, Reshape(Transpose(b.GradOf(0), perm...), size))
	b.Add(0, Transpose(Reshape(d, turned.shape...), perm...))
}

// rowNumbers are the numbers of the rows of x, for each element.
func rowNumbers(x *Node) *Node {
	lead := x.shape[:x.Rank()-1]
	rows := Reshape(x.graph.Iota(tensor.Int64, 0, ir.Product(lead)), append(slices.Clone(lead), 1)...)
	return BroadcastTo(rows, x.shape...)
}

// The derivative by x[j] is exp(x[j] - y[j]) · s[j] with
//
//	s[j] = Σ_{i >= j} d[i] · exp(y[j] - y[i]) = d[j] + exp(y[j] - y[j+1]) · s[j+1]
//
// whose factors are at most 1.
var _ = define(runningOp("logcumsumexp", engine.RunningLogSum, floats, func(b *Back, a cumSumAttr) {
	x, d := widen(b.In(0)), widen(b.GradOf(0))
	y := LogCumSumExp(x, a.Axis, &CumSumOptions{Reverse: a.Reverse})
	if a.Exclusive { // that of the sums with each element, one step later
		d = a.later(d, 0)
	}
	ratio := func(p, q *Node) *Node { // of two infinities: 1
		return Exp(Where(Equal(p, q), ScalarLike(p, 0), Sub(p, q)))
	}
	s := a.back(ratio(y, a.later(y, math.Inf(1))), d) // no factor after the end
	b.Add(0, Cast(Mul(ratio(x, y), s), b.In(0).dtype))
}))

var _ = define(func() Op {
	o := runningOp("linear_recurrence", engine.RunningLinear, floats, nil)
	o.Operands = operandsAB
	results := o.Results
	o.Results = func(c *Call) ([]Result, error) {
		switch {
		case !slices.Equal(c.shape(0), c.shape(1)):
			return nil, fmt.Errorf("factors %v and summands %v", c.shape(0), c.shape(1))
		case c.Attr.(cumSumAttr).Exclusive:
			return nil, errors.New("a recurrence has no exclusive form")
		}
		return results(c)
	}
	o.Grad = func(b *Back) {
		a, f, y := b.Attr().(cumSumAttr), b.In(0), b.Result(0)
		if len(f.shape) == 0 {
			b.Add(0, zerosLike(f))
			b.Add(1, b.GradOf(0))
			return
		}
		d := a.back(a.later(f, 0), b.GradOf(0))
		other := a
		other.Reverse = !a.Reverse
		b.Add(0, Mul(d, other.later(y, 0)))
		b.Add(1, d)
	}
	return o
}())

// complexCumProd is CumProd of complex numbers: each step multiplies by the element twice as far away as in the step before, so there are
// as many as the length has binary digits. Source: Hillis and Steele, Data Parallel Algorithms (1986).
func complexCumProd(x *Node, axis int, o *CumSumOptions) *Node {
	var opts CumSumOptions
	if o != nil {
		opts = *o
	}
	if x.Rank() == 0 && (axis == 0 || axis == -1) {
		if opts.Exclusive {
			return OnesLike(x)
		}
		return x
	}
	a, err := shapes.Axis(axis, x.Rank())
	if err != nil {
		return x.graph.fail("cumprod", []*Node{x}, err)
	}
	n, y := x.shape[a], x
	if opts.Reverse {
		y = Flip(y, a)
	}
	for d := 1; d < n; d *= 2 {
		y = Concat(a, part(y, a, 0, d), Mul(part(y, a, d, n-d), part(y, a, 0, n-d)))
	}
	if opts.Exclusive && n > 0 {
		y = Concat(a, OnesLike(part(y, a, 0, 1)), part(y, a, 0, n-1))
	}
	if opts.Reverse {
		y = Flip(y, a)
	}
	return y
}

// CumSumOptions say which sums CumSum gives. The zero value and nil are those from
// the start up to each element.
type CumSumOptions struct {
	// Exclusive leaves each element out of its own sum: the first one is 0.
	Exclusive bool
	// Reverse sums from each element to the end.
	Reverse bool
}

// CumSum returns the running sums of x along axis:
//
//	y[p, i, q] = Σ_j x[p, j, q],  j <= i
//
// x is any number and keeps its shape and dtype: integers wrap, floats of 16 bits are
// summed in float32. Every sum is as exact as [Sum] makes it. Exclusive sums have j < i, reverse ones j >= i, both together j > i.
// The derivative of the sums is the running sum the other way. Errors: dtype is bool;
// the axis does not exist.
// Source: ONNX, operator CumSum.
func CumSum(x *Node, axis int, o *CumSumOptions) *Node {
	if x != nil && x.dtype.IsComplex() {
		return Complex(CumSum(Real(x), axis, o), CumSum(Imag(x), axis, o))
	}
	a := cumSumAttr{Axis: axis}
	if o != nil {
		a.Exclusive, a.Reverse = o.Exclusive, o.Reverse
	}
	n := apply("cumsum", a, x)
	if n.bad {
		return n
	}
	return pickOf(n, 0)
}

type cumSumAttr struct {
	Axis      int  `default:"0" doc:"counted from the end where negative"`
	Exclusive bool `default:"false" doc:"each element is left out of its own sum"`
	Reverse   bool `default:"false" doc:"sums run from each element to the end"`
}

var _ = define(Op{
	Name: "cumsum", Category: "scan", Attributes: AttributesOf[cumSumAttr](), Operands: operandX, DTypes: numbers, kind: ir.KindRoutine,
	Complete: func(c *Call) (err error) {
		a := c.Attr.(cumSumAttr)
		a.Axis, err = shapes.Axis(a.Axis, len(c.shape(0)))
		c.Attr = a
		return err
	},
	Results: func(c *Call) ([]Result, error) { return []Result{{c.dt(0), c.shape(0)}}, nil }, ResultNames: []string{"y"},
	algorithm: func(n *ir.Node) engine.Algorithm {
		x, a := n.In[0].Shape, n.Attr.(cumSumAttr)
		return &engine.Scan{
			Outer: int64(ir.Product(x[:a.Axis])), Length: int64(x[a.Axis]), Inner: int64(ir.Product(x[a.Axis+1:])),
			Exclusive: a.Exclusive, Reverse: a.Reverse,
		}
	},
	Grad: func(b *Back) {
		a := b.Attr().(cumSumAttr)
		a.Reverse = !a.Reverse
		b.Add(0, CumSum(b.Grad(), a.Axis, &CumSumOptions{Exclusive: a.Exclusive, Reverse: a.Reverse}))
	},
})

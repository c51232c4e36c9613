// Package stencil applies stencils, weighted sums of neighbours, many times: steps of a heat equation or of a cellular automaton with linear rules, repeated
// smoothing, iterations of a linear solver. One application is [ops.Stencil].
package stencil

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func init() { ops.Helper() }

// most axes of one stencil.
const mostAxes = 3

// Steps returns x after the stencil o has been applied to it the given number of times, as a loop of [ops.Stencil] would, with the values
// outside of x by the rule of o after each step:
//
//	x[s+1] = Stencil(x[s], o)    s = 0 ... steps - 1
//
// Several steps are made in one launch, on tiles that stay in the nearest memory, so that x is read and written once for all of them. The axes of o and those
// between and behind them are at most three. float16 and bfloat16 are rounded after the last step. It has derivatives. steps of 0 give x. Errors, of
// the graph: those of ops.Stencil; steps below 0; too many axes; the stencil is wider than tiles are; an extent is open.
// Source: Holewinski, Pouchet and Sadayappan, High-Performance Code Generation for Stencil Computations on GPU Architectures (2012).
func Steps(x *ops.Node, o ops.StencilOptions, steps int) *ops.Node {
	a := stepsAttr{Border: cmp.Or(o.Border, "edge"), Value: o.Value, Steps: steps}
	if x == nil || x.Graph() == nil {
		return ops.Apply("stencil.steps", a, x)
	}
	fail := func(err error) *ops.Node { return x.Graph().Fail("stencil.Steps", err, x) }
	if len(o.Axes) == 0 || len(o.Size) != len(o.Axes) {
		return fail(fmt.Errorf("%d sizes for %d axes", len(o.Size), len(o.Axes)))
	}
	sizes, first := make([]int, x.Rank()), x.Rank()
	for i, axis := range o.Axes {
		at, err := shapes.Axis(axis, x.Rank())
		switch {
		case err != nil:
			return fail(err)
		case sizes[at] != 0:
			return fail(fmt.Errorf("axis %d is named twice", axis))
		case o.Size[i] < 1:
			return fail(fmt.Errorf("size %v has an extent below 1", o.Size))
		}
		sizes[at], first = o.Size[i], min(first, at)
	}
	count := 1
	for _, n := range o.Size {
		count *= n
	}
	if len(o.Weights) != count {
		return fail(fmt.Errorf("%d weights for a stencil of %v", len(o.Weights), o.Size))
	}
	a.Size = sizes[first:]
	for i := range a.Size {
		a.Size[i] = max(a.Size[i], 1)
	}
	a.Weights = inOrder(o, x.Rank(), sizes)
	return ops.Apply("stencil.steps", a, x)
}

// inOrder are the weights of o with its axes in the order of those of x.
func inOrder(o ops.StencilOptions, rank int, sizes []int) []float64 {
	weights := make([]float64, len(o.Weights))
	stride, strides := 1, make([]int, rank)
	for axis := rank - 1; axis >= 0; axis-- {
		strides[axis] = stride
		stride *= max(sizes[axis], 1)
	}
	for k, w := range o.Weights {
		to := 0
		for i := len(o.Axes) - 1; i >= 0; i-- {
			axis := o.Axes[i]
			if axis < 0 {
				axis += rank
			}
			to += k % o.Size[i] * strides[axis]
			k /= o.Size[i]
		}
		weights[to] = w
	}
	return weights
}

// stepsAttr is a stencil of the last axes.
type stepsAttr struct {
	Size    []int     `doc:"of the stencil along each of the last axes"`
	Weights []float64 `doc:"in row-major order"`
	Border  string    `default:"edge" doc:"what lies outside of x: edge, reflect, symmetric, wrap, zero, or constant, which is value"`
	Value   float64   `default:"0" doc:"what lies outside of x where border is constant"`
	Steps   int       `default:"1" doc:"how often the stencil is applied"`
}

// borders are the border modes of stencils, in the order of their numbers in steps.cl.
var borders = []string{"constant", "edge", "reflect", "symmetric", "wrap"}

// border is the number of the border in steps.cl, and the value outside.
func (a *stepsAttr) border() (number int, value float64) {
	if a.Border == "zero" {
		return 0, 0
	}
	return slices.Index(borders, a.Border), a.Value
}

// options returns the options of one step of a, for an operand of the given rank.
func (a *stepsAttr) options() ops.StencilOptions {
	o := ops.StencilOptions{Size: a.Size, Weights: a.Weights, Border: a.Border, Value: a.Value}
	for i := range a.Size {
		o.Axes = append(o.Axes, i-len(a.Size))
	}
	return o
}

func (a *stepsAttr) check(shape []int) error {
	count := 1
	for _, n := range a.Size {
		if n < 1 {
			return fmt.Errorf("size %v has an extent below 1", a.Size)
		}
		count *= n
	}
	number, _ := a.border()
	switch {
	case len(a.Size) == 0 || len(a.Size) > len(shape):
		return fmt.Errorf("a stencil of %v for x of %v", a.Size, shape)
	case len(a.Size) > mostAxes:
		return fmt.Errorf("from the first axis of the stencil on there are %d, and %d are the most: transpose x", len(a.Size), mostAxes)
	case len(a.Weights) != count:
		return fmt.Errorf("%d weights for a stencil of %v", len(a.Weights), a.Size)
	case number < 0:
		return fmt.Errorf("there is no border %q; use edge, reflect, symmetric, wrap, zero or constant", a.Border)
	case a.Steps < 0:
		return fmt.Errorf("%d steps", a.Steps)
	case math.IsNaN(a.Value) || math.IsInf(a.Value, 0):
		return errors.New("the value outside is not finite")
	}
	for _, w := range a.Weights {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return errors.New("a weight is not finite")
		}
	}
	for i, n := range shape {
		if n > math.MaxInt32/2 {
			return fmt.Errorf("axis %d of x has %d elements; %d are the most", i, n, math.MaxInt32/2)
		}
	}
	return nil
}

var _ = ops.MustDefine(ops.Op{
	Name: "stencil.steps", Category: "numerical tools", Attributes: ops.AttributesOf[stepsAttr](), Operands: []ops.Operand{{Name: "x"}}, DTypes: dtypes.Floats,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		a := c.Attr.(stepsAttr)
		return c.Shape(0), c.DType(0), a.check(c.Shape(0))
	},
	Compose: func(c *ops.Call) *ops.Node {
		a, x := c.Attr.(stepsAttr), c.In[0]
		switch {
		case a.Steps == 0 || x.Size() == 0:
			return x
		case a.Steps == 1:
			return ops.Stencil(x, a.options())
		}
		x = ops.Widen(x)
		each := bestSteps(&a, x.Shape(), x.DType().Size())
		if each < 2 { // the stencil is as wide as tiles are
			return ops.Cast(repeated(x, a.Steps, func(x *ops.Node) *ops.Node { return ops.Stencil(x, a.options()) }), c.DType(0))
		}
		launches := (a.Steps + each - 1) / each
		longer := a.Steps % launches // launches with a step more than the others
		for _, part := range []struct{ launches, steps int }{{longer, a.Steps/launches + 1}, {launches - longer, a.Steps / launches}} {
			b := a
			b.Steps = part.steps
			x = repeated(x, part.launches, func(x *ops.Node) *ops.Node { return ops.Apply("stencil.launch", b, x) })
		}
		return ops.Cast(x, c.DType(0))
	},
	Grad: func(b *ops.Back) {
		a := b.Attr().(stepsAttr)
		if a.Border == "zero" || a.Border == "constant" || a.Border == "wrap" {
			b.Add(0, ops.Apply("stencil.steps", a.transposed(), b.Grad()))
			return
		}
		dt := b.Grad().DType()
		once := func(d *ops.Node) *ops.Node { // linear: where its derivative is taken does not matter
			return ops.VJP([]*ops.Node{ops.Stencil(d, a.options())}, []*ops.Node{d}, []*ops.Node{d})[0]
		}
		b.Add(0, ops.Cast(repeated(ops.Widen(b.Grad()), a.Steps, once), dt))
	},
})

// repeated applies f the given number of times: in a loop of the graph where these are many.
func repeated(x *ops.Node, times int, f func(x *ops.Node) *ops.Node) *ops.Node {
	const unrolled = 16
	if times <= unrolled {
		for range times {
			x = f(x)
		}
		return x
	}
	last, _ := ops.Scan([]*ops.Node{x}, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
		return []*ops.Node{f(s[0])}, nil
	}, &ops.ScanOptions{Trips: times})
	return last[0]
}

// transposed is the transpose of a stencil with borders that stand for no element of x, or for each one as often: mirrored, about the
// middle of an odd size.
func (a *stepsAttr) transposed() stepsAttr {
	t := stepsAttr{Border: a.Border, Steps: a.Steps}
	if t.Border == "constant" {
		t.Border = "zero"
	}
	count := 1
	for _, n := range a.Size {
		t.Size = append(t.Size, n|1)
		count *= n | 1
	}
	t.Weights = make([]float64, count)
	for k, w := range a.Weights {
		to, stride := 0, 1
		for i := len(a.Size) - 1; i >= 0; i-- {
			to += (2*(a.Size[i]/2) - k%a.Size[i]) * stride
			stride *= t.Size[i]
			k /= a.Size[i]
		}
		t.Weights[to] = w
	}
	return t
}

package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Padding adds Before and After elements at the two ends of one axis.
type Padding struct {
	Axis, Before, After int
}

type padAttr struct {
	Before []int   `doc:"of each axis, how many elements come before x"`
	After  []int   `doc:"of each axis, how many come after it"`
	Value  float64 `default:"0" doc:"of what is added"`
}

// Pad returns x with value around it:
//
//	y[i] = x[i - before] where that exists, else value
//
// A negative count takes elements away instead. It is folded into the kernels that read it; [PadWith] repeats or mirrors x. Errors: an axis
// does not exist or is named twice; more is taken away than there is.
func Pad(x *Node, value float64, paddings ...Padding) *Node {
	if x == nil || x.bad {
		return apply("pad", nil, x)
	}
	x, paddings, err := cropped("pad", x, paddings)
	if err != nil {
		return x
	}
	a := padAttr{make([]int, x.Rank()), make([]int, x.Rank()), value}
	if err := enterPaddings(paddings, a.Before, a.After); err != nil {
		return x.graph.fail("pad", []*Node{x}, err)
	}
	return apply("pad", a, x)
}

// shape returns the shape of the padded tensor for an operand of shape x.
func (a padAttr) shape(x []int) []int {
	out := slices.Clone(x)
	for i := range out {
		out[i] = plus(out[i], a.Before[i], a.After[i])
	}
	return out
}

var _ = define(Op{
	Name:       "pad",
	Category:   "layout",
	Attributes: AttributesOf[padAttr](),
	Operands:   operandX,
	DTypes:     every,
	Complex: func(c *Call) *Node { // the value is real
		a, x := c.Attr.(padAttr), c.In[0]
		re := apply("pad", a, Real(x))
		a.Value = 0
		return Complex(re, apply("pad", a, Imag(x)))
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, rank := c.Attr.(padAttr), len(c.shape(0))
		if len(a.Before) != rank || len(a.After) != rank || slices.Min(append(a.Before, 0)) < 0 || slices.Min(append(a.After, 0)) < 0 {
			return nil, 0, fmt.Errorf("%v before and %v after are not a padding of the axes of %v", a.Before, a.After, c.shape(0))
		}
		return a.shape(c.shape(0)), c.dt(0), nil
	},
	Grad: func(b *Back) {
		a := b.Attr().(padAttr)
		ones := slices.Repeat([]int{1}, len(a.Before))
		b.Add(0, apply("slice", affineAttr{b.In(0).shape, a.Before, ones}, b.Grad()))
	},
	View: func(p Primitive, at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) {
		a := p.Attr().(padAttr)
		src := slices.Clone(at)
		var conds []engine.Cond
		for i, x := range at {
			if a.Before[i]+a.After[i] == 0 {
				continue
			}
			src[i] = x.AddConst(int64(-a.Before[i]))
			conds = append(conds, engine.Cond{X: src[i], Lo: 0, Hi: int64(p.In(0).Shape()[i])})
		}
		return src, conds
	},
	Fill:   func(p Primitive) float64 { return p.Attr().(padAttr).Value },
	Traits: Traits(ir.TraitReadsInside),
})

// Concat returns the tensors one after the other along axis. All must have one
// dtype and agree in every other extent. A few are folded into the kernels that read them; of
// more, each is copied once to its place. Errors: no tensor; the axis does not exist; dtypes or extents differ.
func Concat(axis int, xs ...*Node) *Node { return apply("concat", axisAttr{axis}, xs...) }

type axisAttr struct {
	Axis int `default:"-1" doc:"counted from the end where negative"`
}

var _ = define(Op{
	Name:     "concat",
	Category: "layout", Complex: eachPart,
	Attributes: AttributesOf[axisAttr](),
	Operands:   []Operand{{Name: "xs", Repeated: true}},
	DTypes:     every,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		axis, err := shapes.Axis(c.Attr.(axisAttr).Axis, len(c.shape(0)))
		if err != nil {
			return nil, 0, err
		}
		shape := slices.Clone(c.shape(0))
		for i := 1; i < len(c.In); i++ {
			other := slices.Clone(c.shape(i))
			if len(other) != len(shape) {
				return nil, 0, fmt.Errorf("ranks differ: %v and %v", c.shape(0), other)
			}
			n := other[axis]
			other[axis] = shape[axis]
			if !slices.Equal(other, shape) {
				return nil, 0, fmt.Errorf("shapes differ beside axis %d: %v and %v", axis, c.shape(0), c.shape(i))
			}
			shape[axis] = plus(shape[axis], n)
		}
		return shape, c.dt(0), nil
	},
	Grad: func(b *Back) {
		axis, _ := shapes.Axis(b.Attr().(axisAttr).Axis, len(b.node.shape))
		from := 0
		for i, x := range b.node.in {
			if b.Wants(i) {
				a := allOf(x)
				a.Start[axis] = from
				b.Add(i, apply("slice", a, b.Grad()))
			}
			from += x.shape[axis]
		}
	},
	// Each operand is padded to the full extent, and so is a mask of where it lies.
	// The guard of both is one comparison with a size, which is not compiled in.
	Compose: func(c *Call) *Node {
		axis, _ := shapes.Axis(c.Attr.(axisAttr).Axis, len(c.shape(0)))
		if len(c.In) > fewJoined {
			return joined(axis, c.In)
		}
		full := 0
		for i := range c.In {
			full += c.shape(i)[axis]
		}
		var out *Node
		for i, from := 0, 0; i < len(c.In); i++ {
			n := c.shape(i)[axis]
			place := Padding{axis, from, full - from - n}
			part := Pad(c.In[i], 0, place)
			if out == nil {
				out = part
			} else {
				out = Where(Pad(c.In[0].graph.Full(tensor.Bool, 1, c.shape(i)...), 0, place), part, out)
			}
			from += n
		}
		return out
	},
})

// Stack returns the tensors, all of one shape and dtype, along a new axis at
// position axis of the result. Errors: as Concat.
func Stack(axis int, xs ...*Node) *Node {
	if len(xs) == 0 {
		return detached().fail("stack", nil, errors.New("no tensors"))
	}
	up := make([]*Node, len(xs))
	for i, x := range xs {
		up[i] = ExpandDims(x, axis)
	}
	return Concat(axis, up...)
}

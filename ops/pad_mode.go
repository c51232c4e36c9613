package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// PadWith returns x with its own elements around it, along one axis after the other:
//
//	"reflect"    d c b | a b c d | c b a    mirrored at the outermost element
//	"symmetric"  c b a | a b c d | d c b    mirrored at the edge
//	"edge"       a a a | a b c d | d d d    the outermost element again
//	"wrap"       b c d | a b c d | a b c    from the other end
//
// PyTorch calls "edge" replicate and "wrap" circular. A negative count takes elements away first. Mirrors and wraps go on
// where x is shorter than the padding, as in NumPy. Derivatives are added up where elements came from. [Pad] adds a constant.
// Errors: an axis does not exist or is named twice; more is taken away than there is; the axis is empty; the mode is
// unknown.
// Source: NumPy, numpy.pad; ONNX, operator Pad.
func PadWith(x *Node, mode string, paddings ...Padding) *Node {
	if x == nil || x.bad {
		return apply("pad_mode", nil, x)
	}
	x, paddings, err := cropped("pad_mode", x, paddings)
	if err != nil {
		return x
	}
	a := padModeAttr{mode, make([]int, x.Rank()), make([]int, x.Rank())}
	if err := enterPaddings(paddings, a.Before, a.After); err != nil {
		return x.graph.fail("pad_mode", []*Node{x}, err)
	}
	return apply("pad_mode", a, x)
}

// padModes are the modes of [PadWith].
var padModes = []string{"reflect", "symmetric", "edge", "wrap"}

type padModeAttr struct {
	Mode   string `default:"reflect" doc:"reflect, symmetric, edge or wrap"`
	Before []int  `doc:"of each axis, how many elements come before x"`
	After  []int  `doc:"of each axis, how many come after it"`
}

// enterPaddings enters paddings, none of them negative, at their axes.
func enterPaddings(paddings []Padding, before, after []int) error {
	named := make([]bool, len(before))
	for _, p := range paddings {
		axis, err := shapes.Axis(p.Axis, len(before))
		if err == nil && named[axis] {
			err = fmt.Errorf("axis %d is named twice", p.Axis)
		}
		if err != nil {
			return err
		}
		named[axis] = true
		before[axis], after[axis] = p.Before, p.After
	}
	return nil
}

// cropped applies the negative paddings to x, and gives the rest of them. On an error it has failed.
func cropped(name string, x *Node, paddings []Padding) (*Node, []Padding, error) {
	if !slices.ContainsFunc(paddings, func(p Padding) bool { return p.Before < 0 || p.After < 0 }) {
		return x, paddings, nil
	}
	rest := slices.Clone(paddings)
	var ranges []Range
	for i, p := range paddings {
		axis, err := shapes.Axis(p.Axis, x.Rank())
		if err == nil && max(-p.Before, 0)+max(-p.After, 0) > x.shape[axis] {
			err = fmt.Errorf("axis %d of %v has no %d elements to take away", p.Axis, x.shape, max(-p.Before, 0)+max(-p.After, 0))
		}
		if err != nil {
			return x.graph.fail(name, []*Node{x}, err), nil, err
		}
		if p.Before < 0 || p.After < 0 {
			ranges = append(ranges, Between(axis, max(-p.Before, 0), x.shape[axis]-max(-p.After, 0)))
		}
		rest[i].Before, rest[i].After = max(p.Before, 0), max(p.After, 0)
	}
	if x = Slice(x, ranges...); x.bad {
		return x, nil, errNil
	}
	return x, rest, nil
}

// positions are the indices of an axis of extent n that its padded form takes elements from; nil where it is not padded.
func (a padModeAttr) positions(axis, n int) []int32 {
	if a.Before[axis]+a.After[axis] == 0 {
		return nil
	}
	from := make([]int32, n+a.Before[axis]+a.After[axis])
	for i := range from {
		from[i] = int32(shapes.Beyond(a.Mode, i-a.Before[axis], n))
	}
	return from
}

func padModeResult(c *Call) ([]int, tensor.DType, error) {
	a, x := c.Attr.(padModeAttr), c.shape(0)
	if !slices.Contains(padModes, a.Mode) {
		return nil, 0, fmt.Errorf("there is no mode %q; use reflect, symmetric, edge or wrap", a.Mode)
	}
	if len(a.Before) != len(x) || len(a.After) != len(x) || slices.Min(append(a.Before, 0)) < 0 || slices.Min(append(a.After, 0)) < 0 {
		return nil, 0, fmt.Errorf("%v before and %v after are not a padding of the axes of %v", a.Before, a.After, x)
	}
	shape := padAttr{a.Before, a.After, 0}.shape(x)
	for i, n := range shape {
		if x[i] == 0 && n > 0 {
			return nil, 0, fmt.Errorf("axis %d of %v has nothing to repeat", i, x)
		}
		if n > math.MaxInt32 {
			return nil, 0, fmt.Errorf("axis %d would have %d elements; 2^31 - 1 are the most", i, n)
		}
	}
	return shape, c.dt(0), nil
}

var _ = define(Op{
	Name: "pad_mode", Category: "layout", Complex: eachPart, Attributes: AttributesOf[padModeAttr](), Operands: operandX, DTypes: every,
	Result: padModeResult,
	// The positions are a constant: one load for each line of the result.
	Compose: func(c *Call) *Node {
		a, y := c.Attr.(padModeAttr), c.In[0]
		for axis, n := range c.shape(0) {
			from := a.positions(axis, n)
			if from == nil {
				continue
			}
			y = Gather(y, axis, positionsOf(y.graph, tensor.Int32, from, len(from)))
		}
		return y
	},
})

// bordered is [PadWith] as a view: for ops that read few elements of it, mostly away from the borders.
func bordered(x *Node, mode string, paddings ...Padding) *Node {
	a := padModeAttr{mode, make([]int, x.Rank()), make([]int, x.Rank())}
	if err := enterPaddings(paddings, a.Before, a.After); err != nil {
		return x.graph.fail("bordered", []*Node{x}, err)
	}
	return apply("bordered", a, x)
}

var _ = define(Op{
	Name: "bordered", Traits: Traits(ir.TraitRepeats), hidden: true, Attributes: AttributesOf[padModeAttr](), Operands: operandX,
	DTypes: every,
	Result: padModeResult,
	Grad: func(b *Back) { // elements of one line after another go back to where they came from
		a, g := b.Attr().(padModeAttr), b.Grad()
		for axis, n := range b.In(0).shape {
			if from := a.positions(axis, n); from != nil {
				shape := slices.Clone(g.shape)
				shape[axis] = n
				g = ScatterAdd(g.graph.Zeros(g.dtype, shape...), axis, positionsOf(g.graph, tensor.Int32, from, len(from)), g)
			}
		}
		b.Add(0, g)
	},
	View: func(p Primitive, at []*engine.Index, dom engine.Domain) ([]*engine.Index, []engine.Cond) {
		src, a := slices.Clone(at), p.Attr().(padModeAttr)
		for axis, i := range at {
			// n is the operand's extent; the rest of the result's extent lies before and after it.
			before, n := int64(a.Before[axis]), int64(p.Shape()[axis]-a.Before[axis]-a.After[axis])
			if before+int64(a.After[axis]) == 0 {
				continue
			}
			i = i.AddConst(-before)
			// The second half of a period goes back: i or last - i, the lesser of both.
			mirrored := func(period, last int64) *engine.Index {
				i := i.Mod(period, dom)
				return i.Add(i.Mul(-2).AddConst(last).Min(0, dom))
			}
			switch a.Mode {
			case "edge":
				src[axis] = i.Max(0, dom).Min(n-1, dom)
			case "wrap":
				src[axis] = i.Mod(n, dom)
			case "reflect":
				period := max(2*n-2, 1)
				src[axis] = mirrored(period, period)
			case "symmetric":
				src[axis] = mirrored(2*n, 2*n-1)
			}
		}
		return src, nil
	},
})

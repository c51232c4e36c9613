package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// PadMode returns x with its own elements around it, along one axis after the other:
//
//	"reflect"    d c b | a b c d | c b a    mirrored at the outermost element
//	"symmetric"  c b a | a b c d | d c b    mirrored at the edge
//	"edge"       a a a | a b c d | d d d    the outermost element again
//	"wrap"       b c d | a b c d | a b c    from the other end
//
// PyTorch calls "edge" replicate and "wrap" circular. A negative count takes elements away first. Mirrors and wraps go on
// where x is shorter than what is added, as in NumPy. Derivatives are added up where elements came from. [Pad] adds a constant.
// Errors: an axis does not exist or is named twice; more is taken away than there is; the axis is empty; the mode is
// unknown.
// Source: NumPy, numpy.pad; ONNX, operator Pad.
func PadMode(x *Node, mode string, paddings ...Padding) *Node {
	if x == nil || x.bad {
		return apply("pad_mode", nil, x)
	}
	x, paddings, err := cropped("pad_mode", x, paddings)
	if err != nil {
		return x
	}
	return apply("pad_mode", padModeAttr{mode, paddings}, x)
}

type padModeAttr struct {
	Mode     string    `default:"reflect" doc:"reflect, symmetric, edge or wrap"`
	Paddings []Padding `doc:"of axes, none twice"`
}

// cropped takes away from x what negative paddings say, and gives the rest of them. On an error it has failed.
func cropped(name string, x *Node, paddings []Padding) (*Node, []Padding, error) {
	if !slices.ContainsFunc(paddings, func(p Padding) bool { return p.Before < 0 || p.After < 0 }) {
		return x, paddings, nil
	}
	rest := slices.Clone(paddings)
	var ranges []Range
	for i, p := range paddings {
		axis, err := axisOf(p.Axis, x.Rank())
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

// source is the index of an axis of extent n from which a padded one has element i, counted from the first of x.
func (a padModeAttr) source(i, n int) int {
	period := n
	switch a.Mode {
	case "edge":
		return min(max(i, 0), n-1)
	case "reflect":
		period = max(2*n-2, 1)
	case "symmetric":
		period = 2 * n
	}
	i = (i%period + period) % period
	if i < n {
		return i
	}
	if a.Mode == "reflect" {
		return period - i
	}
	return period - 1 - i
}

var _ = define(Op{
	Name: "pad_mode", Category: "layout", Attributes: AttributesOf[padModeAttr](), Operands: operandX, DTypes: every,
	Complete: func(c *Call) error {
		a := c.Attr.(padModeAttr)
		named := make([]bool, len(c.shape(0)))
		a.Paddings = slices.Clone(a.Paddings)
		for i := range a.Paddings {
			p := &a.Paddings[i]
			axis, err := axisOf(p.Axis, len(named))
			switch {
			case err != nil:
			case named[axis]:
				err = fmt.Errorf("axis %d is named twice", p.Axis)
			case p.Before < 0 || p.After < 0:
				err = fmt.Errorf("padding of %d and %d on axis %d is negative", p.Before, p.After, p.Axis)
			case c.shape(0)[axis] == 0 && p.Before+p.After > 0:
				err = fmt.Errorf("axis %d of %v has nothing to repeat", p.Axis, c.shape(0))
			}
			if err != nil {
				return err
			}
			p.Axis, named[axis] = axis, true
		}
		c.Attr = a
		if !slices.Contains([]string{"reflect", "symmetric", "edge", "wrap"}, a.Mode) {
			return fmt.Errorf("there is no mode %q; use reflect, symmetric, edge or wrap", a.Mode)
		}
		return nil
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape := slices.Clone(c.shape(0))
		for _, p := range c.Attr.(padModeAttr).Paddings {
			shape[p.Axis] = plus(shape[p.Axis], p.Before, p.After)
		}
		return shape, c.dt(0), nil
	},
	// The positions are a constant: one load for each line of the result.
	Compose: func(c *Call) *Node {
		a, y := c.Attr.(padModeAttr), c.In[0]
		for _, p := range a.Paddings {
			n := y.shape[p.Axis]
			if p.Before+p.After == 0 {
				continue
			}
			from := make([]int32, n+p.Before+p.After)
			for i := range from {
				from[i] = int32(a.source(i-p.Before, n))
			}
			y = Gather(y, p.Axis, y.graph.Const(tensor.Must(tensor.FromSlice(from, len(from)))))
		}
		return y
	},
})

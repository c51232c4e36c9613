package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Window slides over one axis: Size taps, Dilation apart, moved by Stride.
// Zero Stride and Dilation mean 1.
type Window struct {
	Axis     int
	Size     int
	Stride   int `default:"1"`
	Dilation int `default:"1"`
}

func (w Window) normal() Window {
	w.Stride, w.Dilation = max(w.Stride, 1), max(w.Dilation, 1)
	return w
}

// count is the number of positions of w on an axis of extent n.
func (w Window) count(n int) int {
	if n < 1 || w.Size > 1 && w.Dilation > (n-1)/(w.Size-1) { // it reaches beyond the end
		return 0
	}
	return (n-1-w.Dilation*(w.Size-1))/w.Stride + 1
}

type windowAttr struct {
	Windows []Window `doc:"in the order of the axes that they add"`
	full    []int    // the operand's shape, before windows are taken of it
}

// Windows returns the sliding windows of x: every windowed axis holds the
// position of the window, and for each window an axis with its taps is
// appended:
//
//	y[..., o, ..., k] = x[..., o·Stride + k·Dilation, ...]
//
// It costs nothing: convolution and pooling are products and reductions over
// windows. A window larger than its axis has no positions. Errors: an axis does
// not exist or is named twice; a size is less than 1.
func Windows(x *Node, windows ...Window) *Node {
	if x == nil || x.bad {
		return apply("windows", nil, x)
	}
	return apply("windows", windowAttr{Windows: windows}, x)
}

func (a windowAttr) shape() []int {
	out := slices.Clone(a.full)
	for _, w := range a.Windows {
		out[w.Axis] = w.count(a.full[w.Axis])
	}
	for _, w := range a.Windows {
		out = append(out, w.Size)
	}
	return out
}

// completeWindows resolves axes and steps, and takes down the shape that they are of.
func completeWindows(c *Call) error {
	a := windowAttr{full: c.shape(0)}
	named := make([]bool, len(a.full))
	for _, w := range c.Attr.(windowAttr).Windows {
		axis, err := shapes.Axis(w.Axis, len(a.full))
		switch {
		case err != nil:
		case named[axis]:
			err = fmt.Errorf("axis %d is named twice", w.Axis)
		case w.Size < 1 || w.Stride < 0 || w.Dilation < 0:
			err = fmt.Errorf("window %+v has a size below 1 or a negative step", w)
		}
		if err != nil {
			return err
		}
		named[axis] = true
		w.Axis = axis
		a.Windows = append(a.Windows, w.normal())
	}
	c.Attr = a
	return nil
}

var _ = define(Op{
	Name: "windows", Category: "layout", Traits: Traits(ir.TraitWindows | ir.TraitRepeats),
	Attributes: AttributesOf[windowAttr](),
	Operands:   operandX,
	DTypes:     every,
	Complete:   completeWindows,
	Result:     func(c *Call) ([]int, tensor.DType, error) { return c.Attr.(windowAttr).shape(), c.dt(0), nil },
	// Each element is read by the windows that cover it: bring every tap's
	// share to the element, then sum over the taps.
	Grad: func(b *Back) {
		a := b.Attr().(windowAttr)
		rank := len(a.full)
		var taps []int
		for i := range a.Windows {
			taps = append(taps, rank+i)
		}
		b.Add(0, Sum(apply("unwindow", a, b.Grad()), taps...))
	},
	View: func(p Primitive, at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) {
		a := p.Attr().(windowAttr)
		src := slices.Clone(at[:len(a.full)])
		for i, w := range a.Windows {
			src[w.Axis] = at[w.Axis].Mul(int64(w.Stride)).Add(at[len(a.full)+i].Mul(int64(w.Dilation)))
		}
		return src, nil
	},
})

// unwindow is the adjoint's index map: the result has the operand's full shape
// plus the tap axes, and element (i, k) is the window value whose tap k lies
// on i, or 0 when there is none.
var _ = define(Op{
	Name: "unwindow", Traits: Traits(ir.TraitReadsInside),
	Attributes: AttributesOf[windowAttr](),
	Operands:   operandX,
	hidden:     true,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(windowAttr)
		shape := slices.Clone(a.full)
		for _, w := range a.Windows {
			shape = append(shape, w.Size)
		}
		return shape, c.dt(0), nil
	},
	// The transpose of unwindow: window position o and tap k came from element
	// o·Stride + k·Dilation, tap k.
	Grad: func(b *Back) { b.Add(0, apply("rewindow", b.node.attr, b.Grad())) },
	View: func(p Primitive, at []*engine.Index, dom engine.Domain) ([]*engine.Index, []engine.Cond) {
		a := p.Attr().(windowAttr)
		src := slices.Clone(at)
		var conds []engine.Cond
		for i, w := range a.Windows {
			rel := at[w.Axis].Add(at[len(a.full)+i].Mul(int64(-w.Dilation)))
			src[w.Axis] = rel.Div(int64(w.Stride), dom)
			conds = append(conds, engine.Cond{X: src[w.Axis], Lo: 0, Hi: int64(w.count(a.full[w.Axis]))})
			if w.Stride > 1 {
				conds = append(conds, engine.Cond{X: rel.Mod(int64(w.Stride), dom), Lo: 0, Hi: 1})
			}
		}
		return src, conds
	},
})

// rewindow is windows with the tap axes kept apart: the transpose of unwindow.
var _ = define(Op{
	Name:       "rewindow",
	Attributes: AttributesOf[windowAttr](),
	Operands:   operandX,
	hidden:     true,
	Result:     func(c *Call) ([]int, tensor.DType, error) { return c.Attr.(windowAttr).shape(), c.dt(0), nil },
	Grad:       func(b *Back) { b.Add(0, apply("unwindow", b.node.attr, b.Grad())) },
	View: func(p Primitive, at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) {
		a := p.Attr().(windowAttr)
		src := slices.Clone(at)
		for i, w := range a.Windows {
			src[w.Axis] = at[w.Axis].Mul(int64(w.Stride)).Add(at[len(a.full)+i].Mul(int64(w.Dilation)))
		}
		return src, nil
	},
})

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

// Views move no data: each is a map from coordinates of the result to
// coordinates of the operand, folded into the addresses of the kernels that read it.

// Reshape returns x with the same elements in row-major order and another
// shape. One extent may be -1: it follows from the others. It costs nothing. Errors:
// the sizes differ; more than one -1.
func Reshape(x *Node, shape ...int) *Node {
	if x == nil || x.bad {
		return apply("reshape", nil, x)
	}
	if x.graph.open == nil { // shape may open the first extent
		if _, err := x.graph.declare(shape, ""); err != nil {
			return x.graph.fail("reshape", []*Node{x}, err)
		}
	}
	if x.graph.open != nil {
		return sized1("reshape", x, func(x *Node, size func(d int) int) *Node { return Reshape(x, sizesOf(shape, size)...) })
	}
	full, err := inferExtent(shape, x.Size())
	if err != nil {
		return x.graph.fail("reshape", []*Node{x}, fmt.Errorf("%v to %v: %w", x.shape, shape, err))
	}
	if slices.Equal(full, x.shape) {
		return x
	}
	return apply("reshape", ir.ReshapeAttr{Shape: full}, x)
}

func inferExtent(shape []int, size int) ([]int, error) {
	full := slices.Clone(shape)
	hole, rest := -1, 1
	for i, d := range shape {
		switch {
		case d == -1 && hole >= 0:
			return nil, errors.New("more than one extent is -1")
		case d == -1:
			hole = i
		case d < 0:
			return nil, fmt.Errorf("extent %d is negative", d)
		default:
			rest *= d
		}
	}
	if hole >= 0 {
		if rest == 0 || size%rest != 0 {
			return nil, fmt.Errorf("%d elements cannot fill it", size)
		}
		full[hole] = size / rest
	} else if rest != size {
		return nil, fmt.Errorf("%d elements cannot become %d", size, rest)
	}
	return full, nil
}

var _ = define(Op{
	Name:     "reshape",
	role:     roleReshape,
	Category: "layout",
	Traits:   Traits(ir.TraitReshape | ir.TraitRepeats), simplify: unchanged,
	Attributes: AttributesOf[ir.ReshapeAttr](),
	Operands:   operandX,
	DTypes:     every,
	Complete: func(c *Call) error {
		a := c.Attr.(ir.ReshapeAttr)
		full, err := inferExtent(a.Shape, c.In[0].Size())
		if err != nil {
			return fmt.Errorf("%v to %v: %w", c.shape(0), a.Shape, err)
		}
		c.Attr = ir.ReshapeAttr{Shape: full}
		return nil
	},
	Result: func(c *Call) ([]int, tensor.DType, error) { return c.Attr.(ir.ReshapeAttr).Shape, c.dt(0), nil },
	Grad:   func(b *Back) { b.Add(0, Reshape(b.Grad(), b.In(0).shape...)) },
	View: func(p Primitive, at []*engine.Index, dom engine.Domain) ([]*engine.Index, []engine.Cond) {
		return ir.ReshapeIndex(p.Attr().(ir.ReshapeAttr).Shape, p.In(0).Shape(), at, dom), nil
	},
})

// Transpose returns x with its axes in another order:
//
//	y[i_perm[0], i_perm[1], ...] = x[i_0, i_1, ...]
//
// Axis k of y is axis perm[k] of x, as in NumPy. Without perm the order is
// reversed. It costs nothing. Errors: perm is not a permutation of the axes.
func Transpose(x *Node, perm ...int) *Node {
	if x == nil || x.bad {
		return apply("transpose", nil, x)
	}
	return apply("transpose", ir.TransposeAttr{Perm: perm}, x)
}

var _ = define(Op{
	Name:     "transpose",
	role:     roleTranspose,
	Category: "layout",
	Traits:   Traits(ir.TraitTranspose | ir.TraitRepeats),
	simplify: func(n *ir.Node) *ir.Node {
		if slices.IsSorted(n.Attr.(ir.TransposeAttr).Perm) {
			return n.In[0]
		}
		return nil
	},
	Attributes: AttributesOf[ir.TransposeAttr](),
	Operands:   operandX,
	DTypes:     every,
	Complete: func(c *Call) error {
		perm, rank := c.Attr.(ir.TransposeAttr).Perm, len(c.shape(0))
		p := slices.Clone(perm)
		if len(p) == 0 {
			for a := range rank {
				p = append(p, rank-1-a)
			}
		}
		seen := make([]bool, rank)
		for i := range p {
			a, err := shapes.Axis(p[i], rank)
			if err != nil || seen[a] || len(p) != rank {
				return fmt.Errorf("%v is not a permutation of the axes of %v", perm, c.shape(0))
			}
			p[i], seen[a] = a, true
		}
		c.Attr = ir.TransposeAttr{Perm: p}
		return nil
	},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		var shape []int
		for _, a := range c.Attr.(ir.TransposeAttr).Perm {
			shape = append(shape, c.shape(0)[a])
		}
		return shape, c.dt(0), nil
	},
	Grad: func(b *Back) {
		perm := b.Attr().(ir.TransposeAttr).Perm
		inverse := make([]int, len(perm))
		for i, a := range perm {
			inverse[a] = i
		}
		b.Add(0, Transpose(b.Grad(), inverse...))
	},
	View: func(p Primitive, at []*engine.Index, dom engine.Domain) ([]*engine.Index, []engine.Cond) {
		src := make([]*engine.Index, len(at))
		for i, a := range p.Attr().(ir.TransposeAttr).Perm {
			src[a] = at[i]
		}
		return src, nil
	},
})

// BroadcastTo returns x stretched to shape by the NumPy rules: axes are
// matched from the last one on, and an axis of extent 1, or none, repeats. It
// costs nothing. Errors: an extent is neither 1 nor that of shape.
func BroadcastTo(x *Node, shape ...int) *Node {
	if x == nil || x.bad {
		return apply("broadcast_to", nil, x)
	}
	if slices.Equal(shape, x.shape) {
		return x
	}
	if _, err := x.graph.declare(shape, ""); err != nil {
		return x.graph.fail("broadcast_to", []*Node{x}, err)
	}
	return apply("broadcast_to", ir.BroadcastAttr{Shape: slices.Clone(shape)}, x)
}

var _ = define(Op{
	Name:     "broadcast_to",
	Category: "layout",
	Traits:   Traits(ir.TraitRepeats), simplify: unchanged,
	Attributes: AttributesOf[ir.BroadcastAttr](),
	Operands:   operandX,
	DTypes:     every,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape := c.Attr.(ir.BroadcastAttr).Shape
		if full, err := tensor.Broadcast(c.shape(0), shape); err != nil || !slices.Equal(full, shape) {
			return nil, 0, fmt.Errorf("%v does not stretch to %v", c.shape(0), shape)
		}
		return shape, c.dt(0), nil
	},
	Grad: func(b *Back) { b.Add(0, b.Grad()) },
	View: func(p Primitive, at []*engine.Index, dom engine.Domain) ([]*engine.Index, []engine.Cond) {
		return ir.BroadcastIndex(p.In(0).Shape(), at), nil
	},
})

// Squeeze returns x without the named axes, or without every axis of extent 1
// when none is named; a list that is empty but not nil names none and removes none. It costs nothing. Errors: a named axis
// has another extent.
func Squeeze(x *Node, axes ...int) *Node {
	if x == nil || x.bad {
		return apply("reshape", nil, x)
	}
	var drop []int
	if axes != nil {
		var err error
		if drop, err = shapes.Axes(axes, x.Rank()); err != nil {
			return x.graph.fail("squeeze", []*Node{x}, err)
		}
	}
	var shape []int
	for a, d := range x.shape {
		switch named := slices.Contains(drop, a); {
		case named && d != 1:
			return x.graph.fail("squeeze", []*Node{x}, fmt.Errorf("axis %d of %v has extent %d, not 1", a, x.shape, d))
		case named || axes == nil && d == 1:
		default:
			shape = append(shape, d)
		}
	}
	return Reshape(x, shape...)
}

// ExpandDims returns x with an axis of extent 1 inserted at each position of
// axes, counted in the result. It costs nothing. Errors: a position is outside
// the result or named twice.
func ExpandDims(x *Node, axes ...int) *Node {
	if x == nil || x.bad {
		return apply("reshape", nil, x)
	}
	rank := x.Rank() + len(axes)
	at := []int{}
	if len(axes) > 0 {
		var err error
		if at, err = shapes.Axes(axes, rank); err != nil {
			return x.graph.fail("expand_dims", []*Node{x}, err)
		}
	}
	var shape []int
	rest := x.shape
	for a := range rank {
		if slices.Contains(at, a) {
			shape = append(shape, 1)
			continue
		}
		shape, rest = append(shape, rest[0]), rest[1:]
	}
	return Reshape(x, shape...)
}

// Flatten returns x with all axes from axis on merged into one. It costs
// nothing. Errors: the axis does not exist.
func Flatten(x *Node, axis int) *Node {
	if x == nil || x.bad {
		return apply("reshape", nil, x)
	}
	a, err := shapes.Axis(axis, x.Rank())
	if err != nil {
		return x.graph.fail("flatten", []*Node{x}, err)
	}
	if hasOpenSizes(x) {
		return sized1("flatten", x, func(x *Node, _ func(d int) int) *Node { return Flatten(x, axis) })
	}
	return Reshape(x, append(slices.Clone(x.shape[:a]), ir.Product(x.shape[a:]))...)
}

// identityView reads the operand where it is.
func identityView(_ Primitive, at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) {
	return at, nil
}

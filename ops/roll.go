package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
)

// Roll returns x with its elements moved along axes, those that leave at one end entering at the other:
//
//	y[..., i, ...] = x[..., (i - shift) mod n, ...]
//
// There is one shift an axis, of either sign; an axis may be named again. Without axes there is one shift, of x in row-major
// order. It costs nothing. Errors: an axis does not exist; there are not as many shifts as axes.
// Source: PyTorch, roll.
func Roll(x *Node, shifts []int, axes ...int) *Node {
	return apply("roll", rollAttr{slices.Clone(shifts), slices.Clone(axes)}, x)
}

type rollAttr struct {
	Shifts []int `doc:"by how much each axis moves"`
	Axes   []int `default:"" doc:"that move; none: x in row-major order"`
}

var _ = define(Op{
	Name: "roll", Category: "layout", Complex: eachPart, Attributes: AttributesOf[rollAttr](), Operands: operandX, DTypes: every,
	Complete: func(c *Call) error {
		a, x := c.Attr.(rollAttr), c.shape(0)
		switch {
		case len(a.Axes) == 0 && len(a.Shifts) != 1:
			return errors.New("without axes there is one shift")
		case len(a.Axes) > 0 && len(a.Axes) != len(a.Shifts):
			return fmt.Errorf("%d shifts for %d axes", len(a.Shifts), len(a.Axes))
		}
		a.Axes = slices.Clone(a.Axes)
		for i := range a.Axes {
			axis, err := shapes.Axis(a.Axes[i], max(len(x), 1))
			if err != nil {
				return err
			}
			a.Axes[i] = axis
		}
		c.Attr = a
		return nil
	},
	Result: same,
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(rollAttr), c.In[0]
		flat := len(a.Axes) == 0 || len(x.shape) == 0
		y := x
		if flat {
			y, a.Axes = Reshape(x, x.Size()), make([]int, len(a.Shifts))
		}
		by := make([]int, len(y.shape))
		for i, axis := range a.Axes {
			if n := y.shape[axis]; n > 0 {
				by[axis] = ((by[axis]+a.Shifts[i]%n)%n + n) % n
			}
		}
		return Reshape(apply("rolled", rolledAttr{by}, y), x.shape...)
	},
})

// rolledAttr says by how much each axis is rolled, in [0, extent).
type rolledAttr struct{ By []int }

var _ = define(Op{
	Name: "rolled", Traits: Traits(ir.TraitRepeats), hidden: true,
	Attributes: AttributesOf[rolledAttr](), Operands: operandX, DTypes: every, Result: same,
	Grad: func(b *Back) {
		by := slices.Clone(b.Attr().(rolledAttr).By)
		for i, n := range b.In(0).shape {
			if by[i] > 0 {
				by[i] = n - by[i]
			}
		}
		b.Add(0, apply("rolled", rolledAttr{by}, b.Grad()))
	},
	View: func(p Primitive, at []*engine.Index, dom engine.Domain) ([]*engine.Index, []engine.Cond) {
		src := slices.Clone(at)
		for i, by := range p.Attr().(rolledAttr).By {
			if n := p.Shape()[i]; by > 0 {
				src[i] = at[i].AddConst(int64(n-by)).Mod(int64(n), dom)
			}
		}
		return src, nil
	},
})

// Rot90 returns x turned k times by a quarter in the plane of two axes, from the first towards the second; k may be negative.
// It costs nothing. Errors: an axis does not exist; both are one.
// Source: NumPy, numpy.rot90; PyTorch, rot90.
func Rot90(x *Node, k, axis1, axis2 int) *Node {
	if x == nil || x.bad {
		return apply("transpose", nil, x)
	}
	a, err := shapes.Axis(axis1, x.Rank())
	b, err2 := shapes.Axis(axis2, x.Rank())
	if err = errors.Join(err, err2); err == nil && a == b {
		err = errors.New("a plane has two axes")
	}
	if err != nil {
		return x.graph.fail("rot90", []*Node{x}, err)
	}
	switch (k%4 + 4) % 4 {
	case 1:
		return SwapAxes(Flip(x, b), a, b)
	case 2:
		return Flip(x, a, b)
	case 3:
		return Flip(SwapAxes(x, a, b), b)
	}
	return x
}

// SwapAxes returns x with two axes exchanged. It costs nothing. Errors: an axis does not exist.
func SwapAxes(x *Node, axis1, axis2 int) *Node {
	return MoveDim(x, []int{axis1, axis2}, []int{axis2, axis1})
}

// MoveDim returns x with each axis of source at its place of destination, and the others in order around them, as PyTorch's
// movedim and NumPy's moveaxis. It costs nothing. Errors: an axis does not exist or is named twice; there are not as many places as axes.
func MoveDim(x *Node, source, destination []int) *Node {
	if x == nil || x.bad {
		return apply("transpose", nil, x)
	}
	rank := x.Rank()
	fail := func(err error) *Node { return x.graph.fail("movedim", []*Node{x}, err) }
	if len(source) != len(destination) {
		return fail(fmt.Errorf("%d places for %d axes", len(destination), len(source)))
	}
	if slices.Equal(source, destination) { // also of a scalar, and both of an exchange
		return x
	}
	perm, placed := slices.Repeat([]int{-1}, rank), make([]bool, rank)
	for i := range source {
		from, err := shapes.Axis(source[i], rank)
		to, err2 := shapes.Axis(destination[i], rank)
		if err = errors.Join(err, err2); err == nil && (placed[from] || perm[to] >= 0) {
			if err = fmt.Errorf("axis %d is named twice", source[i]); len(source) == 2 && from == to {
				return x // an exchange of one axis, named from both ends
			}
		}
		if err != nil {
			return fail(err)
		}
		perm[to], placed[from] = from, true
	}
	next := 0
	for to := range perm {
		if perm[to] >= 0 {
			continue
		}
		for placed[next] {
			next++
		}
		perm[to], placed[next] = next, true
	}
	return Transpose(x, perm...)
}

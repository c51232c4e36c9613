package ops

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

type equalAxesAttr struct{ First, Second int }

// The elements of x whose coordinates on two axes are equal; the second axis vanishes.
var _ = define(Op{
	Name: "equal_axes", Attributes: AttributesOf[equalAxesAttr](), Operands: operandX, DTypes: every, hidden: true,
	Traits: Traits(ir.TraitRepeats),
	Result: func(c *Call) ([]int, tensor.DType, error) {
		return slices.Delete(slices.Clone(c.shape(0)), c.Attr.(equalAxesAttr).Second, c.Attr.(equalAxesAttr).Second+1), c.dt(0), nil
	},
	View: func(p Primitive, at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) {
		a := p.Attr().(equalAxesAttr)
		return slices.Insert(slices.Clone(at), a.Second, at[a.First]), nil
	},
	Grad: func(b *Back) {
		x, a := b.In(0), b.Attr().(equalAxesAttr)
		i, j := x.graph.Iota(tensor.Int32, a.First, x.shape...), x.graph.Iota(tensor.Int32, a.Second, x.shape...)
		b.Add(0, Where(Equal(i, j), ExpandDims(b.Grad(), a.Second), ScalarLike(b.Grad(), 0)))
	},
})

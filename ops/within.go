package ops

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// within is x, integers that are known to lie in [lo, hi]: what is read at such positions is read without a test against
// bounds that they meet. It is for tables that this package makes, and for what it computes: what users feed may lie anywhere.
func within(x *Node, lo, hi int64) *Node { return apply("within", ir.WithinAttr{Lo: lo, Hi: hi}, x) }

var _ = define(Op{
	Name: "within", Traits: Traits(ir.TraitRepeats), hidden: true, role: roleBound,
	Attributes: AttributesOf[ir.WithinAttr](), Operands: operandX, DTypes: ints, Result: same,
	NoGrad: "integers have no derivative",
	View: func(_ Primitive, at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) {
		return at, nil
	},
})

// positionsOf is a constant of integers, of which is known where they lie.
func positionsOf[T int32 | int64](g *Graph, dt tensor.DType, values []T, shape ...int) *Node {
	x := constOf(g, dt, values, shape...)
	if len(values) == 0 || x.bad {
		return x
	}
	lo, hi := values[0], values[0]
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	return within(x, int64(lo), int64(hi))
}

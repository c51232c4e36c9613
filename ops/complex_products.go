package ops

import (
	"slices"

	"github.com/anycl/anycl/internal/ir"
)

// complexContract is one real contraction: with pairs as one more axis that both operands share,
//
//	[re im] · [c  d]
//	          [-d c]
//
// is the pair of the product. The left operand is read as it lies; the right one is made twice as large.
func complexContract(call *Call) *Node {
	a, b, attr := call.In[0], call.In[1], call.Attr.(ir.ContractAttr)
	right := Stack(-2, ViewAsReal(b), ViewAsReal(Complex(Neg(Imag(b)), Real(b))))
	attr.AK = append(slices.Clone(attr.AK), len(a.shape))
	attr.BK = append(slices.Clone(attr.BK), len(b.shape))
	attr.BN = append(slices.Clone(attr.BN), len(b.shape)+1)
	return ViewAsComplex(apply("contract", attr, ViewAsReal(a), right))
}

// complexProd multiplies halves with each other until one is left.
func complexProd(c *Call) *Node {
	axes, x := c.Attr.(ir.ReduceAttr).Axes, c.In[0]
	if len(axes) == 0 {
		return x
	}
	rest := []int{}
	for a := range x.shape {
		if !slices.Contains(axes, a) {
			rest = append(rest, a)
		}
	}
	shape := reduced(c)
	n := ir.Product(ir.Extents(x.shape, axes))
	x = Reshape(Transpose(x, slices.Concat(rest, axes)...), append(slices.Clone(shape), n)...)
	if n == 0 {
		return BroadcastTo(scalarConst(x.graph, x.dtype, 1), shape...)
	}
	for ; n > 1; n = (n + 1) / 2 {
		y := Mul(Narrow(x, -1, 0, n/2), Narrow(x, -1, n-n/2, n/2))
		if n%2 != 0 {
			y = Concat(-1, y, Narrow(x, -1, n/2, 1))
		}
		x = y
	}
	return Reshape(x, shape...)
}

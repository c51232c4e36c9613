package ops

import (
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// takesComplex reports whether operands of o that have its element type may be complex: it has a rule for them, or moves elements of any
// type.
func (o *Op) takesComplex() bool {
	return o.Complex != nil || o.kind == ir.KindControl || slices.Equal(o.DTypes, every) && (o.composed() || o.View != nil)
}

// compose returns the function that builds n from other ops, or nil for a primitive.
func (n *Node) compose() func(c *Call) *Node {
	switch {
	case !n.withComplex() || n.op.ComposeAll != nil:
		return n.op.Compose
	case n.op.Complex != nil:
		return n.op.Complex
	case n.op.View != nil:
		return eachPart
	}
	return n.op.Compose
}

// isFlat reports whether gradients end at n.
func (n *Node) isFlat() bool { return n.op.Flat && !(n.op.Complex != nil && n.withComplex()) }

// isComposed reports whether other nodes compute n.
func (n *Node) isComposed() bool { return n.op.ComposeAll != nil || n.compose() != nil }

// withComplex reports whether n or one of its operands is complex, and its op takes complex numbers.
func (n *Node) withComplex() bool {
	if n.bad || !n.op.takesComplex() {
		return false
	}
	return n.dtype.IsComplex() || slices.ContainsFunc(n.in, func(x *Node) bool { return x.dtype.IsComplex() })
}

// hasDerivative reports whether values of a dtype have derivatives.
func hasDerivative(dt tensor.DType) bool { return dt.IsFloat() || dt.IsComplex() }

// eachPart applies an op that is linear in its complex operands, or moves their elements, to the real and to the imaginary parts.
func eachPart(c *Call) *Node {
	var parts [2]*Node
	for i := range parts {
		in := slices.Clone(c.In)
		for k, x := range in {
			if x.dtype.IsComplex() {
				in[k] = complexPart(x, i)
			}
		}
		parts[i] = applyIn(c.In[0].graph, c.Op.Name, c.Attr, in...)
		if parts[i].bad || !hasDerivative(parts[i].dtype) { // a shape, which both have
			return parts[i]
		}
	}
	return Complex(parts[0], parts[1])
}

// composed is the rule of compositions whose parts have rules for complex numbers.
func composed(c *Call) *Node { return c.Op.Compose(c) }

// ofParts is the rule of an op of one operand.
func ofParts(f func(re, im *Node) *Node) func(c *Call) *Node {
	return func(c *Call) *Node { return f(Real(c.In[0]), Imag(c.In[0])) }
}

// ofFourParts is the rule of an op of two operands.
func ofFourParts(f func(a, b, c, d *Node) *Node) func(c *Call) *Node {
	return func(c *Call) *Node { return f(Real(c.In[0]), Imag(c.In[0]), Real(c.In[1]), Imag(c.In[1])) }
}

// eitherPart is the rule of an op that holds where it holds of a part.
func eitherPart(test func(x *Node) *Node) func(c *Call) *Node {
	return ofParts(func(re, im *Node) *Node { return Or(test(re), test(im)) })
}

// isOrigin reports where both parts are 0.
func isOrigin(re, im *Node) *Node {
	return And(Equal(re, ScalarLike(re, 0)), Equal(im, ScalarLike(im, 0)))
}

// realResult is the rule for results that have the shape of operand 0 and are real.
func realResult(c *Call) ([]int, tensor.DType, error) { return c.shape(0), c.dt(0).Part(), nil }

// complexCast casts from, to and between complex dtypes, part by part.
func complexCast(c *Call) *Node {
	x, dt := c.In[0], c.Attr.(castAttr).DType
	switch {
	case !x.dtype.IsComplex():
		re := Cast(x, dt.Part())
		return Complex(re, ScalarLike(re, 0))
	case dt.IsComplex():
		return Complex(Cast(Real(x), dt.Part()), Cast(Imag(x), dt.Part()))
	case dt == tensor.Bool:
		return Or(Cast(Real(x), dt), Cast(Imag(x), dt))
	}
	return Cast(Real(x), dt)
}

package ops

import "github.com/anycl/anycl/internal/ir"

// The chain rule multiplies the derivative that comes in by that of the op. Where the first is 0 because nothing depends on
// the result, as behind a Where that chose the other branch, the product is 0, be the second infinite or NaN; so it is where an
// infinite derivative comes in and that of the op is 0, as of the norm of a zero vector. IEEE 754 has NaN for both.

// Times is the incoming derivative b.Grad() times local, the derivative of the op: the product that most rules add. It is
//
//	0  where b.Grad() is 0, or infinite while local is 0;  b.Grad() · local  elsewhere
//
// so that NaN and infinities of a branch that was not taken do not reach the result. Second derivatives are those of the product.
func (b *Back) Times(local *Node) *Node { return chain(b.Grad(), local) }

// Over is [Back.Times] for a quotient: b.Grad() / divisor, and 0 where b.Grad() is 0.
func (b *Back) Over(divisor *Node) *Node { return chainOver(b.Grad(), divisor) }

func chain(d, local *Node) *Node { return apply("chain", nil, d, local) }

func chainOver(d, divisor *Node) *Node { return apply("chain_over", nil, d, divisor) }

var _ = define(Op{
	Name: "chain", Operands: operandsAB, DTypes: floats, hidden: true, Result: broadcast,
	simplify: func(n *ir.Node) *ir.Node {
		switch {
		case isValue(n.In[1], 1):
			return repeats(n, 0)
		case isValue(n.In[0], 1):
			return repeats(n, 1)
		}
		return nil
	},
	Grad: func(b *Back) {
		b.Add(0, b.Times(b.In(1)))
		b.Add(1, b.Times(b.In(0)))
	},
	// a + a is a where a is 0 or infinite.
	Scalar: scalarOf("((a == 0) || ((b == 0) && (a + a == a))) ? 0 : a * b", 1, blocks2{f32: chainTo[float32], f64: chainTo[float64]}.host),
})

func chainTo[T float32 | float64](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x, y := a[i], b[i]
		if dst[i] = x * y; x == 0 || y == 0 && x+x == x {
			dst[i] = 0
		}
	}
}

var _ = define(Op{
	Name: "chain_over", Operands: operandsAB, DTypes: floats, hidden: true, Result: broadcast,
	simplify: func(n *ir.Node) *ir.Node {
		if isValue(n.In[1], 1) {
			return repeats(n, 0)
		}
		return nil
	},
	Grad: func(b *Back) {
		b.Add(0, b.Over(b.In(1)))
		b.Add(1, Neg(chainOver(b.Times(b.Out()), b.In(1))))
	},
	Scalar: scalarOf("(a == 0) ? 0 : a / b", 4, blocks2{f32: chainOverTo[float32], f64: chainOverTo[float64]}.host),
})

func chainOverTo[T float32 | float64](dst, a, b []T) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		x := a[i] // dst may be a
		if dst[i] = x / b[i]; x == 0 {
			dst[i] = 0
		}
	}
}

package ops

import (
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// scatterInto is the primitive of all scatters. updates has the shape of idx where to.Along, and that of
// Gather(x, axis, idx) otherwise; along, idx has x's extents beside the axis.
func scatterInto(x, idx, updates *Node, to ir.ScatterAttr) *Node {
	return apply("scatter_into", to, x, idx, updates)
}

// taken is the element of t, which has the shape of x, that each update meets.
func taken(t, idx *Node, to ir.ScatterAttr) *Node {
	if to.Along {
		return TakeAlong(t, to.Axis, idx)
	}
	return Gather(t, to.Axis, idx)
}

var _ = define(Op{
	Name: "scatter_into", hidden: true, Attributes: AttributesOf[ir.ScatterAttr](), Operands: scattering, DTypes: every, kind: ir.KindScatter,
	Result: same,
	Grad: func(b *Back) {
		x, idx, u, to := b.In(0), b.In(1), b.In(2), b.Attr().(ir.ScatterAttr)
		switch to.Put {
		case engine.PutAdd:
			b.Add(0, b.Grad())
			b.Add(2, taken(b.Grad(), idx, to))
		case engine.PutSet:
			if b.Wants(0) {
				b.Add(0, scatterInto(b.Grad(), idx, zerosLike(u), to))
			}
			if b.Wants(2) {
				b.Add(2, lastOnly(taken(b.Grad(), idx, to), x, idx, u, to))
			}
		case engine.PutMul:
			productBack(b, x, idx, u, to)
		default:
			shareTies(b, x, idx, u, to)
		}
	},
})

// lastOnly is d where the update stayed, because none after it has the same position, and 0 elsewhere.
func lastOnly(d, x, idx, u *Node, to ir.ScatterAttr) *Node {
	if to.Distinct {
		return d
	}
	counted := tensor.Int32
	if u.Size() >= math.MaxInt32 {
		counted = tensor.Int64
	}
	g := x.graph
	var number *Node // of each update
	if to.Along {
		number = g.Iota(counted, to.Axis, u.shape...)
	} else { // the same for all elements of a slice
		number = Reshape(g.Iota(counted, 0, idx.Size()), idx.shape...)
		for range u.shape[to.Axis+len(idx.shape):] {
			number = ExpandDims(number, -1)
		}
		number = BroadcastTo(number, u.shape...)
	}
	last := scatterInto(g.Full(counted, -1, x.shape...), idx, number, to)
	return Where(Equal(taken(last, idx, to), number), d, ScalarLike(d, 0))
}

// productBack is the gradient of a scatter that multiplies: the derivative of a factor is the product of all others, which
// are divided out of the product of those that are not 0, as long as there is no 0 among them.
func productBack(b *Back, x, idx, u *Node, to ir.ScatterAttr) {
	zero := func(n *Node) *Node { return Equal(n, ScalarLike(n, 0)) }
	kept := func(n *Node) *Node { return Where(zero(n), ScalarLike(n, 1), n) }
	count := func(n *Node) *Node { return Cast(zero(n), tensor.Int32) }
	add := to
	add.Put = engine.PutAdd
	zeros := scatterInto(count(x), idx, count(u), add)
	rest := scatterInto(kept(x), idx, kept(u), to)
	// others are the factors that element n, one of p and z, has beside itself.
	others := func(n, p, z *Node) *Node {
		alone := Equal(z, count(n))
		return Where(alone, Div(p, kept(n)), ScalarLike(n, 0))
	}
	b.Add(0, Mul(b.Grad(), others(x, rest, zeros)))
	b.Add(2, Mul(taken(b.Grad(), idx, to), others(u, taken(rest, idx, to), taken(zeros, idx, to))))
}

// shareTies is the gradient of a scatter of extremes: all that are equal to the extreme share it.
func shareTies(b *Back, x, idx, u *Node, to ir.ScatterAttr) {
	add := to
	add.Put = engine.PutAdd
	y, dt := b.Out(), b.Grad().dtype
	isX, isU := Equal(x, y), Equal(u, taken(y, idx, to))
	sums := widened(dt) // float16 counts to 2048
	count := scatterInto(Cast(isX, sums), idx, Cast(isU, sums), add)
	share := Cast(Div(Cast(b.Grad(), sums), Maximum(count, ScalarLike(count, 1))), dt)
	b.Add(0, Where(isX, share, ScalarLike(share, 0)))
	b.Add(2, Where(isU, taken(share, idx, to), ScalarLike(share, 0)))
}

package ops

import (
	"github.com/anycl/anycl/internal/ir"
)

// A depthwise convolution sums so few products for each output that nothing is
// gained by making it a matrix product: it is a reduction over windows, as
// pooling is, in which neighbouring channels, or neighbours of a row, are the
// lanes of a vector.

// depthwise reports whether every channel has one kernel of its own.
func (o Conv2DOptions) depthwise(w []int) bool { return w[0] == o.Groups && w[1] == 1 }

// depthwiseSum is Σ_{u,v} x[n, c, i·s₀ + u·d₀ - p₀, ...] · w[c, 0, u, v].
func (o Conv2DOptions) depthwiseSum(x, w *Node) *Node {
	return Cast(Sum(Mul(o.taps(x, w.shape), o.perTap(w)), 4, 5), x.dtype)
}

// taps is x as windows [N, C, H', W', U, V].
func (o Conv2DOptions) taps(x *Node, w []int) *Node {
	if o.Pad != [2]int{} {
		x = apply("materialize", ir.MaterializeAttr{Edge: true}, Pad(x, 0, o.padding()...))
	}
	return widen(Windows(x, o.window(0, w), o.window(1, w)))
}

// perTap is w as [C, 1, 1, U, V], with the channels side by side in memory.
func (o Conv2DOptions) perTap(w *Node) *Node {
	s := w.shape
	flat := materialize(Reshape(w, s[0], s[2], s[3]), 1, 2, 0)
	return widen(Reshape(flat, s[0], 1, 1, s[2], s[3]))
}

func (o Conv2DOptions) depthwiseGrad(b *Back) {
	x, w, dy := b.In(0), b.In(1), ExpandDims(widen(b.Grad()), 4, 5)
	if b.Wants(1) {
		dw := Sum(Mul(o.taps(x, w.shape), dy), 0, 2, 3) // [C, U, V]
		b.Add(1, Reshape(Cast(dw, w.dtype), w.shape...))
	}
	if !b.Wants(0) {
		return
	}
	// Each element takes from the outputs whose windows cover it.
	full := []int{x.shape[0], x.shape[1], x.shape[2] + 2*o.Pad[0], x.shape[3] + 2*o.Pad[1]}
	a := windowAttr{Windows: []Window{o.window(0, w.shape), o.window(1, w.shape)}, full: full}
	covering := apply("unwindow", a, Mul(dy, o.perTap(w)))
	inside := Slice(covering, Range{Axis: 2, Start: o.Pad[0], Stop: o.Pad[0] + x.shape[2]}, Range{Axis: 3, Start: o.Pad[1], Stop: o.Pad[1] + x.shape[3]})
	b.Add(0, Cast(Sum(inside, 4, 5), x.dtype))
}

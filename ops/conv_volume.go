package ops

import (
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Convolution over any number of spatial axes, as a product of matrices of which the windows of the image are the
// rows, as conv.go and conv_grad.go do in two dimensions, for which nothing else is as quick.

var _ = define(Op{
	Name: "conv_volume", Attributes: AttributesOf[convPlan](), Operands: []Operand{{Name: "x"}, {Name: "w"}}, hidden: true,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		p := c.Attr.(convPlan)
		return slices.Concat([]int{c.shape(0)[0], c.shape(1)[0]}, p.positions(c.shape(0)[2:], c.shape(1)[2:])), c.dt(0), nil
	},
	Compose: func(c *Call) *Node { return c.Attr.(convPlan).sum(c.In[0], c.In[1]) },
	Grad: func(b *Back) {
		x, w, p := b.In(0), b.In(1), b.Attr().(convPlan)
		if b.Wants(0) {
			p.Full = x.shape[2:]
			b.Add(0, apply("conv_image", p, b.Grad(), w))
		}
		if b.Wants(1) {
			b.Add(1, p.weightGrad(x, b.Grad(), w.shape))
		}
	},
})

// sum is the convolution as one product: rows are windows, columns kernels.
func (p convPlan) sum(x, w *Node) *Node {
	n := x.Rank() - 2
	y := apply("contract", ir.ContractAttr{
		ABatch: []int{1}, AM: append([]int{0}, ir.Range(3, 3+n)...), AK: append([]int{2}, ir.Range(3+n, 3+2*n)...),
		BBatch: []int{0}, BN: []int{1}, BK: ir.Range(2, 3+n),
	}, p.images(x, w.shape), p.kernels(w)) // [G, N, ..., O/G]
	return p.merged(y)
}

// merged is y, [G, N, ..., C/G], as [N, C, ...].
func (p convPlan) merged(y *Node) *Node {
	n := y.Rank() - 3
	y = Transpose(y, slices.Concat([]int{1, 0, 2 + n}, ir.Range(2, 2+n))...)
	return Reshape(y, slices.Concat([]int{y.shape[0], y.shape[1] * y.shape[2]}, y.shape[3:])...)
}

// images is x as windows [N, G, C/G, positions..., taps...], of a padded image that is made once.
func (p convPlan) images(x *Node, w []int) *Node {
	if padding := p.padding(); len(padding) > 0 {
		x = materialize(Pad(x, 0, padding...), orderOf(2, len(w)-2, w[1], w[0]/p.Groups)...)
	}
	windows := make([]Window, len(w)-2)
	for i := range windows {
		windows[i] = p.window(i, w)
	}
	return p.split(Windows(x, windows...))
}

// orderOf is layoutOf for images of n spatial axes behind axes of batch, groups and channels, which are lead.
func orderOf(lead, n, channels, sums int) []int {
	if inPlanes(channels, sums) {
		return ir.Range(0, lead+n)
	}
	return slices.Concat([]int{0}, ir.Range(lead, lead+n), ir.Range(1, lead))
}

// split takes the groups out of the channel axis of x.
func (p convPlan) split(x *Node) *Node {
	s := x.shape
	return Reshape(x, slices.Concat([]int{s[0], p.Groups, s[1] / p.Groups}, s[2:])...)
}

// kernels is w as [G, O/G, C/G, taps...].
func (p convPlan) kernels(w *Node) *Node {
	s := w.shape
	return Reshape(w, slices.Concat([]int{p.Groups, s[0] / p.Groups}, s[1:])...)
}

// weightGrad is the derivative of kernels of shape w, of which x is the image and dy the derivative of the result.
func (p convPlan) weightGrad(x, dy *Node, w []int) *Node {
	n := len(w) - 2
	dw := apply("contract", ir.ContractAttr{
		ABatch: []int{1}, AM: append([]int{2}, ir.Range(3+n, 3+2*n)...), AK: append([]int{0}, ir.Range(3, 3+n)...),
		BBatch: []int{1}, BN: []int{2}, BK: append([]int{0}, ir.Range(3, 3+n)...),
	}, p.images(x, w), p.split(dy)) // [G, C/G, taps..., O/G]
	return Reshape(Transpose(dw, slices.Concat([]int{0, 2 + n}, ir.Range(1, 2+n))...), w...)
}

// depthwise reports whether every channel has one kernel of its own.
func (p convPlan) depthwise(w []int) bool { return w[0] == p.Groups && w[1] == 1 }

// depthwiseSum is a reduction over windows, as pooling is.
func (p convPlan) depthwiseSum(x, w *Node) *Node {
	n := x.Rank() - 2
	if padding := p.padding(); len(padding) > 0 {
		x = apply("materialize", ir.MaterializeAttr{Edge: true}, Pad(x, 0, padding...))
	}
	windows := make([]Window, n)
	for i := range windows {
		windows[i] = p.window(i, w.shape)
	}
	taps := widen(Windows(x, windows...)) // [N, C, positions..., taps...]
	return Cast(Sum(Mul(taps, p.perTap(w)), ir.Range(2+n, 2+2*n)...), x.dtype)
}

// perTap is w as [C, 1..., taps...], with the channels side by side in memory.
func (p convPlan) perTap(w *Node) *Node {
	s, n := w.shape, w.Rank()-2
	flat := materialize(Reshape(w, slices.Concat(s[:1], s[2:])...), append(ir.Range(1, n+1), 0)...)
	return widen(Reshape(flat, slices.Concat(s[:1], slices.Repeat([]int{1}, n), s[2:])...))
}

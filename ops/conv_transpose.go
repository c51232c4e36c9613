package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// ConvTransposeOptions say how the kernels of [ConvTranspose] move. The options of the convolution that it is
// the transpose of are embedded: Pad counts the elements that are cut off the result.
type ConvTransposeOptions struct {
	ConvOptions
	OutputPad []int `default:"" doc:"elements that are added after each spatial axis of the result"`
	Size      []int `default:"" doc:"spatial extents of the result, from which the padding follows; empty: they follow from the padding"`
}

// ConvTranspose returns the transpose of the convolution [Conv], its derivative with respect to the image: every element of x adds its
// multiple of a kernel to the result,
//
//	y[n, g·O/G + o, i·s + u·d - p] = bias[g·O/G + o] + Σ_{c,i,u} x[n, g·C/G + c, i] · w[g·C/G + c, o, u]
//
// x is [N, C, ...], w is [C, O/G, ...], bias is [O] or nil, y is [N, O, ...] with extents
// (H - 1)·s - p - p' + d(U-1) + 1 + q for a padding of p before and p' after and an output padding of q. With the mode
// "same" the extents are H·s. o may be nil. It multiplies no zeros that a stride would put between the elements. Errors: as Conv; an extent
// is below 1.
// Source: ONNX, operator ConvTranspose; Dumoulin and Visin, A guide to convolution arithmetic for deep learning (2016), section 4.
func ConvTranspose(x, w, bias *Node, o *ConvTransposeOptions) *Node {
	return apply("conv_transpose", valueOf(o), given([]*Node{x, w}, bias)...)
}

var _ = define(Op{
	Name: "conv_transpose", Category: "convolution", Attributes: AttributesOf[ConvTransposeOptions](),
	Operands: []Operand{{Name: "x"}, {Name: "w"}, {Name: "bias", Optional: true}}, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		p, err := c.Attr.(ConvTransposeOptions).plan(c.shape(0), c.shape(1))
		if err != nil {
			return nil, 0, err
		}
		shape := slices.Concat([]int{c.shape(0)[0], c.shape(1)[1] * p.Groups}, p.Full)
		return shape, c.dt(0), biasFits(c, shape[1])
	},
	Compose: func(c *Call) *Node {
		x, w := c.In[0], c.In[1]
		p, err := c.Attr.(ConvTransposeOptions).plan(x.shape, w.shape)
		if err != nil {
			return x.graph.fail("conv_transpose", c.In, err)
		}
		if x.Rank() == 3 {
			y := apply("conv_image", p.lifted(), ExpandDims(x, 2), ExpandDims(w, 2))
			return withBias(c, Squeeze(y, 2))
		}
		return withBias(c, apply("conv_image", p, x, w))
	},
})

// plan is the transposed convolution of x with kernels of shape w.
func (o ConvTransposeOptions) plan(x, w []int) (convPlan, error) {
	if err := kernelFits(x, w); err != nil {
		return convPlan{}, err
	}
	n := len(x) - 2
	p, err := o.options(n)
	if err != nil {
		return p, err
	}
	more, err := perAxisOf("output_pad", o.OutputPad, n, 0, 0)
	switch {
	case err != nil:
		return p, err
	case x[1] != w[0] || x[1]%p.Groups != 0:
		return p, fmt.Errorf("%d channels in %d groups do not fit x %v and w %v", x[1], p.Groups, x, w)
	case len(o.Size) != 0 && len(o.Size) != n:
		return p, fmt.Errorf("the size is %v, for %d axes", o.Size, n)
	}
	p.Full = make([]int, n)
	for i, h := range x[2:] {
		reach := p.reach(i, h, w[2+i]) + more[i]
		same := o.Mode == PadSame || o.Mode == PadSameLower
		switch {
		case len(o.Size) > 0:
			p.Full[i] = o.Size[i]
		case same:
			p.Full[i] = h * p.Stride[i]
		default:
			p.Full[i] = reach - p.Before[i] - p.After[i]
		}
		if len(o.Size) > 0 || same {
			p.share(o.Mode, i, max(reach-p.Full[i], 0))
		}
		if p.Full[i] < 1 || h < 1 {
			return p, fmt.Errorf("x %v, kernel %v and padding %v %v leave an extent of %d", x, w, p.Before, p.After, p.Full[i])
		}
	}
	return p, nil
}

// reach is how long an axis is that n positions of a kernel of the given number of taps cover.
func (p convPlan) reach(i, n, taps int) int { return (n-1)*p.Stride[i] + p.Dilation[i]*(taps-1) + 1 }

// conv_image is the derivative of a convolution with respect to its image, of spatial extents Full: dy [N, O, ...] and w
// [O, C/G, ...] become [N, C, ...].
var _ = define(Op{
	Name: "conv_image", Attributes: AttributesOf[convPlan](), Operands: []Operand{{Name: "dy"}, {Name: "w"}}, hidden: true,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		p := c.Attr.(convPlan)
		return slices.Concat([]int{c.shape(0)[0], c.shape(1)[1] * p.Groups}, p.Full), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		p, dy, w := c.Attr.(convPlan), c.In[0], c.In[1]
		stepped := slices.Max(p.Stride) > 1 && slices.Max(p.Dilation) == 1
		switch full := slices.Concat([]int{dy.shape[0], w.shape[1] * p.Groups}, p.Full); {
		case p.depthwise(w.shape):
			return p.depthwiseImage(dy, w)
		case len(p.Full) == 2 && stepped:
			return p.flat().phaseGrad(p.split(dy), w, full)
		case len(p.Full) == 2:
			return p.flat().spreadGrad(p.split(dy), w, full)
		case stepped:
			return p.phaseImage(dy, w)
		default:
			return p.spreadImage(dy, w)
		}
	},
	Grad: func(b *Back) {
		dy, w, p := b.In(0), b.In(1), b.Attr().(convPlan)
		// The convolution of an image that ends where the last position of the kernel does.
		g := b.Grad()
		p.After = slices.Clone(p.After)
		for i, full := range p.Full {
			p.After[i] = p.reach(i, dy.shape[2+i], w.shape[2+i]) - p.Before[i] - full
			if p.After[i] < 0 {
				g = Slice(g, Range{Axis: 2 + i, Stop: full + p.After[i]})
				p.After[i] = 0
			}
		}
		p.Full = nil
		if b.Wants(0) {
			b.Add(0, p.conv(g, w))
		}
		if b.Wants(1) {
			b.Add(1, p.weightGrad(g, dy, w.shape))
		}
	},
})

// spreadImage moves the elements of dy apart by the stride, with zeros between them, and convolves them with
// the kernels turned around.
func (p convPlan) spreadImage(dy, w *Node) *Node {
	n := len(p.Full)
	dy = p.split(dy) // [N, G, O/G, ...]
	a := unsliceAttr{allOf(dy), slices.Clone(dy.shape)}
	windows := make([]Window, n)
	for i := range n {
		axis, reach := 3+i, p.Dilation[i]*(w.shape[2+i]-1)
		a.Start[axis], a.Step[axis] = reach-p.Before[i], p.Stride[i]
		a.Full[axis] = p.Full[i] + reach
		windows[i] = Window{Axis: axis, Size: w.shape[2+i], Dilation: p.Dilation[i]}
	}
	spread := materialize(apply("unslice", a, dy), orderOf(3, n, w.shape[0]/p.Groups, w.shape[1])...)
	flipped := Flip(p.kernels(w), ir.Range(3, 3+n)...)
	return p.merged(apply("contract", ir.ContractAttr{
		ABatch: []int{1}, AM: append([]int{0}, ir.Range(3, 3+n)...), AK: append([]int{2}, ir.Range(3+n, 3+2*n)...),
		BBatch: []int{0}, BN: []int{2}, BK: append([]int{1}, ir.Range(3, 3+n)...),
	}, Windows(spread, windows...), flipped))
}

// phaseImage multiplies no such zeros: see [Conv2DOptions.phaseGrad].
func (p convPlan) phaseImage(dy, w *Node) *Node {
	n := len(p.Full)
	dy = p.split(dy)
	along := make([]phases, n)
	windows := make([]Window, n)
	taps, columns := []int{}, 1 // of kernels: [T, S, T', S', ...]
	for i := range n {
		a, have := phasesOf(p.Full[i], w.shape[2+i], p.Stride[i], p.Before[i]), dy.shape[3+i]
		from := min(max(a.first, 0), have)
		to := min(max(a.first+a.rows+a.taps-1, from), have)
		dy = Slice(dy, Range{Axis: 3 + i, Start: from, Stop: to})
		dy = Pad(dy, 0, Padding{3 + i, from - a.first, a.first + a.rows + a.taps - 1 - to})
		windows[i] = Window{Axis: 3 + i, Size: a.taps}
		w = Pad(w, 0, Padding{2 + i, a.before, a.taps*a.count - a.before - w.shape[2+i]})
		along[i] = a
		taps, columns = append(taps, a.taps, a.count), columns*a.count
	}
	read := Windows(materialize(dy, orderOf(3, n, w.shape[0]/p.Groups, w.shape[1]*columns)...), windows...)
	k := p.kernels(w)
	k = Reshape(k, slices.Concat(k.shape[:3], taps)...)
	var tapAxes, phaseAxes []int
	for i := range n {
		tapAxes, phaseAxes = append(tapAxes, 3+2*i), append(phaseAxes, 4+2*i)
	}
	dx := apply("contract", ir.ContractAttr{
		ABatch: []int{1}, AM: append([]int{0}, ir.Range(3, 3+n)...), AK: append([]int{2}, ir.Range(3+n, 3+2*n)...),
		BBatch: []int{0}, BN: append(phaseAxes, 2), BK: append([]int{1}, tapAxes...),
	}, read, Flip(k, tapAxes...)) // [G, N, I..., S..., C/G]
	perm := []int{1, 0, 2 + 2*n}
	for i := range n {
		perm = append(perm, 2+i, 2+n+i)
	}
	dx = Transpose(dx, perm...) // [N, G, C/G, I, S, I', S', ...]
	shape := []int{dx.shape[0], dx.shape[1] * dx.shape[2]}
	var cut []Range
	for i, a := range along {
		dx = Pad(dx, 0, Padding{4 + 2*i, 0, p.Stride[i] - a.count})
		shape = append(shape, a.rows*p.Stride[i])
		cut = append(cut, Range{Axis: 2 + i, Start: a.moved, Stop: a.moved + p.Full[i]})
	}
	return Slice(Reshape(dx, shape...), cut...)
}

// depthwiseImage takes for each element from the positions whose windows cover it.
func (p convPlan) depthwiseImage(dy, w *Node) *Node {
	n := len(p.Full)
	a := windowAttr{full: slices.Clone(dy.shape)}
	for i := range n {
		a.full[2+i] = p.reach(i, dy.shape[2+i], w.shape[2+i])
		a.Windows = append(a.Windows, p.window(i, w.shape))
	}
	covering := apply("unwindow", a, Mul(ExpandDims(widen(dy), ir.Range(2+n, 2+2*n)...), p.perTap(w)))
	var paddings []Padding
	var cut []Range
	for i := range n {
		paddings = append(paddings, Padding{2 + i, 0, max(p.Before[i]+p.Full[i]-a.full[2+i], 0)})
		cut = append(cut, Range{Axis: 2 + i, Start: p.Before[i], Stop: p.Before[i] + p.Full[i]})
	}
	inside := Slice(Pad(covering, 0, paddings...), cut...)
	return Cast(Sum(inside, ir.Range(2+n, 2+2*n)...), dy.dtype)
}

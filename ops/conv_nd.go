package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// PadMode says who chooses the padding of a convolution.
type PadMode string

// The modes of padding. With strides, "same" makes the result as long as the image divided by the
// stride, rounded up; an odd element of padding comes after the image, with PadSameLower before it.
const (
	PadExplicit  PadMode = ""           // the options Pad and PadAfter
	PadSame      PadMode = "same"       // ONNX: SAME_UPPER
	PadSameLower PadMode = "same_lower" // ONNX: SAME_LOWER
	PadValid     PadMode = "valid"      // none
)

// ConvOptions say how the kernels of [Conv] and [ConvTranspose] move. Lists have one number for each spatial axis, or one
// for all of them; the zero value is stride 1, no padding, no dilation, one group.
type ConvOptions struct {
	Stride   []int   `default:"" doc:"from one position to the next; empty: 1"`
	Pad      []int   `default:"" doc:"zeros before each spatial axis, and after it where pad_after is empty"`
	PadAfter []int   `default:"" doc:"zeros after each spatial axis"`
	Mode     PadMode `default:"" doc:"who chooses the padding: same, same_lower, valid; empty: pad and pad_after"`
	Dilation []int   `default:"" doc:"from one tap to the next; empty: 1"`
	Groups   int     `default:"1" doc:"0 means 1; as many as channels is a depthwise convolution"`
}

// Conv returns the cross-correlation of x with the kernels w along one, two or three spatial axes, as many as w has behind
// its first two, plus a bias for each channel of the result:
//
//	y[n, o, i] = bias[o] + Σ_{c,u} x[n, g·C/G + c, i·s + u·d - p] · w[o, c, u]
//
// where i and u stand for all spatial axes. x is [N, C, ...], w is [O, C/G, ...], bias is [O] or nil, y is [N, O, ...] with
// extents ⌊(H + p + p' - d(U-1) - 1) / s⌋ + 1 for a padding of p before and p' after. Otherwise as [Conv2D], which it is in two
// dimensions. o may be nil. Errors: as there; lists of options that are not of one number or one for each spatial axis.
// Source: ONNX, operator Conv; Dumoulin and Visin, A guide to convolution arithmetic for deep learning (2016).
func Conv(x, w, bias *Node, o *ConvOptions) *Node {
	return apply("conv", valueOf(o), given([]*Node{x, w}, bias)...)
}

// valueOf is the value that p points to, or the zero value if p is nil.
func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

var _ = define(Op{
	Name: "conv", Category: "convolution", Attributes: AttributesOf[ConvOptions](),
	Operands: []Operand{{Name: "x"}, {Name: "w"}, {Name: "bias", Optional: true}}, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		p, err := c.Attr.(ConvOptions).plan(c.shape(0), c.shape(1))
		if err != nil {
			return nil, 0, err
		}
		shape := slices.Concat([]int{c.shape(0)[0], c.shape(1)[0]}, p.positions(c.shape(0)[2:], c.shape(1)[2:]))
		return shape, c.dt(0), biasFits(c, shape[1])
	},
	Compose: func(c *Call) *Node {
		x, w := c.In[0], c.In[1]
		p, err := c.Attr.(ConvOptions).plan(x.shape, w.shape)
		if err != nil {
			return x.graph.fail("conv", c.In, err)
		}
		return withBias(c, p.conv(x, w))
	},
})

// biasFits checks operand 2, if there is one.
func biasFits(c *Call, channels int) error {
	if len(c.In) > 2 && !slices.Equal(c.shape(2), []int{channels}) {
		return fmt.Errorf("the bias is %v, not one value for each of %d channels", c.shape(2), channels)
	}
	return nil
}

// withBias is y plus operand 2, if there is one.
func withBias(c *Call, y *Node) *Node {
	if len(c.In) < 3 {
		return y
	}
	return Cast(Add(widen(y), alongChannelsOf(widen(c.In[2]), y.Rank())), c.dt(0))
}

// alongChannelsOf is x, [C], in the shape that lies along axis 1 of a tensor of that rank.
func alongChannelsOf(x *Node, rank int) *Node {
	shape := slices.Repeat([]int{1}, rank-1)
	shape[0] = x.Size()
	return Reshape(x, shape...)
}

// perAxisOf is a list of options for n axes, filled up with v.
func perAxisOf(name string, list []int, n, v, least int) ([]int, error) {
	switch len(list) {
	case 0:
		list = slices.Repeat([]int{v}, n)
	case 1:
		list = slices.Repeat(list, n)
	case n:
		list = slices.Clone(list)
	default:
		return nil, fmt.Errorf("%s is %v, not one number or one for each of %d axes", name, list, n)
	}
	for i := range list {
		if list[i] == 0 && least == 1 {
			list[i] = v
		}
		if list[i] < least {
			return nil, fmt.Errorf("%s is %v: %d is too small", name, list, list[i])
		}
	}
	return list, nil
}

// convPlan is a fully specified convolution: the attributes of the ops that convolutions are composed of.
type convPlan struct {
	Stride, Before, After, Dilation []int
	Groups                          int
	// Full are the extents of the image that a transposed convolution makes.
	Full []int
}

// options are the lists of o for n spatial axes.
func (o ConvOptions) options(n int) (p convPlan, err error) {
	fill := func(name string, list []int, v, least int) []int {
		if err == nil {
			list, err = perAxisOf(name, list, n, v, least)
		}
		return list
	}
	p = convPlan{Stride: fill("stride", o.Stride, 1, 1), Before: fill("pad", o.Pad, 0, 0), Dilation: fill("dilation", o.Dilation, 1, 1),
		Groups: orOne(o.Groups)}
	if p.After = slices.Clone(p.Before); len(o.PadAfter) > 0 {
		p.After = fill("pad_after", o.PadAfter, 0, 0)
	}
	switch {
	case err != nil:
	case p.Groups < 1:
		err = fmt.Errorf("groups are %d", o.Groups)
	case !slices.Contains([]PadMode{PadExplicit, PadSame, PadSameLower, PadValid}, o.Mode):
		err = fmt.Errorf("padding mode %q is none of same, same_lower and valid", o.Mode)
	case o.Mode != PadExplicit && len(o.Pad)+len(o.PadAfter) > 0:
		err = fmt.Errorf("padding mode %q and padding %v %v exclude each other", o.Mode, o.Pad, o.PadAfter)
	}
	return p, err
}

// share divides a padding of total elements on axis i.
func (p convPlan) share(mode PadMode, i, total int) {
	p.Before[i] = total / 2
	if mode == PadSameLower {
		p.Before[i] = total - total/2
	}
	p.After[i] = total - p.Before[i]
}

// kernelFits checks the ranks of an image and kernels.
func kernelFits(x, w []int) error {
	if n := len(w) - 2; n < 1 || n > 3 || len(x) != n+2 {
		return fmt.Errorf("needs x [N C ...] and w [O C/groups ...] of one to three spatial axes, not %v and %v", x, w)
	}
	if slices.Min(w[2:]) < 1 {
		return fmt.Errorf("kernel %v is empty", w)
	}
	return nil
}

// plan is the convolution of images of shape x with kernels of shape w.
func (o ConvOptions) plan(x, w []int) (convPlan, error) {
	if err := kernelFits(x, w); err != nil {
		return convPlan{}, err
	}
	p, err := o.options(len(x) - 2)
	switch {
	case err != nil:
		return p, err
	case x[1]%p.Groups != 0 || x[1]/p.Groups != w[1] || w[0]%p.Groups != 0:
		return p, fmt.Errorf("%d channels in %d groups do not fit x %v and w %v", x[1], p.Groups, x, w)
	}
	for i, n := range x[2:] {
		if o.Mode == PadSame || o.Mode == PadSameLower {
			out := ceilDiv(n, p.Stride[i])
			p.share(o.Mode, i, max((out-1)*p.Stride[i]+p.Dilation[i]*(w[2+i]-1)+1-n, 0))
		}
		if p.window(i, w).count(plus(n, p.Before[i], p.After[i])) < 1 {
			return p, fmt.Errorf("kernel %v with dilation %v is larger than image %v with padding %v and %v", w, p.Dilation, x, p.Before, p.After)
		}
	}
	return p, nil
}

// window is how the kernels slide over spatial axis i of an [N, C, ...] image.
func (p convPlan) window(i int, w []int) Window {
	return Window{Axis: 2 + i, Size: w[2+i], Stride: p.Stride[i], Dilation: p.Dilation[i]}
}

// positions are the spatial extents of the result for those of an image and of kernels.
func (p convPlan) positions(x, w []int) []int {
	out := make([]int, len(x))
	for i := range x {
		out[i] = Window{Size: w[i], Stride: p.Stride[i], Dilation: p.Dilation[i]}.count(plus(x[i], p.Before[i], p.After[i]))
	}
	return out
}

// lifted is p in two dimensions, of which the first has extent 1, for one dimension.
func (p convPlan) lifted() convPlan {
	one := func(list []int, v int) []int { return append([]int{v}, list...) }
	l := convPlan{Stride: one(p.Stride, 1), Before: one(p.Before, 0), After: one(p.After, 0), Dilation: one(p.Dilation, 1), Groups: p.Groups}
	if p.Full != nil {
		l.Full = one(p.Full, 1)
	}
	return l
}

// flat is p as options of a convolution in two dimensions, with the padding before the image.
func (p convPlan) flat() Conv2DOptions {
	return Conv2DOptions{Stride: [2]int(p.Stride), Pad: [2]int(p.Before), Dilation: [2]int(p.Dilation), Groups: p.Groups}
}

// conv is the convolution of x with w.
func (p convPlan) conv(x, w *Node) *Node {
	switch n := x.Rank() - 2; {
	case n == 1:
		return Squeeze(p.lifted().conv(ExpandDims(x, 2), ExpandDims(w, 2)), 2)
	case n == 2 && slices.Equal(p.Before, p.After):
		return Conv2D(x, w, p.flat())
	case n == 2:
		o := p.flat()
		if x = Pad(x, 0, p.padding()...); o.depthwise(w.shape) {
			x = apply("materialize", ir.MaterializeAttr{Edge: true}, x)
		} else {
			x = materialize(x, layoutOf(w.shape[1], w.shape[0]/o.Groups)...)
		}
		o.Pad = [2]int{}
		return Conv2D(x, w, o)
	case p.depthwise(w.shape):
		return p.depthwiseSum(x, w)
	default:
		return apply("conv_volume", p, x, w)
	}
}

func (p convPlan) padding() []Padding {
	var out []Padding
	for i := range p.Before {
		if p.Before[i]+p.After[i] > 0 {
			out = append(out, Padding{2 + i, p.Before[i], p.After[i]})
		}
	}
	return out
}

package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Conv2DOptions says how a kernel moves over an image: [2]int is {vertical,
// horizontal}. The zero value is stride 1, no padding, no dilation, one group.
type Conv2DOptions struct {
	Stride   [2]int `default:"[1, 1]" doc:"0 means 1"`
	Pad      [2]int `default:"[0, 0]" doc:"zeros before and after"`
	Dilation [2]int `default:"[1, 1]" doc:"0 means 1"`
	Groups   int    `default:"1" doc:"0 means 1; as many as channels is a depthwise convolution"`
}

func (o Conv2DOptions) normal() Conv2DOptions {
	for i := range 2 {
		o.Stride[i], o.Dilation[i] = orOne(o.Stride[i]), orOne(o.Dilation[i])
	}
	o.Groups = orOne(o.Groups)
	return o
}

func orOne(n int) int {
	if n == 0 {
		return 1
	}
	return n
}

// Conv2D returns the two-dimensional cross-correlation of the images x with
// the kernels w, which neural networks call a convolution:
//
//	y[n, o, i, j] = Σ_{c,u,v} x[n, g·C/G + c, i·s₀ + u·d₀ - p₀, j·s₁ + v·d₁ - p₁] · w[o, c, u, v]
//
// x is [N, C, H, W], w is [O, C/G, U, V] and y is [N, O, H', W'] with
// H' = ⌊(H + 2p₀ - d₀(U-1) - 1) / s₀⌋ + 1, W' alike; g is the group of o.
// Positions outside x count as 0, of which a weight that is infinite or NaN makes NaN, in derivatives too; PyTorch leaves them out.
// x and w are floats of one dtype; floats of
// 16 bits are summed in float32. Sums, also those of the gradients over images and
// positions, keep to the larger bound of [MatMul], but for the errors that transforms of 3 x 3 windows add.
// Errors: ranks or dtypes; channels and groups that do not fit; a negative option;
// a kernel larger than the padded image.
// Source: Dumoulin and Visin, A guide to convolution arithmetic for deep
// learning (2016).
func Conv2D(x, w *Node, o Conv2DOptions) *Node { return apply("conv2d", o, x, w) }

var _ = define(Op{
	Name: "conv2d", Category: "convolution",
	Attributes: AttributesOf[Conv2DOptions](), Complete: func(c *Call) error { c.Attr = c.Attr.(Conv2DOptions).normal(); return nil },
	Operands: []Operand{{Name: "x"}, {Name: "w"}}, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape, err := c.Attr.(Conv2DOptions).shape(c.shape(0), c.shape(1))
		return shape, c.dt(0), err
	},
	Compose: func(c *Call) *Node { return c.Attr.(Conv2DOptions).sum(c.In[0], c.In[1]) },
	Grad: func(b *Back) {
		x, w, o := b.In(0), b.In(1), b.Attr().(Conv2DOptions)
		if o.depthwise(w.shape) {
			o.depthwiseGrad(b)
			return
		}
		dy := o.split(b.Grad()) // [N, G, O/G, H', W']
		if b.Wants(1) {
			dw := apply("contract", ir.ContractAttr{
				ABatch: []int{1}, AM: []int{2, 5, 6}, AK: []int{0, 3, 4},
				BBatch: []int{1}, BN: []int{2}, BK: []int{0, 3, 4},
			}, o.images(x, w.shape), dy) // [G, C/G, U, V, O/G]
			b.Add(1, Reshape(Transpose(dw, 0, 4, 1, 2, 3), w.shape...))
		}
		if b.Wants(0) {
			if o.Stride != [2]int{1, 1} && o.Dilation == [2]int{1, 1} {
				b.Add(0, o.phaseGrad(dy, w, x.shape))
			} else {
				b.Add(0, o.spreadGrad(dy, w, x.shape))
			}
		}
	},
})

// shape returns the shape of the convolution of images of shape x with kernels of shape w.
func (o Conv2DOptions) shape(x, w []int) ([]int, error) {
	switch {
	case len(x) != 4 || len(w) != 4:
		return nil, fmt.Errorf("needs x [N C H W] and w [O C/groups U V], not %v and %v", x, w)
	case min(o.Stride[0], o.Stride[1], o.Dilation[0], o.Dilation[1], o.Groups) < 1:
		return nil, fmt.Errorf("stride %v, dilation %v or groups %d is negative", o.Stride, o.Dilation, o.Groups)
	case x[1]%o.Groups != 0 || x[1]/o.Groups != w[1] || w[0]%o.Groups != 0:
		return nil, fmt.Errorf("%d channels in %d groups do not fit x %v and w %v", x[1], o.Groups, x, w)
	case min(o.Pad[0], o.Pad[1]) < 0 || w[2] < 1 || w[3] < 1:
		return nil, fmt.Errorf("padding %v or kernel %v is out of range", o.Pad, w)
	}
	h, v := o.window(0, w).count(plus(x[2], o.Pad[0], o.Pad[0])), o.window(1, w).count(plus(x[3], o.Pad[1], o.Pad[1]))
	if h < 1 || v < 1 {
		return nil, fmt.Errorf("kernel %v with dilation %v is larger than image %v with padding %v", w, o.Dilation, x, o.Pad)
	}
	return []int{x[0], w[0], h, v}, nil
}

// sum is the convolution itself: an implicit matrix product. The rows are the
// windows of the padded image, which exist only as addresses, the columns the kernels.
func (o Conv2DOptions) sum(x, w *Node) *Node {
	if o.depthwise(w.shape) {
		return o.depthwiseSum(x, w)
	}
	if o.Groups > 1 && w.shape[2] == 1 && w.shape[3] == 1 && o.Pad == [2]int{} {
		return o.pointwiseSum(x, w)
	}
	y := apply("contract", ir.ContractAttr{
		ABatch: []int{1}, AM: []int{0, 3, 4}, AK: []int{2, 5, 6},
		BBatch: []int{0}, BN: []int{1}, BK: []int{2, 3, 4},
	}, o.images(x, w.shape), o.kernels(w)) // [G, N, H', W', O/G]
	y = Transpose(y, 1, 0, 4, 2, 3)
	return Reshape(y, x.shape[0], w.shape[0], y.shape[3], y.shape[4])
}

// pointwiseSum is the convolution of groups with kernels of one pixel. Each channel of its result is a plane in memory: networks
// read such results with the channels of all groups shuffled, after which planes are still planes, and neighbouring channels are no
// longer neighbours.
func (o Conv2DOptions) pointwiseSum(x, w *Node) *Node {
	y := apply("contract", ir.ContractAttr{
		ABatch: []int{0}, AM: []int{1}, AK: []int{2, 3, 4},
		BBatch: []int{1}, BN: []int{0, 3, 4}, BK: []int{2, 5, 6},
	}, o.kernels(w), o.images(x, w.shape)) // [G, O/G, N, H', W']
	y = Transpose(y, 2, 0, 1, 3, 4)
	return Reshape(y, x.shape[0], w.shape[0], y.shape[3], y.shape[4])
}

// window is how the kernels slide over spatial axis i of an [N, C, H, W] image.
func (o Conv2DOptions) window(i int, w []int) Window {
	return Window{Axis: 2 + i, Size: w[2+i], Stride: o.Stride[i], Dilation: o.Dilation[i]}
}

// images is x as windows [N, G, C/G, H', W', U, V]. A padded image is made once
// instead of being checked for its edge at every tap.
func (o Conv2DOptions) images(x *Node, w []int) *Node {
	if o.Pad != [2]int{} {
		x = materialize(Pad(x, 0, o.padding()...), layoutOf(w[1], w[0]/o.Groups)...)
	}
	return o.split(Windows(x, o.window(0, w), o.window(1, w)))
}

// fewChannels is up to how many channels, of a group, images keep their pixels
// side by side: a run of so few channels fills no vector.
const fewChannels = 8

// fewSums of a pixel fill no vector.
const fewSums = 15

// inPlanes reports whether images with the given number of channels a group, each window of which becomes the given number of sums, are
// computed along lines of pixels.
func inPlanes(channels, sums int) bool { return channels <= fewChannels || sums <= fewSums }

// layoutOf is the order of the axes of padded images, with the given number of channels a group, each window of which becomes
// outputs numbers.
func layoutOf(channels, outputs int) []int {
	if inPlanes(channels, outputs) {
		return []int{0, 1, 2, 3}
	}
	return []int{0, 2, 3, 1}
}

func (o Conv2DOptions) padding() []Padding {
	return []Padding{{2, o.Pad[0], o.Pad[0]}, {3, o.Pad[1], o.Pad[1]}}
}

// split takes the groups out of the channel axis of x.
func (o Conv2DOptions) split(x *Node) *Node {
	s := x.shape
	return Reshape(x, slices.Concat([]int{s[0], o.Groups, s[1] / o.Groups}, s[2:])...)
}

// kernels is w as [G, O/G, C/G, U, V].
func (o Conv2DOptions) kernels(w *Node) *Node {
	s := w.shape
	return Reshape(w, o.Groups, s[0]/o.Groups, s[1], s[2], s[3])
}

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
	inside := Slice(covering, Range{Axis: 2, Start: o.Pad[0], Stop: o.Pad[0] + x.shape[2]},
		Range{Axis: 3, Start: o.Pad[1], Stop: o.Pad[1] + x.shape[3]})
	b.Add(0, Cast(Sum(inside, 4, 5), x.dtype))
}

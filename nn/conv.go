package nn

import (
	"slices"

	"github.com/anycl/anycl/ops"
)

// Conv is a convolution along one, two or three spatial axes, as many as Kernel has:
//
//	y[n, o, i] = bias[o] + Σ_{c,u} x[n, c, i·stride + u·dilation - pad] · weight[o, c, u]
//
// x is [N, In, ...], y is [N, Out, ...]. The lists have one number for each spatial axis, or one for all; see [ops.Conv].
// Parameters: weight [Out, In/Groups, kernel...], bias [Out], both drawn from ±1/√(In/Groups · kernel), as in PyTorch.
type Conv struct {
	In, Out    int
	Kernel     []int
	Stride     []int // empty: 1
	Pad        []int // empty: none
	PadAfter   []int // empty: as Pad
	Dilation   []int // empty: 1
	Groups     int   // 0: 1
	Mode       ops.PadMode
	PadWith    string // pads with x's own elements, see [ops.PadWith]: "reflect", "edge" or "wrap"; empty: zeros
	NoBias     bool
	WeightInit Init
	BiasInit   Init

	Weight, Bias *ops.Node // made by New
}

// Conv1D, Conv2D and Conv3D are convolutions with a kernel of one size along every axis, and otherwise of PyTorch's defaults.
func Conv1D(in, out, kernel int) *Conv { return &Conv{In: in, Out: out, Kernel: []int{kernel}} }

// Conv2D is as Conv1D, along two axes.
func Conv2D(in, out, kernel int) *Conv { return &Conv{In: in, Out: out, Kernel: []int{kernel, kernel}} }

// Conv3D is as Conv1D, along three axes.
func Conv3D(in, out, kernel int) *Conv {
	return &Conv{In: in, Out: out, Kernel: []int{kernel, kernel, kernel}}
}

// Build declares weight and bias.
func (l *Conv) Build(s *Scope) {
	l.Weight, l.Bias = nil, nil
	groups := max(l.Groups, 1)
	if !kernelFits(s, l.Kernel, l.In, l.Out, groups) {
		return
	}
	l.Weight, l.Bias = weights(s, append([]int{l.Out, l.In / groups}, l.Kernel...), l.Out, l.WeightInit, l.BiasInit, l.NoBias)
}

// kernelFits checks the sizes that all convolutions have.
func kernelFits(s *Scope, kernel []int, in, out, groups int) bool {
	switch {
	case len(kernel) < 1 || len(kernel) > 3:
		s.Fail("a convolution has one to three spatial axes; the kernel is %v", kernel)
	case in%groups != 0 || out%groups != 0:
		s.Fail("%d groups do not divide %d and %d channels", groups, in, out)
	default:
		return true
	}
	return false
}

// weights are a weight of that shape and a bias, with PyTorch's defaults.
func weights(s *Scope, shape []int, out int, weightInit, biasInit Init, noBias bool) (w, b *ops.Node) {
	in, _ := fans(shape)
	d := fanUniform(in)
	w = s.Param("weight", orInit(weightInit, d), shape...)
	if !noBias {
		b = s.Param("bias", orInit(biasInit, d), out)
	}
	return w, b
}

// Apply is the convolution of x.
func (l *Conv) Apply(p *Pass, x *ops.Node) *ops.Node {
	if l.Weight == nil {
		return p.fail("conv", errNotBuilt, x)
	}
	o := ops.ConvOptions{Stride: l.Stride, Pad: l.Pad, PadAfter: l.PadAfter, Mode: l.Mode, Dilation: l.Dilation, Groups: l.Groups}
	x = p.Compute(x)
	if l.PadWith != "" {
		n := len(l.Kernel)
		after := l.PadAfter
		if len(after) == 0 {
			after = l.Pad
		}
		var around []ops.Padding
		for i := range n {
			around = append(around, ops.Padding{Axis: x.Rank() - n + i, Before: along(l.Pad, i), After: along(after, i)})
		}
		x = ops.PadWith(x, l.PadWith, around...)
		o.Pad, o.PadAfter = nil, nil
	}
	return p.did(l, ops.Conv(x, p.Compute(l.Weight), p.Compute(l.Bias), &o))
}

// along is the value of a list for spatial axis i.
func along(list []int, i int) int {
	switch {
	case len(list) == 1:
		return list[0]
	case i < len(list):
		return list[i]
	}
	return 0
}

// ConvTranspose is the transpose of a convolution, which makes images larger; see [ops.ConvTranspose].
// x is [N, In, ...], y is [N, Out, ...]. Parameters: weight [In, Out/Groups, kernel...], bias [Out], both drawn from ±1/√(Out/Groups ·
// kernel), as in PyTorch.
type ConvTranspose struct {
	In, Out    int
	Kernel     []int
	Stride     []int // empty: 1
	Pad        []int // elements that are cut off the result; empty: none
	OutputPad  []int // elements that are added after each spatial axis of the result; empty: none
	Dilation   []int // empty: 1
	Groups     int   // 0: 1
	NoBias     bool
	WeightInit Init
	BiasInit   Init

	Weight, Bias *ops.Node // made by New
}

// Build declares weight and bias.
func (l *ConvTranspose) Build(s *Scope) {
	l.Weight, l.Bias = nil, nil
	groups := max(l.Groups, 1)
	if !kernelFits(s, l.Kernel, l.In, l.Out, groups) {
		return
	}
	l.Weight, l.Bias = weights(s, append([]int{l.In, l.Out / groups}, l.Kernel...), l.Out, l.WeightInit, l.BiasInit, l.NoBias)
}

// Apply is the transposed convolution of x.
func (l *ConvTranspose) Apply(p *Pass, x *ops.Node) *ops.Node {
	if l.Weight == nil {
		return p.fail("conv_transpose", errNotBuilt, x)
	}
	return p.did(l, ops.ConvTranspose(p.Compute(x), p.Compute(l.Weight), p.Compute(l.Bias), &ops.ConvTransposeOptions{
		ConvOptions: ops.ConvOptions{Stride: l.Stride, Pad: l.Pad, Dilation: l.Dilation, Groups: l.Groups},
		OutputPad:   slices.Clone(l.OutputPad),
	}))
}

// Package neural has the specs of ops of neural networks: convolution, pooling, normalisation, attention, losses,
// recurrent layers, resampling, quantisation.
package neural

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// Convolution and pooling of images.

func init() {
	spec.Register("conv2d", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return conv2d(c.In[0], c.In[1], reference.Attr[ops.Conv2DOptions](c)) },
		Tolerance: spec.Summed(spec.AnySum + " of products"),
		Samples: []spec.Sample{
			convCase("1x1", []int{2, 3, 5, 7}, []int{4, 3, 1, 1}, ops.Conv2DOptions{}),
			convCase("3x3", []int{2, 3, 8, 9}, []int{5, 3, 3, 3}, ops.Conv2DOptions{}),
			convCase("padded", []int{1, 2, 6, 5}, []int{3, 2, 3, 3}, ops.Conv2DOptions{Pad: [2]int{1, 1}}),
			convCase("stride", []int{1, 3, 11, 10}, []int{4, 3, 3, 3}, ops.Conv2DOptions{Stride: [2]int{2, 3}, Pad: [2]int{1, 0}}),
			convCase("stride beyond the kernel", []int{2, 3, 9, 8}, []int{4, 3, 1, 2}, ops.Conv2DOptions{Stride: [2]int{2, 3}}),
			convCase("stride and groups", []int{1, 4, 12, 9}, []int{6, 2, 5, 3},
				ops.Conv2DOptions{Stride: [2]int{2, 2}, Pad: [2]int{3, 1}, Groups: 2}),
			convCase("even kernel, stride", []int{1, 2, 9, 10}, []int{3, 2, 4, 2}, ops.Conv2DOptions{Stride: [2]int{2, 2}, Pad: [2]int{1, 1}}),
			convCase("dilated stride", []int{1, 2, 11, 9}, []int{3, 2, 3, 2}, ops.Conv2DOptions{Stride: [2]int{2, 1}, Dilation: [2]int{2, 3}}),
			convCase("dilated", []int{1, 9, 9, 9}, []int{2, 9, 3, 2}, ops.Conv2DOptions{Dilation: [2]int{2, 3}, Pad: [2]int{2, 1}}),
			convCase("groups", []int{2, 6, 5, 5}, []int{4, 3, 3, 3}, ops.Conv2DOptions{Groups: 2, Pad: [2]int{1, 1}}),
			convCase("small groups", []int{2, 6, 5, 9}, []int{4, 3, 3, 3}, ops.Conv2DOptions{Groups: 2, Pad: [2]int{1, 1}}),
			convCase("small groups stride", []int{1, 8, 7, 35}, []int{8, 4, 3, 2},
				ops.Conv2DOptions{Groups: 2, Stride: [2]int{1, 2}, Pad: [2]int{2, 1}}),
			convCase("depthwise", []int{1, 5, 6, 6}, []int{5, 1, 3, 3}, ops.Conv2DOptions{Groups: 5, Stride: [2]int{2, 2}, Pad: [2]int{1, 1}}),
			convCase("depthwise stride", []int{2, 9, 8, 9}, []int{9, 1, 2, 2}, ops.Conv2DOptions{Groups: 9, Stride: [2]int{1, 2}}),
			convCase("depthwise dilated stride", []int{1, 2, 9, 20}, []int{2, 1, 3, 3},
				ops.Conv2DOptions{Groups: 2, Stride: [2]int{2, 3}, Dilation: [2]int{1, 2}, Pad: [2]int{1, 2}}),
			convCase("depthwise dilated", []int{2, 9, 8, 7}, []int{9, 1, 3, 2},
				ops.Conv2DOptions{Groups: 9, Dilation: [2]int{2, 1}, Pad: [2]int{2, 0}}),
			convCase("one channel", []int{3, 1, 9, 7}, []int{8, 1, 5, 3}, ops.Conv2DOptions{Pad: [2]int{2, 2}}),
			convCase("channels", []int{2, 16, 9, 6}, []int{17, 16, 3, 3}, ops.Conv2DOptions{Pad: [2]int{1, 1}}),
			convCase("no images", []int{0, 2, 4, 4}, []int{3, 2, 3, 3}, ops.Conv2DOptions{}),
		},
	})
	spec.Register("max_pool2d", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, o := c.In[0], poolOptions(c)
			y := spec.NewArray(x.DType, poolShape(x.Shape, o)...)
			seen := make([]bool, y.Len())
			overPool(x.Shape, y.Shape, o, func(p, q int) {
				if !seen[p] || reference.Beats(x, q, y, p, false) {
					reference.CopyElement(y, p, x, q)
					seen[p] = true
				}
			})
			return reference.Exactly(y)
		},
		Tolerance: spec.Exact,
		Samples:   poolCases(ops.MaxPool2D),
	})
	spec.Register("avg_pool2d", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, o := c.In[0], poolOptions(c)
			y := spec.NewArray(x.DType, poolShape(x.Shape, o)...)
			terms, n := make([]float64, y.Len()), make([]float64, y.Len())
			overPool(x.Shape, y.Shape, o, func(p, q int) {
				y.F[p] += x.F[q]
				terms[p] += math.Abs(x.F[q])
				n[p]++
			})
			taps := float64(o.Size[0] * o.Size[1])
			for p := range y.F {
				if o.CountPad {
					n[p] = taps
				}
				y.F[p] /= n[p]
				terms[p] /= n[p]
			}
			return spec.Result{Array: y, Terms: terms, N: taps + 2}
		},
		Tolerance: spec.Tolerance{ULP: 3, ULP64: 1, Terms: 1, Stored: 1, Source: spec.Composition},
		Samples: append(poolCases(ops.AvgPool2D),
			poolCase("blocks", ops.AvgPool2D, []int{2, 1, 8, 10}, ops.PoolOptions{Size: [2]int{4, 5}}),
			poolCase("count padding", ops.AvgPool2D, []int{1, 2, 5, 5},
				ops.PoolOptions{Size: [2]int{3, 3}, Stride: [2]int{2, 2}, Pad: [2]int{1, 1}, CountPad: true})),
	})
}

// conv2d is the cross-correlation of an NCHW image with an OIHW filter.
func conv2d(x, w spec.Array, o ops.Conv2DOptions) spec.Result {
	stride, dilation, groups := orOnes(o.Stride), orOnes(o.Dilation), max(o.Groups, 1)
	in, out := x.Shape[1]/groups, w.Shape[0]/groups // channels of a group
	var size [2]int
	for i := range size {
		size[i] = positionsOf(x.Shape[2+i]+2*o.Pad[i], dilation[i]*(w.Shape[2+i]-1)+1, stride[i])
	}
	s := reference.NewSum(x.DType, []int{x.Shape[0], w.Shape[0], size[0], size[1]})
	for p, at := range reference.Coordinates(s.Y.Shape) {
		for ic := range in {
			for kh := range w.Shape[2] {
				for kw := range w.Shape[3] {
					h := at[2]*stride[0] + kh*dilation[0] - o.Pad[0]
					v := at[3]*stride[1] + kw*dilation[1] - o.Pad[1]
					if h < 0 || h >= x.Shape[2] || v < 0 || v >= x.Shape[3] {
						continue
					}
					s.Add(p,
						x, reference.Position(x.Shape, []int{at[0], at[1]/out*in + ic, h, v}),
						w, reference.Position(w.Shape, []int{at[1], ic, kh, kw}))
				}
			}
		}
	}
	return spec.Result{Array: s.Y, Terms: s.Terms, N: float64(in * w.Shape[2] * w.Shape[3])}
}

// positionsOf counts the places of a window of some span on n elements.
func positionsOf(n, span, stride int) int {
	if n < span {
		return 0
	}
	return (n-span)/stride + 1
}

func orOnes(v [2]int) [2]int { return [2]int{max(v[0], 1), max(v[1], 1)} }

// poolStride is the step of a pool: its size, if nothing else is said.
func poolStride(o ops.PoolOptions) [2]int {
	for i, s := range o.Stride {
		if s == 0 {
			o.Stride[i] = o.Size[i]
		}
	}
	return o.Stride
}

func poolShape(x []int, o ops.PoolOptions) []int {
	y, stride := slices.Clone(x), poolStride(o)
	for i := range 2 {
		y[2+i] = positionsOf(x[2+i]+2*o.Pad[i], o.Size[i], stride[i])
	}
	return y
}

// overPool visits every element q of x that lies under the window of element p
// of y.
func overPool(x, y []int, o ops.PoolOptions, visit func(p, q int)) {
	stride := poolStride(o)
	for p, at := range reference.Coordinates(y) {
		for kh := range o.Size[0] {
			for kw := range o.Size[1] {
				h, v := at[2]*stride[0]+kh-o.Pad[0], at[3]*stride[1]+kw-o.Pad[1]
				if h >= 0 && h < x[2] && v >= 0 && v < x[3] {
					visit(p, reference.Position(x, []int{at[0], at[1], h, v}))
				}
			}
		}
	}
}

func convCase(label string, x, w []int, o ops.Conv2DOptions) spec.Sample {
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: x}, {Shape: w}}, Attr: o,
		Build: func(in []*ops.Node) *ops.Node { return ops.Conv2D(in[0], in[1], o) },
	}
}

// poolOptions returns the options of a case with all strides: one that is left out is the size of the window.
func poolOptions(c spec.Case) ops.PoolOptions {
	o := reference.Attr[ops.PoolOptions](c)
	for i, s := range o.Stride {
		if s == 0 {
			o.Stride[i] = o.Size[i]
		}
	}
	return o
}

func poolCases(call func(x *ops.Node, o ops.PoolOptions) *ops.Node) []spec.Sample {
	return []spec.Sample{
		poolCase("2x2", call, []int{2, 3, 6, 8}, ops.PoolOptions{Size: [2]int{2, 2}}),
		poolCase("overlapping", call, []int{1, 2, 7, 9}, ops.PoolOptions{Size: [2]int{3, 3}, Stride: [2]int{2, 2}}),
		poolCase("padded", call, []int{1, 2, 5, 6}, ops.PoolOptions{Size: [2]int{3, 2}, Stride: [2]int{1, 2}, Pad: [2]int{1, 1}}),
		poolCase("rest cut off", call, []int{1, 1, 5, 7}, ops.PoolOptions{Size: [2]int{2, 3}}),
		poolCase("gaps", call, []int{2, 1, 8, 9}, ops.PoolOptions{Size: [2]int{2, 1}, Stride: [2]int{3, 4}, Pad: [2]int{1, 0}}),
		poolCase("tiles with an edge", call, []int{1, 2, 6, 7}, ops.PoolOptions{Size: [2]int{3, 2}, Pad: [2]int{2, 1}}),
		poolCase("many at each place", call, []int{1, 2, 9, 8}, ops.PoolOptions{Size: [2]int{5, 4}, Stride: [2]int{1, 3}, Pad: [2]int{2, 1}}),
		poolCase("whole image", call, []int{3, 2, 4, 5}, ops.PoolOptions{Size: [2]int{4, 5}}),
		poolCase("far apart", call, []int{1, 2, 11, 14}, ops.PoolOptions{Size: [2]int{7, 4}, Stride: [2]int{6, 5}, Pad: [2]int{1, 0}}),
		poolCase("long lines", call, []int{1, 2, 5, 64}, ops.PoolOptions{Size: [2]int{3, 3}, Stride: [2]int{2, 2}}),
	}
}

func poolCase(label string, call func(x *ops.Node, o ops.PoolOptions) *ops.Node, shape []int, o ops.PoolOptions) spec.Sample {
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: shape, Distinct: true}}, Attr: o,
		Build: func(in []*ops.Node) *ops.Node { return call(in[0], o) },
	}
}

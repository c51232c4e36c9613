package benches_test

import (
	"math"
	"testing"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// Ops of neural networks beside what a user would compose without them.
func BenchmarkNeuralBesideCompositions(b *testing.B) {
	type pair struct {
		name       string
		in         [][]int
		op, others func(in []*Node) *Node
	}
	same := func(rank int) *ConvOptions { return &ConvOptions{Pad: []int{1}} }
	for _, p := range []pair{
		{"conv1d", [][]int{{8, 64, 1024}, {64, 64, 3}}, func(in []*Node) *Node { return Conv(in[0], in[1], nil, same(1)) },
			func(in []*Node) *Node { // a product for each tap
				x := Pad(in[0], 0, Padding{Axis: 2, Before: 1, After: 1})
				var y *Node
				for k := range 3 {
					t := MatMul(Squeeze(Slice(in[1], Range{Axis: 2, Start: k, Stop: k + 1}), 2), Slice(x, Range{Axis: 2, Start: k, Stop: k + 1024}))
					if y == nil {
						y = t
					} else {
						y = Add(y, t)
					}
				}
				return y
			}},
		{"conv3d", [][]int{{2, 32, 16, 24, 24}, {32, 32, 3, 3, 3}}, func(in []*Node) *Node { return Conv(in[0], in[1], nil, same(3)) },
			func(in []*Node) *Node { // a convolution in two dimensions for each tap of depth
				x := Pad(in[0], 0, Padding{Axis: 2, Before: 1, After: 1})
				var y *Node
				for k := range 3 {
					images := Reshape(Transpose(Slice(x, Range{Axis: 2, Start: k, Stop: k + 16}), 0, 2, 1, 3, 4), 32, 32, 24, 24)
					t := Conv2D(images, Squeeze(Slice(in[1], Range{Axis: 2, Start: k, Stop: k + 1}), 2), Conv2DOptions{Pad: [2]int{1, 1}})
					if y == nil {
						y = t
					} else {
						y = Add(y, t)
					}
				}
				return Transpose(Reshape(y, 2, 16, 32, 24, 24), 0, 2, 1, 3, 4)
			}},
		{"conv_transpose2d", [][]int{{4, 64, 28, 28}, {64, 32, 4, 4}},
			func(in []*Node) *Node {
				return ConvTranspose(in[0], in[1], nil, &ConvTransposeOptions{ConvOptions: ConvOptions{Stride: []int{2}, Pad: []int{1}}})
			},
			func(in []*Node) *Node { // zeros between the elements, and a convolution
				x := Pad(Reshape(in[0], 4, 64, 28, 1, 28, 1), 0, Padding{Axis: 3, Before: 0, After: 1}, Padding{Axis: 5, Before: 0, After: 1})
				x = Slice(Reshape(x, 4, 64, 56, 56), Range{Axis: 2, Stop: 55}, Range{Axis: 3, Stop: 55})
				return Conv2D(x, Flip(Transpose(in[1], 1, 0, 2, 3), 2, 3), Conv2DOptions{Pad: [2]int{2, 2}})
			}},
		{"group_norm", [][]int{{8, 64, 56, 56}, {64}, {64}}, func(in []*Node) *Node { return GroupNorm(in[0], 8, in[1], in[2], 1e-5) },
			func(in []*Node) *Node {
				x := Reshape(in[0], 8, 8, 8, 56, 56)
				y := Div(Sub(x, KeepDims(Mean(x, 2, 3, 4))), Sqrt(Add(KeepDims(Variance(x, 2, 3, 4)), 1e-5)))
				return Add(Mul(Reshape(y, 8, 64, 56, 56), Reshape(in[1], 64, 1, 1)), Reshape(in[2], 64, 1, 1))
			}},
		{"bilinear", [][]int{{8, 16, 64, 64}},
			func(in []*Node) *Node {
				return Interpolate(in[0], InterpolateOptions{Mode: InterpolateLinear, Size: []int{128, 128}})
			},
			func(in []*Node) *Node { // products with matrices of weights
				w := make([]float32, 64*128)
				for o := range 128 { // the two pixels around the middle of each new one
					at := (float64(o)+0.5)/2 - 0.5
					right := float32(at - math.Floor(at))
					w[max(int(math.Floor(at)), 0)*128+o] += 1 - right
					w[min(int(math.Floor(at))+1, 63)*128+o] += right
				}
				m := in[0].Graph().Const(tensor.Must(tensor.FromSlice(w, 64, 128)))
				return MatMul(Transpose(m), MatMul(in[0], m))
			}},
		{"bicubic", [][]int{{8, 16, 64, 64}},
			func(in []*Node) *Node {
				return Interpolate(in[0], InterpolateOptions{Mode: InterpolateCubic, Size: []int{128, 128}})
			}, nil},
		{"max_pool3d", [][]int{{2, 16, 16, 32, 32}}, func(in []*Node) *Node {
			return MaxPool(in[0], PoolingOptions{Size: []int{3, 3, 3}, Stride: []int{2}, Pad: []int{1}})
		},
			func(in []*Node) *Node { // over planes, then over depth
				x := Reshape(in[0], 2*16, 16, 32, 32)
				y := MaxPool2D(x, PoolOptions{Size: [2]int{3, 3}, Stride: [2]int{2, 2}, Pad: [2]int{1, 1}})
				y = MaxPool2D(Reshape(y, 1, 32, 16, 256), PoolOptions{Size: [2]int{3, 1}, Stride: [2]int{2, 1}, Pad: [2]int{1, 0}})
				return Reshape(y, 2, 16, 8, 16, 16)
			}},
		{"lstm", [][]int{{32, 16, 128}, {512, 128}, {512, 128}, {512}, {512}},
			func(in []*Node) *Node {
				y, _, _ := LSTM(in[0], nil, nil, []RecurrentWeights{{Input: in[1], Hidden: in[2], InputBias: in[3], HiddenBias: in[4]}}, nil)
				return y
			},
			func(in []*Node) *Node { // everything in the loop
				zero := in[0].Graph().Full(tensor.Float32, 0, 16, 128)
				_, ys := Scan([]*Node{zero, zero}, in[:1], func(_ *Node, s, x []*Node) (next, y []*Node) {
					g := Add(Add(MatMul(x[0], Transpose(in[1])), in[3]), Add(MatMul(s[0], Transpose(in[2])), in[4]))
					c := Add(Mul(Sigmoid(gateOf(g, 1, 128)), s[1]), Mul(Sigmoid(gateOf(g, 0, 128)), Tanh(gateOf(g, 2, 128))))
					h := Mul(Sigmoid(gateOf(g, 3, 128)), Tanh(c))
					return []*Node{h, c}, []*Node{h}
				}, nil)
				return ys[0]
			}},
	} {
		for i, f := range []func(in []*Node) *Node{p.op, p.others} {
			if f == nil {
				continue
			}
			b.Run(p.name+[]string{"/op", "/composition"}[i], func(b *testing.B) {
				g := NewGraph(p.name)
				var in []*Node
				for k, shape := range p.in {
					in = append(in, g.Variable(string(rune('a'+k)), opstest.Random(b, shape...)))
				}
				benchmarkGraph(b, g, Target{Outputs: []*Node{f(in)}})
			})
		}
	}
}

// gateOf is part i of the last axis of x, in parts of n.
func gateOf(x *Node, i, n int) *Node {
	return Slice(x, Range{Axis: -1, Start: i * n, Stop: (i + 1) * n})
}

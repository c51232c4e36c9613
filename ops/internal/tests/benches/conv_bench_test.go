package benches_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ir"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// convLayer is one layer of a convolutional network.
type convLayer struct {
	name string
	x, w []int
	o    Conv2DOptions
}

// withDefaults is o with 1 where it has 0 for it.
func withDefaults(o Conv2DOptions) Conv2DOptions {
	o.Groups = max(o.Groups, 1)
	for i := range 2 {
		o.Stride[i], o.Dilation[i] = max(o.Stride[i], 1), max(o.Dilation[i], 1)
	}
	return o
}

func layer(name string, n, c, side, out, kernel int, o Conv2DOptions) convLayer {
	o = withDefaults(o)
	return convLayer{name, []int{n, c, side, side}, []int{out, c / o.Groups, kernel, kernel}, o}
}

// keeping keeps the extent of an image under a kernel of that size and stride 1.
func keeping(kernel, stride int) Conv2DOptions {
	return Conv2DOptions{Pad: [2]int{kernel / 2, kernel / 2}, Stride: [2]int{stride, stride}}
}

func grouped(o Conv2DOptions, groups int) Conv2DOptions {
	o.Groups = groups
	return o
}

var convLayers = []convLayer{
	layer("3x3 1x64x56 64", 1, 64, 56, 64, 3, keeping(3, 1)),
	layer("3x3 1x128x28 128", 1, 128, 28, 128, 3, keeping(3, 1)),
	layer("3x3 1x256x14 256", 1, 256, 14, 256, 3, keeping(3, 1)),
	layer("3x3 1x512x7 512", 1, 512, 7, 512, 3, keeping(3, 1)),
	layer("3x3 32x64x56 64", 32, 64, 56, 64, 3, keeping(3, 1)),
	layer("3x3 128x32x14 64", 128, 32, 14, 64, 3, keeping(3, 1)),
	layer("3x3 128x1x28 32", 128, 1, 28, 32, 3, keeping(3, 1)),
	layer("3x3 s2 1x64x56 128", 1, 64, 56, 128, 3, keeping(3, 2)),
	layer("5x5 8x32x28 64", 8, 32, 28, 64, 5, keeping(5, 1)),
	layer("7x7 s2 1x3x224 64", 1, 3, 224, 64, 7, keeping(7, 2)),
	layer("1x1 8x512x7 2048", 8, 512, 7, 2048, 1, Conv2DOptions{}),
	layer("1x1 1x64x56 256", 1, 64, 56, 256, 1, Conv2DOptions{}),
	layer("1x1 s2 1x256x56 512", 1, 256, 56, 512, 1, keeping(1, 2)),
	layer("depthwise 3x3 1x256x28", 1, 256, 28, 256, 3, grouped(keeping(3, 1), 256)),
	layer("depthwise 3x3 s2 1x96x112", 1, 96, 112, 96, 3, grouped(keeping(3, 2), 96)),
	layer("depthwise 3x3 32x144x56", 32, 144, 56, 144, 3, grouped(keeping(3, 1), 144)),
	layer("grouped 3x3 1x128x56 128 / 32", 1, 128, 56, 128, 3, grouped(keeping(3, 1), 32)),
	layer("dilated 3x3 1x64x56 64", 1, 64, 56, 64, 3, Conv2DOptions{Pad: [2]int{2, 2}, Dilation: [2]int{2, 2}}),
}

// flops is what the layer multiplies and adds.
func (l convLayer) flops(y []int) float64 {
	return 2 * float64(ir.Product(y)) * float64(ir.Product(l.w[1:]))
}

// BenchmarkConv2D is one convolution from an image that is fed to a result that
// is read, both in row-major order; the weights are a variable.
func BenchmarkConv2D(b *testing.B) {
	for _, l := range convLayers {
		b.Run(l.name, func(b *testing.B) {
			g := NewGraph(l.name)
			y := Conv2D(g.Input("x", tensor.Float32, l.x...), g.Variable("w", opstest.Random(b, l.w...)), l.o)
			benchmarkGraph(b, g, Target{Outputs: []*Node{y}})
			gflops(b, l.flops(y.Shape()))
		})
	}
}

// BenchmarkConv2DGradients is the gradient with respect to weights and image.
func BenchmarkConv2DGradients(b *testing.B) {
	for _, l := range convLayers {
		for i, of := range []string{"weights", "image"} {
			b.Run(fmt.Sprintf("%s/%s", l.name, of), func(b *testing.B) {
				g := NewGraph(l.name)
				x, w := g.Input("x", tensor.Float32, l.x...), g.Variable("w", opstest.Random(b, l.w...))
				y := Conv2D(x, w, l.o)
				dy := g.Input("dy", tensor.Float32, y.Shape()...)
				to := []*Node{w, x}[i]
				benchmarkGraph(b, g, Target{Outputs: Gradients(Sum(Mul(y, dy)), to)})
				gflops(b, l.flops(y.Shape()))
			})
		}
	}
}

// BenchmarkPool2D is pooling and its gradient.
func BenchmarkPool2D(b *testing.B) {
	three := PoolOptions{Size: [2]int{3, 3}, Stride: [2]int{2, 2}, Pad: [2]int{1, 1}}
	two := PoolOptions{Size: [2]int{2, 2}}
	for _, c := range []struct {
		name string
		pool func(x *Node, o PoolOptions) *Node
		x    []int
		o    PoolOptions
	}{
		{"max 3x3 s2 1x64x112", MaxPool2D, []int{1, 64, 112, 112}, three},
		{"max 2x2 128x32x28", MaxPool2D, []int{128, 32, 28, 28}, two},
		{"average 2x2 128x32x28", AvgPool2D, []int{128, 32, 28, 28}, two},
		{"average 7x7 32x512x7", AvgPool2D, []int{32, 512, 7, 7}, PoolOptions{Size: [2]int{7, 7}}},
	} {
		b.Run(c.name+"/forward", func(b *testing.B) {
			g := NewGraph(c.name)
			y := c.pool(g.Input("x", tensor.Float32, c.x...), c.o)
			benchmarkGraph(b, g, Target{Outputs: []*Node{y}})
			gigabytes(b, ir.Product(c.x)+y.Size())
		})
		b.Run(c.name+"/gradient", func(b *testing.B) {
			g := NewGraph(c.name)
			x := g.Input("x", tensor.Float32, c.x...)
			y := c.pool(x, c.o)
			dy := g.Input("dy", tensor.Float32, y.Shape()...)
			benchmarkGraph(b, g, Target{Outputs: Gradients(Sum(Mul(y, dy)), x)})
			gigabytes(b, 2*ir.Product(c.x)+y.Size())
		})
	}
}

func gigabytes(b *testing.B, floats int) {
	b.ReportMetric(4*float64(floats)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
}

// benchmarkGraph times runs of a graph on the device, with random float inputs.
func benchmarkGraph(b *testing.B, g *Graph, target Target) {
	b.Helper()
	target.Place = OnDevice
	exe, err := g.Compile(b.Context(), opstest.Device(b), target)
	require.NoError(b, err)
	var outs []*tensor.Tensor
	for _, n := range target.Outputs {
		t, err := tensor.New(n.DType(), n.Shape()...)
		require.NoError(b, err)
		outs = append(outs, t)
	}
	feeds := Feeds{}
	for _, in := range exe.Inputs() {
		feeds[in] = opstest.Random(b, in.Shape()...)
	}
	require.NoError(b, exe.RunInto(b.Context(), feeds, outs))
	for b.Loop() {
		if err := exe.RunInto(b.Context(), feeds, outs); err != nil {
			b.Fatal(err)
		}
	}
}

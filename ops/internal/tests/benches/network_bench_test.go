package benches_test

import (
	"fmt"
	"testing"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// netBuilder makes networks of the shapes that people run, with random weights.
type netBuilder struct {
	b      *testing.B
	g      *Graph
	params []*Node
}

func (n *netBuilder) param(shape ...int) *Node {
	p := n.g.Variable(fmt.Sprintf("p%d", len(n.params)), opstest.Random(n.b, shape...))
	n.params = append(n.params, p)
	return p
}

// conv is a convolution and the scale and shift that a folded batch norm leaves.
func (n *netBuilder) conv(x *Node, out, kernel, stride, groups int) *Node {
	w := n.param(out, x.Shape()[1]/groups, kernel, kernel)
	return Add(Conv2D(x, w, grouped(keeping(kernel, stride), groups)), n.param(out, 1, 1))
}

func (n *netBuilder) dense(x *Node, out int) *Node {
	return Add(MatMul(x, n.param(x.Shape()[1], out)), n.param(out))
}

// resnet18 is ResNet-18 at 224 x 224. Source: He et al., Deep Residual Learning
// for Image Recognition (2015).
func (n *netBuilder) resnet18(x *Node) *Node {
	x = ReLU(n.conv(x, 64, 7, 2, 1))
	x = MaxPool2D(x, PoolOptions{Size: [2]int{3, 3}, Stride: [2]int{2, 2}, Pad: [2]int{1, 1}})
	for i, c := range []int{64, 128, 256, 512} {
		for block := range 2 {
			stride, skip := 1, x
			if i > 0 && block == 0 {
				stride, skip = 2, n.conv(x, c, 1, 2, 1)
			}
			y := ReLU(n.conv(x, c, 3, stride, 1))
			x = ReLU(Add(n.conv(y, c, 3, 1, 1), skip))
		}
	}
	return n.dense(Mean(x, 2, 3), 1000)
}

// mobilenet is MobileNet-v2 at 224 x 224. Source: Sandler et al., MobileNetV2:
// Inverted Residuals and Linear Bottlenecks (2018).
func (n *netBuilder) mobilenet(x *Node) *Node {
	six := func(x *Node) *Node { return Minimum(ReLU(x), ScalarLike(x, 6)) }
	x = six(n.conv(x, 32, 3, 2, 1))
	for _, s := range [][4]int{{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}} {
		for i := range s[2] {
			stride, y := 1, x
			if i == 0 {
				stride = s[3]
			}
			wide := x.Shape()[1] * s[0]
			if s[0] > 1 {
				y = six(n.conv(y, wide, 1, 1, 1))
			}
			y = six(n.conv(y, wide, 3, stride, wide))
			y = n.conv(y, s[1], 1, 1, 1)
			if stride == 1 && x.Shape()[1] == s[1] {
				y = Add(x, y)
			}
			x = y
		}
	}
	x = six(n.conv(x, 1280, 1, 1, 1))
	return n.dense(Mean(x, 2, 3), 1000)
}

// fashion is the logits of a small network for 28 x 28 images.
func (n *netBuilder) fashion(x *Node) *Node {
	two := PoolOptions{Size: [2]int{2, 2}}
	x = MaxPool2D(ReLU(n.conv(x, 32, 3, 1, 1)), two)
	x = MaxPool2D(ReLU(n.conv(x, 64, 3, 1, 1)), two)
	return n.dense(ReLU(n.dense(Flatten(x, 1), 128)), 10)
}

// networks are the graphs that BenchmarkNetwork runs, by name.
func networks(b *testing.B) map[string]func() (*Graph, Target) {
	inference := func(batch int, build func(n *netBuilder, x *Node) *Node) func() (*Graph, Target) {
		return func() (*Graph, Target) {
			n := &netBuilder{b: b, g: NewGraph("network")}
			return n.g, Target{Outputs: []*Node{build(n, n.g.Input("x", tensor.Float32, batch, 3, 224, 224))}}
		}
	}
	return map[string]func() (*Graph, Target){
		"resnet18/1":   inference(1, (*netBuilder).resnet18),
		"resnet18/32":  inference(32, (*netBuilder).resnet18),
		"mobilenet/1":  inference(1, (*netBuilder).mobilenet),
		"mobilenet/32": inference(32, (*netBuilder).mobilenet),
		"fashion step/128": func() (*Graph, Target) {
			n := &netBuilder{b: b, g: NewGraph("network")}
			logits := n.fashion(n.g.Input("x", tensor.Float32, 128, 1, 28, 28))
			loss := CrossEntropy(logits, n.g.Variable("labels", tensor.Must(tensor.New(tensor.Int64, 128))))
			return n.g, Target{Outputs: []*Node{loss}, Updates: opstest.Adam(loss, n.params, 0.001)}
		},
	}
}

// BenchmarkNetwork is inference of ResNet-18 and MobileNet-v2, and a training
// step of a small network.
func BenchmarkNetwork(b *testing.B) {
	for name, build := range networks(b) {
		b.Run(name, func(b *testing.B) {
			g, target := build()
			benchmarkGraph(b, g, target)
		})
	}
}

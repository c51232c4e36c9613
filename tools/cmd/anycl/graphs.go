package main

import (
	"strings"

	"github.com/anycl/anycl/internal/net"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
)

// graph is one that explain can build.
type graph struct {
	name, about string
	build       func() (*ops.Graph, ops.Target)
}

var graphs = []graph{
	{"mlp", "two dense layers and a softmax, 32 images of 784 values: inference", mlp},
	{"cnn", "a training step of a small convolutional network with Adam, 32 images of 8 x 8", cnn},
	{"attention", "a transformer's attention block: layer norm, 4 heads that look back, 64 tokens of 128 values", attention},
	{"statistics", "mean, deviation and the normalised columns of a 4096 x 64 table", statistics},
}

func graphNames() string {
	var names []string
	for _, g := range graphs {
		names = append(names, g.name)
	}
	return strings.Join(names, ", ")
}

func buildOf(name string) func() (*ops.Graph, ops.Target) {
	for _, g := range graphs {
		if g.name == name {
			return g.build
		}
	}
	return nil
}

func mlp() (*ops.Graph, ops.Target) {
	g := ops.NewGraph("mlp")
	n := net.New(g, 1)
	hidden, out := n.Dense(784, 256), n.Dense(256, 10)
	x := g.Input("images", tensor.Float32, 32, 784)
	return g, ops.Target{Outputs: []*ops.Node{ops.Softmax(out(ops.GELU(hidden(x))), 1)}}
}

func cnn() (*ops.Graph, ops.Target) {
	g := ops.NewGraph("cnn")
	n := net.New(g, 1)
	conv1, conv2, dense := n.Conv(1, 16, 3), n.Conv(16, 32, 3), n.Dense(512, 10)
	x := g.Input("images", tensor.Float32, 32, 1, 8, 8)
	labels := g.Input("labels", tensor.Int32, 32)
	h := ops.ReLU(conv1(x))
	h = ops.MaxPool2D(ops.ReLU(conv2(h)), ops.PoolOptions{Size: [2]int{2, 2}})
	loss := ops.CrossEntropy(dense(ops.Flatten(h, 1)), labels)
	return g, ops.Target{Outputs: []*ops.Node{loss}, Updates: optim.New(optim.Adam{}, n.Params, optim.Options{}).Minimize(loss)}
}

func attention() (*ops.Graph, ops.Target) {
	const batch, tokens, width, heads = 2, 64, 128, 4
	g := ops.NewGraph("attention")
	n := net.New(g, 1)
	scale := g.Variable("scale", tensor.Must(tensor.FromSlice(ones(width))))
	shift := g.Variable("shift", tensor.Must(tensor.New(tensor.Float32, width)))
	x := g.Input("x", tensor.Float32, batch, tokens, width)
	h := ops.LayerNorm(x, scale, shift, 1e-5)
	split := func(x *ops.Node) *ops.Node { // [batch, heads, tokens, width/heads]
		return ops.Transpose(ops.Reshape(x, batch, tokens, heads, width/heads), 0, 2, 1, 3)
	}
	q, k, v := split(n.Dense(width, width)(h)), split(n.Dense(width, width)(h)), split(n.Dense(width, width)(h))
	mixed := ops.Attention(q, k, v, &ops.AttentionOptions{Causal: true})
	mixed = ops.Reshape(ops.Transpose(mixed, 0, 2, 1, 3), batch, tokens, width)
	return g, ops.Target{Outputs: []*ops.Node{ops.Add(x, n.Dense(width, width)(mixed))}}
}

func statistics() (*ops.Graph, ops.Target) {
	g := ops.NewGraph("statistics")
	x := g.Input("table", tensor.Float32, 4096, 64)
	mean, deviation := ops.Mean(x, 0), ops.Sqrt(ops.Variance(x, 0))
	return g, ops.Target{Outputs: []*ops.Node{mean, deviation, ops.Div(ops.Sub(x, mean), deviation)}}
}

func ones(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

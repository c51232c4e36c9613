package main

import (
	"strings"

	"github.com/anycl/anycl/nn"
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
	net := nn.New(g, nn.Sequential{&nn.Linear{In: 784, Out: 256}, nn.GELU, &nn.Linear{In: 256, Out: 10}, &nn.Softmax{Axis: 1}},
		nn.Options{Seed: 1})
	x := g.Input("images", tensor.Float32, 32, 784)
	return g, ops.Target{Outputs: []*ops.Node{net.Eval().Apply(x)}}
}

func cnn() (*ops.Graph, ops.Target) {
	g := ops.NewGraph("cnn")
	conv := func(in, out int) nn.Module {
		return &nn.Conv{In: in, Out: out, Kernel: []int{3, 3}, Pad: []int{1}}
	}
	net := nn.New(g, nn.Sequential{
		conv(1, 16), nn.ReLU, conv(16, 32), nn.ReLU, &nn.MaxPool{Size: []int{2, 2}}, &nn.Flatten{}, &nn.Linear{In: 512, Out: 10},
	}, nn.Options{Seed: 1})
	x := g.Input("images", tensor.Float32, 32, 1, 8, 8)
	labels := g.Input("labels", tensor.Int32, 32)
	loss := ops.CrossEntropy(net.Train().Apply(x), labels)
	return g, ops.Target{Outputs: []*ops.Node{loss}, Updates: optim.New(optim.Adam{}, net.Params(), optim.Options{}).Minimize(loss)}
}

func attention() (*ops.Graph, ops.Target) {
	const batch, tokens, width, heads = 2, 64, 128, 4
	g := ops.NewGraph("attention")
	block := &struct {
		Norm      *nn.LayerNorm
		Attention *nn.MultiheadAttention
	}{&nn.LayerNorm{Shape: []int{width}}, &nn.MultiheadAttention{Embed: width, Heads: heads}}
	p := nn.New(g, block, nn.Options{Seed: 1}).Eval()
	x := g.Input("x", tensor.Float32, batch, tokens, width)
	h := block.Norm.Apply(p, x)
	return g, ops.Target{Outputs: []*ops.Node{ops.Add(x, block.Attention.Run(p, h, h, h, nn.AttendOptions{Causal: true}))}}
}

func statistics() (*ops.Graph, ops.Target) {
	g := ops.NewGraph("statistics")
	x := g.Input("table", tensor.Float32, 4096, 64)
	mean, deviation := ops.Mean(x, 0), ops.Sqrt(ops.Variance(x, 0))
	return g, ops.Target{Outputs: []*ops.Node{mean, deviation, ops.Div(ops.Sub(x, mean), deviation)}}
}

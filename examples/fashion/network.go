package main

import (
	"math"

	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/train"
)

const (
	batch     = 100   // images that a step looks at
	firstRate = 0.003 // learning rate of the first step; it falls in a straight line to 0
)

// network is two convolutions and two dense layers, which learn from one set and are tested on the other. In 16 bits, values
// between layers are of o.precision, while weights, the loss and the optimiser's state are float32. The derivatives of float16,
// whose smallest numbers are large, are scaled.
func network(learned, test set, o options) *train.Model {
	g := ops.NewGraph("fashion")
	conv := func(in, out int) nn.Module {
		return &nn.Conv{In: in, Out: out, Kernel: []int{3, 3}, Pad: []int{1}, WeightInit: he, BiasInit: nn.Zeros}
	}
	halve := &nn.MaxPool{Size: []int{2, 2}}
	net := nn.New(g, nn.Sequential{
		conv(1, 16), halve, nn.ReLU, conv(16, 32), halve, nn.ReLU, &nn.Flatten{},
		&nn.Linear{In: 32 * side / 4 * side / 4, Out: 64, WeightInit: he, BiasInit: nn.Zeros}, nn.ReLU,
		&nn.Linear{In: 64, Out: 10, WeightInit: he, BiasInit: nn.Zeros},
	}, nn.Options{Seed: o.seed, Compute: o.precision})

	// A batch is numbers of images and their kinds; the images are on the device.
	index, kinds := g.Input("index", tensor.Int32, batch), g.Input("kinds", tensor.Int64, batch)
	scores := func(p *nn.Pass, s set) *ops.Node {
		grey := ops.Cast(ops.Gather(g.Const(s.images), 0, index), o.precision)
		return p.Apply(ops.Mul(grey, 1./255))
	}
	loss := ops.CrossEntropy(scores(net.Train(), learned), kinds)
	tested := scores(net.Eval(), test)
	steps := optim.Options{Schedule: optim.Linear(o.epochs*(learned.len()/batch), 1, 0)}
	if o.precision == tensor.Float16 {
		steps.Scale = &optim.LossScale{}
	}
	return &train.Model{
		Inputs: []*ops.Node{index, kinds}, Loss: loss, Scores: tested, ValidLoss: ops.CrossEntropy(tested, kinds),
		Updates: optim.New(optim.Adam{LearningRate: firstRate}, net.Params(), steps).Minimize(loss),
	}
}

// he keeps the size of values from layer to layer behind a ReLU.
var he = nn.KaimingNormal(math.Sqrt2)

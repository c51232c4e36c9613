// Package net makes layers with random weights, for the examples and the command.
package net

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Layer computes its output from x. Calling it twice builds two computations
// with the same weights.
type Layer func(x *ops.Node) *ops.Node

// Net collects the weights of layers. Equal seeds give equal weights.
type Net struct {
	Params []*ops.Node
	graph  *ops.Graph
	rng    *rand.Rand
}

// New returns a net without layers in g.
func New(g *ops.Graph, seed uint64) *Net {
	return &Net{graph: g, rng: rand.New(rand.NewPCG(seed, 0))}
}

// Conv is a convolution with a size x size kernel, size odd, and a bias: [N, in,
// H, W] to [N, out, H, W].
func (n *Net) Conv(in, out, size int) Layer {
	w := n.weights("conv", in*size*size, out, in, size, size)
	b := n.variable("conv", "bias", make([]float32, out), out, 1, 1)
	same := ops.Conv2DOptions{Pad: [2]int{size / 2, size / 2}}
	return func(x *ops.Node) *ops.Node { return ops.Add(ops.Conv2D(x, w, same), b) }
}

// Dense is x·w + b: [..., in] to [..., out].
func (n *Net) Dense(in, out int) Layer {
	w := n.weights("dense", in, in, out)
	b := n.variable("dense", "bias", make([]float32, out), out)
	return func(x *ops.Node) *ops.Node { return ops.Add(ops.MatMul(x, w), b) }
}

// weights are normal with variance 2/in, which keeps the size of the values
// from layer to layer behind a ReLU. Source: He et al., Delving deep into
// rectifiers (2015), section 2.2.
func (n *Net) weights(layer string, in int, shape ...int) *ops.Node {
	size := 1
	for _, d := range shape {
		size *= d
	}
	v := make([]float32, size)
	for i := range v {
		v[i] = float32(n.rng.NormFloat64() * math.Sqrt(2/float64(in)))
	}
	return n.variable(layer, "weights", v, shape...)
}

func (n *Net) variable(layer, what string, v []float32, shape ...int) *ops.Node {
	name := fmt.Sprintf("%s%d.%s", layer, len(n.Params)/2+1, what)
	p := n.graph.Variable(name, tensor.Must(tensor.FromSlice(v, shape...)))
	n.Params = append(n.Params, p)
	return p
}

// Shuffled is a random order of 0 ... n-1, cut to a multiple of batch.
func Shuffled(rng *rand.Rand, n, batch int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	rng.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order[:n-n%batch]
}

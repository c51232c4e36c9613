package main

import (
	"fmt"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// commonShapes are graphs of common computations, for tune: each output is one task.
var commonShapes = []func() (*ops.Graph, ops.Target){products, convolutions, folds}

func products() (*ops.Graph, ops.Target) {
	g := ops.NewGraph("products")
	var out []*ops.Node
	in := func(shape ...int) *ops.Node {
		return g.Input(fmt.Sprintf("x%d", len(out))+fmt.Sprint(shape), tensor.Float32, shape...)
	}
	t := func(x *ops.Node) *ops.Node { return ops.Transpose(x) }
	for _, n := range []int{128, 256, 512, 1024} {
		out = append(out, ops.MatMul(in(n, n), in(n, n)))
		out = append(out, ops.MatMul(in(n, n), t(in(n, n))), ops.MatMul(t(in(n, n)), in(n, n)))
	}
	for _, s := range [][3]int{{1, 4096, 4096}, {8, 2048, 2048}, {32, 784, 512}, {128, 512, 10}, {64, 4096, 64}} {
		out = append(out, ops.MatMul(in(s[0], s[1]), in(s[1], s[2])), ops.MatMul(in(s[0], s[1]), t(in(s[2], s[1]))))
	}
	out = append(out, ops.MatMul(in(64, 128, 64), in(64, 64, 128)), ops.MatMul(in(64, 128, 128), in(64, 128, 64)))
	return g, ops.Target{Outputs: out}
}

func convolutions() (*ops.Graph, ops.Target) {
	g := ops.NewGraph("convolutions")
	var out []*ops.Node
	for _, c := range []struct{ images, in, size, out, kernel, stride int }{
		{1, 3, 224, 64, 7, 2}, {1, 64, 56, 64, 3, 1}, {1, 128, 28, 128, 3, 1}, {8, 256, 14, 256, 3, 1}, {8, 512, 7, 2048, 1, 1},
		{32, 32, 28, 64, 3, 1},
	} {
		x := g.Input(fmt.Sprint("images", c), tensor.Float32, c.images, c.in, c.size, c.size)
		w := g.Input(fmt.Sprint("weights", c), tensor.Float32, c.out, c.in, c.kernel, c.kernel)
		out = append(out, ops.Conv2D(x, w, ops.Conv2DOptions{Stride: [2]int{c.stride, c.stride}}))
	}
	return g, ops.Target{Outputs: out}
}

func folds() (*ops.Graph, ops.Target) {
	g := ops.NewGraph("folds")
	var out []*ops.Node
	for _, s := range [][2]int{{1, 1 << 22}, {64, 1 << 16}, {4096, 1024}, {1 << 16, 64}} {
		x := g.Input(fmt.Sprint(s), tensor.Float32, s[0], s[1])
		out = append(out, ops.Sum(x, 1), ops.Sum(x, 0), ops.Max(x, 1))
	}
	return g, ops.Target{Outputs: out}
}

package ops_test

import (
	"context"
	"fmt"
	"log"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// compute compiles ys on the CPU path, runs them once and returns their values.
func compute(g *ops.Graph, feeds ops.Feeds, ys ...*ops.Node) [][]float64 {
	ctx := context.Background()
	rt, err := ops.Open(ctx, &ops.Options{Device: "none"})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: ys})
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	out, err := exe.Run(ctx, feeds)
	if err != nil {
		log.Fatal(err)
	}
	var all [][]float64
	for _, t := range out {
		v := make([]float64, t.Len())
		for i := range v {
			v[i] = t.Float64At(i)
		}
		all = append(all, v)
	}
	return all
}

// A rounding has the derivative 0. The straight-through estimator passes the derivative of the result on, here where x is within the
// range of values, so that parameters before the rounding can be trained.
// Source: Bengio, Léonard and Courville, Estimating or Propagating Gradients Through Stochastic Neurons (2013).
func ExampleCustomGradient() {
	g := ops.NewGraph("straight through")
	x := g.Input("x", tensor.Float64, 4)
	y := ops.CustomGradient(
		func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.Clip(ops.Round(in[0]), -2, 2)} },
		func(in, _, grads []*ops.Node) []*ops.Node {
			inside := ops.LessEqual(ops.Abs(in[0]), 2.0)
			return []*ops.Node{ops.Where(inside, grads[0], 0.0)}
		}, x)[0]
	d := ops.Gradients(ops.Sum(ops.Square(y)), x)[0]
	out := compute(g, ops.Feeds{x: tensor.Must(tensor.FromSlice([]float64{-3.2, -0.7, 0.4, 1.6}))}, y, d)
	fmt.Println(out[0])
	fmt.Println(out[1])
	// Output:
	// [-2 -1 0 2]
	// [0 -2 0 4]
}

// The inside of each block is computed again for the gradient, so that only the values between blocks are kept.
func ExampleCheckpoint() {
	g := ops.NewGraph("blocks")
	x := g.Input("x", tensor.Float64, 2)
	h := x
	for range 3 {
		h = ops.Checkpoint(func(in []*ops.Node) []*ops.Node {
			return []*ops.Node{ops.Mul(ops.Add(in[0], ops.Square(in[0])), 0.5)}
		}, h)[0]
	}
	d := ops.Gradients(ops.Sum(h), x)[0]
	out := compute(g, ops.Feeds{x: tensor.Must(tensor.FromSlice([]float64{1, 0}))}, h, d)
	fmt.Println(out[0], out[1])
	// Output: [1 0] [3.375 0.125]
}

// The derivative of f(x) = x₀·x₁², x₁ along the direction v, and the matrix of second derivatives of x₀·x₁².
func ExampleJVP() {
	g := ops.NewGraph("directional")
	x := g.Input("x", tensor.Float64, 2)
	v := g.Input("v", tensor.Float64, 2)
	first, second := ops.Gather(x, 0, g.Const(tensor.Scalar(int64(0)))), ops.Gather(x, 0, g.Const(tensor.Scalar(int64(1))))
	y := ops.Mul(first, ops.Square(second))
	d := ops.JVP([]*ops.Node{y}, []*ops.Node{x}, []*ops.Node{v})[0]
	out := compute(g, ops.Feeds{
		x: tensor.Must(tensor.FromSlice([]float64{3, 2})),
		v: tensor.Must(tensor.FromSlice([]float64{1, -1})),
	}, y, d, ops.Hessian(y, x))
	fmt.Println(out[0], out[1], out[2])
	// Output: [12] [-8] [0 4 4 6]
}

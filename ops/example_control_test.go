package ops_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
)

// Newton's method for a square root goes on until it no longer gains anything.
func ExampleWhile() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, &ops.Options{Device: "none"})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()

	g := ops.NewGraph("newton")
	a := g.Input("a", tensor.Float64)
	begin := []*ops.Node{a, ops.ScalarLike(a, 0), g.Full(tensor.Int32, 0)} // x, x before, iterations
	end := ops.While(begin, func(s []*ops.Node) *ops.Node {
		change := ops.Abs(ops.Sub(s[0], s[1]))
		return ops.Greater(change, ops.Mul(s[0], ops.ScalarLike(a, 1e-15)))
	}, func(s []*ops.Node) []*ops.Node {
		x := ops.Mul(ops.Add(s[0], ops.Div(a, s[0])), ops.ScalarLike(a, 0.5))
		return []*ops.Node{x, s[0], ops.Add(s[2], ops.ScalarLike(s[2], 1))}
	}, &ops.LoopOptions{Limit: 100})
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{end[0], end[2]}})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range []float64{2, 1e6} {
		out, err := exe.Run(ctx, ops.Feeds{a: tensor.Scalar(v)})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("√%.0f = %.12f after %.0f iterations\n", v, out[0].Float64At(0), out[1].Float64At(0))
	}
	// Output:
	// √2 = 1.414213562373 after 6 iterations
	// √1000000 = 1000.000000000000 after 16 iterations
}

// Conjugate gradients solve a system of equations wherever they are predicted to be fastest: the
// vectors stay there, and the host reads one truth value an iteration.
func ExampleWhile_conjugateGradients() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()

	const n = 300
	g := ops.NewGraph("conjugate gradients")
	a, b := g.Input("a", tensor.Float64, n, n), g.Input("b", tensor.Float64, n, 1)
	dot := func(x, y *ops.Node) *ops.Node { return ops.Sum(ops.Mul(x, y)) }
	zero := g.Full(tensor.Float64, 0, n, 1)
	end := ops.While([]*ops.Node{zero, b, b, dot(b, b)}, func(s []*ops.Node) *ops.Node {
		return ops.Greater(s[3], ops.ScalarLike(s[3], 1e-16))
	}, func(s []*ops.Node) []*ops.Node {
		x, r, p, rr := s[0], s[1], s[2], s[3]
		ap := ops.MatMul(a, p)
		alpha := ops.Div(rr, dot(p, ap))
		x, r = ops.Add(x, ops.Mul(alpha, p)), ops.Sub(r, ops.Mul(alpha, ap))
		next := dot(r, r)
		return []*ops.Node{x, r, ops.Add(r, ops.Mul(ops.Div(next, rr), p)), next}
	}, &ops.LoopOptions{Limit: 2 * n, Expect: 30})
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{end[0], ops.Max(ops.Abs(ops.Sub(ops.MatMul(a, end[0]), b)))}})
	if err != nil {
		log.Fatal(err)
	}

	// Symmetric, and the diagonal outweighs the rest.
	random := rand.New(rand.NewPCG(1, 2))
	left, right := make([]float64, n*n), make([]float64, n)
	for i := range n {
		for j := range i {
			v := random.Float64()
			left[i*n+j], left[j*n+i] = v, v
		}
		left[i*n+i], right[i] = n, random.Float64()
	}
	out, err := exe.Run(ctx, ops.Feeds{a: tensor.Must(tensor.FromSlice(left, n, n)), b: tensor.Must(tensor.FromSlice(right, n, 1))})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("solved:", out[1].Float64At(0) < 1e-7)
	// Output: solved: true
}

// A gated recurrent unit learns to say whether the sum of a sequence is positive. The gradient
// goes back over the sequence, in a loop of its own.
func ExampleScan() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, &ops.Options{Device: "none"})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()

	const steps, batch, hidden = 12, 64, 8
	random := rand.New(rand.NewPCG(3, 4))
	weights := func(shape ...int) *tensor.Tensor {
		t := tensor.Must(tensor.New(tensor.Float32, shape...))
		for i := range t.Len() {
			t.SetFloat64(i, 0.6*random.Float64()-0.3)
		}
		return t
	}
	g := ops.NewGraph("gru")
	xs, want := g.Input("xs", tensor.Float32, steps, batch, 1), g.Input("want", tensor.Float32, batch, 1)
	w := g.Variable("w", weights(1, 3*hidden))
	u := g.Variable("u", weights(hidden, 2*hidden))
	c := g.Variable("c", weights(hidden, hidden))
	out := g.Variable("out", weights(hidden, 1))

	part := func(x *ops.Node, k int) *ops.Node {
		return ops.Slice(x, ops.Range{Axis: 1, Start: k * hidden, Stop: (k + 1) * hidden})
	}
	last, _ := ops.Scan([]*ops.Node{g.Full(tensor.Float32, 0, batch, hidden)}, []*ops.Node{xs},
		func(_ *ops.Node, s, x []*ops.Node) (next, y []*ops.Node) {
			h, in := s[0], ops.MatMul(x[0], w)
			gates := ops.MatMul(h, u)
			z := ops.Sigmoid(ops.Add(part(in, 0), part(gates, 0)))
			r := ops.Sigmoid(ops.Add(part(in, 1), part(gates, 1)))
			n := ops.Tanh(ops.Add(part(in, 2), ops.MatMul(ops.Mul(r, h), c)))
			return []*ops.Node{ops.Add(ops.Mul(z, h), ops.Mul(ops.Sub(ops.ScalarLike(z, 1), z), n))}, nil
		}, nil)
	score := ops.MatMul(last[0], out)
	loss := ops.Mean(ops.Softplus(ops.Mul(ops.Neg(want), score))) // want is 1 or -1
	update := optim.New(optim.Adam{LearningRate: 0.01}, []*ops.Node{w, u, c, out}, optim.Options{}).Minimize(loss)
	right := ops.Mean(ops.Cast(ops.Greater(ops.Mul(want, score), ops.ScalarLike(score, 0)), tensor.Float32))
	step, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{loss, right}, Updates: update})
	if err != nil {
		log.Fatal(err)
	}
	var first, now, share float64
	for k := range 300 {
		x, y := weights(steps, batch, 1), tensor.Must(tensor.New(tensor.Float32, batch, 1))
		for b := range batch {
			sum, sign := 0.0, -1.0
			for i := range steps {
				sum += x.Float64At(i*batch + b)
			}
			if sum > 0 {
				sign = 1
			}
			y.SetFloat64(b, sign)
		}
		got, err := step.Run(ctx, ops.Feeds{xs: x, want: y})
		if err != nil {
			log.Fatal(err)
		}
		if now, share = got[0].Float64At(0), got[1].Float64At(0); k == 0 {
			first = now
		}
	}
	fmt.Println("the loss fell to less than a third:", now < first/3)
	fmt.Println("nine of ten are right:", share > 0.9)
	// Output:
	// the loss fell to less than a third: true
	// nine of ten are right: true
}

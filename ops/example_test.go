package ops_test

import (
	"context"
	"fmt"
	"log"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// A graph is built once, compiled once, and run as often as wanted.
func Example() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, nil) // the best device, or the CPU path
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()

	g := ops.NewGraph("line")
	x := g.Input("x", tensor.Float32, 4)
	y := ops.Add(ops.Mul(x, ops.ScalarLike(x, 3)), ops.ScalarLike(x, 1))
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{y}})
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range [][]float32{{0, 1, 2, 3}, {10, 20, 30, 40}} {
		out, err := exe.Run(ctx, ops.Feeds{x: tensor.Must(tensor.FromSlice(v))})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tensor.ToSlice[float32](out[0]))
	}
	// Output:
	// [1 4 7 10] <nil>
	// [31 61 91 121] <nil>
}

// Gradients make a training step: here one that finds the mean of its input.
func ExampleGradients() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, &ops.Options{Device: "none"})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()

	g := ops.NewGraph("mean")
	x := g.Input("x", tensor.Float64, 4)
	m := g.Variable("m", tensor.Scalar(0.0))
	d := ops.Sub(x, m)
	loss := ops.Sum(ops.Mul(d, d))
	dm := ops.Gradients(loss, m)[0]
	step, err := g.Compile(ctx, rt, ops.Target{
		Updates: []*ops.Node{ops.Assign(m, ops.Sub(m, ops.Mul(dm, ops.ScalarLike(dm, 0.1))))},
	})
	if err != nil {
		log.Fatal(err)
	}
	feeds := ops.Feeds{x: tensor.Must(tensor.FromSlice([]float64{1, 2, 3, 6}))}
	for range 50 {
		if _, err := step.Run(ctx, feeds); err != nil {
			log.Fatal(err)
		}
	}
	v, err := ops.Value(ctx, m)
	fmt.Printf("%.4f %v\n", v.Float64At(0), err)
	// Output: 3.0000 <nil>
}

// Mistakes do not interrupt building; Compile returns all of them.
func ExampleGraphError() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, &ops.Options{Device: "none"})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()

	g := ops.NewGraph("mlp")
	x := g.Input("x", tensor.Float32, 32, 784)
	w := g.Input("w", tensor.Float32, 512, 10)
	y := ops.MatMul(x, w)
	n := g.Input("n", tensor.Int32, 4)
	_, err = g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{ops.ReLU(y), ops.GELU(n)}})
	fmt.Println(err)
	// Output:
	// ops: compile "mlp": 2 errors
	//   matmul at ops/example_test.go:84: inner sizes differ: [32 784] x [512 10]
	//   gelu at ops/example_test.go:86: dtype int32 is not a float (cast with ops.Cast)
}

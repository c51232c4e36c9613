package linalg_test

import (
	"context"
	"fmt"
	"log"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/tensor"
)

// The solution of a x = b, and the derivative of the sum of its elements by b.
func Example() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, &ops.Options{Device: "none"})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	g := ops.NewGraph("solve")
	a, b := g.Input("a", tensor.Float64, 2, 2), g.Input("b", tensor.Float64, 2)
	x := linalg.Solve(a, b, nil)
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{x, ops.Gradients(ops.Sum(x), b)[0]}})
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	out, err := exe.Run(ctx, ops.Feeds{
		a: tensor.Must(tensor.FromSlice([]float64{2, 0, 0, 4}, 2, 2)),
		b: tensor.Must(tensor.FromSlice([]float64{3, 2})),
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range out {
		fmt.Println(t.Float64At(0), t.Float64At(1))
	}
	// Output:
	// 1.5 0.5
	// 0.5 0.25
}

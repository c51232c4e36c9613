package special_test

import (
	"context"
	"fmt"
	"log"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/special"
	"github.com/anycl/anycl/tensor"
)

// The logarithms of factorials, and their slopes.
func Example() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, &ops.Options{Device: "none"})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	g := ops.NewGraph("factorials")
	n := g.Input("n", tensor.Float64, 3)
	y := special.LGamma(ops.Add(n, 1))
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{y, ops.Gradients(ops.Sum(y), n)[0]}})
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	out, err := exe.Run(ctx, ops.Feeds{n: tensor.Must(tensor.FromSlice([]float64{1, 5, 10}))})
	if err != nil {
		log.Fatal(err)
	}
	for i := range 3 {
		fmt.Printf("%.4f %.4f\n", out[0].Float64At(i), out[1].Float64At(i))
	}
	// Output:
	// 0.0000 0.4228
	// 4.7875 1.7061
	// 15.1044 2.3518
}

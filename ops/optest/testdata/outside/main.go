// Command outside is a program of another module: all that it imports is
// public.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func main() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, &ops.Options{Device: "none"})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	g := ops.NewGraph("outside")
	x := g.Input("x", tensor.Float32, 3)
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{ops.Softmax(ops.Mul(x, x), 0)}})
	if err != nil {
		log.Fatal(err)
	}
	out, err := exe.Run(ctx, ops.Feeds{x: tensor.Must(tensor.FromSlice([]float32{1, 1, 1}))})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", out[0])
}

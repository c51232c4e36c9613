package fft_test

import (
	"context"
	"fmt"
	"log"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/fft"
	"github.com/anycl/anycl/tensor"
)

// The spectrum of four real numbers has three complex ones, pairs along its last axis.
func Example() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, &ops.Options{Device: "none"})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	g := ops.NewGraph("spectrum")
	x := g.Input("x", tensor.Float32, 4)
	y := fft.RFFT(x, nil)
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{y}})
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	out, err := exe.Run(ctx, ops.Feeds{x: tensor.Must(tensor.FromSlice([]float32{1, 2, 1, 0}))})
	if err != nil {
		log.Fatal(err)
	}
	for i := range 3 {
		fmt.Println(complex(out[0].Float64At(2*i), out[0].Float64At(2*i+1)))
	}
	// Output:
	// (4+0i)
	// (0-2i)
	// (0+0i)
}

package ops_test

import (
	"context"
	"fmt"
	"log"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// One graph for batches of any size: extents with a name are the same wherever it stands.
func ExampleDim() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()

	g := ops.NewGraph("distance")
	x := g.Input("x", tensor.Float32, ops.Dim("batch"), 2)
	y := g.Input("y", tensor.Float32, ops.Dim("batch"), 2)
	mean := ops.Mean(ops.Sqrt(ops.Sum(ops.Square(ops.Sub(x, y)), 1)))
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{mean}})
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	rows := func(v ...float32) *tensor.Tensor { return tensor.Must(tensor.FromSlice(v, len(v)/2, 2)) }
	for _, f := range []ops.Feeds{
		{x: rows(0, 0), y: rows(3, 4)},
		{x: rows(0, 0, 1, 1), y: rows(3, 4, 1, 2)},
		{x: rows(0, 0, 1, 1), y: rows(3, 4)},
	} {
		out, err := exe.Run(ctx, f)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(out[0].Float64At(0))
	}
	// Output:
	// 5
	// 3
	// ops: bad feed: run "distance": batch is 2 in input x and 1 in input y
}

package ops_test

import (
	"context"
	"fmt"
	"log"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Extents of an open batch: where a shape is wanted Node.Dim names them, and Shape and Size are their numbers.
func ExampleShape() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()

	g := ops.NewGraph("extents")
	x := g.Input("x", tensor.Float32, ops.Dim("batch"), 2, 3)
	rows := ops.Reshape(x, x.Dim(0), -1)                                // [batch 6]
	pairs := ops.Reshape(x, g.Extent("2*batch", double, x.Dim(0)), -1)  // [2*batch 3]
	mean := ops.Div(ops.Sum(rows), ops.Cast(ops.Size(rows), x.DType())) // by the number of elements
	mask := g.Full(tensor.Float32, 1, x.Dim(0))                         // [batch]
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{ops.Shape(rows), ops.Shape(pairs), mean, ops.Size(mask, 0)}})
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	for _, batch := range []int{1, 4} {
		fmt.Print(batch, ":")
		v := make([]float32, batch*6)
		for i := range v {
			v[i] = float32(i)
		}
		out, err := exe.Run(ctx, ops.Feeds{x: tensor.Must(tensor.FromSlice(v, batch, 2, 3))})
		if err != nil {
			log.Fatal(err)
		}
		for _, t := range out {
			for _, v := range t.All() {
				fmt.Print(" ", v)
			}
		}
		fmt.Println()
	}
	// Output:
	// 1: 1 6 2 3 2.5 1
	// 4: 4 6 8 3 11.5 4
}

func double(n []int) int { return 2 * n[0] }

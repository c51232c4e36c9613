package onnx_test

import (
	"context"
	"fmt"
	"log"

	"github.com/anycl/anycl/onnx"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// A model with a symbolic batch size runs for any number of rows.
func Example() {
	ctx := context.Background()
	m, err := onnx.Load("testdata/softmax.onnx")
	if err != nil {
		log.Fatal(err) // everything in the file that is not supported
	}
	for _, in := range m.Inputs() {
		fmt.Println(in.Name, in.DType, in.Shape, in.Dims)
	}
	rt, err := ops.Open(ctx, &ops.Options{Device: "none"}) // nil: the best device
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	p, err := m.Compile(ctx, rt, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	x := tensor.Must(tensor.FromSlice([]float32{1, 2, 0, 3, 3, 3}, 2, 3))
	out, err := p.Run(ctx, map[string]*tensor.Tensor{"x": x})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out["y"])
	// Output:
	// x float32 [-1 3] [batch ]
	// float32 [2 3]
	// [[0.24472848 0.66524094 0.09003057]
	//  [0.33333334 0.33333334 0.33333334]]
}

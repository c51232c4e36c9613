// Saxpy is the smallest program with a kernel of its own: z = a·x + y, written
// in OpenCL C for any device and in Go for the CPU path.
//
//	go run ./examples/saxpy
//
// It prints the device that it ran on and the result:
//
//	runs on pocl:0 ...: the best of 1 found
//	2 · [0 1 2 3 4 5 6 7] + [10 10 10 10 10 10 10 10] = [10 12 14 16 18 20 22 24]
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// source gets a pointer for every operand, one for every result, then the
// scalar arguments. One work-item computes one element of the result.
const source = `
kernel void saxpy(global const float *x, global const float *y, global float *z, float a) {
	size_t i = get_global_id(0);
	z[i] = a * x[i] + y[i];
}`

// saxpy adds z = a·x + y to the graph of x and y, vectors of one length.
func saxpy(a float32, x, y *ops.Node) *ops.Node {
	return ops.Kernel(x.Graph(), ops.KernelOptions{
		Source: source, Entry: "saxpy",
		Results: []ops.Result{{DType: tensor.Float32, Shape: x.Shape()}},
		Args:    []any{a},
		Host: func(outs, ins []*tensor.Tensor) error { // the same, where there is no device
			for i, xi := range ins[0].All() {
				outs[0].SetFloat64(i, float64(a)*xi+ins[1].Float64At(i))
			}
			return nil
		},
	}, x, y)[0]
}

func main() {
	if err := run(context.Background(), "", os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "saxpy:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, device string, out io.Writer) error {
	rt, err := ops.Open(ctx, &ops.Options{Device: device, SpareProc: true})
	if err != nil {
		return err
	}
	defer rt.Close()

	g := ops.NewGraph("saxpy")
	x := g.Input("x", tensor.Float32, 8)
	y := g.Input("y", tensor.Float32, 8)
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{saxpy(2, x, y)}})
	if err != nil {
		return err
	}
	defer exe.Close()

	xs := []float32{0, 1, 2, 3, 4, 5, 6, 7}
	ys := []float32{10, 10, 10, 10, 10, 10, 10, 10}
	zs, err := exe.Run(ctx, ops.Feeds{x: tensor.Must(tensor.FromSlice(xs)), y: tensor.Must(tensor.FromSlice(ys))})
	if err != nil {
		return err
	}
	z, err := tensor.ToSlice[float32](zs[0])
	fmt.Fprintf(out, "runs on %s\n2 · %v + %v = %v\n", rt.Why(), xs, ys, z)
	return err
}

package nn_test

import (
	"context"
	"fmt"
	"log"

	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
)

// A network learns the exclusive or of two bits.
func Example() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, &ops.Options{Device: "none"})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()

	g := ops.NewGraph("xor")
	x := g.Input("x", tensor.Float32, ops.Dim("batch"), 2)
	y := g.Input("y", tensor.Float32, ops.Dim("batch"), 1)
	model := nn.New(g, nn.Sequential{&nn.Linear{In: 2, Out: 8}, nn.Tanh, &nn.Linear{In: 8, Out: 1}}, nn.Options{Seed: 1})
	loss := ops.BCEWithLogitsLoss(model.Train().Apply(x), y, nil, nil)
	opt := optim.New(optim.Adam{LearningRate: 0.1}, model.Params(), optim.Options{})
	step, err := g.Compile(ctx, rt, ops.Target{Updates: opt.Minimize(loss)})
	if err != nil {
		log.Fatal(err)
	}
	predict, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{ops.Sigmoid(model.Eval().Apply(x))}})
	if err != nil {
		log.Fatal(err)
	}
	bits := tensor.Must(tensor.FromSlice([]float32{0, 0, 0, 1, 1, 0, 1, 1}, 4, 2))
	want := tensor.Must(tensor.FromSlice([]float32{0, 1, 1, 0}, 4, 1))
	for range 200 {
		if _, err := step.Run(ctx, ops.Feeds{x: bits, y: want}); err != nil {
			log.Fatal(err)
		}
	}
	out, err := predict.Run(ctx, ops.Feeds{x: bits})
	if err != nil {
		log.Fatal(err)
	}
	for i := range 4 {
		fmt.Printf("%.0f xor %.0f is %.0f\n", bits.Float64At(2*i), bits.Float64At(2*i+1), out[0].Float64At(i))
	}
	// Output:
	// 0 xor 0 is 0
	// 0 xor 1 is 1
	// 1 xor 0 is 1
	// 1 xor 1 is 0
}

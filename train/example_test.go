package train_test

import (
	"context"
	"fmt"
	"log"

	"github.com/anycl/anycl/data"
	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
	"github.com/anycl/anycl/train"
)

// A line is fitted to points, a quarter of which validate.
func ExampleFit() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, &ops.Options{Device: "none"})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	const n = 64
	x, y := tensor.Must(tensor.New(tensor.Float32, n, 1)), tensor.Must(tensor.New(tensor.Float32, n, 1))
	for i := range n {
		x.SetFloat64(i, float64(i)/n)
		y.SetFloat64(i, 3*float64(i)/n-1)
	}
	points, err := data.Tensors(x, y)
	if err != nil {
		log.Fatal(err)
	}
	learned, kept, err := data.Split(points, 0.25, 1)
	if err != nil {
		log.Fatal(err)
	}
	loader, err := data.NewLoader(learned, data.LoaderOptions{Batch: 8, Shuffle: true})
	if err != nil {
		log.Fatal(err)
	}
	valid, err := data.NewLoader(kept, data.LoaderOptions{Batch: 16})
	if err != nil {
		log.Fatal(err)
	}

	g := ops.NewGraph("line")
	rows := ops.Dim("rows")
	in, target := g.Input("x", tensor.Float32, rows, 1), g.Input("y", tensor.Float32, rows, 1)
	model := nn.New(g, &nn.Linear{In: 1, Out: 1}, nn.Options{Seed: 1})
	scores := model.Train().Apply(in)
	loss := ops.MSELoss(scores, target, nil)
	history, err := train.Fit(ctx, rt, &train.Model{
		Inputs: []*ops.Node{in, target}, Loss: loss, Scores: scores,
		Updates: optim.New(optim.Adam{LearningRate: 0.05}, model.Params(), optim.Options{}).Minimize(loss),
	}, loader, train.Options{
		Epochs: 200, Valid: valid, Metrics: []train.Metric{&train.MAE{}}, Monitor: "mae", Patience: 50, KeepBest: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("close to the line:", history.Best.Metrics["mae"] < 0.01)
	// Output: close to the line: true
}

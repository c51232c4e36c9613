package frame_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/csv"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func Example() {
	ctx := context.Background()
	f, err := csv.Read(ctx, strings.NewReader("city,t\nBrno,21\nOslo,14\nBrno,25\nLima,\n"), csv.Options{})
	if err != nil {
		log.Fatal(err)
	}
	warm, err := f.Query().
		Filter(frame.Col("t").Gt(15).Or(frame.Col("t").IsNull())).
		GroupBy("city").
		Agg(frame.Mean("t").As("mean"), frame.Rows().As("days")).
		Sort(frame.Desc("mean")).
		Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(warm)
	// Output:
	// 2 rows x 3 columns
	// city           mean   days
	// dictionary  float64  int64
	// Brno             23      2
	// Lima           null      1
}

func ExampleQuery_Window() {
	f, err := frame.New(
		frame.Of("shop", []string{"a", "b", "a", "a", "b"}),
		frame.Of("day", []int{1, 1, 2, 3, 2}),
		frame.Of("sold", []float64{4, 1, 6, 11, 3}),
	)
	if err != nil {
		log.Fatal(err)
	}
	out, err := f.Query().Window(frame.Over("shop").OrderBy("day"),
		frame.RollingMean("sold", 2).As("mean of 2"),
		frame.Col("sold").Sub(frame.Lag("sold", 1)).As("change"),
		frame.Col("sold").Div(frame.Sum("sold")).Round(2).As("share"),
	).Collect(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(out)
	// Output:
	// 5 rows x 6 columns
	// shop    day     sold  mean of 2   change    share
	// utf8  int64  float64    float64  float64  float64
	// a         1        4          4     null     0.19
	// b         1        1          1     null     0.25
	// a         2        6          5        2     0.29
	// a         3       11        8.5        5     0.52
	// b         2        3          2        2     0.75
}

// A query with a device beside the CPU path, which so few rows do not leave.
func ExampleNewDevice() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	device := frame.NewDevice(rt, frame.DeviceOptions{})
	defer device.Close()

	f, err := frame.New(frame.Of("k", []int32{1, 2, 1, 2}), frame.Of("x", []float64{1, 2, 3, 40}))
	if err != nil {
		log.Fatal(err)
	}
	sums, err := f.Query().
		Filter(frame.Col("x").Lt(10)).
		GroupBy("k").
		Agg(frame.Sum(frame.Col("x").Mul(2)).As("sum")).
		CollectOn(ctx, device)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sums.Format(10))
	// Output:
	// 2 rows x 2 columns
	//     k      sum
	// int32  float64
	//     1        8
	//     2        4
}

// Columns are prepared in the graph of a model, and its results become columns.
func ExampleInputs() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	f, err := frame.New(frame.Of("age", []int32{20, 40}), frame.Of("fare", []float64{8, 2}))
	if err != nil {
		log.Fatal(err)
	}

	g := ops.NewGraph("score")
	in := frame.NewInputs(g, f.Schema())
	x, err := in.Tensor(tensor.Float32, frame.Col("age").Div(10), frame.Col("fare").Gt(5))
	if err != nil {
		log.Fatal(err)
	}
	score := ops.Sum(x, 1) // the model
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{score}})
	if err != nil {
		log.Fatal(err)
	}
	defer exe.Close()
	for batch := range f.Batches(64) {
		feeds, err := in.Feeds(exe, batch)
		if err != nil {
			log.Fatal(err)
		}
		out, err := exe.Run(ctx, feeds)
		if err != nil {
			log.Fatal(err)
		}
		if batch, err = batch.WithTensor(out[0], "score"); err != nil {
			log.Fatal(err)
		}
		fmt.Println(batch.Format(10))
	}
	// Output:
	// 2 rows x 3 columns
	//   age     fare    score
	// int32  float64  float32
	//    20        8        3
	//    40        2        4
}

package frame_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/frame/csv"
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

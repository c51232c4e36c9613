package sparse_test

import (
	"context"
	"fmt"
	"log"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/sparse"
	"github.com/anycl/anycl/tensor"
)

// A chain of springs, held at both ends, sags under its weight.
func ExampleCG() {
	ctx := context.Background()
	rt, err := ops.Open(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()

	const n = 5
	a := &sparse.COO[float64]{Rows: n, Cols: n}
	for i := range n {
		a.Add(i, i, 2)
		if i > 0 {
			a.Add(i, i-1, -1)
			a.Add(i-1, i, -1)
		}
	}
	m, err := a.CSR()
	if err != nil {
		log.Fatal(err)
	}
	g := ops.NewGraph("chain")
	s := sparse.CG(sparse.Const(g, m).Apply, g.Ones(tensor.Float64, n), nil)
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{s.X, s.Iterations, s.Converged}})
	if err != nil {
		log.Fatal(err)
	}
	out, err := exe.Run(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range out[0].All() {
		fmt.Printf("%.2f ", v)
	}
	fmt.Println(out[1].Float64At(0), out[2].Float64At(0) == 1)
	// Output: 2.50 4.00 4.50 4.00 2.50 3 true
}

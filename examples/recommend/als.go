package main

import (
	_ "embed"
	"fmt"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

//go:embed als.cl
var source string

const factors = 16 // of each user and film

// table is ratings in the order of their users, or of their films: those of row u are starts[u] to starts[u+1].
type table struct {
	starts, others []int32
	values         []float32 // less the mean of all
}

// nodes are the table as variables, which stay on the device.
func (t *table) nodes(g *ops.Graph, name string) []*ops.Node {
	return []*ops.Node{
		g.Variable(name+".starts", tensor.Must(tensor.FromSlice(t.starts))),
		g.Variable(name+".others", tensor.Must(tensor.FromSlice(t.others))),
		g.Variable(name+".values", tensor.Must(tensor.FromSlice(t.values))),
	}
}

// solve returns the factors of the rows of a table from those of its columns, by a kernel; see als.cl.
func solve(rows []*ops.Node, columns *ops.Node, lambda float32) *ops.Node {
	const group = 4 // rows in a work-group
	n := rows[0].Shape()[0] - 1
	return ops.Kernel(columns.Graph(), ops.KernelOptions{
		Source: source, Entry: "als", Options: fmt.Sprintf("-DK=%d -DUSERS=%d -DN=%d", factors, group, n),
		Results: []ops.Result{{DType: tensor.Float32, Shape: []int{n, factors}}},
		Args:    []any{lambda},
		Global:  [3]int{factors, (n + group - 1) / group * group},
		Host: func(outs, ins []*tensor.Tensor) error { // the kernel in Go
			starts, others := tensor.MustSlice[int32](ins[0]), tensor.MustSlice[int32](ins[1])
			values, y, x := tensor.MustSlice[float32](ins[2]), tensor.MustSlice[float32](ins[3]), tensor.MustSlice[float32](outs[0])
			fallback.Parallel(n, func(from, to int) {
				for u := from; u < to; u++ {
					a, b := starts[u], starts[u+1]
					solveRow(x[u*factors:(u+1)*factors], others[a:b], values[a:b], y, lambda)
				}
			})
			return nil
		},
	}, append(rows, columns)...)[0]
}

// factorise returns the factors of users and films after so many steps from those that the films begin with, and the
// root of the mean squared error over the test ratings after each of them.
func factorise(byUser, byFilm []*ops.Node, films *ops.Node, test []*ops.Node, lambda float32, steps int) (users, last, rmse *ops.Node) {
	g := films.Graph()
	n := byUser[0].Shape()[0] - 1
	s, errors := ops.Scan([]*ops.Node{g.Zeros(tensor.Float32, n, factors), films}, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
		users := solve(byUser, s[1], lambda)
		films := solve(byFilm, users, lambda)
		guess := ops.Sum(ops.Mul(ops.Gather(users, 0, test[0]), ops.Gather(films, 0, test[1])), 1)
		return []*ops.Node{users, films}, []*ops.Node{ops.Sqrt(ops.Mean(ops.Square(ops.Sub(guess, test[2]))))}
	}, &ops.ScanOptions{Trips: steps})
	return s[0], s[1], errors[0]
}

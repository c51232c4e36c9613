package main

import (
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// solveRow solves for the factors of a row by Gaussian elimination, whose pivots are positive.
func solveRow(x []float32, others []int32, values, y []float32, lambda float32) {
	var a [factors][factors + 1]float32
	for e, i := range others {
		v := y[int(i)*factors : int(i)*factors+factors]
		for j, mine := range v {
			row := a[j][:j+1] // the matrix is symmetric
			for c := range row {
				row[c] += mine * v[c]
			}
			a[j][factors] += mine * values[e]
		}
	}
	for j := range factors {
		for c := j + 1; c < factors; c++ {
			a[j][c] = a[c][j]
		}
		a[j][j] += lambda * float32(max(len(others), 1))
	}
	for p := range factors {
		for j := range factors {
			if j != p {
				f := a[j][p] / a[p][p]
				for c := p + 1; c <= factors; c++ {
					a[j][c] -= f * a[p][c]
				}
			}
		}
	}
	for j := range x {
		x[j] = a[j][factors] / a[j][j]
	}
}

// solveHost is the kernel in Go.
func solveHost(outs, ins []*tensor.Tensor, lambda float32) error {
	starts, others := tensor.MustSlice[int32](ins[0]), tensor.MustSlice[int32](ins[1])
	values, y, x := tensor.MustSlice[float32](ins[2]), tensor.MustSlice[float32](ins[3]), tensor.MustSlice[float32](outs[0])
	fallback.Parallel(len(starts)-1, func(from, to int) {
		for u := from; u < to; u++ {
			a, b := starts[u], starts[u+1]
			solveRow(x[u*factors:(u+1)*factors], others[a:b], values[a:b], y, lambda)
		}
	})
	return nil
}

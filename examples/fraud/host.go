package main

import (
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// histogramHost is the kernel in Go.
func histogramHost(outs, ins []*tensor.Tensor) error {
	binned, node, gh := tensor.MustSlice[uint8](ins[0]), tensor.MustSlice[int32](ins[1]), tensor.MustSlice[int32](ins[2])
	y, shape, n := tensor.MustSlice[int32](outs[0]), outs[0].Shape(), len(node)
	chunks, nodes, features := shape[0], shape[1], shape[2]
	clear(y)
	fallback.Parallel(chunks*features, func(from, to int) {
		for i := from; i < to; i++ {
			c, f := i/features, i%features
			for r := c * chunk; r < min((c+1)*chunk, n); r++ {
				at := (((c*nodes+int(node[r]))*features+f)*bins + int(binned[f*n+r])) * 2
				y[at] += gh[2*r]
				y[at+1] += gh[2*r+1]
			}
		}
	})
	return nil
}

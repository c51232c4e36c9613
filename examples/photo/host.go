package main

import (
	"math"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// bilateralRow is the kernel in Go, for a row.
func bilateralRow(y, x, weights []float32, row, w, h, radius int, fall float32) {
	side, stride := 2*radius+1, w+2*radius
	plane, out := stride*(h+2*radius), w*h
	for column := range w {
		at := row*stride + column
		middle := at + radius*stride + radius
		var sum float32
		var mean [3]float32
		for k, weight := range weights {
			q := at + k/side*stride + k%side
			var far float32
			for c := range 3 {
				d := x[q+c*plane] - x[middle+c*plane]
				far += d * d
			}
			weight *= float32(math.Exp2(float64(fall * far)))
			for c := range 3 {
				mean[c] += weight * x[q+c*plane]
			}
			sum += weight
		}
		for c := range 3 {
			y[c*out+row*w+column] = mean[c] / sum
		}
	}
}

// bilateralHost is the kernel in Go.
func bilateralHost(outs, ins []*tensor.Tensor, radius int, fall float32) error {
	y, x, weights := tensor.MustSlice[float32](outs[0]), tensor.MustSlice[float32](ins[0]), tensor.MustSlice[float32](ins[1])
	h, w := outs[0].Shape()[1], outs[0].Shape()[2]
	fallback.Parallel(h, func(from, to int) {
		for row := from; row < to; row++ {
			bilateralRow(y, x, weights, row, w, h, radius, fall)
		}
	})
	return nil
}

package main

import (
	_ "embed"
	"math"
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

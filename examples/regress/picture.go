package main

import (
	"math"

	"github.com/anycl/anycl/examples/internal/curves"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/tensor"
)

func draw(p *gallery.Program, d *dataset, t []float64, mean float64, predicted, spread *tensor.Tensor) error {
	line := func(by float64) (y []float64) {
		for i := range t {
			y = append(y, mean+predicted.Float64At(i)+by*math.Sqrt(max(spread.Float64At(i), 0)))
		}
		return y
	}
	var months []float64
	for _, x := range d.x {
		months = append(months, x[0])
	}
	return p.WriteCurves(curves.Axes{Title: "Southern Oscillation", X: "month", Y: "difference of pressure"}, false,
		curves.Line{Name: "measured", X: months, Y: d.y, Dashed: true}, curves.Line{Name: "Gaussian process", X: t, Y: line(0)},
		curves.Line{Name: "two deviations above", X: t, Y: line(2), Dashed: true},
		curves.Line{Name: "and below", X: t, Y: line(-2), Dashed: true})
}

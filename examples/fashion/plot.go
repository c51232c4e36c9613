package main

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// plotLoss draws the loss of every step, pale, and its running mean as a PNG.
// The horizontal axis counts epochs.
func plotLoss(path string, losses []float64, stepsPerEpoch int) error {
	p := plot.New()
	p.Title.Text = "Fashion-MNIST"
	p.X.Label.Text, p.Y.Label.Text = "epoch", "loss"
	p.X.Min, p.Y.Min = 0, 0
	p.X.Tick.Marker = plot.TickerFunc(wholeEpochs)
	p.Add(plotter.NewGrid())
	p.Legend.Top = true

	each, smooth := make(plotter.XYs, len(losses)), make(plotter.XYs, len(losses))
	mean := losses[0]
	for i, v := range losses {
		x := float64(i+1) / float64(stepsPerEpoch)
		// Half of a loss is forgotten after about 35 steps.
		mean += (v - mean) / min(float64(i+1), 50)
		each[i], smooth[i] = plotter.XY{X: x, Y: v}, plotter.XY{X: x, Y: mean}
	}
	for _, l := range []struct {
		name  string
		xys   plotter.XYs
		color color.Color
	}{
		{"step", each, color.RGBA{R: 190, G: 210, B: 235, A: 255}},
		{"running mean", smooth, color.RGBA{R: 20, G: 70, B: 150, A: 255}},
	} {
		line, err := plotter.NewLine(l.xys)
		if err != nil {
			return err
		}
		line.Color = l.color
		p.Add(line)
		p.Legend.Add(l.name, line)
	}
	return p.Save(18*vg.Centimeter, 11*vg.Centimeter, path)
}

// wholeEpochs marks every epoch, or with many of them every second, fifth, ...
func wholeEpochs(first, last float64) (ticks []plot.Tick) {
	every := 1.0
	for _, grow := range []float64{2, 2.5, 2} {
		if (last-first)/every > 12 {
			every *= grow
		}
	}
	for x := 0.0; x <= last; x += every {
		if x >= first {
			ticks = append(ticks, plot.Tick{Value: x, Label: fmt.Sprint(x)})
		}
	}
	return ticks
}

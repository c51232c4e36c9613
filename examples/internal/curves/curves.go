// Package curves draws lines over a pair of axes.
package curves

import (
	"image"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Line is a curve through points.
type Line struct {
	Name   string
	X, Y   []float64
	Dashed bool
}

// Axes are the texts at the sides.
type Axes struct{ Title, X, Y string }

// Draw draws lines of distinct colours with a legend in the upper right corner, or in the lower left one.
func Draw(a Axes, lowerLeft bool, lines ...Line) (image.Image, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = a.Title, a.X, a.Y
	p.Legend.Top, p.Legend.Left = !lowerLeft, lowerLeft
	p.Add(plotter.NewGrid())
	for i, l := range lines {
		points := make(plotter.XYs, len(l.X))
		for k := range points {
			points[k] = plotter.XY{X: l.X[k], Y: l.Y[k]}
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = plotutil.Color(i), vg.Points(1.5)
		if l.Dashed {
			line.Dashes = plotutil.Dashes(1)
		}
		p.Add(line)
		p.Legend.Add(l.Name, line)
	}
	c := vgimg.NewWith(vgimg.UseWH(16*vg.Centimeter, 10*vg.Centimeter), vgimg.UseDPI(110))
	p.Draw(draw.New(c))
	return c.Image(), nil
}

package report

import (
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/anycl/anycl/tools/internal/bench"
)

// picture is a plot in a file beside the page.
type picture struct{ file, about string }

var (
	good  = color.RGBA{R: 30, G: 120, B: 70, A: 255}
	bad   = color.RGBA{R: 200, G: 80, B: 40, A: 255}
	tints = []color.Color{
		color.RGBA{R: 20, G: 70, B: 150, A: 255}, color.RGBA{R: 230, G: 150, B: 40, A: 255}, color.RGBA{R: 90, G: 160, B: 90, A: 255},
		color.RGBA{R: 160, G: 100, B: 170, A: 255}, color.RGBA{R: 120, G: 120, B: 120, A: 255}, color.RGBA{R: 90, G: 180, B: 200, A: 255},
	}
)

func (m *machine) plot(dir string) ([]picture, error) {
	var out []picture
	for _, draw := range []func() (*plot.Plot, vg.Length, string, string){m.goals, m.products} {
		p, height, name, about := draw()
		if p == nil {
			continue
		}
		file := fmt.Sprintf("performance-%s-%s.svg", m.file, name)
		if err := p.Save(18*vg.Centimeter, height, filepath.Join(dir, file)); err != nil {
			return nil, err
		}
		out = append(out, picture{file, about})
	}
	return out, nil
}

// goals has a line for every kind of work and a dot for every work: how far it is
// above or below its goal.
func (m *machine) goals() (*plot.Plot, vg.Length, string, string) {
	var kinds []string
	points := map[bool]plotter.XYs{}
	for _, r := range m.records {
		share, _, _, _, ok := r.Standing()
		if !ok {
			continue
		}
		kind, _, _ := strings.Cut(r.Work, "/")
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		points[share >= 1] = append(points[share >= 1], plotter.XY{X: min(max(share, 0.05), 20), Y: -float64(slices.Index(kinds, kind))})
	}
	if len(kinds) == 0 {
		return nil, 0, "", ""
	}
	p := plot.New()
	p.Title.Text = "Speed over goal, each work a dot"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(factors)
	p.X.Min, p.X.Max = 0.1, 4
	ticks := make([]plot.Tick, len(kinds))
	for i, k := range kinds {
		ticks[i] = plot.Tick{Value: -float64(i), Label: k}
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Y.Min, p.Y.Max = -float64(len(kinds))+0.5, 0.5
	p.Add(plotter.NewGrid())
	for _, met := range []bool{false, true} {
		if len(points[met]) == 0 {
			continue
		}
		for _, xy := range points[met] {
			p.X.Min, p.X.Max = min(p.X.Min, xy.X), max(p.X.Max, xy.X)
		}
		s, err := plotter.NewScatter(points[met])
		if err != nil {
			return nil, 0, "", ""
		}
		s.GlyphStyle = draw.GlyphStyle{Shape: draw.CircleGlyph{}, Radius: vg.Points(3), Color: bad}
		if met {
			s.Color = good
		}
		p.Add(s)
	}
	return p, vg.Length(len(kinds)+4) * 0.55 * vg.Centimeter, "goals",
		"Dots for each kind of work: speed over goal, from a tenth to several times"
}

// factors marks 0.1, 0.2, 0.5, 1, 2, ...
func factors(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for _, v := range []float64{0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20} {
		if v >= lo*0.999 && v <= hi*1.001 {
			ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', -1, 64) + "x"})
		}
	}
	return ticks
}

// products are square matrix products of float32 by size, a bar for each contender.
func (m *machine) products() (*plot.Plot, vg.Length, string, string) {
	var labels []string
	var rows []*bench.Record
	for _, r := range m.records {
		if size, ok := strings.CutPrefix(r.Work, "sgemm/"); ok {
			if _, err := strconv.Atoi(size); err == nil {
				labels, rows = append(labels, size), append(rows, r)
			}
		}
	}
	if len(rows) < 2 {
		return nil, 0, "", ""
	}
	p := plot.New()
	p.Title.Text, p.Y.Label.Text, p.X.Label.Text = "n x n matrix product in float32", "GFLOPS", "n"
	p.Y.Min, p.Legend.Top, p.Legend.Left = 0, true, true
	names := slices.DeleteFunc(others(rows), func(n string) bool { return strings.HasPrefix(n, "limit-") })
	width := 14 * vg.Centimeter / vg.Length(len(rows)*(len(names)+2))
	for i, name := range append([]string{bench.NameAuto}, names...) {
		values := make(plotter.Values, len(rows))
		for k, r := range rows {
			values[k] = r.Speed
			if i > 0 {
				values[k] = r.Speed / r.Ratios[name].Median
			}
			if math.IsInf(values[k], 0) || math.IsNaN(values[k]) {
				values[k] = 0 // this one was missing
			}
		}
		bars, err := plotter.NewBarChart(values, width)
		if err != nil {
			return nil, 0, "", ""
		}
		bars.Color, bars.LineStyle.Width = tints[i%len(tints)], 0
		bars.Offset = width * (vg.Length(i) - vg.Length(len(names))/2)
		p.Add(bars)
		p.Legend.Add(name, bars)
	}
	p.Y.Max *= 1.35 // room for the legend
	p.NominalX(labels...)
	return p, 10 * vg.Centimeter, "sgemm", "Bars of GFLOPS by size of the matrices for anycl and the other libraries"
}

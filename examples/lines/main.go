// Lines finds the straight lines of a photograph by a network of others, an ONNX file, and draws them.
//
//	go run ./examples/fetch lines               # the network, 6 MB
//	go run ./examples/lines [-photo FILE] [-threshold 0.2] [-out lines.png]
//
// The network is M-LSD (Gu et al., Towards Light-weight and Real-time Line Segment Detection, 2022). For each of 160 x 160 places
// it says whether the middle of a line lies there, and how far from it the ends are. It runs on the device and on the CPU path,
// which must find the same lines.
package main

import (
	"cmp"
	"context"
	"flag"
	"math"
	"slices"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/photos"
	"github.com/anycl/anycl/tensor"
)

const side = 320 // of the picture that the network sees

type options struct {
	photo     string
	threshold float64
}

func main() {
	var o options
	flag.StringVar(&o.photo, "photo", "", "JPEG or PNG `file` (default the temple that comes with the examples)")
	gallery.Float(&o.threshold, "threshold", 0.2, 0, 1, "score above which a line is drawn")
	gallery.Main("lines", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

// line is a line between two points, in pixels of the network's picture.
type line struct{ x0, y0, x1, y1, score float64 }

func (l line) length() float64 { return math.Hypot(l.x1-l.x0, l.y1-l.y0) }

func run(ctx context.Context, p *gallery.Program, o options) error {
	photo, err := photos.Open(o.photo, photos.ChinaFile)
	if err != nil {
		return err
	}
	file, err := dataset.Lines.Read()
	if err != nil {
		return err
	}
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	m, err := gallery.OpenModel(ctx, p, rt, file)
	if err != nil {
		return err
	}
	first, err := m.Run(ctx, seen(photo))
	if err != nil {
		return err
	}
	lines := found(first["scores"], first["offsets"], o.threshold)
	longest := 0.0
	for _, l := range lines {
		longest = max(longest, l.length())
	}
	p.Printf("%d lines are found, the longest %.0f pixels long\n", len(lines), longest)
	if o.photo == "" && o.threshold <= 0.3 {
		p.Check(len(lines) >= 10 && longest > side/8, "the temple has 10 lines or more, one of them longer than %d pixels", side/8)
	}
	if err := p.WritePNG(drawn(photo, lines)); err != nil {
		return err
	}
	results, err := m.Times(ctx, gallery.Work{Name: "finding lines", Amount: 1, Unit: "pictures"}, 1e-3)
	for _, r := range results {
		p.Check(alike(lines, found(r.Value["scores"], r.Value["offsets"], o.threshold)), "%s finds these lines", r.Where)
	}
	return err
}

// found are the lines above a threshold, of which none is as good among the places around it.
func found(scores, offsets *tensor.Tensor, threshold float64) (lines []line) {
	h, w := scores.Shape()[1], scores.Shape()[2]
	score := func(y, x int) float64 {
		if y < 0 || x < 0 || y >= h || x >= w {
			return 0
		}
		return scores.Float64At(y*w + x)
	}
	for y := range h {
		for x := range w {
			s := score(y, x)
			if s < threshold {
				continue
			}
			best := true
			for dy := -2; dy <= 2; dy++ {
				for dx := -2; dx <= 2; dx++ {
					best = best && score(y+dy, x+dx) <= s
				}
			}
			if !best {
				continue
			}
			at, scale := 4*(y*w+x), float64(side)/float64(w)
			end := func(i, from int) float64 { return scale * (float64(from) + offsets.Float64At(at+i)) }
			lines = append(lines, line{end(0, x), end(1, y), end(2, x), end(3, y), s})
		}
	}
	slices.SortFunc(lines, func(a, b line) int { return cmp.Compare(b.score, a.score) })
	return lines
}

// alike reports whether each line of a has one of b within a pixel, and there are as many but for those at the threshold.
func alike(a, b []line) bool {
	off := 0
	for _, l := range a {
		if !slices.ContainsFunc(b, func(m line) bool {
			return math.Abs(l.x0-m.x0)+math.Abs(l.y0-m.y0)+math.Abs(l.x1-m.x1)+math.Abs(l.y1-m.y1) < 1
		}) {
			off++
		}
	}
	return off <= len(a)/50 && len(a)-len(b) <= len(a)/50+1 && len(b)-len(a) <= len(a)/50+1
}

package train

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/anycl/anycl/internal/wholefile"
)

// curve is a line of a picture.
type curve struct {
	name   string
	color  color.RGBA
	x, y   []float64
	marked bool // its points are drawn too
}

// WritePNG draws the losses of training and validation over the steps as a PNG. The vertical axis is logarithmic where all losses are
// positive. Errors: those of w.
func (h *History) WritePNG(w io.Writer) error {
	step := curve{name: "step", color: color.RGBA{190, 210, 235, 255}}
	for _, p := range h.Losses {
		step.x, step.y = append(step.x, float64(p.Step)), append(step.y, float64(p.Loss))
	}
	train := curve{name: "train", color: color.RGBA{20, 70, 150, 255}, marked: true}
	valid := curve{name: "valid", color: color.RGBA{200, 80, 20, 255}, marked: true}
	for _, r := range h.Records {
		train.x, train.y = append(train.x, float64(r.Step)), append(train.y, float64(r.Loss))
		valid.x, valid.y = append(valid.x, float64(r.Step)), append(valid.y, float64(r.ValidLoss))
	}
	return png.Encode(w, draw(800, 480, step, train, valid))
}

// SavePNG is WritePNG to a file, which is replaced as a whole. Errors: the file cannot be written.
func (h *History) SavePNG(path string) error {
	if err := wholefile.Write(path, h.WritePNG, nil); err != nil {
		return fmt.Errorf("train: curves: %w", err)
	}
	return nil
}

// picture is an image with the scales of its axes.
type picture struct {
	*image.RGBA
	box            image.Rectangle // of the curves
	x0, x1, y0, y1 float64
	log            bool
}

var (
	ink  = color.RGBA{60, 60, 60, 255}
	grid = color.RGBA{228, 228, 228, 255}
)

// draw draws curves with axes and a legend. Points that are no numbers are left out.
func draw(width, height int, curves ...curve) *picture {
	p := &picture{RGBA: image.NewRGBA(image.Rect(0, 0, width, height)), box: image.Rect(80, 20, width-20, height-40)}
	for i := range p.Pix {
		p.Pix[i] = 255
	}
	p.scale(curves)
	for _, v := range ticks(p.x0, p.x1) {
		x, _ := p.at(v, p.y0)
		p.line(x, p.box.Min.Y, x, p.box.Max.Y, grid)
		s := label(v)
		p.text(x-textWidth(s)/2, p.box.Max.Y+8, s, ink)
	}
	for _, v := range p.levels() {
		_, y := p.at(p.x0, v)
		p.line(p.box.Min.X, y, p.box.Max.X, y, grid)
		s := label(v)
		p.text(p.box.Min.X-8-textWidth(s), y-5, s, ink)
	}
	p.text((p.box.Min.X+p.box.Max.X-textWidth("step"))/2, p.box.Max.Y+24, "step", ink)
	p.text(4, 4, "loss", ink)
	p.line(p.box.Min.X, p.box.Min.Y, p.box.Min.X, p.box.Max.Y, ink)
	p.line(p.box.Min.X, p.box.Max.Y, p.box.Max.X, p.box.Max.Y, ink)
	right := p.box.Max.X
	for _, c := range curves {
		drawn, lastX, lastY := 0, 0, 0
		for i := range c.x {
			if !p.shown(c.y[i]) {
				continue
			}
			x, y := p.at(c.x[i], c.y[i])
			if drawn++; drawn > 1 {
				p.line(lastX, lastY, x, y, c.color)
			}
			for d := -1; c.marked && d <= 1; d++ {
				p.line(x-1, y+d, x+1, y+d, c.color)
			}
			lastX, lastY = x, y
		}
		if drawn > 0 {
			right -= textWidth(c.name) + 20
			p.text(right, 4, c.name, c.color)
		}
	}
	return p
}

// scale finds the ranges of the axes.
func (p *picture) scale(curves []curve) {
	p.x1, p.y0, p.y1, p.log = 1, math.Inf(1), math.Inf(-1), true
	for _, c := range curves {
		for i, v := range c.y {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			p.x1, p.y0, p.y1 = max(p.x1, c.x[i]), min(p.y0, v), max(p.y1, v)
			p.log = p.log && v > 0
		}
	}
	if p.y0 > p.y1 {
		p.y0, p.y1, p.log = 0, 1, false
	}
	if p.y0 == p.y1 {
		d := max(math.Abs(p.y0)/2, 1e-300)
		p.y0, p.y1 = p.y0-d, p.y1+d
		p.log = p.log && p.y0 > 0
	}
}

func (p *picture) shown(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// at is where a point is drawn.
func (p *picture) at(x, y float64) (int, int) {
	y0, y1 := p.y0, p.y1
	if p.log {
		y, y0, y1 = math.Log(y), math.Log(y0), math.Log(y1)
	}
	return p.box.Min.X + along(x, p.x0, p.x1, p.box.Dx()), p.box.Max.Y - along(y, y0, y1, p.box.Dy())
}

// along is where v, from lo to hi, lies on a line of n pixels. Halves of the numbers have a difference, however far apart they are.
func along(v, lo, hi float64, n int) int {
	f := (v/2 - lo/2) / (hi/2 - lo/2)
	if !(f >= 0) {
		return 0
	}
	return int(math.Round(min(f, 1) * float64(n)))
}

// levels are the values at which lines go across.
func (p *picture) levels() (all []float64) {
	if !p.log || p.y1/p.y0 < 5 {
		return ticks(p.y0, p.y1)
	}
	steps := []float64{1, 2, 5}
	if p.y1/p.y0 > 1e4 {
		steps = steps[:1]
	}
	for e := math.Floor(math.Log10(p.y0)); e <= math.Log10(p.y1); e++ {
		for _, s := range steps {
			if v := s * math.Pow(10, e); v >= p.y0 && v <= p.y1 {
				all = append(all, v)
			}
		}
	}
	return all
}

// ticks are up to ten round numbers from lo to hi.
func ticks(lo, hi float64) (all []float64) {
	if math.IsInf(hi-lo, 0) {
		return []float64{lo, 0, hi}
	}
	step := math.Pow(10, math.Floor(math.Log10(hi-lo)))
	for _, s := range []float64{0.2, 0.5, 1} {
		if (hi-lo)/(s*step) <= 9 {
			step *= s
			break
		}
	}
	for k := math.Ceil(lo / step); k*step <= hi && len(all) < 12; k++ {
		all = append(all, k*step)
	}
	return all
}

func label(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// line draws a line by the method of Bresenham (1965).
func (p *picture) line(x0, y0, x1, y1 int, c color.RGBA) {
	dx, dy, sx, sy := x1-x0, y1-y0, 1, 1
	if dx < 0 {
		dx, sx = -dx, -1
	}
	if dy < 0 {
		dy, sy = -dy, -1
	}
	for e := dx - dy; ; {
		p.SetRGBA(x0, y0, c)
		if x0 == x1 && y0 == y1 {
			return
		}
		if 2*e > -dy {
			e, x0 = e-dy, x0+sx
			continue
		}
		e, y0 = e+dx, y0+sy
	}
}

// glyphs are letters of 3 x 5 pixels, row by row.
var glyphs = map[rune]string{
	'0': "###|#.#|#.#|#.#|###", '1': ".#.|##.|.#.|.#.|###", '2': "###|..#|###|#..|###", '3': "###|..#|.##|..#|###",
	'4': "#.#|#.#|###|..#|..#", '5': "###|#..|###|..#|###", '6': "###|#..|###|#.#|###", '7': "###|..#|..#|.#.|.#.",
	'8': "###|#.#|###|#.#|###", '9': "###|#.#|###|..#|###", '.': "...|...|...|...|.#.", '-': "...|...|###|...|...",
	'+': "...|.#.|###|.#.|...", 'a': "...|.##|#.#|#.#|.##", 'd': "..#|..#|.##|#.#|.##", 'e': "...|.#.|#.#|##.|.##",
	'i': ".#.|...|.#.|.#.|.#.", 'l': ".#.|.#.|.#.|.#.|.##", 'n': "...|##.|#.#|#.#|#.#", 'o': "...|.#.|#.#|#.#|.#.",
	'p': "...|##.|#.#|##.|#..", 'r': "...|#.#|##.|#..|#..", 's': "...|.##|#..|.##|##.", 't': ".#.|###|.#.|.#.|.##",
	'v': "...|#.#|#.#|#.#|.#.",
}

// zoom is how large a pixel of a glyph is.
const zoom = 2

func textWidth(s string) int { return len(s) * 4 * zoom }

// text writes s with its upper left corner at x, y. Letters without a glyph are blank.
func (p *picture) text(x, y int, s string, c color.RGBA) {
	for i, r := range s {
		for row, line := range strings.Split(glyphs[r], "|") {
			for col, on := range line {
				for k := range zoom * zoom {
					if on == '#' {
						p.SetRGBA(x+(4*i+col)*zoom+k%zoom, y+row*zoom+k/zoom, c)
					}
				}
			}
		}
	}
}

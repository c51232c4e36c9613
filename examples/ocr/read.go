package main

import (
	"image"
	"math"
	"strings"

	"github.com/anycl/anycl/examples/internal/photos"
	"github.com/anycl/anycl/tensor"
)

// height is that of a line as the reader sees it.
const height = 48

// cut are the lines as the reader sees them: [lines, 3, height, width], blue, green and red from -1 to 1, and 0 after the end of
// shorter ones.
func cut(photo image.Image, found []line) *tensor.Tensor {
	widths, most := make([]int, len(found)), 0
	for i, l := range found {
		widths[i] = max(1, int(math.Ceil(height*(l.x1-l.x0)/(l.y1-l.y0))))
		most = max(most, (widths[i]+31)/32*32)
	}
	x := tensor.Must(tensor.New(tensor.Float32, len(found), 3, height, most))
	for i, l := range found {
		straight := swapped(upright(photo, l, widths[i]))
		values := photos.Scaled(straight, true, [3]float32{2, 2, 2}, [3]float32{-1, -1, -1})
		for row := range 3 * height {
			for u := range widths[i] {
				x.SetFloat64((i*3*height+row)*most+u, float64(values[row*widths[i]+u]))
			}
		}
	}
	return x
}

// upright is a line as a rectangle, each of its pixels between four of the photograph.
func upright(photo image.Image, l line, width int) *image.RGBA {
	to, b := image.NewRGBA(image.Rect(0, 0, width, height)), photo.Bounds()
	at := func(x, y int) (r, g, bl float64) {
		p := image.Pt(min(max(x, b.Min.X), b.Max.X-1), min(max(y, b.Min.Y), b.Max.Y-1))
		c := [3]uint32{}
		c[0], c[1], c[2], _ = photo.At(p.X, p.Y).RGBA()
		return float64(c[0]), float64(c[1]), float64(c[2])
	}
	for v := range height {
		for u := range width {
			x := l.x0 + (float64(u)+0.5)/float64(width)*(l.x1-l.x0) - 0.5
			y := l.y0 + l.slope*x + (float64(v)+0.5)/height*(l.y1-l.y0) - 0.5
			x0, y0 := math.Floor(x), math.Floor(y)
			fx, fy := x-x0, y-y0
			var sum [3]float64
			for _, k := range []struct {
				dx, dy int
				part   float64
			}{{0, 0, (1 - fx) * (1 - fy)}, {1, 0, fx * (1 - fy)}, {0, 1, (1 - fx) * fy}, {1, 1, fx * fy}} {
				r, g, bl := at(int(x0)+k.dx, int(y0)+k.dy)
				sum[0], sum[1], sum[2] = sum[0]+k.part*r, sum[1]+k.part*g, sum[2]+k.part*bl
			}
			i := to.PixOffset(u, v)
			for c := range 3 {
				to.Pix[i+c] = uint8(sum[c]/257 + 0.5)
			}
			to.Pix[i+3] = 255
		}
	}
	return to
}

// read is the text of each line by its scores, [lines, slices, signs]: the best sign of each slice, where it is another than that
// before it. Sign 0 is none.
func read(scores *tensor.Tensor, signs []string) []string {
	n, slices, kinds := scores.Shape()[0], scores.Shape()[1], scores.Shape()[2]
	text := make([]string, n)
	for i := range n {
		var b strings.Builder
		before := 0
		for s := range slices {
			best, most := 0, math.Inf(-1)
			for k := range kinds {
				if v := scores.Float64At((i*slices+s)*kinds + k); v > most {
					best, most = k, v
				}
			}
			if best != before && best < len(signs) {
				b.WriteString(signs[best])
			}
			before = best
		}
		text[i] = strings.TrimSpace(b.String())
	}
	return text
}

// distance is how many signs must be put in, left out or changed to make one text of the other: Levenshtein's.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range s {
		before := row[0]
		row[0] = i + 1
		for j, y := range t {
			change := before
			if x != y {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, before+1, row[j]+1)
		}
	}
	return row[len(t)]
}

package main

import (
	"cmp"
	"image"
	"math"
	"slices"

	"github.com/anycl/anycl/examples/internal/photos"
	"github.com/anycl/anycl/tensor"
)

// longest is the longer side of the picture in which text is looked for. Sides are multiples of 32.
const longest = 960

// seen is a picture as the detector sees it: [1, 3, height, width], blue, green and red, each less a mean and by a deviation.
func seen(photo image.Image) *tensor.Tensor {
	b := photo.Bounds()
	scale := longest / float64(max(b.Dx(), b.Dy()))
	to32 := func(n int) int { return max(32, int(math.Round(float64(n)*scale/32))*32) }
	w, h := to32(b.Dx()), to32(b.Dy())
	deviation, mean := [3]float32{0.229, 0.224, 0.225}, [3]float32{0.485, 0.456, 0.406}
	for c := range 3 {
		deviation[c], mean[c] = 1/deviation[c], -mean[c]/deviation[c]
	}
	return tensor.Must(tensor.FromSlice(photos.Scaled(swapped(photos.Resized(photo, b, w, h)), true, deviation, mean), 1, 3, h, w))
}

// swapped has blue in the place of red, as the networks want it.
func swapped(img *image.RGBA) *image.RGBA {
	for i := 0; i < len(img.Pix); i += 4 {
		img.Pix[i], img.Pix[i+2] = img.Pix[i+2], img.Pix[i]
	}
	return img
}

// line is a line of text: from x0 to x1, y0 + slope·x at its top and y1 + slope·x at its bottom, in pixels of the photograph.
type line struct {
	x0, x1, y0, y1, slope float64
	text                  string
}

// box is a rectangle around the line.
func (l line) box() image.Rectangle {
	a, b := l.slope*l.x0, l.slope*l.x1
	return image.Rect(int(l.x0), int(l.y0+min(a, b)), int(math.Ceil(l.x1)), int(math.Ceil(l.y1+max(a, b))))
}

// lines are where text is by a map of probabilities, from the top.
func lines(probability *tensor.Tensor, photo image.Rectangle) []line {
	const text, sure, small = 0.3, 0.6, 24 // of a pixel, of the mean of a line, and its area
	h, w := probability.Shape()[2], probability.Shape()[3]
	seen := make([]bool, h*w)
	sx, sy := float64(photo.Dx())/float64(w), float64(photo.Dy())/float64(h)
	var all []line
	for start := range h * w {
		if seen[start] || probability.Float64At(start) < text {
			continue
		}
		region, sum := []int{start}, 0.0
		seen[start] = true
		for i := 0; i < len(region); i++ {
			at := region[i]
			sum += probability.Float64At(at)
			for _, step := range []image.Point{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
				x, y := at%w+step.X, at/w+step.Y
				if next := y*w + x; x >= 0 && y >= 0 && x < w && y < h && !seen[next] && probability.Float64At(next) >= text {
					seen[next] = true
					region = append(region, next)
				}
			}
		}
		if len(region) < small || sum/float64(len(region)) < sure {
			continue
		}
		l := fitted(region, w)
		// The network marks the middle of a line: it grows by a part of its area by its circumference, 1.5 as in PaddleOCR.
		grow := 1.5 * (l.x1 - l.x0) * (l.y1 - l.y0) / (2 * (l.x1 - l.x0 + l.y1 - l.y0))
		all = append(all, line{
			x0: max(0, l.x0-grow) * sx, x1: min(float64(w), l.x1+grow) * sx,
			y0: (l.y0 - grow) * sy, y1: (l.y1 + grow) * sy, slope: l.slope * sy / sx,
		}.moved(photo.Min))
	}
	slices.SortFunc(all, func(a, b line) int { return cmp.Compare(a.y0+a.slope*a.x0, b.y0+b.slope*b.x0) })
	return all
}

func (l line) moved(by image.Point) line {
	x, y := float64(by.X), float64(by.Y)
	l.x0, l.x1, l.y0, l.y1 = l.x0+x, l.x1+x, l.y0+y-l.slope*x, l.y1+y-l.slope*x
	return l
}

// fitted is the least parallelogram with upright sides and the direction of a region, by least squares.
func fitted(region []int, w int) line {
	var mx, my, xx, xy float64
	for _, at := range region {
		mx, my = mx+float64(at%w), my+float64(at/w)
	}
	n := float64(len(region))
	mx, my = mx/n, my/n
	for _, at := range region {
		dx := float64(at%w) - mx
		xx, xy = xx+dx*dx, xy+dx*(float64(at/w)-my)
	}
	l := line{x0: math.Inf(1), x1: math.Inf(-1), y0: math.Inf(1), y1: math.Inf(-1)}
	if xx > 0 {
		l.slope = xy / xx
	}
	for _, at := range region {
		x, y := float64(at%w), float64(at/w)
		l.x0, l.x1 = min(l.x0, x), max(l.x1, x+1)
		l.y0, l.y1 = min(l.y0, y-l.slope*x), max(l.y1, y+1-l.slope*x)
	}
	return l
}

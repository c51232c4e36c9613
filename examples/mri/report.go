package main

import (
	"image"
	"image/color"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/tensor"
)

// count is how many points each class has.
func count(class []uint8) (n [classes]int) {
	for _, c := range class {
		n[c]++
	}
	return n
}

// report prints how much there is of each class. A point is a cubic millimetre.
func report(p *gallery.Program, t tissues) {
	n := count(t.class)
	for k, name := range []string{"air", "fluid and bone", "grey matter and muscle", "white matter", "fat"} {
		least := float32(0)
		if k > 0 {
			least = t.limits[k-1]
		}
		p.Printf("  %-24s above %5.1f  %8.1f ml\n", name, least, float64(n[k])/1000)
	}
}

// paint sets pictures beside each other: above, slices of the scan, of the smoothed scan, and of classes, and a projection;
// below, the surface from all sides.
func (v *volume) paint(t tissues, views [2][]float32, sides, size int) image.Image {
	palette := [classes]color.RGBA{{0, 0, 0, 255}, {64, 102, 191, 255}, {217, 115, 102, 255}, {242, 235, 217, 255}, {242, 191, 77, 255}}
	scale := float64(max(v.nx, v.ny)) / float64(size)
	return gallery.Paint(sides*size, 2*size, func(px, py int) color.RGBA {
		s, x, y := px/size, px%size, py%size
		switch {
		case py >= size:
			c := views[0][3*((s*size+y)*size+x):]
			level := func(i int) float64 { return math.Sqrt(float64(max(c[i], 0))) }
			return gallery.RGB(level(0), level(1), level(2))
		case s == 3:
			return gallery.Grey(float64(views[1][y*size+x]) * 1.3 / 255)
		}
		// A slice from above, at half the height, with the front above.
		i, j := int((float64(x)-float64(size)/2)*scale)+v.nx/2, v.ny/2-int((float64(y)-float64(size)/2)*scale)
		if i < 0 || i >= v.nx || j < 0 || j >= v.ny {
			return color.RGBA{A: 255}
		}
		at := (v.nz/2*v.ny+j)*v.nx + i
		switch s {
		case 0:
			return gallery.Grey(float64(v.values[at]) * 1.6 / 255)
		case 1:
			return gallery.Grey(float64(t.smooth[at]) * 1.6 / 255)
		}
		return palette[t.class[at]]
	})
}

// tissues holds the results for the points of a volume.
type tissues struct {
	smooth []float32
	class  []uint8
	limits []float32
}

func tissuesIn(t []*tensor.Tensor) tissues {
	return tissues{tensor.MustSlice[float32](t[0]), tensor.MustSlice[uint8](t[1]), tensor.MustSlice[float32](t[2])}
}

func picturesIn(t []*tensor.Tensor) [2][]float32 {
	return [2][]float32{tensor.MustSlice[float32](t[0]), tensor.MustSlice[float32](t[1])}
}

// directions are those of n views, around the head, from a little above: forward, right and up, [n, 9].
func directions(n int) (all []float32) {
	for k := range n {
		sin, cos := math.Sincos(2*math.Pi*float64(k)/float64(n) + 0.45)
		a, b := math.Sincos(0.3)
		for _, c := range []float64{-sin * b, -cos * b, -a, -cos, sin, 0, -sin * a, -cos * a, b} {
			all = append(all, float32(c))
		}
	}
	return all
}

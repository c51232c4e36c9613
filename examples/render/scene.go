package main

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/tensor"
)

// The kinds of spheres, as the kernel knows them.
const (
	matt = iota
	metal
	glass
	lamp
)

type sphere struct {
	centre vec
	square float32 // of the radius
	kind   int
	colour vec
}

// studio is three large spheres among small ones, below a light. One in so many is left out.
func studio() *scene {
	ball := func(x, y, z, r float32, kind int, colour vec) sphere {
		return sphere{vec{x, y, z}, float32(r * r), kind, colour}
	}
	s := &scene{light: 0, emitted: 14, spheres: []sphere{
		ball(-4, 8, 3, 1.6, lamp, vec{1, 1, 1}),
		ball(0, 1.3, 0.6, 1.3, glass, vec{0.98, 0.99, 1}),
		ball(-2.9, 1.2, -1, 1.2, matt, vec{0.75, 0.2, 0.12}),
		ball(2.9, 1.2, -0.8, 1.2, metal, vec{0.95, 0.8, 0.5}),
	}}
	random := rand.New(rand.NewPCG(3, 1))
	for len(s.spheres) < 48 {
		r := 0.18 + 0.24*random.Float32()
		b := ball(13*random.Float32()-6.5, r, 10*random.Float32()-5, r, []int{matt, matt, metal, glass}[random.IntN(4)],
			vec{0.2 + 0.75*random.Float32(), 0.2 + 0.75*random.Float32(), 0.2 + 0.75*random.Float32()})
		free := true
		for _, c := range s.spheres {
			d := b.centre.sub(c.centre)
			free = free && math.Sqrt(float64(d.dot(d))) > math.Sqrt(float64(b.square))+math.Sqrt(float64(c.square))
		}
		if free {
			s.spheres = append(s.spheres, b)
		}
	}
	return s
}

// furnace is the same things, white, in a white sky that sends 1, and no light: as all that comes in goes out again, a picture of
// them is 1 everywhere.
func furnace() *scene {
	s := studio()
	s.spheres, s.light, s.white = s.spheres[1:], -1, 1
	return s
}

// table is the scene as the kernel reads it.
func (s *scene) table(width int) *tensor.Tensor {
	n := (len(s.spheres) + width - 1) / width * width
	t := make([]float32, 8*n)
	for i := range n {
		b := sphere{square: -1}
		if i < len(s.spheres) {
			b = s.spheres[i]
		}
		for row, v := range []float32{b.centre.x, b.centre.y, b.centre.z, b.square, float32(b.kind), b.colour.x, b.colour.y, b.colour.z} {
			t[row*n+i] = v
		}
	}
	return tensor.Must(tensor.FromSlice(t, 8, n))
}

// paint shows light as sRGB does, nearly: by the power 1/2.2.
func paint(light []float32, width, height int) image.Image {
	return gallery.Paint(width, height, func(x, y int) color.RGBA {
		level := func(c int) float64 { return math.Pow(float64(max(light[3*(y*width+x)+c], 0)), 1/2.2) }
		return gallery.RGB(level(0), level(1), level(2))
	})
}

package main

import (
	"image"
	"image/color"
	"math"

	"golang.org/x/image/draw"
)

func (f face) within(b image.Rectangle) image.Rectangle {
	at := func(x, y float64) image.Point { return onto(b, x, y) }
	return image.Rectangle{at(f.x0, f.y0), at(f.x1, f.y1)}
}

// onto is a place on a picture.
func onto(b image.Rectangle, x, y float64) image.Point {
	return image.Pt(b.Min.X+int(math.Round(x*float64(b.Dx()))), b.Min.Y+int(math.Round(y*float64(b.Dy()))))
}

// eyes are where the eyes of the astronaut are, as a person sees them.
var eyes = [2]image.Point{{203, 102}, {248, 103}}

// near reports whether the first face has eyes where those of the astronaut are.
func near(faces []face, b image.Rectangle) bool {
	for i, want := range eyes {
		got := onto(b, faces[0].points[i][0], faces[0].points[i][1])
		if d := got.Sub(want); math.Hypot(float64(d.X), float64(d.Y)) > 4 {
			return false
		}
	}
	return true
}

// drawn is the picture with a box around each face, and dots on its eyes, nose, mouth and ears.
func drawn(photo image.Image, faces []face) image.Image {
	out := image.NewRGBA(photo.Bounds())
	draw.Draw(out, out.Bounds(), photo, photo.Bounds().Min, draw.Src)
	fill := func(r image.Rectangle, c color.Color) {
		draw.Draw(out, r, image.NewUniform(c), image.Point{}, draw.Src)
	}
	thick := max(1, out.Bounds().Dx()/256)
	for _, f := range faces {
		b, red := f.within(out.Bounds()), color.RGBA{R: 230, G: 60, B: 40, A: 255}
		fill(image.Rect(b.Min.X, b.Min.Y, b.Max.X, b.Min.Y+thick), red)
		fill(image.Rect(b.Min.X, b.Max.Y-thick, b.Max.X, b.Max.Y), red)
		fill(image.Rect(b.Min.X, b.Min.Y, b.Min.X+thick, b.Max.Y), red)
		fill(image.Rect(b.Max.X-thick, b.Min.Y, b.Max.X, b.Max.Y), red)
		for _, p := range f.points {
			at := onto(out.Bounds(), p[0], p[1])
			fill(image.Rect(at.X-thick, at.Y-thick, at.X+thick+1, at.Y+thick+1), color.RGBA{R: 60, G: 220, B: 80, A: 255})
		}
	}
	return out
}

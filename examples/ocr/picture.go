package main

import (
	"image"
	"image/color"
	"sync"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// drawn is the photograph with the lines framed, and below it a sheet with the recognised text in the same places.
func drawn(photo image.Image, found []line) image.Image {
	b := photo.Bounds()
	scale := max(1, 900/max(1, b.Dx()))
	w, h := b.Dx()*scale, b.Dy()*scale
	out := image.NewRGBA(image.Rect(0, 0, w, 2*h))
	draw.Draw(out, out.Bounds(), image.White, image.Point{}, draw.Src)
	draw.BiLinear.Scale(out, image.Rect(0, 0, w, h), photo, b, draw.Src, nil)
	s := float64(scale)
	frame := color.RGBA{R: 220, G: 60, B: 40, A: 255}
	for _, l := range found {
		for i := range int((l.x1 - l.x0) * s) {
			x := l.x0 + float64(i)/s
			for _, y := range []float64{l.y0, l.y1} {
				out.SetRGBA(int((x-float64(b.Min.X))*s), min(max(0, int((y+l.slope*x-float64(b.Min.Y))*s)), h-1), frame)
			}
		}
		for i := range int((l.y1 - l.y0) * s) {
			for _, x := range []float64{l.x0, l.x1} {
				y := l.y0 + l.slope*x + float64(i)/s
				out.SetRGBA(min(max(0, int((x-float64(b.Min.X))*s)), w-1), min(max(0, int((y-float64(b.Min.Y))*s)), h-1), frame)
			}
		}
		write(out, l, image.Pt(b.Min.X, b.Min.Y), s, h)
	}
	return out
}

var regular = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(goregular.TTF) })

// write writes the text of a line where the line is, no wider than it.
func write(out *image.RGBA, l line, from image.Point, scale float64, down int) {
	f, err := regular()
	if err != nil {
		return // the font is part of the program
	}
	size := (l.y1 - l.y0) * scale * 0.6
	for range 8 {
		face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: max(4, size), DPI: 72})
		if err != nil {
			return
		}
		x, y := (l.x0-float64(from.X))*scale, (l.y0*0.25+l.y1*0.75+l.slope*(l.x0+l.x1)/2-float64(from.Y))*scale
		d := font.Drawer{Dst: out, Src: image.NewUniform(color.RGBA{R: 20, G: 40, B: 120, A: 255}), Face: face, Dot: fixed.P(int(x), down+int(y))}
		if width := float64(d.MeasureString(l.text)) / 64; width > (l.x1-l.x0)*scale && size > 4 {
			size *= max(0.5, (l.x1-l.x0)*scale/width*0.98)
			continue
		}
		d.DrawString(l.text)
		return
	}
}

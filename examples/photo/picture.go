package main

import (
	_ "embed"
	"image"
	"image/color"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/tensor"
)

// planes is a picture: all red values, all green ones, all blue ones; or one plane.
type planes struct {
	w, h   int
	values []float32
}

func planesOf(img image.Image) planes {
	b := img.Bounds()
	p := planes{b.Dx(), b.Dy(), make([]float32, 3*b.Dx()*b.Dy())}
	for i := range p.w * p.h {
		red, green, blue, _ := img.At(b.Min.X+i%p.w, b.Min.Y+i/p.w).RGBA()
		for c, v := range []uint32{red, green, blue} {
			p.values[c*p.w*p.h+i] = float32(v >> 8)
		}
	}
	return p
}

// at is a value, of the border where x and y are outside. A single plane is grey.
func (p planes) at(c, x, y int) float32 {
	if len(p.values) == p.w*p.h {
		c = 0
	}
	return p.values[(c*p.h+min(max(y, 0), p.h-1))*p.w+min(max(x, 0), p.w-1)]
}

// tensor is the picture as bytes.
func (p planes) tensor() *tensor.Tensor {
	b := make([]uint8, len(p.values))
	for i, v := range p.values {
		b[i] = uint8(v)
	}
	return tensor.Must(tensor.FromSlice(b, len(b)/p.w/p.h, p.h, p.w))
}

// montage sets the photograph and the pictures of its size beside each other.
func montage(photo planes, pictures []planes) image.Image {
	all := []planes{photo}
	for _, p := range pictures {
		if p.w == photo.w {
			all = append(all, p)
		}
	}
	const columns = 3
	return gallery.Paint(columns*photo.w, (len(all)+columns-1)/columns*photo.h, func(x, y int) color.RGBA {
		k := y/photo.h*columns + x/photo.w
		if k >= len(all) {
			return color.RGBA{}
		}
		level := func(c int) float64 { return float64(all[k].at(c, x%photo.w, y%photo.h)) / 255 }
		return gallery.RGB(level(0), level(1), level(2))
	})
}

// A temple in Beijing, photographed by danielbuechele: see data/LICENSE.
//
//go:embed data/china.jpg
var china []byte

// filtered holds the filtered pictures of a photograph, and the palette.
type filtered struct {
	pictures []planes
	colours  []float32 // [colours, 3]
}

func filteredIn(out []*tensor.Tensor) (f filtered) {
	for _, y := range out[:len(filters)] {
		s := y.Shape()
		f.pictures = append(f.pictures, planes{s[len(s)-1], s[len(s)-2], tensor.MustSlice[float32](y)})
	}
	f.colours = tensor.MustSlice[float32](out[len(filters)])
	return f
}

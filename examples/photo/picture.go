package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
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

// pan is the part of w x h pixels that a camera sees that goes from the left above to the right below: frame i of n.
func (p planes) pan(i, n, w, h int) planes {
	left, top := (p.w-w)*i/max(n-1, 1), (p.h-h)*i/max(n-1, 1)
	part := planes{w, h, make([]float32, 0, 3*w*h)}
	for c := range 3 {
		for y := range h {
			from := (c*p.h+top+y)*p.w + left
			part.values = append(part.values, p.values[from:from+w]...)
		}
	}
	return part
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

// clip is a video in the format YUV4MPEG2 with colours in full resolution, 25 frames a second.
type clip struct{ bytes.Buffer }

func newClip(w, h int) *clip {
	c := &clip{}
	fmt.Fprintf(c, "YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C444\n", w, h)
	return c
}

func (c *clip) add(frame *tensor.Tensor) {
	c.WriteString("FRAME\n")
	c.Write(tensor.MustSlice[uint8](frame))
}

// yuv is a picture as video has it, uint8 [3, height, width], by ITU-R BT.601: luma from 16 to 235 and differences of colours around 128.
func yuv(x *ops.Node) *ops.Node {
	m := tensor.Must(tensor.FromSlice([]float32{
		65.481 / 255, 128.553 / 255, 24.966 / 255, -37.797 / 255, -74.203 / 255, 112. / 255, 112. / 255, -93.786 / 255, -18.214 / 255,
	}, 3, 3))
	g, h, w := x.Graph(), x.Shape()[1], x.Shape()[2]
	y := ops.MatMul(g.Const(m), ops.Reshape(x, 3, h*w))
	shift := g.Const(tensor.Must(tensor.FromSlice([]float32{16, 128, 128}, 3, 1)))
	return ops.Reshape(ops.Cast(ops.Clip(ops.Round(ops.Add(y, shift)), 0, 255), tensor.Uint8), 3, h, w)
}

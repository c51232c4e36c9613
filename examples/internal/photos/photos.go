// Package photos has two real photographs, from Debian's package python3-sklearn 1.2.1. Their licence is CC BY 2.0; see LICENSE.
package photos

import (
	"bytes"
	_ "embed"
	"image"
	"image/jpeg"
)

//go:embed china.jpg
var china []byte

//go:embed flower.jpg
var flower []byte

// China is a temple, 640 x 427 pixels; Flower a dahlia, 640 x 427 pixels.
func China() (image.Image, error)  { return jpeg.Decode(bytes.NewReader(china)) }
func Flower() (image.Image, error) { return jpeg.Decode(bytes.NewReader(flower)) }

// Grey is how bright the pixels of a rectangle are, 0 to 1: Y of ITU-R BT.601.
func Grey(img image.Image, r image.Rectangle) []float32 {
	grey := make([]float32, 0, r.Dx()*r.Dy())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			grey = append(grey, (0.299*float32(r)+0.587*float32(g)+0.114*float32(b))/0xffff)
		}
	}
	return grey
}

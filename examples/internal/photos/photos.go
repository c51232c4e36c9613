// Package photos has two real photographs, from Debian's package python3-sklearn 1.2.1. Their licence is CC BY 2.0; see LICENSE.
package photos

import (
	"bytes"
	_ "embed"
	"fmt"
	"image"
	"image/jpeg"
	_ "image/png" // of Open
	"os"
)

//go:embed china.jpg
var china []byte

//go:embed flower.jpg
var flower []byte

// China is a temple, 640 x 427 pixels; Flower a dahlia, 640 x 427 pixels.
func China() (image.Image, error)  { return jpeg.Decode(bytes.NewReader(china)) }
func Flower() (image.Image, error) { return jpeg.Decode(bytes.NewReader(flower)) }

// ChinaFile is the JPEG file of China.
func ChinaFile() ([]byte, error) { return china, nil }

// Open decodes a JPEG or PNG file; where path is empty, the one that otherwise reads.
func Open(path string, otherwise func() ([]byte, error)) (image.Image, error) {
	read := otherwise
	if path != "" {
		read = func() ([]byte, error) { return os.ReadFile(path) }
	}
	content, err := read()
	if err != nil {
		return nil, err
	}
	img, _, err := image.Decode(bytes.NewReader(content))
	if err != nil && path != "" {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return img, err
}

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

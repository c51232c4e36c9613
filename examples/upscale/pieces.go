package main

import (
	"image"
	"math"

	"github.com/anycl/anycl/examples/internal/photos"
	"github.com/anycl/anycl/tensor"
)

// pieces cuts the photographs up: into pieces [n, 1, 48, 48] to learn from, each also turned on its side, and the part [1, 1, 426,
// 160] that is kept out.
func pieces(stride int) (learned, kept *tensor.Tensor, err error) {
	flower, err := photos.Flower()
	if err != nil {
		return nil, nil, err
	}
	china, err := photos.China()
	if err != nil {
		return nil, nil, err
	}
	var all []float32
	for _, part := range []struct {
		img      image.Image
		from, to int
	}{{flower, 0, 640}, {china, 0, left}, {china, left + width, 640}} {
		for y := 0; y+side <= 427; y += stride {
			for x := part.from; x+side <= part.to; x += stride {
				grey := photos.Grey(part.img, image.Rect(x, y, x+side, y+side))
				all = append(all, grey...)
				for i := range grey {
					all = append(all, grey[i%side*side+i/side])
				}
			}
		}
	}
	learned, err = tensor.FromSlice(all, len(all)/side/side, 1, side, side)
	if err != nil {
		return nil, nil, err
	}
	kept, err = tensor.FromSlice(photos.Grey(china, image.Rect(left, 0, left+width, 426)), 1, 1, 426, width)
	return learned, kept, err
}

// decibels is the peak signal-to-noise ratio: 10 log(1 / mean squared difference).
func decibels(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += math.Pow(float64(a[i])-float64(b[i]), 2)
	}
	return -10 * math.Log10(sum/float64(len(a)))
}

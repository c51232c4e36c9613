package main

import (
	"context"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// undone blurs by a narrow Gaussian, of which all waves are left, and gets the photograph back.
func undone(ctx context.Context, p *gallery.Program, rt *ops.Runtime, sharp *tensor.Tensor) error {
	l := newLens(sharp, func(dx, dy float64) float64 { return math.Exp(-(dx*dx + dy*dy) / (2 * 0.8 * 0.8)) })
	blurred, err := l.blur(ctx, rt, 0)
	if err != nil {
		return err
	}
	s, err := l.sharpener(ctx, rt, ops.Auto)
	if err != nil {
		return err
	}
	out, err := s.run(ctx, blurred, 0)
	if err != nil {
		return err
	}
	off := gallery.Farthest(tensor.MustSlice[float32](out.image), tensor.MustSlice[float32](sharp))
	p.Check(off < 2e-3, "a blur that leaves all waves is undone: pixels differ by at most %.1e", off)
	return nil
}

// blurredAt is a pixel of the blurred photograph, summed over the spot.
func (l *lens) blurredAt(sharp *tensor.Tensor, c, y, x int) (sum float64) {
	for dy := range l.h {
		for dx := range l.w {
			if s := l.spot.Float64At(dy*l.w + dx); s > 0 {
				sum += s * sharp.Float64At(l.index(c, (y-dy+l.h)%l.h, (x-dx+l.w)%l.w))
			}
		}
	}
	return sum
}

// decibels is the ratio of the range of brightness to the deviation of x from y.
func decibels(x, y *tensor.Tensor) float64 {
	sum := 0.0
	for i := range x.Len() {
		d := x.Float64At(i) - y.Float64At(i)
		sum += d * d
	}
	return -10 * math.Log10(sum/float64(x.Len()))
}

// check compares the blurred photograph with a plain sum, and the sharpened one with the true one.
func check(p *gallery.Program, o options, l *lens, blurred *tensor.Tensor, out sharpened) {
	at := float64(tensor.MustSlice[float32](l.clean)[l.index(1, 20, 30)])
	p.Check(math.Abs(l.blurredAt(l.sharp, 1, 20, 30)-at) < 1e-5, "the blur by Fourier transforms is the sum over the disc")
	p.Check(math.Abs(math.Sqrt(out.left)/o.noise-1) < 0.02, "what the sharpened photograph does not explain is %.4f, as large as the noise",
		math.Sqrt(out.left))
	before, after := decibels(blurred, l.sharp), decibels(out.image, l.sharp)
	p.Check(after > before+1.5, "the signal is %.1f dB above the error, after %.1f", after, before)
}

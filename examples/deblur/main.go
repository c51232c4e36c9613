// Deblur sharpens a photograph that was taken out of focus: it divides by the blur in the space of waves, as far as noise allows.
//
//	go run ./examples/deblur [-radius 5] [-noise 0.01] [-out deblur.png]
//
// A photograph is blurred by a disc, as by a lens out of focus, and noise is added, so that the expected result is known. How much to
// trust each wave follows from the noise alone. The picture has the blurred photograph, the sharpened one and the true one.
package main

import (
	"context"
	"image"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/photos"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/fft"
	"github.com/anycl/anycl/tensor"
)

// options are the settings of the command line, and the part of the photograph.
type options struct {
	radius, noise float64
	part          image.Rectangle
}

func main() {
	o := options{part: image.Rect(0, 0, 640, 427)}
	gallery.Float(&o.radius, "radius", 5, 1, 50, "radius of the disc that a point becomes, in pixels")
	gallery.Float(&o.noise, "noise", 0.01, 1e-6, 1, "standard deviation of the noise, of a brightness from 0 to 1")
	gallery.Main("deblur", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	img, err := photos.China()
	if err != nil {
		return err
	}
	sharp := planes(img, o.part)
	if err := undone(ctx, p, rt, sharp); err != nil {
		return err
	}
	// Blurred, and with noise.
	l := newLens(sharp, disc(o.radius))
	blurred, err := l.blur(ctx, rt, o.noise)
	if err != nil {
		return err
	}
	s, err := l.sharpener(ctx, rt, ops.Auto)
	if err != nil {
		return err
	}
	out, weight, err := s.fit(ctx, blurred, o.noise)
	if err != nil {
		return err
	}
	p.Printf("\nOut of focus by %g pixels, with noise of %g; waves are trusted up to a roughness weighed by %.2g\n", o.radius, o.noise, weight)
	check(p, o, l, blurred, out)
	if err := p.WritePNG(l.picture(blurred, out.image, sharp)); err != nil {
		return err
	}
	return times(ctx, p, rt, l, blurred, weight)
}

// lens is a blur of photographs of h x w pixels, beyond whose edges they begin again.
type lens struct {
	h, w  int
	sharp *tensor.Tensor
	spot  *tensor.Tensor // the image of a point, [h, w], around the first pixel
	clean *tensor.Tensor // blurred, without noise
}

// waves are the transforms of images [..., h, w], complex numbers, and back.
func (l *lens) waves(x *ops.Node) *ops.Node {
	return ops.ViewAsComplex(fft.RFFT(x, &fft.Options{Axes: []int{-2, -1}}))
}

func (l *lens) pixels(x *ops.Node) *ops.Node {
	return fft.IRFFT(ops.ViewAsReal(x), &fft.Options{Axes: []int{-2, -1}, Sizes: []int{l.h, l.w}})
}

// blur is the photograph through the lens, with noise.
func (l *lens) blur(ctx context.Context, rt *ops.Runtime, noise float64) (*tensor.Tensor, error) {
	g := ops.NewGraph("blur")
	g.Seed(7)
	clean := l.pixels(ops.Mul(l.waves(g.Const(l.sharp)), l.waves(g.Const(l.spot))))
	blurred := ops.Add(clean, ops.Mul(noise, g.Normal(tensor.Float32, 3, l.h, l.w)))
	out, err := gallery.AtOnce(ctx, rt, nil, blurred, clean)
	if err != nil {
		return nil, err
	}
	l.clean = out[1]
	return out[0], nil
}

// sharpener finds the photograph x for which |spot * x - blurred|² + weight · |Laplacian of x|² is least: wave by wave,
//
//	X = H̄ Y / (|H|² + weight · |L|²)
//
// where X, Y, H and L are the waves of x, blurred, spot and the Laplacian. A wave that the lens lets through, |H| large, is divided by H;
// one that it stops, or that is so short that only noise has it, is left out.
//
// Source: Hunt, The Application of Constrained Least Squares Estimation to Image Restoration by Digital Computer (1973).
type sharpener struct {
	exe             *ops.Executable
	blurred, weight *ops.Node
}

// sharpened is a photograph, and the mean square of the residual that it does not explain.
type sharpened struct {
	image *tensor.Tensor
	left  float64
}

func (l *lens) sharpener(ctx context.Context, rt *ops.Runtime, place ops.Place) (*sharpener, error) {
	g := ops.NewGraph("sharpen")
	s := &sharpener{blurred: g.Input("blurred", tensor.Float32, 3, l.h, l.w), weight: g.Input("weight", tensor.Float32)}
	laplacian := tensor.Must(tensor.New(tensor.Float32, l.h, l.w))
	for _, at := range [][2]int{{1, 0}, {l.h - 1, 0}, {0, 1}, {0, l.w - 1}} {
		laplacian.SetFloat64(at[0]*l.w+at[1], -1)
	}
	laplacian.SetFloat64(0, 4)
	h, y := l.waves(g.Const(l.spot)), l.waves(s.blurred)
	power := func(x *ops.Node) *ops.Node { return ops.Add(ops.Square(ops.Real(x)), ops.Square(ops.Imag(x))) }
	trusted := ops.Add(power(h), ops.Mul(s.weight, power(l.waves(g.Const(laplacian)))))
	x := ops.Mul(ops.Mul(ops.Conj(h), y), ops.Cast(ops.Reciprocal(trusted), tensor.Complex64))
	left := ops.Mean(ops.Square(l.pixels(ops.Sub(ops.Mul(h, x), y))))
	target := ops.Target{Outputs: []*ops.Node{l.pixels(x), left}, Place: place}
	if place == ops.Auto {
		target.Start = ops.AtOnce // the picture does not wait for the device's kernels
	}
	var err error
	s.exe, err = g.Compile(ctx, rt, target)
	return s, err
}

func (s *sharpener) run(ctx context.Context, blurred *tensor.Tensor, weight float64) (sharpened, error) {
	out, err := s.exe.Run(ctx, ops.Feeds{s.blurred: blurred, s.weight: tensor.Scalar(float32(weight))})
	if err != nil {
		return sharpened{}, err
	}
	return sharpened{out[0], out[1].Float64At(0)}, nil
}

// fit finds the weight with which the residual is as large as the noise: it grows with the weight. Source: Morozov (1966).
func (s *sharpener) fit(ctx context.Context, blurred *tensor.Tensor, noise float64) (out sharpened, weight float64, err error) {
	low, high := -18.0, 6.0 // of the logarithm
	for range 24 {
		middle := (low + high) / 2
		weight = math.Exp(middle)
		if out, err = s.run(ctx, blurred, weight); err != nil {
			return out, weight, err
		}
		if out.left > noise*noise {
			high = middle
		} else {
			low = middle
		}
	}
	return out, weight, nil
}

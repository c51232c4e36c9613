// Deblur sharpens a photograph that was taken out of focus: it divides by the blur in the space of waves, as far as noise allows.
//
//	go run ./examples/deblur [-radius 5] [-noise 0.01] [-out deblur.png]
//
// A photograph is blurred by a disc, as by a lens out of focus, and noise is added, so that it is known what should come out. How much to
// trust each wave follows from the noise alone. The picture has the blurred photograph, the sharpened one and the true one.
package main

import (
	"context"
	_ "embed" // for peer.py
	"flag"
	"fmt"
	"image"
	"image/color"
	"math"
	"os"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/photos"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// options are what the command line says, and the part of the photograph.
type options struct {
	radius, noise float64
	part          image.Rectangle
}

func main() {
	o := options{part: image.Rect(0, 0, 640, 427)}
	flag.Float64Var(&o.radius, "radius", 5, "of the disc, in pixels")
	flag.Float64Var(&o.noise, "noise", 0.01, "standard deviation, of a brightness from 0 to 1")
	gallery.Main("deblur", func(ctx context.Context, p *gallery.Program) error {
		if !(o.radius >= 1 && o.radius <= 50) || !(o.noise > 0 && o.noise < 1) {
			fmt.Fprintln(os.Stderr, "deblur: -radius is from 1 to 50, -noise between 0 and 1")
			os.Exit(2)
		}
		return run(ctx, p, o)
	})
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
	// Blurred, and what the noise leaves of it.
	l := newLens(sharp, disc(o.radius))
	blurred, err := l.blur(ctx, rt, o.noise)
	if err != nil {
		return err
	}
	p.Check(math.Abs(l.blurredAt(sharp, 1, 20, 30)-float64(tensor.MustSlice[float32](l.clean)[l.index(1, 20, 30)])) < 1e-5, "the blur by Fourier transforms is the sum over the disc")
	s, err := l.sharpener(ctx, rt, ops.Auto)
	if err != nil {
		return err
	}
	out, weight, err := s.fit(ctx, blurred, o.noise)
	if err != nil {
		return err
	}
	before, after := decibels(blurred, sharp), decibels(out.image, sharp)
	p.Printf("\nOut of focus by %g pixels, with noise of %g; waves are trusted up to a roughness weighed by %.2g\n", o.radius, o.noise, weight)
	p.Check(math.Abs(math.Sqrt(out.left)/o.noise-1) < 0.02, "what the sharpened photograph does not explain is %.4f, as large as the noise", math.Sqrt(out.left))
	p.Check(after > before+1.5, "the signal is %.1f dB above the error, after %.1f", after, before)
	if err := p.WritePNG(l.picture(blurred, out.image, sharp)); err != nil {
		return err
	}
	return times(ctx, p, rt, l, blurred, weight)
}

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

//go:embed peer.py
var scipy string

// times sharpens on both engines and beside SciPy.
func times(ctx context.Context, p *gallery.Program, rt *ops.Runtime, l *lens, blurred *tensor.Tensor, weight float64) error {
	p.Printf("\n")
	work := gallery.Work{Name: fmt.Sprintf("%d x %d pixels of 3 colours", l.w, l.h), Amount: float64(3*l.w*l.h) / 1e6, Unit: "M values"}
	results, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (func(context.Context) (sharpened, error), error) {
		s, err := l.sharpener(ctx, rt, place)
		return func(ctx context.Context) (sharpened, error) { return s.run(ctx, blurred, weight) }, err
	})
	if err != nil {
		return err
	}
	values := func(k int) []float32 { return tensor.MustSlice[float32](results[k].Value.image) }
	last := len(results) - 1
	for k := range last {
		p.Check(gallery.Farthest(values(k), values(last)) < 1e-4, "the engines' photographs differ by at most %.0e", gallery.Farthest(values(k), values(last)))
	}
	var theirs []float32
	ok, err := p.Beside(ctx, gallery.Peer{Name: "SciPy", Python: scipy, Files: map[string]any{"blurred.f32": tensor.MustSlice[float32](blurred), "psf.f32": tensor.MustSlice[float32](l.spot)},
		Args: []any{l.h, l.w, weight}}, &theirs)
	if ok {
		p.Check(gallery.Farthest(values(last), theirs) < 1e-4, "SciPy's photograph differs by at most %.0e", gallery.Farthest(values(last), theirs))
	}
	return err
}

// planes are red, green and blue of a part of a picture, 0 to 1.
func planes(img image.Image, part image.Rectangle) *tensor.Tensor {
	w, h := part.Dx(), part.Dy()
	v := make([]float32, 3*w*h)
	for y := range h {
		for x := range w {
			r, g, b, _ := img.At(part.Min.X+x, part.Min.Y+y).RGBA()
			for c, level := range []uint32{r, g, b} {
				v[(c*h+y)*w+x] = float32(level) / 0xffff
			}
		}
	}
	return tensor.Must(tensor.FromSlice(v, 3, h, w))
}

// picture has photographs beside each other.
func (l *lens) picture(all ...*tensor.Tensor) image.Image {
	const gap = 8
	return gallery.Paint(len(all)*(l.w+gap)-gap, l.h, func(x, y int) color.RGBA {
		k, column := x/(l.w+gap), x%(l.w+gap)
		if column >= l.w {
			return gallery.Grey(1)
		}
		v := tensor.MustSlice[float32](all[k])
		at := func(c int) float64 { return float64(v[l.index(c, y, column)]) }
		return gallery.RGB(at(0), at(1), at(2))
	})
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

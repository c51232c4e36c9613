// Photo filters a photograph: Gaussian blur, Sobel's edges, a bilateral filter, histogram equalisation, a resize, and a palette of
// colours that k-means finds; and turns a short clip into a cartoon, frame by frame.
//
//	go run ./examples/photo [-frames 48] [-clip cartoon.y4m] [-peer] [-out photo.png]
//
// All filters but the bilateral one, which has a kernel of its own, are ops (filters.go); plain loops check them. The clip pans over the
// photograph; -clip writes the result as YUV4MPEG2, which ffmpeg, mpv and VLC play. With -peer it compares with SciPy's ndimage and
// NumPy.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"flag"
	"image"
	_ "image/jpeg" // the photograph is one
	"os"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/term"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// A temple in Beijing, photographed by danielbuechele: see data/LICENSE.
//
//go:embed data/china.jpg
var china []byte

// The filters' parameters.
const (
	sigma     = 3.0  // of the blur, in pixels
	radius    = 5    // of the bilateral filter
	deviation = 30.0 // of colours that it takes for alike
	colours   = 12   // of the palette
	rounds    = 10   // of k-means
)

type options struct {
	frames int
	clip   string // file
}

func main() {
	var o options
	flag.IntVar(&o.frames, "frames", 48, "frames of the clip")
	flag.StringVar(&o.clip, "clip", "", "`file` to write the clip to, .y4m")
	gallery.Main("photo", func(ctx context.Context, p *gallery.Program) error {
		img, _, err := image.Decode(bytes.NewReader(china))
		if err != nil {
			return err
		}
		return run(ctx, p, planesOf(img), o)
	})
}

// filters are their names, in the order in which filtered has the pictures.
var filters = []string{"blur", "edges", "bilateral", "equalised", "twice the size", "palette"}

// filtered is what the filters make of a photograph, and the palette.
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

func run(ctx context.Context, p *gallery.Program, photo planes, o options) error {
	if err := gallery.Within("frames", o.frames, 1, 10000); err != nil {
		return err
	}
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	work := gallery.Work{Name: "six filters", Amount: float64(photo.w*photo.h) / 1e6, Unit: "M pixels"}
	in := ops.NewGraph("filters").Input("photo", tensor.Uint8, 3, photo.h, photo.w)
	x := ops.Cast(in, tensor.Float32)
	painted, found := palette(x, colours, rounds)
	larger := ops.Interpolate(ops.Unsqueeze(x, 0), ops.InterpolateOptions{Mode: "cubic", Size: []int{2 * photo.h, 2 * photo.w}})
	results, err := gallery.Graph(ctx, p, rt, work, ops.Feeds{in: photo.tensor()},
		blur(x, sigma), sobel(x), bilateral(rt, x, radius, deviation), equalise(x), larger, painted, found)
	if err != nil {
		return err
	}
	for _, r := range results {
		photo.check(p, r.Where, filteredIn(r.Value))
	}
	best := filteredIn(results[0].Value)
	if err := beside(ctx, p, photo, best); err != nil {
		return err
	}
	if err := p.WritePNG(montage(photo, best.pictures)); err != nil {
		return err
	}
	return cartoon(ctx, p, rt, photo, o)
}

// cartoon makes a clip of the part of the photograph that a camera pans over: smooth colours with dark edges.
func cartoon(ctx context.Context, p *gallery.Program, rt *ops.Runtime, photo planes, o options) error {
	w, h := photo.w*3/4/2*2, photo.h*3/4/2*2
	share := 1 / float64((o.frames+7)/8) // the CPU path does one in eight
	_, err := gallery.Both(ctx, p, rt, gallery.Work{Name: "cartoon", Amount: float64(o.frames), Unit: "frames", CPUShare: share},
		func(place ops.Place) (func(context.Context) (int, error), error) {
			g := ops.NewGraph("cartoon")
			in := g.Input("frame", tensor.Uint8, 3, h, w)
			x := ops.Cast(in, tensor.Float32)
			ink := ops.Clip(ops.Sub(1.3, ops.Mul(sobel(x), 1./200)), 0, 1)
			exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{yuv(ops.Mul(bilateral(rt, x, radius, deviation), ink))}, Place: place})
			out := []*tensor.Tensor{tensor.Must(tensor.New(tensor.Uint8, 3, h, w))}
			return func(ctx context.Context) (int, error) {
				n, clip := o.frames, newClip(w, h)
				if place == ops.OnCPU {
					n = int(float64(n)*share + 0.5)
				}
				progress := term.NewProgress(p.Stderr, n, "frames")
				defer progress.Done()
				for i := range n {
					if err := exe.RunInto(ctx, ops.Feeds{in: photo.pan(i, o.frames, w, h).tensor()}, out); err != nil {
						return i, err
					}
					clip.add(out[0])
					progress.Step()
				}
				if o.clip != "" && (place == ops.OnDevice || rt.Device() == nil) {
					return n, os.WriteFile(o.clip, clip.Bytes(), 0o644)
				}
				return n, nil
			}, err
		})
	return err
}

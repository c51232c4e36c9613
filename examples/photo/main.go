// Photo filters a photograph: Gaussian blur, Sobel's edges, a bilateral filter, histogram equalisation, a resize, and a palette of
// colours that k-means finds; and turns a short clip into a cartoon, frame by frame.
//
//	go run ./examples/photo [-frames 48] [-clip cartoon.y4m] [-peer] [-out photo.png]
//
// All filters but the bilateral one, which has a kernel of its own (photo.cl), are ops; plain loops check them. The clip (video.go) pans
// over the photograph; -clip writes the result as YUV4MPEG2, which ffmpeg, mpv and VLC play. With -peer it compares with SciPy's ndimage
// and NumPy.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"image"
	_ "image/jpeg" // the photograph is one
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/cluster"
	"github.com/anycl/anycl/tensor"
)

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
	gallery.Int(&o.frames, "frames", 48, 1, 10000, "frames of the clip")
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

func run(ctx context.Context, p *gallery.Program, photo planes, o options) error {
	if err := gallery.Writable("clip", o.clip); err != nil {
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

// Pictures are float32 [3, height, width]: red, green and blue from 0 to 255. Pixels outside equal those of the border.

// blur smooths along rows, then along columns.
func blur(x *ops.Node, sigma float64) *ops.Node {
	w := gallery.Gauss(sigma)
	for _, axis := range []int{-1, -2} {
		x = ops.Stencil(x, ops.StencilOptions{Axes: []int{axis}, Size: []int{len(w)}, Weights: w})
	}
	return x
}

// luma is how bright each pixel is, [height, width], by ITU-R BT.601.
func luma(x *ops.Node) *ops.Node {
	plane := func(c int) *ops.Node { return ops.Reshape(ops.Narrow(x, 0, c, 1), x.Shape()[1:]...) }
	return ops.Add(ops.Add(ops.Mul(plane(0), 0.299), ops.Mul(plane(1), 0.587)), ops.Mul(plane(2), 0.114))
}

// sobel is the length of the gradient of the luma.
func sobel(x *ops.Node) *ops.Node {
	y := luma(x)
	of3x3 := func(weights ...float64) *ops.Node {
		return ops.Stencil(y, ops.StencilOptions{Axes: []int{0, 1}, Size: []int{3, 3}, Weights: weights})
	}
	across, down := of3x3(-1, 0, 1, -2, 0, 2, -1, 0, 1), of3x3(-1, -2, -1, 0, 0, 0, 1, 2, 1)
	return ops.Sqrt(ops.Add(ops.Square(across), ops.Square(down)))
}

// equalise changes the brightness of pixels so that each level is as frequent: a luma becomes 255 times the share of pixels that
// are no brighter, and the colours are scaled with it.
func equalise(x *ops.Node) *ops.Node {
	y := luma(x)
	level := ops.Cast(ops.Round(y), tensor.Int32)
	size := y.Shape()[0] * y.Shape()[1]
	share := ops.Mul(ops.Cast(ops.CumSum(ops.BinCount(ops.Reshape(level, size), 256, nil), 0, nil), tensor.Float32), 255/float64(size))
	return ops.Clip(ops.Mul(x, ops.Div(ops.Gather(share, 0, level), ops.Maximum(y, 1))), 0, 255)
}

// palette paints x with k colours that k-means finds, beginning with pixels at equal distances. The colours are [k, 3].
func palette(x *ops.Node, k, rounds int) (painted, colours *ops.Node) {
	h, w := x.Shape()[1], x.Shape()[2]
	pixels := ops.Transpose(ops.Reshape(x, 3, h*w))
	stride := h * w / k
	c := cluster.KMeans(pixels, ops.Slice(pixels, ops.Range{Axis: 0, Start: stride / 2, Stop: stride/2 + k*stride, Step: stride}), rounds)
	return ops.Reshape(ops.Gather(ops.Transpose(c.Centres), 1, c.Labels), 3, h, w), c.Centres
}

//go:embed photo.cl
var source string

// bilateral smooths, and keeps edges of more than about deviation.
func bilateral(rt *ops.Runtime, x *ops.Node, radius int, deviation float64) *ops.Node {
	h, w := x.Shape()[1], x.Shape()[2]
	width := rt.Device().Lanes() // pixels of a work-item
	for width > w {
		width /= 2
	}
	side, spread := 2*radius+1, float64(radius)/2
	weights := make([]float32, side*side)
	for i := range weights {
		a, b := float64(i/side-radius), float64(i%side-radius)
		weights[i] = float32(math.Exp(-(a*a + b*b) / (2 * spread * spread)))
	}
	fall := float32(-math.Log2E / (2 * deviation * deviation))
	around := ops.PadWith(x, "edge", ops.Padding{Axis: 1, Before: radius, After: radius}, ops.Padding{Axis: 2, Before: radius, After: radius})
	return ops.Kernel(x.Graph(), ops.KernelOptions{
		Source: source, Entry: "bilateral", Options: fmt.Sprintf("-D RADIUS=%d -D WIDTH=%d", radius, width),
		Results: []ops.Result{{DType: tensor.Float32, Shape: x.Shape()}},
		Args:    []any{int32(w), int32(h), fall},
		Global:  [3]int{(w + width - 1) / width, h},
		CPU:     &ops.KernelForm{Local: [3]int{1, 1}}, // the variables of a work-item alone stay in registers
		Host:    func(outs, ins []*tensor.Tensor) error { return bilateralHost(outs, ins, radius, fall) },
	}, around, x.Graph().Const(tensor.Must(tensor.FromSlice(weights, side, side))))[0]
}

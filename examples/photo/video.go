package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/term"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// cartoon makes a clip of the part of the photograph that a camera pans over: smooth colours with dark edges.
func cartoon(ctx context.Context, p *gallery.Program, rt *ops.Runtime, photo planes, o options) error {
	w, h := photo.w*3/4/2*2, photo.h*3/4/2*2
	share := 1 / float64((o.frames+7)/8) // the CPU path does one in eight
	_, err := gallery.Both(ctx, p, rt, gallery.Work{Name: "cartoon", Amount: float64(o.frames), Unit: "frames", CPUShare: share},
		func(place ops.Place) (gallery.Run[int], error) {
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
					return n, gallery.WriteFile(o.clip, clip.Bytes())
				}
				return n, nil
			}, err
		})
	return err
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

// Mandelbrot draws the Mandelbrot set with a kernel of its own, on an OpenCL
// device and on the CPU path, and compares the two.
//
//	go run ./examples/mandelbrot [-device gpu] [-width 960] [-depth 1000] [-out mandelbrot.png]
//
// It prints how long each took and how many pixels are equal, and writes a PNG
// with the device's picture on the left and the CPU path's on the right. Without
// a device there is the CPU path's alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// options are the settings of the command line.
type options struct {
	device, file string
	width        int // of one picture, in pixels; the height is two thirds
	depth        int // iterations before a point counts as inside
}

func main() {
	var o options
	flag.StringVar(&o.device, "device", "", "device to use, as ANYCL_DEVICE: gpu, nvidia, pocl:0, none for the CPU path (default the best)")
	flag.StringVar(&o.file, "out", "mandelbrot.png", "PNG file to write")
	flag.IntVar(&o.width, "width", 960, "of one picture, in pixels")
	flag.IntVar(&o.depth, "depth", 1000, "iterations before a point counts as inside")
	flag.Parse()
	if flag.NArg() > 0 || o.width < 2 || o.depth < 1 {
		fmt.Fprintln(os.Stderr, "mandelbrot: takes no arguments, and at least -width 2 and -depth 1")
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mandelbrot:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, out io.Writer) error {
	rt, err := ops.Open(ctx, &ops.Options{Device: o.device, SpareProc: true})
	if err != nil {
		return err
	}
	defer rt.Close()
	fmt.Fprintf(out, "%s\n", rt.Why())
	var pictures [][]int32
	draw := func(name string, place ops.Place) error {
		counts, took, err := escapes(ctx, rt, place, o)
		if err != nil {
			return err
		}
		pictures = append(pictures, counts)
		fmt.Fprintf(out, "%-8s %8.1f ms for %d x %d points\n", name, took.Seconds()*1000, o.width, o.height())
		return nil
	}
	if d := rt.Device(); d != nil {
		err = draw(d.ID, ops.OnDevice)
	}
	if err = errors.Join(err, draw("cpu path", ops.OnCPU)); err != nil {
		return err
	}
	if len(pictures) == 2 {
		fmt.Fprintf(out, "%.3f %% of the points are the same\n", 100*equal(pictures[0], pictures[1]))
	}
	if err := write(o.file, paint(pictures, o)); err != nil {
		return err
	}
	fmt.Fprintf(out, "written to %s\n", o.file)
	return nil
}

func (o options) height() int { return max(1, o.width*2/3) }

// escapes counts, for every pixel, the iterations until its point has escaped.
// The time is that of the second run: the first may still compile.
func escapes(ctx context.Context, rt *ops.Runtime, place ops.Place, o options) ([]int32, time.Duration, error) {
	g := ops.NewGraph("mandelbrot")
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{mandelbrot(g, o)}, Place: place})
	if err != nil {
		return nil, 0, err
	}
	defer exe.Close()
	counts := make([]int32, o.height()*o.width)
	outs := []*tensor.Tensor{tensor.Must(tensor.FromSlice(counts, o.height(), o.width))}
	if err := exe.RunInto(ctx, nil, outs); err != nil {
		return nil, 0, err
	}
	start := time.Now()
	err = exe.RunInto(ctx, nil, outs)
	return counts, time.Since(start), err
}

// equal is the share of equal elements.
func equal(a, b []int32) float64 {
	n := 0
	for i := range a {
		if a[i] == b[i] {
			n++
		}
	}
	return float64(n) / float64(len(a))
}

func write(file string, picture image.Image) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, picture), f.Close())
}

package main

import (
	"image"
	"image/color"
	"math"
	"runtime"
	"sync"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// source counts how often z ← z² + c can be repeated from z = 0 before |z| > 2.
// With contraction off, every engine rounds alike and the counts are equal.
const source = `
#pragma OPENCL FP_CONTRACT OFF
kernel void mandelbrot(global int *counts, int width, float left, float top, float step, int depth) {
	size_t i = get_global_id(0);
	float cx = left + step * (float)((int)i % width), cy = top - step * (float)((int)i / width);
	float x = 0, y = 0, xx = 0, yy = 0;
	int n = 0;
	for (; n < depth && xx + yy <= 4; n++) {
		y = 2 * x * y + cy;
		x = xx - yy + cx;
		xx = x * x;
		yy = y * y;
	}
	counts[i] = n;
}`

// The part of the plane: the real axis from left to left + extent.
const (
	left   = -2.1
	extent = 2.7
)

// mandelbrot adds the counts, int32 [height, width], to the graph.
func mandelbrot(g *ops.Graph, o options) *ops.Node {
	step := float32(extent) / float32(o.width)
	top := step * float32(o.height()) / 2
	return ops.Kernel(g, ops.KernelOptions{
		Source: source, Entry: "mandelbrot",
		Results: []ops.Result{{DType: tensor.Int32, Shape: []int{o.height(), o.width}}},
		Args:    []any{int32(o.width), float32(left), top, step, int32(o.depth)},
		Host: func(outs, _ []*tensor.Tensor) error {
			counts, err := tensor.ToSlice[int32](outs[0]) // outs[0] is contiguous: this is its memory
			if err != nil {
				return err
			}
			workers := runtime.GOMAXPROCS(0)
			var wg sync.WaitGroup
			for w := range workers {
				wg.Go(func() {
					for row := w; row < o.height(); row += workers { // interleaved: rows differ in depth
						cy := top - float32(step*float32(row))
						for col := range o.width {
							counts[row*o.width+col] = escape(left+float32(step*float32(col)), cy, o.depth)
						}
					}
				})
			}
			wg.Wait()
			return nil
		},
	})[0]
}

// escape is the kernel in Go. The conversions keep the compiler from fusing a
// multiplication and an addition, which it does on some processors.
func escape(cx, cy float32, depth int) int32 {
	var x, y, xx, yy float32
	n := 0
	for ; n < depth && xx+yy <= 4; n++ {
		y = float32(2*x*y) + cy
		x = xx - yy + cx
		xx = float32(x * x)
		yy = float32(y * y)
	}
	return int32(n)
}

// paint sets the pictures side by side. Colour follows the logarithm of the
// count; points inside are black.
func paint(pictures [][]int32, o options) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, o.width*len(pictures), o.height()))
	for p, counts := range pictures {
		for i, n := range counts {
			c := color.RGBA{A: 255}
			if int(n) < o.depth {
				t := 0.6 * math.Log(float64(n)+1)
				wave := func(shift float64) uint8 { return uint8(127.5 * (1 - math.Cos(t+shift))) }
				c = color.RGBA{R: wave(0), G: wave(0.4), B: wave(1.1), A: 255}
			}
			img.SetRGBA(p*o.width+i%o.width, i/o.width, c)
		}
	}
	return img
}

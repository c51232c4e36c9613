package main

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

//go:embed photo.cl
var source string

// Pictures are float32 [3, height, width]: red, green and blue from 0 to 255. What is outside is as the border.

// around is x with r pixels of its border repeated on all sides.
func around(x *ops.Node, r int) *ops.Node {
	rank := len(x.Shape())
	return ops.PadWith(x, "edge", ops.Padding{Axis: rank - 2, Before: r, After: r}, ops.Padding{Axis: rank - 1, Before: r, After: r})
}

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
	pixels := ops.Reshape(x, 3, h*w)
	nearest := func(c *ops.Node) *ops.Node { // of |c|^2 - 2 c p, which is |c - p|^2 but for |p|^2
		return ops.ArgMin(ops.Sub(ops.Unsqueeze(ops.Sum(ops.Square(c), 1), 1), ops.Mul(ops.MatMul(c, pixels), 2)), 0) // [n]
	}
	numbers := x.Graph().Iota(tensor.Int64, 0, k, 1)
	stride := h * w / k
	begin := ops.Slice(pixels, ops.Range{Axis: 1, Start: stride / 2, Stop: stride/2 + k*stride, Step: stride})
	last, _ := ops.Scan([]*ops.Node{ops.Transpose(begin)}, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
		in := ops.Cast(ops.Equal(numbers, nearest(s[0])), tensor.Float32) // [k, n]: 1 where a pixel is nearest to a colour
		n := ops.Unsqueeze(ops.Sum(in, 1), 1)
		means := ops.Div(ops.MatMul(in, ops.Transpose(pixels)), ops.Maximum(n, 1))
		return []*ops.Node{ops.Where(ops.Greater(n, 0), means, s[0])}, nil
	}, &ops.ScanOptions{Trips: rounds})
	return ops.Reshape(ops.Gather(ops.Transpose(last[0]), 1, nearest(last[0])), 3, h, w), last[0]
}

// bilateral smooths, and keeps edges of more than about deviation.
func bilateral(rt *ops.Runtime, x *ops.Node, radius int, deviation float64) *ops.Node {
	h, w := x.Shape()[1], x.Shape()[2]
	width, local := rt.Device().Lanes(), [3]int{}
	if width > 1 {
		local = [3]int{1, 1}
	}
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
	return ops.Kernel(x.Graph(), ops.KernelOptions{
		Source: source, Entry: "bilateral", Options: fmt.Sprintf("-D RADIUS=%d -D WIDTH=%d", radius, width),
		Results: []ops.Result{{DType: tensor.Float32, Shape: x.Shape()}},
		Args:    []any{int32(w), int32(h), fall},
		Global:  [3]int{(w + width - 1) / width, h}, Local: local,
		Host: func(outs, ins []*tensor.Tensor) error {
			y, x, weights := tensor.MustSlice[float32](outs[0]), tensor.MustSlice[float32](ins[0]), tensor.MustSlice[float32](ins[1])
			fallback.Parallel(h, func(from, to int) {
				for row := from; row < to; row++ {
					bilateralRow(y, x, weights, row, w, h, radius, fall)
				}
			})
			return nil
		},
	}, around(x, radius), x.Graph().Const(tensor.Must(tensor.FromSlice(weights, side, side))))[0]
}

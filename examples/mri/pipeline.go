package main

import (
	_ "embed"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

//go:embed mri.cl
var source string

// smooth takes the mean of what is around, weighted by a Gaussian function: along one axis after the other, as the function is a
// product. Outside are the values of the border.
func smooth(x *ops.Node, sigma float64) *ops.Node {
	w := gallery.Gauss(sigma)
	for axis := range x.Shape() {
		x = ops.Stencil(x, ops.StencilOptions{Axes: []int{axis}, Size: []int{len(w)}, Weights: w})
	}
	return x
}

// classes is how many kinds of tissue are told apart: air, fluid and bone, grey matter and muscle, white matter, fat.
const classes = 5

// limits finds values between which a class lies, [classes-1], by k-means (Lloyd's algorithm) of the histogram of x.
func limits(x *ops.Node) *ops.Node {
	const bins, rounds = 256, 30
	g := x.Graph()
	counts := ops.Cast(ops.HistC(x, bins, 0, 256), tensor.Float32)
	middles := ops.Add(g.Iota(tensor.Float32, 0, bins), 0.5)
	begin := make([]float32, classes)
	for k := range begin {
		begin[k] = 256 * (float32(k) + 0.5) / classes
	}
	between := func(centres *ops.Node) *ops.Node {
		return ops.Mul(ops.Add(ops.Narrow(centres, 0, 0, classes-1), ops.Narrow(centres, 0, 1, classes-1)), 0.5)
	}
	last, _ := ops.Scan([]*ops.Node{g.Const(tensor.Must(tensor.FromSlice(begin)))}, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
		in := ops.OneHot(classify(middles, between(s[0])), classes, tensor.Float32) // [bins, classes]
		weights := ops.Mul(in, ops.Unsqueeze(counts, 1))
		n := ops.Sum(weights, 0)
		means := ops.Div(ops.Sum(ops.Mul(weights, ops.Unsqueeze(middles, 1)), 0), ops.Maximum(n, 1))
		return []*ops.Node{ops.Where(ops.Greater(n, 0), means, s[0])}, nil
	}, &ops.ScanOptions{Trips: rounds})
	return between(last[0])
}

// classify counts the limits that each value exceeds: uint8.
func classify(x, limits *ops.Node) *ops.Node {
	class := ops.Cast(ops.Greater(x, ops.Narrow(limits, 0, 0, 1)), tensor.Uint8)
	for k := 1; k < classes-1; k++ {
		class = ops.Add(class, ops.Cast(ops.Greater(x, ops.Narrow(limits, 0, k, 1)), tensor.Uint8))
	}
	return class
}

// view adds pictures of x to the graph, shaded and projected, from n sides: float32 [n, size, size, 3] and [n, size, size].
func view(x, limits *ops.Node, n, size int) (shaded, projected *ops.Node) {
	nz, ny, nx := x.Shape()[0], x.Shape()[1], x.Shape()[2]
	var bases []float32
	for k := range n { // around the head, from a little above
		sin, cos := math.Sincos(2*math.Pi*float64(k)/float64(n) + 0.45)
		a, b := math.Sincos(0.3)
		for _, c := range []float64{-sin * b, -cos * b, -a, -cos, sin, 0, -sin * a, -cos * a, b} {
			bases = append(bases, float32(c))
		}
	}
	scale := 1.2 * float32(max(nx, ny, nz)) / float32(size)
	views := x.Graph().Const(tensor.Must(tensor.FromSlice(bases, n, 9)))
	out := ops.Kernel(x.Graph(), ops.KernelOptions{
		Source: source, Entry: "view",
		Results: []ops.Result{{DType: tensor.Float32, Shape: []int{n, size, size, 3}}, {DType: tensor.Float32, Shape: []int{n, size, size}}},
		Args:    []any{int32(nx), int32(ny), int32(nz), scale},
		Global:  [3]int{size, size, n},
		CPU:     &ops.KernelForm{Global: [3]int{size, size, n}, Local: [3]int{1, 1, 1}}, // the variables of a work-item alone stay in registers
		Host: func(outs, ins []*tensor.Tensor) error {
			g := grid{tensor.MustSlice[float32](ins[0]), nx, ny, nz}
			limits, views := tensor.MustSlice[float32](ins[1]), tensor.MustSlice[float32](ins[2])
			shaded, projected := tensor.MustSlice[float32](outs[0]), tensor.MustSlice[float32](outs[1])
			fallback.Parallel(n*size, func(from, to int) {
				for i := from; i < to; i++ {
					g.row(limits, views[i/size*9:], shaded[i*size*3:], projected[i*size:], size, i%size, scale)
				}
			})
			return nil
		},
	}, x, limits, views)
	return out[0], out[1]
}

package main

import (
	"context"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// slopes compares the gradient with differences of the loss, and gives the loss and by how much they differ.
func slopes(ctx context.Context, see *ops.Executable, theta *ops.Node) (loss, most float64, err error) {
	at := func(v []float64) []*tensor.Tensor {
		if err == nil {
			err = ops.Set(ctx, theta, tensor.Must(tensor.FromSlice(v)))
		}
		var out []*tensor.Tensor
		if err == nil {
			out, err = see.Run(ctx, nil)
		}
		if err != nil {
			return []*tensor.Tensor{tensor.Must(tensor.New(tensor.Float64)), tensor.Must(tensor.New(tensor.Float64, len(v)))}
		}
		return out
	}
	const h = 1e-4
	for i := range first {
		up, down := append([]float64(nil), first...), append([]float64(nil), first...)
		up[i], down[i] = up[i]+h, down[i]-h
		difference := (at(up)[0].Float64At(0) - at(down)[0].Float64At(0)) / (2 * h)
		here := at(first)
		loss = here[0].Float64At(0)
		most = max(most, math.Abs(here[1].Float64At(i)-difference)/(1+math.Abs(difference)))
	}
	return loss, most, err
}

// checkProcess says whether the likelihood has grown, and how well the months are predicted that were left out.
func checkProcess(p *gallery.Program, began float64, out []*tensor.Tensor, other [2][]float64) {
	ended := out[0].Float64At(0)
	p.Check(ended < began, "the logarithm of the likelihood has grown from %.1f to %.1f", -began, -ended)
	var off, usual float64
	for i, m := range other[0] {
		off += math.Pow(out[3].Float64At(int(2*m)-2)-other[1][i], 2) / float64(len(other[0]))
		usual += other[1][i] * other[1][i] / float64(len(other[0]))
	}
	p.Check(math.Sqrt(off) < 0.85*math.Sqrt(usual), "months that were left out are predicted to %.2f; their mean would err by %.2f, and NIST's fit with cycles of %s by 2.23",
		math.Sqrt(off), math.Sqrt(usual), "12, 44 and 27 months, which knew them,")
}

package optim

import (
	"errors"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

var errNilGradient = errors.New("a gradient is nil")

// sumOfSquares is that of all elements of all gradients.
func sumOfSquares(grads []*ops.Node) *ops.Node {
	var sum *ops.Node
	for _, g := range grads {
		s := ops.Sum(ops.Square(g))
		if s.DType() != tensor.Float32 && sum == nil || sum != nil && s.DType() != sum.DType() {
			s = ops.Cast(s, tensor.Float32)
		}
		if sum == nil {
			sum = s
		} else {
			sum = ops.Add(sum, s)
		}
	}
	return sum
}

// clip bounds the gradients. The norms' 1e-6 is PyTorch's.
func (z *Optimizer) clip(grads []*ops.Node) []*ops.Node {
	o := z.o
	shorter := func(square *ops.Node, most float64) *ops.Node {
		norm := ops.Add(ops.Sqrt(square), ops.ScalarLike(square, 1e-6))
		return ops.Minimum(ops.Div(ops.ScalarLike(norm, most), norm), ops.ScalarLike(norm, 1))
	}
	if o.ClipGlobalNorm > 0 {
		by := shorter(z.norm, o.ClipGlobalNorm)
		for i, g := range grads {
			grads[i] = ops.Mul(g, ops.Cast(by, g.DType()))
		}
	}
	for i, g := range grads {
		if o.ClipNorm > 0 {
			g = ops.Mul(g, shorter(ops.Sum(ops.Square(g)), o.ClipNorm))
		}
		if o.ClipValue > 0 {
			g = ops.Clip(g, -o.ClipValue, o.ClipValue)
		}
		grads[i] = g
	}
	return grads
}

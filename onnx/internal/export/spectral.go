package export

import (
	"slices"

	"github.com/anycl/anycl/onnx/internal/model"
	"github.com/anycl/anycl/tensor"
)

// Fourier transforms of pairs, real and imaginary parts, of which the composed ones are made.
var (
	_ = define("fft.dft", func(c *call) []string {
		return []string{c.dft(c.arg(0), c.shape(0), c.int("axis"), c.bool("conjugate"))}
	})
	_ = define("fft.real_dft", func(c *call) []string {
		s := c.shape(0)
		n, batch := s[len(s)-1], elements(s[:len(s)-1])
		if n == 0 || batch == 0 {
			return nil
		}
		y := c.fourier(c.reshape(c.arg(0), batch, n, 1), 1, flag("onesided", true))
		if c.bool("conjugate") {
			y = c.op("Mul", []string{y, c.tensor(c.dtype(), []int{2}, []float64{1, -1})})
		}
		return []string{c.reshape(y, c.n.Shape()...)}
	})
	_ = define("fft.real_inverse", func(c *call) []string {
		s, n := slices.Clone(c.shape(0)), c.int("n")
		axis := len(s) - 2
		if n == 0 || slices.Contains(s, 0) {
			return nil
		}
		x, half := c.arg(0), s[axis]
		if rest := n - half; rest > 0 { // the other half of the spectrum is that of the conjugates, backwards
			start, step, to := make([]int, len(s)), slices.Repeat([]int{1}, len(s)), slices.Clone(s)
			start[axis], step[axis], to[axis] = n-half, -1, rest
			back := c.slice(x, s, to, start, step)
			back = c.op("Mul", []string{back, c.tensor(c.dtype(), []int{2}, []float64{1, -1})})
			x = c.op("Concat", []string{x, back}, anInt("axis", axis))
		}
		s[axis] = n
		y := c.dft(x, s, axis, c.bool("conjugate"))
		return []string{c.op("Gather", []string{y, c.number(0, tensor.Int64)}, anInt("axis", -1))}
	})
	_ = define("view_as_real", func(c *call) []string {
		if in := c.in[0]; in.Op().Name == "view_as_complex" {
			return []string{c.x.node(in.Operands()[0])}
		}
		return c.refused(noComplex)
	})
	_ = define("view_as_complex", func(c *call) []string { return c.refused(noComplex) })
)

const noComplex = "no operator has complex numbers: results are to be their parts, by ops.ViewAsReal"

// dft is the transform of pairs along an axis, not scaled; with the other sign that is n times the inverse one.
func (c *call) dft(x string, shape []int, axis int, conjugate bool) string {
	if slices.Contains(shape, 0) {
		return x
	}
	before, after := elements(shape[:axis]), elements(shape[axis+1:len(shape)-1])
	y := c.reshape(x, before, shape[axis], after, 2)
	y = c.fourier(y, 1, flag("inverse", conjugate))
	if conjugate {
		y = c.scaled(y, float64(shape[axis]))
	}
	return c.reshape(y, shape...)
}

// fourier is the operator DFT, whose axis is an attribute before version 20, and then an input.
func (c *call) fourier(x string, axis int, kind ...*model.Attr) string {
	if c.opset() < 20 {
		return c.op("DFT", []string{x}, append(kind, anInt("axis", axis))...)
	}
	return c.op("DFT", []string{x, "", c.number(float64(axis), tensor.Int64)}, kind...)
}

func elements(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

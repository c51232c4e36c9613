package fft

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// Mode is which part of a convolution is wanted, as numpy.convolve names it.
type Mode string

// Modes of convolutions of n and m elements.
const (
	Full  Mode = "full"  // all n + m - 1 elements
	Same  Mode = "same"  // n elements, in the middle
	Valid Mode = "valid" // those of which all terms are there, max(n, m) - min(n, m) + 1
)

// Convolve returns the convolution of x with a kernel along the last axis:
//
//	y[..., i] = Σ_j x[..., i - j] · kernel[j]
//
// x is [..., n] and kernel [m], of the same dtype, float32 or float64. Short kernels are multiplied as they are, long ones by Fourier transforms, whose
// errors are relative to the largest elements of the result. It has derivatives. Errors: dtypes; shapes, nothing to convolve; the mode is unknown.
// Source: Oppenheim and Schafer, Discrete-Time Signal Processing (2009), section 8.7.
func Convolve(x, kernel *ops.Node, mode Mode) *ops.Node {
	switch {
	case build.Failed(x):
		return x
	case build.Failed(kernel):
		return kernel
	}
	fail := func(format string, args ...any) *ops.Node {
		return x.Graph().Fail("fft.Convolve", fmt.Errorf(format, args...), x, kernel)
	}
	switch {
	case x.DType() != kernel.DType() || x.DType() != tensor.Float32 && x.DType() != tensor.Float64:
		return fail("dtypes are %v and %v", x.DType(), kernel.DType())
	case x.Rank() == 0 || kernel.Rank() != 1 || x.Dim(-1) == 0 || kernel.Dim(0) == 0:
		return fail("x is %v and the kernel %v", x.Shape(), kernel.Shape())
	}
	last, n, m := x.Rank()-1, x.Dim(-1), kernel.Dim(0)
	full := n + m - 1
	first, count := 0, full
	switch mode {
	case Full:
	case Same:
		first, count = (m-1)/2, n
	case Valid:
		first, count = min(n, m)-1, max(n, m)-min(n, m)+1
	default:
		return fail("the mode %q is not full, same or valid", mode)
	}
	length := smooth(full)
	if float64(min(n, m)) > directly*math.Log2(float64(length)) {
		for length%2 != 0 { // of half the cost
			length = smooth(length + 1)
		}
		o := &Options{Sizes: []int{length}}
		product := ops.Mul(ops.ViewAsComplex(RFFT(x, o)), ops.ViewAsComplex(RFFT(kernel, o)))
		return build.Cut(IRFFT(ops.ViewAsReal(product), o), last, first, first+count)
	}
	if n < m { // windows of the longer one
		wide := ops.Pad(kernel, 0, ops.Padding{Axis: 0, Before: n - 1, After: n - 1})
		y := ops.MatMul(ops.Flip(ops.Reshape(x, -1, n), 1), ops.Transpose(ops.Windows(wide, ops.Window{Axis: 0, Size: n, Stride: 1})))
		s := x.Shape()
		s[last] = full
		return build.Cut(ops.Reshape(y, s...), last, first, first+count)
	}
	wide := ops.Pad(x, 0, ops.Padding{Axis: last, Before: m - 1, After: m - 1})
	windows := ops.Windows(build.Cut(wide, last, first, first+count+m-1), ops.Window{Axis: last, Size: m, Stride: 1})
	return ops.Squeeze(ops.MatMul(windows, ops.ExpandDims(ops.Flip(kernel, 0), 1)), -1)
}

// directly is how many multiplications of a kernel take as long as a stage of the transforms.
const directly = 8

package fft

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// Norm says how Fourier transforms are scaled.
type Norm string

// Scales of Fourier transforms of n elements in all.
const (
	Backward Norm = "backward" // the inverse ones by 1/n
	Forward  Norm = "forward"  // the others by 1/n
	Ortho    Norm = "ortho"    // all by 1/√n
)

// Options say along which axes a Fourier transform goes, and how. The zero value and nil are the last axis, scaled backward.
type Options struct {
	// Axes are the axes of the transform, without the one that holds real and imaginary parts; nil: the last one. A real
	// transform has its half along the last of them.
	Axes []int
	// Sizes are the extents along Axes to which the operand is cut or padded with zeros; -1, and nil for all, leaves one as it is, which
	// for the real side of half a spectrum of m is 2 (m - 1).
	Sizes []int
	// Norm is the scale; empty: backward.
	Norm Norm
}

// FFT returns the discrete Fourier transform of complex numbers, along one axis or several:
//
//	y[k] = Σ_j x[j] · exp(-2πi jk/n)
//
// x is complex64 or complex128, and so is the result; or pairs along an axis of extent 2 after all others, the real part and the imaginary
// one: [..., 2], float32 or float64.
// Errors: dtype; shapes; axes; sizes; the norm is unknown.
// Source: Cooley and Tukey, An Algorithm for the Machine Calculation of Complex Fourier Series (1965); Bluestein (1970).
func FFT(x *ops.Node, o *Options) *ops.Node { return transformed("fft.fft", o, x, true) }

// IFFT returns the inverse of [FFT], with exp(2πi jk/n), scaled by 1/n unless the norm says otherwise.
func IFFT(x *ops.Node, o *Options) *ops.Node { return transformed("fft.ifft", o, x, true) }

// RFFT returns the first half, n/2 + 1 elements along the last axis of the transform, of [FFT] of real numbers. x is [...] and the result
// [..., 2]; the other half is the conjugate of this one.
func RFFT(x *ops.Node, o *Options) *ops.Node { return ops.Apply("fft.rfft", fftOf(o), x) }

// IRFFT returns the real numbers of which x is the half that [RFFT] gives. x is [..., 2] and the result [...]. Imaginary parts that half a
// spectrum of real numbers does not have are not read.
func IRFFT(x *ops.Node, o *Options) *ops.Node { return transformed("fft.irfft", o, x, false) }

// HFFT returns [FFT] of numbers of which x is the first half and the conjugate of it the other, which is real. It is IRFFT of the
// conjugate of x, scaled as FFT.
func HFFT(x *ops.Node, o *Options) *ops.Node { return transformed("fft.hfft", o, x, false) }

// transformed applies a transform of complex numbers to pairs, or to complex numbers; back says that its result is as x.
func transformed(name string, o *Options, x *ops.Node, back bool) *ops.Node {
	if x == nil || !x.DType().IsComplex() {
		return ops.Apply(name, fftOf(o), x)
	}
	y := ops.Apply(name, fftOf(o), ops.ViewAsReal(x))
	if back && !build.Failed(y) {
		return ops.ViewAsComplex(y)
	}
	return y
}

// IHFFT is the inverse of [HFFT].
func IHFFT(x *ops.Node, o *Options) *ops.Node { return ops.Apply("fft.ihfft", fftOf(o), x) }

type fftAttr struct {
	Axes  []int  `default:"[-1]" doc:"of the transform, without the one of parts"`
	Sizes []int  `default:"" doc:"to which the operand is cut or padded; -1: as it is"`
	Norm  string `default:"backward" doc:"backward, forward or ortho"`
}

func fftOf(o *Options) fftAttr {
	a := fftAttr{Axes: []int{-1}, Norm: string(Backward)}
	if o != nil {
		a.Sizes = o.Sizes
		if o.Axes != nil {
			a.Axes = o.Axes
		}
		if o.Norm != "" {
			a.Norm = string(o.Norm)
		}
	}
	return a
}

// fourierKind is one of the transforms.
type fourierKind struct {
	realIn, realOut bool
	inverse         bool // is scaled as an inverse
	conjugate       bool // is the one of the other sign
}

// complete resolves axes, and gives a size for each.
func (k fourierKind) complete(c *ops.Call) error {
	a, s := c.Attr.(fftAttr), c.Shape(0)
	if !k.realIn {
		if len(s) == 0 || s[len(s)-1] != 2 {
			return fmt.Errorf("x is %v, without a last axis of real and imaginary parts", s)
		}
		s = s[:len(s)-1]
	}
	perm, err := shapes.ToEnd(a.Axes, len(s))
	switch {
	case err != nil:
		return err
	case len(a.Axes) == 0:
		return errors.New("no axis is named")
	case len(a.Sizes) != 0 && len(a.Sizes) != len(a.Axes):
		return fmt.Errorf("%d sizes for %d axes", len(a.Sizes), len(a.Axes))
	case Norm(a.Norm) != Backward && Norm(a.Norm) != Forward && Norm(a.Norm) != Ortho:
		return fmt.Errorf("the norm %q is not backward, forward or ortho", a.Norm)
	}
	sizes := slices.Repeat([]int{-1}, len(a.Axes))
	copy(sizes, a.Sizes)
	a.Axes = perm[len(s)-len(a.Axes):]
	for i, axis := range a.Axes {
		n := s[axis]
		if k.realOut && i == len(a.Axes)-1 {
			n = 2 * (n - 1)
		}
		if sizes[i] == -1 {
			sizes[i] = n
		}
		if sizes[i] < 1 || sizes[i] > 1<<30 {
			return fmt.Errorf("axis %d of %v has %d elements, of which there is no transform", axis, s, sizes[i])
		}
	}
	a.Sizes = sizes
	c.Attr = a
	return nil
}

func (k fourierKind) shape(c *ops.Call) ([]int, tensor.DType, error) {
	a, s := c.Attr.(fftAttr), slices.Clone(c.Shape(0))
	for i, axis := range a.Axes {
		s[axis] = a.Sizes[i]
		if k.realIn && i == len(a.Axes)-1 {
			s[axis] = a.Sizes[i]/2 + 1
		}
	}
	if k.realIn {
		s = append(s, 2)
	} else if k.realOut {
		s = s[:len(s)-1]
	}
	return s, c.DType(0), nil
}

// scale is the factor of the transform.
func (k fourierKind) scale(a fftAttr) float64 {
	n := 1.0
	for _, s := range a.Sizes {
		n *= float64(s)
	}
	switch norm := Norm(a.Norm); {
	case norm == Ortho:
		return 1 / math.Sqrt(n)
	case (norm == Backward) == k.inverse:
		return 1 / n
	}
	return 1
}

func (k fourierKind) compose(c *ops.Call) *ops.Node {
	a, x := c.Attr.(fftAttr), c.In[0]
	last := len(a.Axes) - 1
	for i, axis := range a.Axes {
		n := a.Sizes[i]
		if k.realOut && i == last {
			n = n/2 + 1
		}
		x = resized(x, axis, n)
	}
	if k.realIn { // the transforms commute
		x = realAlongAxis(x, a.Axes[last], k.conjugate)
		a.Axes = a.Axes[:last]
	}
	for i, axis := range a.Axes {
		if i == last && k.realOut {
			x = ops.Apply("fft.real_inverse", inverseAttr{a.Sizes[i], k.conjugate}, ops.MoveDim(x, []int{axis}, []int{x.Rank() - 2}))
			x = ops.MoveDim(x, []int{-1}, []int{axis})
		} else {
			x = alongAxis(x, axis, k.conjugate)
		}
	}
	if s := k.scale(a); s != 1 {
		x = ops.Mul(x, ops.ScalarLike(x, s))
	}
	return x
}

// resized is x cut or padded with zeros to n elements along axis.
func resized(x *ops.Node, axis, n int) *ops.Node {
	if have := x.Dim(axis); have < n {
		return ops.Pad(x, 0, ops.Padding{Axis: axis, After: n - have})
	}
	return build.Cut(x, axis, 0, n)
}

// wholeSpectrum has the conjugates of the first half of x as its other half, n elements in all.
func wholeSpectrum(x *ops.Node, axis, n int) *ops.Node {
	half := n/2 + 1
	if half == n { // n is 1 or 2
		return x
	}
	return ops.Concat(axis, x, conjugated(ops.Flip(build.Cut(x, axis, 1, n-half+1), axis)))
}

// alongAxis is the transform along one axis, not scaled.
func alongAxis(x *ops.Node, axis int, conjugate bool) *ops.Node {
	return ops.Apply("fft.dft", axisAttr{axis, conjugate}, x)
}

// realAlongAxis is the first half of the transform of real numbers along one axis, not scaled.
func realAlongAxis(x *ops.Node, axis int, conjugate bool) *ops.Node {
	last := []int{x.Rank() - 1}
	return ops.MoveDim(ops.Apply("fft.real_dft", dftAttr{conjugate}, ops.MoveDim(x, []int{axis}, last)), last, []int{axis})
}

type dftAttr struct{ Conjugate bool }

type axisAttr struct {
	Axis      int
	Conjugate bool
}

type inverseAttr struct {
	N         int
	Conjugate bool
}

// Transforms of pairs along an axis. The derivative of one is that of the other sign.
var _ = ops.MustDefine(ops.Op{
	Name: "fft.dft", Hidden: true,
	Attributes: ops.AttributesOf[axisAttr](), Operands: operandOne, DTypes: dtypes.Wide, Result: ops.SameResult,
	Compose: func(c *ops.Call) *ops.Node {
		a := c.Attr.(axisAttr)
		return dft(c.In[0], a.Axis, a.Conjugate)
	},
	Grad: func(b *ops.Back) {
		a := b.Attr().(axisAttr)
		b.Add(0, alongAxis(b.Grad(), a.Axis, !a.Conjugate))
	},
})

// Transforms of the rows of real numbers in the last axis, each to the n/2 + 1 pairs of its first half. The derivative is the inverse of pairs
// of which those that stand for two are halved.
var _ = ops.MustDefine(ops.Op{
	Name: "fft.real_dft", Hidden: true,
	Attributes: ops.AttributesOf[dftAttr](), Operands: operandOne, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		s := c.Shape(0)
		s[len(s)-1] = s[len(s)-1]/2 + 1
		return append(s, 2), c.DType(0), nil
	},
	Compose: func(c *ops.Call) *ops.Node { return realDFT(c.In[0], c.Attr.(dftAttr).Conjugate) },
	Grad: func(b *ops.Back) {
		n := b.In(0).Dim(-1)
		b.Add(0, ops.Apply("fft.real_inverse", inverseAttr{n, !b.Attr().(dftAttr).Conjugate}, weighted(b.Grad(), n, 0.5)))
	},
})

// Rows of n real numbers of which the n/2 + 1 pairs in the last two axes are the first half of the transform of the other sign. Parts that
// half a spectrum of real numbers cannot have are not read. The derivative is that transform, in which pairs that stand for two count
// twice.
var _ = ops.MustDefine(ops.Op{
	Name: "fft.real_inverse", Hidden: true,
	Attributes: ops.AttributesOf[inverseAttr](), Operands: operandOne, DTypes: dtypes.Wide,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		s := c.Shape(0)
		return append(s[:len(s)-2], c.Attr.(inverseAttr).N), c.DType(0), nil
	},
	Compose: func(c *ops.Call) *ops.Node {
		a := c.Attr.(inverseAttr)
		return realInverse(c.In[0], a.N, a.Conjugate)
	},
	Grad: func(b *ops.Back) {
		a := b.Attr().(inverseAttr)
		y := ops.Apply("fft.real_dft", dftAttr{!a.Conjugate}, b.Grad())
		b.Add(0, weighted(y, a.N, 2))
	},
})

// weighted is half a spectrum of n numbers, with elements that stand for two multiplied.
func weighted(x *ops.Node, n int, by float64) *ops.Node {
	w := make([]float64, n/2+1)
	for k := range w {
		if w[k] = by; k == 0 || 2*k == n {
			w[k] = 1
		}
	}
	return ops.Mul(x, constant(x, w, len(w), 1))
}

func defineFourier(name string, k fourierKind) *ops.Op {
	return ops.MustDefine(ops.Op{
		Name: name, Category: "fourier",
		Attributes: ops.AttributesOf[fftAttr](), Operands: operandOne, DTypes: dtypes.Wide,
		Complete: k.complete, Result: k.shape, Compose: k.compose,
	})
}

var (
	_ = defineFourier("fft.fft", fourierKind{})
	_ = defineFourier("fft.ifft", fourierKind{inverse: true, conjugate: true})
	_ = defineFourier("fft.rfft", fourierKind{realIn: true})
	_ = defineFourier("fft.irfft", fourierKind{realOut: true, inverse: true, conjugate: true})
	_ = defineFourier("fft.hfft", fourierKind{realOut: true})
	_ = defineFourier("fft.ihfft", fourierKind{realIn: true, inverse: true, conjugate: true})
)

// Shift returns x with the middle element of each named axis first in the middle: element 0, which stands for the frequency 0, goes to n/2.
// Without axes it is all of them. x is any dtype. Errors: an axis does not exist or is named twice.
// Source: NumPy, numpy.fft.fftshift.
func Shift(x *ops.Node, axes ...int) *ops.Node {
	return ops.Apply("fft.shift", fftShiftAttr{axes, false}, x)
}

// IShift is the inverse of [Shift], which differs where an extent is odd.
func IShift(x *ops.Node, axes ...int) *ops.Node {
	return ops.Apply("fft.shift", fftShiftAttr{axes, true}, x)
}

type fftShiftAttr struct {
	Axes    []int `default:"" doc:"that are shifted; none: all"`
	Inverse bool  `default:"false" doc:"element n/2 goes to 0"`
}

var _ = ops.MustDefine(ops.Op{
	Name: "fft.shift", Category: "fourier",
	Attributes: ops.AttributesOf[fftShiftAttr](), Operands: operandOne, DTypes: dtypes.All,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		_, err := shapes.Axes(c.Attr.(fftShiftAttr).axes(), len(c.Shape(0)))
		return c.Shape(0), c.DType(0), err
	},
	Compose: func(c *ops.Call) *ops.Node {
		x, a := c.In[0], c.Attr.(fftShiftAttr)
		axes, _ := shapes.Axes(a.axes(), x.Rank())
		for _, axis := range axes {
			n := x.Dim(axis)
			first := n - n/2
			if a.Inverse {
				first = n / 2
			}
			if first > 0 && first < n {
				x = ops.Concat(axis, build.Cut(x, axis, first, n), build.Cut(x, axis, 0, first))
			}
		}
		return x
	},
})

// axes are the axes that were named, nil for all.
func (a fftShiftAttr) axes() []int {
	if len(a.Axes) == 0 {
		return nil
	}
	return a.Axes
}

var operandOne = []ops.Operand{{Name: "x"}}

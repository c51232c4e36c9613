// Package fourier has the specs of Fourier transforms.
package fourier

import (
	"math"
	"math/cmplx"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/fft"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// Fourier transforms, by the sum that defines them.

// fourierAttr is the Attr of samples of transforms, for their references.
type fourierAttr struct {
	axes, sizes []int // resolved; of the whole on the real side
	norm        fft.Norm
}

func init() {
	type transform = func(x *ops.Node, o *fft.Options) *ops.Node
	for _, k := range []struct {
		name                       string
		call                       transform
		realIn, realOut, conjugate bool
	}{
		{"fft.fft", fft.FFT, false, false, false},
		{"fft.ifft", fft.IFFT, false, false, true},
		{"fft.rfft", fft.RFFT, true, false, false},
		{"fft.irfft", fft.IRFFT, false, true, true},
		{"fft.hfft", fft.HFFT, false, true, false},
		{"fft.ihfft", fft.IHFFT, true, false, true},
	} {
		sample := func(label string, shape []int, o *fft.Options, a fourierAttr) spec.Sample {
			if !k.realIn {
				shape = append(slices.Clone(shape), 2)
			}
			return spec.Sample{Label: label, Operands: []spec.Operand{{Shape: shape}}, Attr: a,
				Build: func(in []*ops.Node) *ops.Node { return k.call(in[0], o) }}
		}
		whole := 7
		if k.realOut {
			whole = 12
		}
		spec.Register(k.name, spec.Spec{
			Reference: func(c spec.Case) spec.Result { return fourierSums(c, k.realIn, k.realOut, k.conjugate) },
			Tolerance: spec.Summed("a sum in any order, of n products with exact factors: n·u·Σ|terms|"),
			Samples: []spec.Sample{
				sample("odd", []int{3, 7}, nil, fourierAttr{[]int{1}, []int{whole}, fft.Backward}),
				sample("padded, other axis", []int{4, 2}, &fft.Options{Axes: []int{0}, Sizes: []int{9}, Norm: fft.Forward},
					fourierAttr{[]int{0}, []int{9}, fft.Forward}),
				sample("cut, two axes", []int{3, 6}, &fft.Options{Axes: []int{1, 0}, Sizes: []int{5, 4}, Norm: fft.Ortho},
					fourierAttr{[]int{1, 0}, []int{5, 4}, fft.Ortho}),
				sample("nothing", []int{0, 3}, &fft.Options{Sizes: []int{4}}, fourierAttr{[]int{1}, []int{4}, fft.Backward}),
			},
		})
	}
	shift := func(label string, shape, axes []int, inverse bool) spec.Sample {
		return spec.Sample{Label: label, Operands: []spec.Operand{{Shape: shape}}, Attr: inverse, Build: func(in []*ops.Node) *ops.Node {
			if inverse {
				return fft.IShift(in[0], axes...)
			}
			return fft.Shift(in[0], axes...)
		}}
	}
	spec.Register("fft.shift", spec.Spec{
		Reference: func(c spec.Case) spec.Result { // of the last axis, or of all of two
			x := c.In[0]
			y := spec.NewArray(x.DType, x.Shape...)
			for p, at := range reference.Coordinates(x.Shape) {
				to := slices.Clone(at)
				for a, n := range x.Shape {
					if by := n / 2; a == len(at)-1 || len(at) == 2 {
						if reference.Attr[bool](c) {
							by = n - n/2
						}
						to[a] = (at[a] + by) % n
					}
				}
				reference.CopyElement(y, reference.Position(x.Shape, to), x, p)
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Moved,
		Samples: []spec.Sample{shift("all", []int{4, 5}, nil, false), shift("inverse", []int{3, 2, 7}, []int{-1}, true),
			shift("one", []int{1}, nil, false), shift("nothing", []int{0, 3}, nil, false)},
	})
}

// fourierSums transforms along one axis after the other.
func fourierSums(c spec.Case, realIn, realOut, conjugate bool) spec.Result {
	x, a := c.In[0], reference.Attr[fourierAttr](c)
	shape, parts := slices.Clone(x.Shape), 1
	if !realIn {
		shape, parts = shape[:len(shape)-1], 2
	}
	z := make([]complex128, spec.Count(shape))
	for i := range z {
		if z[i] = complex(x.F[i*parts], 0); parts == 2 {
			z[i] = complex(x.F[2*i], x.F[2*i+1])
		}
	}
	n, terms, last := 1.0, 0.0, a.axes[len(a.axes)-1]
	for i, axis := range a.axes {
		m := a.sizes[i]
		n *= float64(m)
		to := slices.Clone(shape)
		if to[axis] = m; realIn && axis == last {
			to[axis] = m/2 + 1
		}
		y := make([]complex128, spec.Count(to))
		for p, at := range reference.Coordinates(to) {
			from := slices.Clone(at)
			for j := range m {
				from[axis] = j
				mirrored := realOut && axis == last && j > m/2
				if mirrored {
					from[axis] = m - j
				}
				if from[axis] >= shape[axis] {
					continue
				}
				v := z[reference.Position(shape, from)]
				if mirrored {
					v = cmplx.Conj(v)
				}
				angle := -2 * math.Pi * float64(j*at[axis]%m) / float64(m)
				if conjugate {
					angle = -angle
				}
				y[p] += v * cmplx.Rect(1, angle)
			}
		}
		z, shape = y, to
	}
	scale := 1.0
	switch inverse := conjugate; {
	case a.norm == fft.Ortho:
		scale = 1 / math.Sqrt(n)
	case (a.norm == fft.Backward) == inverse:
		scale = 1 / n
	}
	for _, v := range x.F {
		terms += 2 * math.Abs(v) * scale
	}
	r := spec.Result{Array: spec.NewArray(x.DType, c.Shape...), N: n + 8}
	r.F = r.F[:0]
	for _, v := range z {
		if r.F = append(r.F, real(v)*scale); !realOut {
			r.F = append(r.F, imag(v)*scale)
		}
	}
	for range r.F {
		r.Terms = append(r.Terms, terms)
	}
	return r
}

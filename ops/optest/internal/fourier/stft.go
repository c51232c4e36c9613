package fourier

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/fft"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// Short-time Fourier transforms, frame by frame; an inverse gives back the signal that was transformed, times that of its window.

func init() {
	one := []spec.Operand{{Shape: []int{2, 13}}}
	twoOperands := []spec.Operand{{Shape: []int{23}}, {Shape: []int{5}, Lo: 0.5, Hi: 1.5}}
	build := func(length int, o fft.STFTOptions, inverse bool) func(in []*ops.Node) *ops.Node {
		return func(in []*ops.Node) *ops.Node {
			o := o
			if len(in) > 1 && !inverse {
				o.Window = in[1]
			}
			y := fft.STFT(in[0], length, &o)
			if inverse {
				if len(in) > 1 { // another one than that of the transform, or it would not matter
					o.Window = in[1]
				}
				y = fft.ISTFT(y, length, &o)
			}
			return y
		}
	}
	samples := func(inverse bool) []spec.Sample {
		var all []spec.Sample
		for _, s := range []struct {
			label    string
			operands []spec.Operand
			length   int
			o        fft.STFTOptions
		}{
			{"reflected", one, 4, fft.STFTOptions{Hop: 3}},
			{"windowed", twoOperands, 7, fft.STFTOptions{Hop: 2, ZeroPadded: true, Normalized: true}},
			{"from the start, all frequencies", one, 5, fft.STFTOptions{Hop: 4, Uncentered: true, TwoSided: true}},
		} {
			a := stftCase{s.length, s.o}
			if inverse {
				s.o.Length = s.operands[0].Shape[len(s.operands[0].Shape)-1]
			}
			all = append(all, spec.Sample{Label: s.label, Operands: s.operands, Attr: a, Build: build(s.length, s.o, inverse)})
		}
		return all
	}
	spec.Register("fft.stft", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return frames(c) },
		Tolerance: spec.Summed("a sum in any order, of n products with exact factors: n·u·Σ|terms|"),
		Samples:   samples(false),
	})
	spec.Register("fft.istft", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x := c.In[0]
			r := spec.Result{Array: spec.NewArray(x.DType, c.Shape...), N: 40, Terms: slices.Repeat([]float64{16}, spec.Count(c.Shape))}
			copy(r.F, x.F)
			if len(c.In) > 1 {
				windowed(r, c.In[1], reference.Attr[stftCase](c))
			}
			return r
		},
		Tolerance: spec.Summed("a sum in any order, and its inverse: n·u·Σ|terms|"),
		Samples:   samples(true),
	})
}

// windowed multiplies y by Σ w / Σ w², sums over the frames that cover each element. w stands in the middle of a frame.
func windowed(y spec.Result, w spec.Array, a stftCase) {
	n := y.Shape[len(y.Shape)-1]
	first := (a.length-w.Len())/2 - a.length/2
	for p := range y.F {
		var sum, squares float64
		for frame := 0; frame*a.o.Hop <= n+a.length/2*2-a.length; frame++ {
			if k := p%n - frame*a.o.Hop - first; k >= 0 && k < w.Len() {
				sum += w.F[k]
				squares += w.F[k] * w.F[k]
			}
		}
		y.F[p] *= sum / squares
	}
}

// stftCase is the Attr of samples, for their references.
type stftCase struct {
	length int
	o      fft.STFTOptions
}

func frames(c spec.Case) spec.Result {
	x, a := c.In[0], reference.Attr[stftCase](c)
	n := x.Shape[len(x.Shape)-1]
	before := a.length / 2
	if a.o.Uncentered {
		before = 0
	}
	r := spec.Result{Array: spec.NewArray(x.DType, c.Shape...), N: float64(a.length) + 8}
	for _, at := range reference.Coordinates(c.Shape) {
		rank := len(at)
		k, i, part := at[rank-3], at[rank-2], at[rank-1]
		base := reference.Position(x.Shape, append(slices.Clone(at[:rank-3]), 0))
		sum, terms := 0.0, 0.0
		for j := range a.length {
			w, p := 1.0, i*a.o.Hop+j-before
			if len(c.In) > 1 { // five in the middle of seven
				if w = 0; j >= 1 && j < 6 {
					w = c.In[1].F[j-1]
				}
			}
			if p < 0 || p >= n {
				if a.o.ZeroPadded {
					continue
				}
				if p = max(p, -p); p >= n {
					p = 2*(n-1) - p
				}
			}
			sin, cos := math.Sincos(-2 * math.Pi * float64(j*k%a.length) / float64(a.length))
			v := w * x.F[base+p]
			if terms += math.Abs(v); part == 0 {
				sum += v * cos
			} else {
				sum += v * sin
			}
		}
		if a.o.Normalized {
			sum, terms = sum/math.Sqrt(float64(a.length)), terms/math.Sqrt(float64(a.length))
		}
		p := reference.Position(c.Shape, at)
		r.F[p], r.Terms = sum, append(r.Terms, terms)
	}
	return r
}

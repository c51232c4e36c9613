package fft

import (
	"fmt"

	"github.com/anycl/anycl/internal/dtypes"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/build"
	"github.com/anycl/anycl/tensor"
)

// STFTOptions say how a signal is cut into frames. The zero value and nil: frames that overlap by three quarters, centred, without a window.
type STFTOptions struct {
	// Hop is how far apart frames begin; 0: a quarter of their length.
	Hop int
	// Window has the factors of each frame, [at most the length of a frame], and lies in its middle; nil: ones.
	Window *ops.Node
	// Uncentered: frame i begins at i · Hop, instead of having its middle there in a signal that is continued at both ends.
	Uncentered bool
	// ZeroPadded: a signal of centred frames is continued by zeros, instead of by its reflection.
	ZeroPadded bool
	// Normalized scales by 1/√length.
	Normalized bool
	// TwoSided gives all frequencies, instead of the first half.
	TwoSided bool
	// Length is the length of the signal that [ISTFT] gives; 0: the length that the frames cover.
	Length int
}

type stftAttr struct {
	FFT        int  `doc:"the length of a frame"`
	Hop        int  `default:"0" doc:"how far apart frames begin; 0: a quarter of their length"`
	Uncentered bool `default:"false" doc:"frames begin at multiples of hop, instead of having their middle there"`
	ZeroPadded bool `default:"false" doc:"centred frames see zeros beyond the ends, instead of a reflection"`
	Normalized bool `default:"false" doc:"scaled by 1/√length"`
	TwoSided   bool `default:"false" doc:"all frequencies, instead of the first half"`
	Length     int  `default:"0" doc:"of the signal of an inverse; 0: what the frames cover"`
}

// STFT returns the short-time Fourier transform of real signals: the transforms of frames of length elements,
//
//	y[..., k, i, :] = Σ_j window[j] · x[..., i·hop + j] · exp(-2πi jk/length)
//
// x is [..., n], float32 or float64, and the result [..., length/2 + 1, frames, 2], of pairs as those of [FFT]. Errors: dtypes; shapes; the signal is
// shorter than a frame; a reflection needs more of it.
// Source: Allen, Short Term Spectral Analysis, Synthesis, and Modification by Discrete Fourier Transform (1977).
func STFT(x *ops.Node, length int, o *STFTOptions) *ops.Node { return stft("fft.stft", x, length, o) }

// ISTFT returns the signal of which x is the short-time Fourier transform, [..., length/2 + 1, frames, 2]: frames are transformed back, multiplied
// by the window, added where they overlap, and divided by the sum of the squares of the windows there; it is 0 where that
// is. Errors: dtypes; shapes.
// Source: Griffin and Lim, Signal Estimation from Modified Short-Time Fourier Transform (1984).
func ISTFT(x *ops.Node, length int, o *STFTOptions) *ops.Node { return stft("fft.istft", x, length, o) }

func stft(name string, x *ops.Node, length int, o *STFTOptions) *ops.Node {
	a, in := stftAttr{FFT: length}, []*ops.Node{x}
	if o != nil {
		a.Hop, a.Uncentered, a.ZeroPadded, a.Normalized, a.TwoSided, a.Length = o.Hop, o.Uncentered, o.ZeroPadded, o.Normalized, o.TwoSided, o.Length
		if o.Window != nil {
			in = append(in, o.Window)
		}
	}
	return ops.Apply(name, a, in...)
}

var operandsSTFT = []ops.Operand{{Name: "x"}, {Name: "window", Optional: true}}

func completeSTFT(c *ops.Call) error {
	a := c.Attr.(stftAttr)
	if a.Hop == 0 {
		a.Hop = max(a.FFT/4, 1)
	}
	c.Attr = a
	switch {
	case a.FFT < 1 || a.FFT > 1<<30 || a.Hop < 1 || a.Hop > 1<<30 || a.Length < 0 || a.Length > 1<<40:
		return fmt.Errorf("frames of %d elements in steps of %d and a length of %d", a.FFT, a.Hop, a.Length)
	case len(c.In) > 1 && (len(c.Shape(1)) != 1 || c.Shape(1)[0] > a.FFT):
		return fmt.Errorf("the window is %v, not of at most %d elements", c.Shape(1), a.FFT)
	}
	return nil
}

// frequencies is how many a frame has.
func (a stftAttr) frequencies() int {
	if a.TwoSided {
		return a.FFT
	}
	return a.FFT/2 + 1
}

// beyond is the number of elements by which a signal is continued at each end.
func (a stftAttr) beyond() int {
	if a.Uncentered {
		return 0
	}
	return a.FFT / 2
}

// window is the window of the call, padded with zeros at both ends, or nil for a window of ones.
func (a stftAttr) window(c *ops.Call) *ops.Node {
	if len(c.In) < 2 {
		return nil
	}
	rest := a.FFT - c.Shape(1)[0]
	if rest == 0 {
		return c.In[1]
	}
	return ops.Pad(c.In[1], 0, ops.Padding{Axis: 0, Before: rest / 2, After: rest - rest/2})
}

var _ = ops.MustDefine(ops.Op{
	Name: "fft.stft", Category: "fourier",
	Attributes: ops.AttributesOf[stftAttr](), Operands: operandsSTFT, DTypes: dtypes.Wide,
	Complete: completeSTFT,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		s, a := c.Shape(0), c.Attr.(stftAttr)
		if len(s) == 0 {
			return nil, 0, fmt.Errorf("x is a scalar")
		}
		n, b := s[len(s)-1], a.beyond()
		if b >= n && b > 0 && !a.ZeroPadded {
			return nil, 0, fmt.Errorf("a signal of %d elements has no reflection of %d", n, b)
		}
		if n += 2 * b; n < a.FFT {
			return nil, 0, fmt.Errorf("a signal of %d elements has no frame of %d", n, a.FFT)
		}
		return shapes.With(s[:len(s)-1], a.frequencies(), (n-a.FFT)/a.Hop+1, 2), c.DType(0), nil
	},
	Compose: func(c *ops.Call) *ops.Node {
		x, a := c.In[0], c.Attr.(stftAttr)
		last := x.Rank() - 1
		n := x.Dim(last)
		switch b := a.beyond(); {
		case b == 0:
		case a.ZeroPadded:
			x = ops.Pad(x, 0, ops.Padding{Axis: last, Before: b, After: b})
		default:
			x = ops.Concat(last, ops.Flip(build.Cut(x, last, 1, b+1), last), x, ops.Flip(build.Cut(x, last, n-1-b, n-1), last))
		}
		x = ops.Windows(x, ops.Window{Axis: last, Size: a.FFT, Stride: a.Hop})
		if w := a.window(c); w != nil {
			x = ops.Mul(x, w)
		}
		var y *ops.Node
		if a.TwoSided {
			y = alongAxis(paired(x), last+1, false)
		} else {
			y = realAlongAxis(x, last+1, false)
		}
		if a.Normalized {
			y = ops.Mul(y, ops.ScalarLike(y, fourierKind{}.scale(fftAttr{Sizes: []int{a.FFT}, Norm: string(Ortho)})))
		}
		return ops.SwapAxes(y, last, last+1)
	},
})

var _ = ops.MustDefine(ops.Op{
	Name: "fft.istft", Category: "fourier",
	Attributes: ops.AttributesOf[stftAttr](), Operands: operandsSTFT, DTypes: dtypes.Wide,
	Complete: completeSTFT,
	Result: func(c *ops.Call) ([]int, tensor.DType, error) {
		s, a := c.Shape(0), c.Attr.(stftAttr)
		last := len(s) - 1
		if len(s) < 3 || s[last] != 2 || s[last-2] != a.frequencies() || s[last-1] < 1 {
			return nil, 0, fmt.Errorf("x is %v, not [... %d frames 2]", s, a.frequencies())
		}
		n := a.Length
		if n == 0 {
			n = (s[last-1]-1)*a.Hop + a.FFT - 2*a.beyond()
		}
		if n < 1 {
			return nil, 0, fmt.Errorf("%d frames of %d elements cover nothing", s[last-1], a.FFT)
		}
		return shapes.With(s[:last-2], n), c.DType(0), nil
	},
	Compose: func(c *ops.Call) *ops.Node {
		x, a := c.In[0], c.Attr.(stftAttr)
		rank := x.Rank()
		x = ops.SwapAxes(x, rank-3, rank-2) // [..., frames, frequencies, 2]
		if a.TwoSided {
			x = firstPart(alongAxis(x, rank-2, true))
		} else {
			x = ops.Apply("fft.real_inverse", inverseAttr{a.FFT, true}, x)
		}
		norm := Backward
		if a.Normalized {
			norm = Ortho
		}
		x = ops.Mul(x, ops.ScalarLike(x, fourierKind{inverse: true}.scale(fftAttr{Sizes: []int{a.FFT}, Norm: string(norm)})))
		w := a.window(c)
		if w == nil {
			w = ops.BroadcastTo(ops.ScalarLike(x, 1), a.FFT)
		}
		frames := x.Shape()[rank-3]
		weights := overlapped(ops.BroadcastTo(ops.Square(w), frames, a.FFT), a.Hop)
		y := overlapped(ops.Mul(x, w), a.Hop)
		small := ops.Less(weights, ops.ScalarLike(weights, 1e-11))
		y = ops.Where(small, ops.ScalarLike(y, 0), ops.Div(y, ops.Where(small, ops.ScalarLike(weights, 1), weights)))
		full, b := y.Dim(-1), a.beyond()
		n := a.Length
		if n == 0 {
			n = full - 2*b
		}
		y = build.Cut(y, -1, b, min(b+n, full))
		return resized(y, y.Rank()-1, n)
	},
})

// overlapped adds up frames, rows of x of which each begins hop elements after the one before.
func overlapped(x *ops.Node, hop int) *ops.Node {
	rank := x.Rank()
	frames, n := x.Shape()[rank-2], x.Shape()[rank-1]
	// In parts of hop elements, of which each overlaps others as a whole: channels are the elements of a part.
	parts := (n + hop - 1) / hop
	batch, full := x.Shape()[:rank-2], frames+parts-1
	x = ops.Reshape(resized(x, rank-1, parts*hop), ir.Product(batch), frames, parts, hop)
	x = ops.Reshape(ops.Transpose(x, 0, 3, 2, 1), ir.Product(batch), hop*parts, frames)
	y := ops.SwapAxes(ops.Fold(x, []int{full}, ops.FoldOptions{Size: []int{parts}}), 1, 2)
	return build.Cut(ops.Reshape(y, shapes.With(batch, full*hop)...), -1, 0, (frames-1)*hop+n)
}

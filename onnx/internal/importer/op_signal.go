package importer

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/fft"
	"github.com/anycl/anycl/tensor"
)

var _ = define(func() []*operator {
	return []*operator{
		{name: "DFT", since: 17, build: dft},
		{name: "STFT", since: 17, build: stft},
		{name: "HannWindow", since: 17, build: window(0.5, 0.5, 0)},
		{name: "HammingWindow", since: 17, build: window(25.0/46, 21.0/46, 0)},
		{name: "BlackmanWindow", since: 17, build: window(0.42, 0.5, 0.08)},
		{name: "MelWeightMatrix", since: 17, build: mel},
	}
})

// complexOf makes pairs of real numbers, which have a last axis of extent 1.
func (c *call) complexOf(x *ops.Node) *ops.Node {
	switch n := x.Dim(-1); {
	case x.Rank() < 2 || n != 1 && n != 2:
		c.fail("the last axis of %v is neither 1 for real nor 2 for complex numbers", x.Shape())
	case n == 1:
		return ops.Pad(x, 0, ops.Padding{Axis: x.Rank() - 1, After: 1})
	}
	return x
}

func dft(c *call) []*value {
	x := c.x(0)
	axis := 0
	switch {
	case c.version < 20:
		axis = c.int("axis", 1)
	case c.has(2):
		axis = int(c.num(2, 0))
	default:
		axis = -2
	}
	axis = c.axis(axis, x.Rank())
	if axis == x.Rank()-1 {
		c.fail("axis %d holds real and imaginary parts", axis)
	}
	inverse, half := c.flag("inverse", false), c.flag("onesided", false)
	dt := x.DType()
	if dt != tensor.Float64 {
		x = ops.Cast(x, tensor.Float32)
	}
	o := &fft.Options{Axes: []int{axis}}
	n := x.Dim(axis)
	if half && inverse {
		n = 2 * (n - 1)
	}
	if c.has(1) {
		n = int(c.num(1, 0))
	}
	o.Sizes = []int{n}
	switch x = c.complexOf(x); {
	case inverse && half:
		return out(ops.Cast(ops.Unsqueeze(fft.IRFFT(x, o), -1), dt))
	case inverse:
		return out(ops.Cast(fft.IFFT(x, o), dt))
	}
	y := fft.FFT(x, o)
	if half {
		y = ops.Narrow(y, axis, 0, n/2+1)
	}
	return out(ops.Cast(y, dt))
}

func stft(c *call) []*value {
	x, step := c.x(0), int(c.num(1, 0))
	win := c.opt(2)
	if x.Rank() == 2 {
		x = ops.Unsqueeze(x, -1)
	}
	length := 0
	switch {
	case c.has(3):
		length = int(c.num(3, 0))
	case win != nil:
		length = win.Dim(0)
	default:
		c.fail("neither a window nor a frame length is given")
	}
	if step < 1 || length < 1 || length > x.Dim(1) {
		c.fail("frames of %d every %d in a signal %v", length, step, x.Shape())
	}
	dt := x.DType()
	if dt != tensor.Float64 {
		x = ops.Cast(x, tensor.Float32)
	}
	frames := (x.Dim(1)-length)/step + 1
	g := c.b.g
	at := ops.Add(ops.Mul(g.Iota(tensor.Int64, 0, frames, length), int64(step)), g.Iota(tensor.Int64, 1, frames, length))
	y := ops.Gather(x, 1, at) // [N, frames, length, 1 or 2]
	if win != nil {
		if win.Dim(0) != length {
			c.fail("a window of %d for frames of %d", win.Dim(0), length)
		}
		y = ops.Mul(y, ops.Reshape(ops.Cast(win, x.DType()), length, 1))
	}
	y = fft.FFT(c.complexOf(y), &fft.Options{Axes: []int{2}, Sizes: []int{length}})
	if c.flag("onesided", true) {
		y = ops.Narrow(y, 2, 0, length/2+1)
	}
	return out(ops.Cast(y, dt))
}

// window is a builder of a - b cos(2πi/n) + d cos(4πi/n).
func window(a, b, d float64) func(*call) []*value {
	return func(c *call) []*value {
		size, periodic := int(c.num(0, 0)), c.flag("periodic", true)
		if size < 0 || size > maxFold {
			c.fail("a size of %d", size)
		}
		n := float64(size)
		if !periodic {
			n--
		}
		v := make([]float64, size)
		for i := range v {
			t := 2 * math.Pi * float64(i) / n
			if n == 0 {
				t = 0
			}
			v[i] = a - b*math.Cos(t) + d*math.Cos(2*t)
		}
		t, err := tensor.FromSlice(v, size)
		c.check(err)
		return c.known(tensor.Cast(t, c.dtype(c.int("output_datatype", 1))))
	}
}

// mel is the matrix from the bins of a spectrum to the bins of the mel scale.
func mel(c *call) []*value {
	bins, length, rate := int(c.num(0, 0)), int(c.num(1, 0)), c.num(2, 0)
	lower, upper := c.num(3, 0), c.num(4, 0)
	rows := length/2 + 1
	if bins < 1 || length < 1 || rate <= 0 || bins > maxFold/rows {
		c.fail("%d bins of %d at a rate of %v", bins, length, rate)
	}
	scale := func(hz float64) float64 { return 2595 * math.Log10(1+hz/700) }
	low, high := scale(lower), scale(upper)
	edge := make([]int, bins+2)
	for i := range edge {
		hz := 700 * (math.Pow(10, (float64(i)*(high-low)/float64(len(edge))+low)/2595) - 1)
		edge[i] = int(math.Floor(float64(length+1) * hz / rate))
		if edge[i] < 0 || edge[i] >= rows {
			c.fail("%v Hz lies outside the spectrum", hz)
		}
	}
	v := make([]float64, rows*bins)
	for i := range bins {
		from, centre, to := edge[i], edge[i+1], edge[i+2]
		if from == centre {
			v[centre*bins+i] = 1
		}
		for j := from; j <= centre && from < centre; j++ {
			v[j*bins+i] = float64(j-from) / float64(centre-from)
		}
		for j := centre; j < to; j++ {
			v[j*bins+i] = float64(to-j) / float64(to-centre)
		}
	}
	t, err := tensor.FromSlice(v, rows, bins)
	c.check(err)
	return c.known(tensor.Cast(t, c.dtype(c.int("output_datatype", 1))))
}

package opinfo

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// transforms are Fourier transforms of real numbers with real results, as products with matrices of cosines.
func transforms() []*Row {
	const note = "a product with a matrix of cosines: for short axes"
	inverse := func(torch string, n int, hermitian bool) *Row {
		signature := "input s dim norm"
		if n == 1 {
			signature = "input n dim norm"
		}
		return &Row{Torch: torch, Signature: signature, Go: "ops.MatMul(x, cosines)", Note: note, Build: func(c *Call) []*ops.Node {
			c.as("ops.MatMul(ops.MatMul(x, cosines), cosines)")
			return list(c.realTransform(n, hermitian))
		}}
	}
	return []*Row{
		inverse("fft.irfft", 1, false), inverse("fft.irfft2", 2, false), inverse("fft.irfftn", 0, false),
		inverse("fft.hfft", 1, true), inverse("fft.hfft2", 2, true), inverse("fft.hfftn", 0, true),
		{Torch: "stft", Signature: "input n_fft hop_length win_length window center pad_mode normalized onesided return_complex",
			Go: "ops.MatMul(ops.Mul(ops.Windows(x), window), waves)", Note: "real and imaginary parts along the last axis, or as complex numbers",
			Build: stft},
		{Torch: "istft", Signature: "input n_fft hop_length win_length window center normalized onesided length",
			Go: "ops.Div(ops.ScatterAdd(ops.Mul(ops.MatMul(x, waves), window)), envelope)", Note: "real and imaginary parts along the last axis",
			Build: istft},
	}
}

// constant is a matrix of numbers that do not depend on data.
func (c *Call) constant(dt tensor.DType, rows, cols int, f func(i, j int) float64) *ops.Node {
	t := tensor.Must(tensor.New(dt, rows, cols))
	for i := range rows {
		for j := range cols {
			t.SetFloat64(i*cols+j, f(i, j))
		}
	}
	return c.g.Const(t)
}

// along multiplies an axis of x by a matrix.
func along(x *ops.Node, a int, m *ops.Node) *ops.Node {
	perm := swapped(x.Rank(), a, -1)
	if x.Rank() == 1 {
		return ops.Squeeze(ops.MatMul(ops.ExpandDims(x, 0), m), 0)
	}
	return ops.Transpose(ops.MatMul(ops.Transpose(x, perm...), m), perm...)
}

// resized cuts an axis to n or fills it up with zeros.
func resized(x *ops.Node, a, n int) *ops.Node {
	switch old := x.Dim(a); {
	case n < old:
		return cutOut(x, a, 0, n)
	case n > old:
		return ops.Pad(x, 0, ops.Padding{Axis: a, After: n - old})
	}
	return x
}

// realTransform is the transform of a spectrum, real and symmetric, to real numbers, over the last n axes or those that are named; 0: all.
func (c *Call) realTransform(n int, hermitian bool) *ops.Node {
	x := c.floating("input")
	dt := x.DType()
	sizes := c.ints(c.first("s", "n"))
	dims := c.ints("dim")
	if len(dims) == 0 {
		if len(sizes) > 0 {
			n = len(sizes)
		}
		if n == 0 {
			n = x.Rank()
		}
		for i := range n {
			dims = append(dims, x.Rank()-n+i)
		}
	}
	for i, d := range dims {
		dims[i] = axis(x, d)
	}
	scale := 1.0
	count := func(n int) {
		switch norm := c.str("norm", "backward"); {
		case norm == "ortho":
			scale /= math.Sqrt(float64(n))
		case (norm == "backward") != hermitian:
			scale /= float64(n)
		}
	}
	re, im := x, (*ops.Node)(nil)
	wave := func(n int, f func(float64) float64) *ops.Node {
		return c.constant(dt, n, n, func(i, j int) float64 { return f(2 * math.Pi * float64(i*j%n) / float64(n)) })
	}
	for i, d := range dims[:len(dims)-1] {
		size := x.Dim(d)
		if len(sizes) > 0 && sizes[i] >= 0 {
			size = sizes[i]
		}
		count(size)
		re = resized(re, d, size)
		cos, sin := wave(size, math.Cos), wave(size, math.Sin)
		if im == nil {
			re, im = along(re, d, cos), along(re, d, sin)
			continue
		}
		im = resized(im, d, size)
		re, im = ops.Sub(along(re, d, cos), along(im, d, sin)), ops.Add(along(re, d, sin), along(im, d, cos))
	}
	last := dims[len(dims)-1]
	size := 2 * (x.Dim(last) - 1)
	if len(sizes) > 0 && sizes[len(sizes)-1] >= 0 {
		size = sizes[len(sizes)-1]
	}
	count(size)
	half := size/2 + 1
	weight := func(k int) float64 { // every frequency stands for its negative too, but 0 and that of half the rate
		if k == 0 || 2*k == size {
			return scale
		}
		return 2 * scale
	}
	part := func(x *ops.Node, f func(float64) float64) *ops.Node {
		m := c.constant(dt, half, size, func(k, j int) float64 { return weight(k) * f(2*math.Pi*float64(k*j%size)/float64(size)) })
		return along(resized(x, last, half), last, m)
	}
	y := part(re, math.Cos)
	if im != nil {
		y = ops.Sub(y, part(im, math.Sin))
	}
	return y
}

// shortWindow is that of a short-time transform, filled up to n.
func (c *Call) shortWindow(x *ops.Node, n int) *ops.Node {
	w := c.x("window")
	length := c.int("win_length", n)
	if w == nil {
		w = c.g.Full(x.DType(), 1, length)
	}
	if length < n {
		before := (n - length) / 2
		w = ops.Pad(w, 0, ops.Padding{Axis: 0, Before: before, After: n - length - before})
	}
	return w
}

func stft(c *Call) []*ops.Node {
	x := c.x("input")
	n := c.int("n_fft", 1)
	hop := c.int("hop_length", n/4)
	w := c.shortWindow(x, n)
	last := x.Rank() - 1
	if c.bool("center", true) {
		p := n / 2
		switch mode := c.str("pad_mode", "reflect"); mode {
		case "reflect":
			x = padded(x, "reflect", ops.Padding{Axis: last, Before: p, After: p})
		case "constant":
			x = ops.Pad(x, 0, ops.Padding{Axis: last, Before: p, After: p})
		default:
			c.refuse("pad_mode %s", mode)
		}
	}
	frames := ops.Mul(windowsOf(x, last, n, hop), w) // [..., T, n]
	bins := n/2 + 1
	if c.has("onesided") && !c.bool("onesided", true) {
		bins = n
	}
	scale := 1.0
	if c.bool("normalized", false) {
		scale = 1 / math.Sqrt(float64(n))
	}
	wave := func(f func(float64) float64, sign float64) *ops.Node {
		m := c.constant(x.DType(), n, bins, func(i, k int) float64 { return sign * scale * f(2*math.Pi*float64(i*k%n)/float64(n)) })
		return transposed(ops.MatMul(frames, m))
	}
	re, im := wave(math.Cos, 1), wave(math.Sin, -1)
	if c.bool("return_complex", false) {
		return list(ops.Complex(re, im))
	}
	return list(ops.Stack(re.Rank(), re, im))
}

// windowsOf are the windows of an axis, which is followed by one with the elements of each.
func windowsOf(x *ops.Node, a, size, step int) *ops.Node {
	y := ops.Windows(x, ops.Window{Axis: a, Size: size, Stride: step})
	return y
}

func istft(c *Call) []*ops.Node {
	x := c.x("input")
	dt := x.DType()
	n := c.int("n_fft", 1)
	hop := c.int("hop_length", n/4)
	w := c.shortWindow(x, n)
	r := x.Rank()
	if !c.bool("onesided", true) && x.Dim(r-3) != n {
		c.refuse("a spectrum of both sides with %d of %d rows", x.Dim(r-3), n)
	}
	part := func(i int) *ops.Node { return transposed(ops.Squeeze(cutOut(x, r-1, i, 1), r-1)) } // [..., T, F]
	re, im := part(0), part(1)
	bins, frames := re.Dim(-1), re.Dim(-2)
	if half := n/2 + 1; bins > half { // of a spectrum of both sides PyTorch reads one
		re, im, bins = cutOut(re, re.Rank()-1, 0, half), cutOut(im, im.Rank()-1, 0, half), half
	}
	scale := 1 / float64(n)
	if c.bool("normalized", false) {
		scale = 1 / math.Sqrt(float64(n))
	}
	wave := func(f func(float64) float64) *ops.Node {
		return c.constant(dt, bins, n, func(k, i int) float64 {
			weight := scale
			if k > 0 && 2*k != n {
				weight *= 2
			}
			return weight * f(2*math.Pi*float64(k*i%n)/float64(n))
		})
	}
	y := ops.Sub(ops.MatMul(re, wave(math.Cos)), ops.MatMul(im, wave(math.Sin))) // [..., T, n]
	y = ops.Mul(y, w)
	length := n + hop*(frames-1)
	overlap := c.constant(dt, frames*n, length, func(i, j int) float64 {
		if i/n*hop+i%n == j {
			return 1
		}
		return 0
	})
	added := func(v *ops.Node) *ops.Node {
		shape := append(slices.Clone(v.Shape()[:v.Rank()-2]), frames*n)
		v = ops.Reshape(v, shape...)
		if v.Rank() == 1 {
			return ops.Squeeze(ops.MatMul(ops.ExpandDims(v, 0), overlap), 0)
		}
		return ops.MatMul(v, overlap)
	}
	from, to := 0, length
	if c.bool("center", true) {
		from, to = n/2, length-n/2
	}
	if c.has("length") {
		to = from + c.int("length", 0)
	}
	cutAt := func(v *ops.Node) *ops.Node {
		if to > length {
			v = ops.Pad(v, 0, ops.Padding{Axis: v.Rank() - 1, After: to - length})
		}
		return cutOut(v, v.Rank()-1, from, to-from)
	}
	envelope := added(ops.BroadcastTo(ops.Square(w), frames, n))
	return list(ops.Div(cutAt(added(y)), cutAt(envelope)))
}

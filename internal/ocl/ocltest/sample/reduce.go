package sample

import (
	"math/rand/v2"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/tensor"
)

// Pooling folds kernel x kernel windows, stride apart, of images [n][h][h][c]
// with a border of pad around them: by lanes along c.
func Pooling(f engine.Monoid, n, h, c, kernel, stride, pad int) *engine.Task {
	out := (h+2*pad-kernel)/stride + 1
	dom := engine.Domain{n, out, out, c, kernel, kernel}
	at := func(axis, tap int) *engine.Index {
		return engine.AxisIndex(axis).Mul(int64(stride)).Add(engine.AxisIndex(tap)).AddConst(int64(-pad))
	}
	y, x := at(1, 4), at(2, 5)
	addr := engine.AxisIndex(0).Mul(int64(h)).Add(y).Mul(int64(h)).Add(x).Mul(int64(c)).Add(engine.AxisIndex(3))
	var inside []engine.Cond
	if pad > 0 {
		inside = []engine.Cond{{X: y, Hi: int64(h)}, {X: x, Hi: int64(h)}}
	}
	in := engine.Operand{DType: tensor.Float32, Len: int64(n * h * h * c)}
	return Reduce(dom, 4, f, engine.Load(0, in.DType, addr, inside), in)
}

// Middle is the fold over the axis of x[outer, folds, inner] that is not the last.
func Middle(dt tensor.DType, f engine.Monoid, outer, folds, inner int) (*engine.Task, engine.Operand) {
	dom := engine.Domain{outer, inner, folds}
	in := engine.Operand{DType: dt, Len: dom.Size()}
	addr := engine.AxisIndex(0).Mul(int64(folds)).Add(engine.AxisIndex(2)).Mul(int64(inner)).Add(engine.AxisIndex(1))
	return Reduce(dom, 2, f, engine.Load(0, dt, addr, nil), in), in
}

// Window is a window over images [n][c][h][w] with a border of pad around them.
type Window struct {
	N, C, H, W, U, V      int
	Stride, Dilation, Pad int
	DType                 tensor.DType
}

// Out is how many windows there are along an axis of that extent.
func (s Window) Out(extent, kernel int) int {
	return (extent+2*s.Pad-s.Dilation*(kernel-1)-1)/s.Stride + 1
}

// Images is the operand that the windows are over.
func (s Window) Images() engine.Operand {
	return engine.Operand{DType: s.DType, Len: int64(s.N * s.C * s.H * s.W)}
}

func (s Window) kernels() engine.Operand {
	return engine.Operand{DType: s.DType, Len: int64(s.C * s.U * s.V)}
}

// Results is one number a window and channel.
func (s Window) Results() engine.Operand {
	return engine.Operand{DType: s.DType, Len: int64(s.N * s.C * s.Out(s.H, s.U) * s.Out(s.W, s.V))}
}

// Image is element (n, c, y, x) of the padded images, the axes being numbers.
func (s Window) Image(n, c, i, j, u, v int) *engine.Expr {
	at := func(axis, tap int) *engine.Index {
		return engine.AxisIndex(axis).Mul(int64(s.Stride)).Add(engine.AxisIndex(tap).Mul(int64(s.Dilation))).AddConst(int64(-s.Pad))
	}
	y, x := at(i, u), at(j, v)
	plane := engine.AxisIndex(n).Mul(int64(s.C)).Add(engine.AxisIndex(c))
	var inside []engine.Cond
	if s.Pad > 0 {
		inside = []engine.Cond{{X: y, Hi: int64(s.H)}, {X: x, Hi: int64(s.W)}}
	}
	return engine.Load(0, s.DType, plane.Mul(int64(s.H)).Add(y).Mul(int64(s.W)).Add(x), inside)
}

// Filter is the convolution with a kernel for each channel.
func (s Window) Filter() *engine.Task {
	dom := engine.Domain{s.N, s.C, s.Out(s.H, s.U), s.Out(s.W, s.V), s.U, s.V}
	kernel := engine.Load(1, s.DType, axes(s.C, s.U, s.V)(1, 4, 5), nil)
	x, w := widened(s.Image(0, 1, 2, 3, 4, 5)), widened(kernel)
	return Reduce(dom, 4, engine.Sum, engine.Apply(Mul, x.DType, x, w), s.Images(), s.kernels())
}

// Pool folds the windows.
func (s Window) Pool(f engine.Monoid) *engine.Task {
	dom := engine.Domain{s.N, s.C, s.Out(s.H, s.U), s.Out(s.W, s.V), s.U, s.V}
	return Reduce(dom, 4, f, widened(s.Image(0, 1, 2, 3, 4, 5)), s.Images())
}

// KernelGradient sums over all windows for every tap.
func (s Window) KernelGradient() *engine.Task {
	h, w := s.Out(s.H, s.U), s.Out(s.W, s.V)
	dom := engine.Domain{s.C, s.U, s.V, s.N, h, w}
	dy := engine.Load(1, s.DType, axes(s.N, s.C, h, w)(3, 0, 4, 5), nil)
	x, d := widened(s.Image(3, 0, 4, 5, 1, 2)), widened(dy)
	return Reduce(dom, 3, engine.Sum, engine.Apply(Mul, x.DType, d, x), s.Images(), s.Results())
}

// ImageGradient sums over the windows that cover a position.
func (s Window) ImageGradient() *engine.Task {
	h, w := s.Out(s.H, s.U), s.Out(s.W, s.V)
	dom := engine.Domain{s.N, s.C, s.H, s.W, s.U, s.V}
	var inside []engine.Cond
	at := func(axis, tap, extent int) *engine.Index {
		x := engine.AxisIndex(axis).Add(engine.AxisIndex(tap).Mul(int64(-s.Dilation))).AddConst(int64(s.Pad))
		y := x.Div(int64(s.Stride), dom)
		inside = append(inside, engine.Cond{X: y, Hi: int64(extent)})
		if s.Stride > 1 {
			inside = append(inside, engine.Cond{X: x.Mod(int64(s.Stride), dom), Hi: 1})
		}
		return y
	}
	y, x := at(2, 4, h), at(3, 5, w)
	plane := engine.AxisIndex(0).Mul(int64(s.C)).Add(engine.AxisIndex(1))
	dy := widened(engine.Load(0, s.DType, plane.Mul(int64(h)).Add(y).Mul(int64(w)).Add(x), inside))
	k := widened(engine.Load(1, s.DType, axes(s.C, s.U, s.V)(1, 4, 5), inside))
	value := engine.Apply(Where, dy.DType, engine.Valid(inside), engine.Apply(Mul, dy.DType, dy, k), Constant(dy.DType, 0))
	return Reduce(dom, 4, engine.Sum, value, s.Results(), s.kernels())
}

// Pixels is a depthwise convolution of images [n][h][w][c] by kernels [u][v][c],
// dilation between their taps, with a border of pad around the images.
type Pixels struct {
	N, H, W, C, U, V      int
	Stride, Dilation, Pad int
	DType                 tensor.DType
}

// Task is the convolution.
func (p Pixels) Task() *engine.Task {
	out := func(extent, kernel int) int { return (extent+2*p.Pad-p.Dilation*(kernel-1)-1)/p.Stride + 1 }
	dom := engine.Domain{p.N, out(p.H, p.U), out(p.W, p.V), p.C, p.U, p.V}
	at := func(axis, tap int) *engine.Index {
		return engine.AxisIndex(axis).Mul(int64(p.Stride)).Add(engine.AxisIndex(tap).Mul(int64(p.Dilation))).AddConst(int64(-p.Pad))
	}
	y, x := at(1, 4), at(2, 5)
	addr := engine.AxisIndex(0).Mul(int64(p.H)).Add(y).Mul(int64(p.W)).Add(x).Mul(int64(p.C)).Add(engine.AxisIndex(3))
	var inside []engine.Cond
	if p.Pad > 0 {
		inside = []engine.Cond{{X: y, Hi: int64(p.H)}, {X: x, Hi: int64(p.W)}}
	}
	tap := engine.AxisIndex(4).Mul(int64(p.V)).Add(engine.AxisIndex(5)).Mul(int64(p.C)).Add(engine.AxisIndex(3))
	image, factor := engine.Load(0, p.DType, addr, inside), engine.Load(1, p.DType, tap, nil)
	acc := engine.AccType(p.DType)
	if acc != p.DType {
		image, factor = engine.Apply(Cast, acc, image), engine.Apply(Cast, acc, factor)
	}
	return Reduce(dom, 4, engine.Sum, engine.Apply(Mul, acc, image, factor),
		engine.Operand{DType: p.DType, Len: int64(p.N * p.H * p.W * p.C)}, engine.Operand{DType: p.DType, Len: int64(p.U * p.V * p.C)})
}

// Operands are random.
func (p Pixels) Operands(seed uint64) [][]byte {
	r, t := rand.New(rand.NewPCG(seed, uint64(p.C))), p.Task()
	return [][]byte{ocltest.RandomBytes(r, p.DType, t.Ins[0].Len), ocltest.RandomBytes(r, p.DType, t.Ins[1].Len)}
}

// widened is e in the type that sums of it have.
func widened(e *engine.Expr) *engine.Expr {
	if acc := engine.AccType(e.DType); acc != e.DType {
		return engine.Apply(Cast, acc, e)
	}
	return e
}

// axes makes positions in memory of those extents, row by row.
func axes(extents ...int) func(axis ...int) *engine.Index {
	return func(axis ...int) *engine.Index {
		at := engine.ConstIndex(0)
		for i, a := range axis {
			at = at.Mul(int64(extents[i])).Add(engine.AxisIndex(a))
		}
		return at
	}
}

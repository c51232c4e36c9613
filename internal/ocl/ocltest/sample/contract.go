package sample

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// View is an operand of a test: a load with one stride an axis of the task.
type View struct {
	DType   tensor.DType
	Offset  int64
	Strides []int64 // by axis: batch, m, n, k
	Len     int64
}

// Index is the position of a point of the task.
func (v View) Index() *engine.Index {
	x := engine.ConstIndex(v.Offset)
	for a, s := range v.Strides {
		x = x.Add(engine.AxisIndex(a).Mul(s))
	}
	return x
}

// Dense lays the given axes of dims out in that order, the last the fastest.
func Dense(dt tensor.DType, dims []int, order ...int) View {
	v := View{DType: dt, Strides: make([]int64, len(dims)), Len: 1}
	for i := len(order) - 1; i >= 0; i-- {
		v.Strides[order[i]] = v.Len
		v.Len *= int64(dims[order[i]])
	}
	return v
}

// Product is the contraction of two views, its accumulator cast to out.
func Product(groups [4]int, dims []int, a, b View, out tensor.DType) *engine.Task {
	t := &engine.Task{
		Kind: engine.Contract, Name: "matmul", Axes: dims, Groups: groups[:],
		Ins: []engine.Operand{{DType: a.DType, Len: a.Len}, {DType: b.DType, Len: b.Len}},
		A:   engine.Load(0, a.DType, a.Index(), nil),
		B:   engine.Load(1, b.DType, b.Index(), nil),
		Acc: engine.AccType(a.DType),
	}
	t.Values = []*engine.Expr{engine.Acc(0, t.Acc)}
	if out != t.Acc {
		t.Values[0] = engine.Apply(Cast, out, t.Values[0])
	}
	t.Outs = []engine.Operand{{DType: out, Len: t.Size(0) * t.Size(1) * t.Size(2)}}
	return t
}

// Matmul is batch x m x n x k with A [b][m][k] (ta: [b][k][m]) and B [b][k][n] (tb: [b][n][k]).
func Matmul(dt tensor.DType, b, m, n, k int, ta, tb bool) *engine.Task {
	dims := []int{b, m, n, k}
	va, vb := Dense(dt, dims, 0, 1, 3), Dense(dt, dims, 0, 3, 2)
	if ta {
		va = Dense(dt, dims, 0, 3, 1)
	}
	if tb {
		vb = Dense(dt, dims, 0, 2, 3)
	}
	return Product([4]int{1, 1, 1, 1}, dims, va, vb, dt)
}

// ReLU is max(a, 0).
var ReLU = &engine.Scalar{Name: "relu", Arity: 1, OpenCL: "fmax(a, ($T)0)", Host: hostOf(func(a, _ float64) float64 { return max(a, 0) }), Flops: 1}

// hostOf is a host function for small numbers, of which each class is exact in float64.
func hostOf(f func(a, b float64) float64) func(tensor.DType, []tensor.DType, engine.Block, []engine.Block) {
	at := func(b engine.Block, i int) float64 {
		switch {
		case b.F32 != nil:
			return float64(b.F32[i])
		case b.F64 != nil:
			return b.F64[i]
		case b.I64 != nil:
			return float64(b.I64[i])
		default:
			return float64(b.U64[i])
		}
	}
	return func(_ tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
		n := max(len(dst.F32), len(dst.F64), len(dst.I64), len(dst.U64))
		for i := range n {
			var b float64
			if len(args) > 1 {
				b = at(args[1], i)
			}
			v := f(at(args[0], i), b)
			switch {
			case dst.F32 != nil:
				dst.F32[i] = float32(v)
			case dst.F64 != nil:
				dst.F64[i] = v
			case dst.I64 != nil:
				dst.I64[i] = int64(v)
			default:
				dst.U64[i] = uint64(v)
			}
		}
	}
}

// Convolution is a task over a padded image [images][groups·c][h][w] and weights
// [groups·o][c][kh][kw]; batch = groups, m = image, y, x, n = o, k = c, ky, kx.
func Convolution(images, groups, c, h, w, o, kernel, stride, dilation int) *engine.Task {
	span := (kernel-1)*dilation + 1
	oh, ow := (h-span)/stride+1, (w-span)/stride+1
	dims := []int{groups, images, oh, ow, o, c, kernel, kernel}
	hw := int64(h * w)
	s, d := int64(stride), int64(dilation)
	image := View{tensor.Float32, 0, []int64{
		int64(c) * hw, int64(groups*c) * hw, s * int64(w), s, 0, hw, d * int64(w), d,
	}, int64(images*groups*c) * hw}
	weights := Dense(tensor.Float32, dims, 0, 4, 5, 6, 7)
	return Product([4]int{1, 3, 1, 3}, dims, image, weights, tensor.Float32)
}

// WeightGradient is m = c, ky, kx; n = o; k = image, y, x: few outputs, long sums.
func WeightGradient(images, c, h, o int) *engine.Task {
	p := h + 2
	dims := []int{c, 3, 3, o, images, h, h}
	x := View{tensor.Float32, 0, []int64{int64(p * p), int64(p), 1, 0, int64(c * p * p), int64(p), 1}, int64(images * c * p * p)}
	return Product([4]int{0, 3, 1, 3}, dims, x, Dense(tensor.Float32, dims, 4, 5, 6, 3), tensor.Float32)
}

// ChannelGradient is m = o; n = c, ky, kx; k = image, y, x, with the channels of the
// padded image last: windows adjoin by tap and channel, and the result by channel
// and tap.
func ChannelGradient(images, c, h, o int) *engine.Task {
	p := h + 2
	dims := []int{o, c, 3, 3, images, h, h}
	x := View{tensor.Float32, 0, []int64{0, 1, int64(p * c), int64(c), int64(p * p * c), int64(p * c), int64(c)}, int64(images * c * p * p)}
	return Product([4]int{0, 1, 3, 3}, dims, Dense(tensor.Float32, dims, 4, 0, 5, 6), x, tensor.Float32)
}

// Biased adds a bias by column, a residual and a rectifier to t.
func Biased(t *engine.Task) *engine.Task {
	_, n := t.Group(2)
	residual := Dense(tensor.Float32, t.Axes, t.OutAxes(0)...)
	t.Ins = append(t.Ins, engine.Operand{DType: tensor.Float32, Len: int64(t.Axes[n-1])}, engine.Operand{DType: tensor.Float32, Len: residual.Len})
	v := t.Values[0]
	v = engine.Apply(Add, tensor.Float32, v, engine.Load(2, tensor.Float32, engine.AxisIndex(n-1), nil))
	v = engine.Apply(Add, tensor.Float32, v, engine.Load(3, tensor.Float32, residual.Index(), nil))
	t.Values[0] = engine.Apply(ReLU, tensor.Float32, v)
	return t
}

// Fused has a prologue on both operands, padding conditions, a gather, and an
// epilogue of bias, residual and activation; the residual is the output's memory.
func Fused(dt tensor.DType) *engine.Task { return FusedOf(dt, 2, 21, 35, 40) }

// FusedOf is Fused of that batch, m, n and k.
func FusedOf(dt tensor.DType, b, m, n, k int) *engine.Task {
	dims := []int{b, m, n, k}
	x := func(v View) *engine.Index { return v.Index() }
	t := Product([4]int{1, 1, 1, 1}, dims, Dense(dt, dims, 0, 1, 3), Dense(dt, dims, 0, 3, 2), dt)
	out := Dense(dt, dims, 0, 1, 2)
	t.Ins = append(t.Ins, engine.Operand{DType: dt, Len: int64(n)}, engine.Operand{DType: dt, Len: out.Len}, engine.Operand{DType: tensor.Int32, Len: int64(k)})
	t.Alias = []int{3}
	// Rows above the first two are padding, as in a window over an image.
	inside := []engine.Cond{{X: engine.AxisIndex(1).Add(engine.AxisIndex(3)), Lo: 2, Hi: int64(m + k - 3)}}
	t.A = engine.Apply(Mul, dt, engine.Load(0, dt, x(Dense(dt, dims, 0, 1, 3)), inside), engine.Constant(dt, engine.Const{Float: 0.5, Int: 2}))
	// B's rows are gathered: row = idx[k] mod K.
	row := engine.DataIndex(engine.Load(4, tensor.Int32, engine.AxisIndex(3), nil)).Mod(int64(k), dims)
	t.B = engine.Load(1, dt, engine.AxisIndex(0).Mul(int64(n*k)).Add(row.Mul(int64(n))).Add(engine.AxisIndex(2)), nil)
	v := t.Values[0]
	v = engine.Apply(Add, dt, v, engine.Load(2, dt, engine.AxisIndex(2), nil))
	v = engine.Apply(Add, dt, v, engine.Load(3, dt, x(out), nil))
	if dt.IsFloat() {
		v = engine.Apply(ReLU, dt, v)
	}
	t.Values[0] = v
	return t
}

// ChannelsLast is a convolution by windows of 3 x 3 over a padded image
// [images][h + 2][w + 2][groups·c]; batch = groups, m = image, y, x, n = o,
// k = ky, kx, c. With rows the result lies as [images][groups·o][h][w].
func ChannelsLast(dt tensor.DType, images, groups, c, h, w, o int, rows bool) *engine.Task {
	dims := []int{groups, images, h, w, o, 3, 3, c}
	right, down := int64(groups*c), int64((w+2)*groups*c)
	image := View{dt, 0, []int64{int64(c), int64(h+2) * down, down, right, 0, down, right, 1}, int64(images*(h+2)) * down}
	weights := Dense(dt, dims, 0, 4, 7, 5, 6)
	t := Product([4]int{1, 3, 1, 3}, dims, image, weights, dt)
	if !rows {
		return t
	}
	// The transposed product, one image a batch.
	order := []int{1, 0, 4, 2, 3, 5, 6, 7}
	moved := make([]int, len(order))
	shape := make([]int, len(order))
	for to, from := range order {
		moved[from], shape[to] = to, dims[from]
	}
	at := make([]*engine.Index, len(order))
	for i, to := range moved {
		at[i] = engine.AxisIndex(to)
	}
	s := *t
	s.Axes, s.Groups = shape, []int{2, 1, 2, 3}
	s.A, s.B = t.B.Subst(at, s.Axes), t.A.Subst(at, s.Axes)
	return &s
}

// Sliding is a convolution of images as they lie: batch = images and groups, m = o,
// n = y, x, k = c, ky, kx, over images [images][groups·c][h][w] that are padded
// already.
type Sliding struct {
	Images, Groups, C, H, W, O, KH, KW, Stride, Dilation int
}

// Weights is the derivative of s with respect to its kernels: batch = groups, m = c,
// ky, kx, n = o, k = image, y, x, of which upstream lies in the given order of
// groups, o, image, y, x.
func (s Sliding) Weights(dt tensor.DType, upstream ...int) *engine.Task {
	oh, ow := (s.H-(s.KH-1)*s.Dilation-1)/s.Stride+1, (s.W-(s.KW-1)*s.Dilation-1)/s.Stride+1
	dims := []int{s.Groups, s.C, s.KH, s.KW, s.O, s.Images, oh, ow}
	line, plane := int64(s.W), int64(s.H*s.W)
	st, di := int64(s.Stride), int64(s.Dilation)
	image := View{dt, 0, []int64{
		int64(s.C) * plane, plane, di * line, di, 0, int64(s.Groups*s.C) * plane, st * line, st,
	}, int64(s.Images*s.Groups*s.C) * plane}
	return Product([4]int{1, 3, 1, 3}, dims, image, Dense(dt, dims, upstream...), dt)
}

// Task is the convolution.
func (s Sliding) Task(dt tensor.DType) *engine.Task {
	oh, ow := (s.H-(s.KH-1)*s.Dilation-1)/s.Stride+1, (s.W-(s.KW-1)*s.Dilation-1)/s.Stride+1
	dims := []int{s.Images, s.Groups, s.O, oh, ow, s.C, s.KH, s.KW}
	line, plane := int64(s.W), int64(s.H*s.W)
	st, di := int64(s.Stride), int64(s.Dilation)
	image := View{dt, 0, []int64{
		int64(s.Groups*s.C) * plane, int64(s.C) * plane, 0, st * line, st, plane, di * line, di,
	}, int64(s.Images*s.Groups*s.C) * plane}
	return Product([4]int{2, 1, 2, 3}, dims, Dense(dt, dims, 1, 2, 5, 6, 7), image, dt)
}

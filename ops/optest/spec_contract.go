package optest

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Sums of products, and pooling.

func init() {
	Register("matmul", Spec{
		Reference: func(c Case) Result { return matmul(c.In[0], c.In[1]) },
		Tolerance: summed(anySum + " of products"),
		Samples: []Sample{
			matmulCase("square", []int{16, 16}, []int{16, 16}),
			matmulCase("odd", []int{7, 33}, []int{33, 5}),
			matmulCase("prime", []int{67, 31}, []int{31, 101}),
			matmulCase("tile edges", []int{130, 70}, []int{70, 66}),
			matmulCase("row", []int{1, 65}, []int{65, 9}),
			matmulCase("column", []int{65, 9}, []int{9, 1}),
			matmulCase("vectors", []int{37}, []int{37}),
			matmulCase("vector matrix", []int{5}, []int{5, 3}),
			matmulCase("matrix vector", []int{3, 5}, []int{5}),
			matmulCase("batch", []int{3, 5, 9}, []int{3, 9, 4}),
			matmulCase("shared right", []int{2, 3, 5, 9}, []int{9, 4}),
			matmulCase("broadcast batch", []int{2, 1, 4, 3}, []int{5, 3, 6}),
			matmulCase("long inner", []int{3, 2049}, []int{2049, 2}),
			matmulCase("empty inner", []int{3, 0}, []int{0, 2}),
			matmulCase("empty", []int{0, 3}, []int{3, 2}),
			transposedMatmul("transposed left", []int{33, 7}, []int{33, 5}, true, false),
			transposedMatmul("transposed right", []int{7, 33}, []int{5, 33}, false, true),
			transposedMatmul("transposed both", []int{33, 7}, []int{5, 33}, true, true),
		},
	})
	Register("conv2d", Spec{
		Reference: func(c Case) Result { return conv2d(c.In[0], c.In[1], attr[ops.Conv2DOptions](c)) },
		Tolerance: summed(anySum + " of products"),
		Samples: []Sample{
			convCase("1x1", []int{2, 3, 5, 7}, []int{4, 3, 1, 1}, ops.Conv2DOptions{}),
			convCase("3x3", []int{2, 3, 8, 9}, []int{5, 3, 3, 3}, ops.Conv2DOptions{}),
			convCase("padded", []int{1, 2, 6, 5}, []int{3, 2, 3, 3}, ops.Conv2DOptions{Pad: [2]int{1, 1}}),
			convCase("stride", []int{1, 3, 11, 10}, []int{4, 3, 3, 3}, ops.Conv2DOptions{Stride: [2]int{2, 3}, Pad: [2]int{1, 0}}),
			convCase("stride beyond the kernel", []int{2, 3, 9, 8}, []int{4, 3, 1, 2}, ops.Conv2DOptions{Stride: [2]int{2, 3}}),
			convCase("stride and groups", []int{1, 4, 12, 9}, []int{6, 2, 5, 3}, ops.Conv2DOptions{Stride: [2]int{2, 2}, Pad: [2]int{3, 1}, Groups: 2}),
			convCase("even kernel, stride", []int{1, 2, 9, 10}, []int{3, 2, 4, 2}, ops.Conv2DOptions{Stride: [2]int{2, 2}, Pad: [2]int{1, 1}}),
			convCase("dilated stride", []int{1, 2, 11, 9}, []int{3, 2, 3, 2}, ops.Conv2DOptions{Stride: [2]int{2, 1}, Dilation: [2]int{2, 3}}),
			convCase("dilated", []int{1, 9, 9, 9}, []int{2, 9, 3, 2}, ops.Conv2DOptions{Dilation: [2]int{2, 3}, Pad: [2]int{2, 1}}),
			convCase("groups", []int{2, 6, 5, 5}, []int{4, 3, 3, 3}, ops.Conv2DOptions{Groups: 2, Pad: [2]int{1, 1}}),
			convCase("small groups", []int{2, 6, 5, 9}, []int{4, 3, 3, 3}, ops.Conv2DOptions{Groups: 2, Pad: [2]int{1, 1}}),
			convCase("small groups stride", []int{1, 8, 7, 35}, []int{8, 4, 3, 2}, ops.Conv2DOptions{Groups: 2, Stride: [2]int{1, 2}, Pad: [2]int{2, 1}}),
			convCase("depthwise", []int{1, 5, 6, 6}, []int{5, 1, 3, 3}, ops.Conv2DOptions{Groups: 5, Stride: [2]int{2, 2}, Pad: [2]int{1, 1}}),
			convCase("depthwise stride", []int{2, 9, 8, 9}, []int{9, 1, 2, 2}, ops.Conv2DOptions{Groups: 9, Stride: [2]int{1, 2}}),
			convCase("depthwise dilated stride", []int{1, 2, 9, 20}, []int{2, 1, 3, 3}, ops.Conv2DOptions{Groups: 2, Stride: [2]int{2, 3}, Dilation: [2]int{1, 2}, Pad: [2]int{1, 2}}),
			convCase("depthwise dilated", []int{2, 9, 8, 7}, []int{9, 1, 3, 2}, ops.Conv2DOptions{Groups: 9, Dilation: [2]int{2, 1}, Pad: [2]int{2, 0}}),
			convCase("one channel", []int{3, 1, 9, 7}, []int{8, 1, 5, 3}, ops.Conv2DOptions{Pad: [2]int{2, 2}}),
			convCase("channels", []int{2, 16, 9, 6}, []int{17, 16, 3, 3}, ops.Conv2DOptions{Pad: [2]int{1, 1}}),
			convCase("no images", []int{0, 2, 4, 4}, []int{3, 2, 3, 3}, ops.Conv2DOptions{}),
		},
	})
	Register("max_pool2d", Spec{
		Reference: func(c Case) Result {
			x, o := c.In[0], poolOptions(c)
			y := NewArray(x.DType, poolShape(x.Shape, o)...)
			seen := make([]bool, y.Len())
			overPool(x.Shape, y.Shape, o, func(p, q int) {
				if !seen[p] || beats(x, q, y, p, false) {
					y.copy(p, x, q)
					seen[p] = true
				}
			})
			return exactly(y)
		},
		Tolerance: exact,
		Samples:   poolCases(ops.MaxPool2D),
	})
	Register("avg_pool2d", Spec{
		Reference: func(c Case) Result {
			x, o := c.In[0], poolOptions(c)
			y := NewArray(x.DType, poolShape(x.Shape, o)...)
			terms, n := make([]float64, y.Len()), make([]float64, y.Len())
			overPool(x.Shape, y.Shape, o, func(p, q int) {
				y.F[p] += x.F[q]
				terms[p] += math.Abs(x.F[q])
				n[p]++
			})
			taps := float64(o.Size[0] * o.Size[1])
			for p := range y.F {
				if o.CountPad {
					n[p] = taps
				}
				y.F[p] /= n[p]
				terms[p] /= n[p]
			}
			return Result{Array: y, Terms: terms, N: taps + 2}
		},
		Tolerance: Tolerance{ULP: 3, ULP64: 1, Terms: 1, Stored: 1, Source: composition},
		Samples: append(poolCases(ops.AvgPool2D),
			poolCase("blocks", ops.AvgPool2D, []int{2, 1, 8, 10}, ops.PoolOptions{Size: [2]int{4, 5}}),
			poolCase("count padding", ops.AvgPool2D, []int{1, 2, 5, 5}, ops.PoolOptions{Size: [2]int{3, 3}, Stride: [2]int{2, 2}, Pad: [2]int{1, 1}, CountPad: true})),
	})
}

// sum accumulates products into one element of a result.
type sum struct {
	y     Array
	terms []float64
}

func newSum(dt tensor.DType, shape []int) sum {
	s := sum{y: NewArray(dt, shape...)}
	if s.y.F != nil {
		s.terms = make([]float64, s.y.Len())
	}
	return s
}

// add adds a[i]·b[j] to element p.
func (s sum) add(p int, a Array, i int, b Array, j int) {
	switch y := s.y; {
	case y.F != nil:
		v := a.F[i] * b.F[j]
		y.F[p] += v
		s.terms[p] += math.Abs(v)
	case y.I != nil:
		y.I[p] = wrapInt(y.DType, y.I[p]+a.I[i]*b.I[j])
	default:
		y.U[p] = wrapUint(y.DType, y.U[p]+a.U[i]*b.U[j])
	}
}

// plus adds a[i] to element p.
func (s sum) plus(p int, a Array, i int) {
	switch y := s.y; {
	case y.F != nil:
		y.F[p] += a.F[i]
		s.terms[p] += math.Abs(a.F[i])
	case y.I != nil:
		y.I[p] = wrapInt(y.DType, y.I[p]+a.I[i])
	default:
		y.U[p] = wrapUint(y.DType, y.U[p]+a.U[i])
	}
}

// matmul is the product of the last two axes; a vector is a row on the left
// and a column on the right.
func matmul(a, b Array) Result {
	left, right := slices.Clone(a.Shape), slices.Clone(b.Shape)
	if len(left) == 1 {
		left = []int{1, left[0]}
	}
	if len(right) == 1 {
		right = []int{right[0], 1}
	}
	m, k, n := left[len(left)-2], left[len(left)-1], right[len(right)-1]
	left, right = left[:len(left)-2], right[:len(right)-2]
	batch := broadcastShape(left, right)

	s := newSum(a.DType, append(slices.Clone(batch), m, n))
	for p, at := range coordinates(s.y.Shape) {
		row, column := at[len(batch)], at[len(batch)+1]
		i := (stretched(left, at[:len(batch)])*m + row) * k
		j := stretched(right, at[:len(batch)])*k*n + column
		for q := range k {
			s.add(p, a, i+q, b, j+q*n)
		}
	}
	shape := batch
	if len(a.Shape) > 1 {
		shape = append(shape, m)
	}
	if len(b.Shape) > 1 {
		shape = append(shape, n)
	}
	s.y.Shape = shape
	return Result{Array: s.y, Terms: s.terms, N: float64(k)}
}

// conv2d is the cross-correlation of an NCHW image with an OIHW filter.
func conv2d(x, w Array, o ops.Conv2DOptions) Result {
	stride, dilation, groups := orOnes(o.Stride), orOnes(o.Dilation), max(o.Groups, 1)
	in, out := x.Shape[1]/groups, w.Shape[0]/groups // channels of a group
	var size [2]int
	for i := range size {
		size[i] = positionsOf(x.Shape[2+i]+2*o.Pad[i], dilation[i]*(w.Shape[2+i]-1)+1, stride[i])
	}
	s := newSum(x.DType, []int{x.Shape[0], w.Shape[0], size[0], size[1]})
	for p, at := range coordinates(s.y.Shape) {
		for ic := range in {
			for kh := range w.Shape[2] {
				for kw := range w.Shape[3] {
					h := at[2]*stride[0] + kh*dilation[0] - o.Pad[0]
					v := at[3]*stride[1] + kw*dilation[1] - o.Pad[1]
					if h < 0 || h >= x.Shape[2] || v < 0 || v >= x.Shape[3] {
						continue
					}
					s.add(p,
						x, position(x.Shape, []int{at[0], at[1]/out*in + ic, h, v}),
						w, position(w.Shape, []int{at[1], ic, kh, kw}))
				}
			}
		}
	}
	return Result{Array: s.y, Terms: s.terms, N: float64(in * w.Shape[2] * w.Shape[3])}
}

// positionsOf counts the places of a window of some span on n elements.
func positionsOf(n, span, stride int) int {
	if n < span {
		return 0
	}
	return (n-span)/stride + 1
}

func orOnes(v [2]int) [2]int { return [2]int{max(v[0], 1), max(v[1], 1)} }

// poolStride is the step of a pool: its size, if nothing else is said.
func poolStride(o ops.PoolOptions) [2]int {
	for i, s := range o.Stride {
		if s == 0 {
			o.Stride[i] = o.Size[i]
		}
	}
	return o.Stride
}

func poolShape(x []int, o ops.PoolOptions) []int {
	y, stride := slices.Clone(x), poolStride(o)
	for i := range 2 {
		y[2+i] = positionsOf(x[2+i]+2*o.Pad[i], o.Size[i], stride[i])
	}
	return y
}

// overPool visits every element q of x that lies under the window of element p
// of y.
func overPool(x, y []int, o ops.PoolOptions, visit func(p, q int)) {
	stride := poolStride(o)
	for p, at := range coordinates(y) {
		for kh := range o.Size[0] {
			for kw := range o.Size[1] {
				h, v := at[2]*stride[0]+kh-o.Pad[0], at[3]*stride[1]+kw-o.Pad[1]
				if h >= 0 && h < x[2] && v >= 0 && v < x[3] {
					visit(p, position(x, []int{at[0], at[1], h, v}))
				}
			}
		}
	}
}

func matmulCase(label string, a, b []int) Sample {
	return Sample{
		Label: label, Operands: []Operand{{Shape: a}, {Shape: b}},
		Build: func(in []*ops.Node) *ops.Node { return ops.MatMul(in[0], in[1]) },
	}
}

func transposedMatmul(label string, a, b []int, left, right bool) Sample {
	s := matmulCase(label, a, b)
	s.Through = func(in []*ops.Node) []*ops.Node {
		x, y := in[0], in[1]
		if left {
			x = ops.Transpose(x)
		}
		if right {
			y = ops.Transpose(y)
		}
		return []*ops.Node{x, y}
	}
	return s
}

// ConvSample is the attribute of samples of conv2d.
type ConvSample struct{ Options ops.Conv2DOptions }

func convCase(label string, x, w []int, o ops.Conv2DOptions) Sample {
	return Sample{
		Label: label, Operands: []Operand{{Shape: x}, {Shape: w}}, Attr: o,
		Build: func(in []*ops.Node) *ops.Node { return ops.Conv2D(in[0], in[1], o) },
	}
}

// poolOptions are those of a case, with strides: left out they are the windows' sizes.
func poolOptions(c Case) ops.PoolOptions {
	o := attr[ops.PoolOptions](c)
	for i, s := range o.Stride {
		if s == 0 {
			o.Stride[i] = o.Size[i]
		}
	}
	return o
}

func poolCases(call func(x *ops.Node, o ops.PoolOptions) *ops.Node) []Sample {
	return []Sample{
		poolCase("2x2", call, []int{2, 3, 6, 8}, ops.PoolOptions{Size: [2]int{2, 2}}),
		poolCase("overlapping", call, []int{1, 2, 7, 9}, ops.PoolOptions{Size: [2]int{3, 3}, Stride: [2]int{2, 2}}),
		poolCase("padded", call, []int{1, 2, 5, 6}, ops.PoolOptions{Size: [2]int{3, 2}, Stride: [2]int{1, 2}, Pad: [2]int{1, 1}}),
		poolCase("rest cut off", call, []int{1, 1, 5, 7}, ops.PoolOptions{Size: [2]int{2, 3}}),
		poolCase("gaps", call, []int{2, 1, 8, 9}, ops.PoolOptions{Size: [2]int{2, 1}, Stride: [2]int{3, 4}, Pad: [2]int{1, 0}}),
		poolCase("tiles with an edge", call, []int{1, 2, 6, 7}, ops.PoolOptions{Size: [2]int{3, 2}, Pad: [2]int{2, 1}}),
		poolCase("many at each place", call, []int{1, 2, 9, 8}, ops.PoolOptions{Size: [2]int{5, 4}, Stride: [2]int{1, 3}, Pad: [2]int{2, 1}}),
		poolCase("whole image", call, []int{3, 2, 4, 5}, ops.PoolOptions{Size: [2]int{4, 5}}),
		poolCase("long lines", call, []int{1, 2, 5, 64}, ops.PoolOptions{Size: [2]int{3, 3}, Stride: [2]int{2, 2}}),
	}
}

func poolCase(label string, call func(x *ops.Node, o ops.PoolOptions) *ops.Node, shape []int, o ops.PoolOptions) Sample {
	return Sample{
		Label: label, Operands: []Operand{{Shape: shape, Distinct: true}}, Attr: o,
		Build: func(in []*ops.Node) *ops.Node { return call(in[0], o) },
	}
}

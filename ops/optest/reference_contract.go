package optest

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Sums of products, and pooling.

func init() {
	reference("matmul", func(c Case) Result { return matmul(c.In[0], c.In[1]) })
	reference("conv2d", func(c Case) Result { return conv2d(c.In[0], c.In[1], attr[ops.ConvSample](c).Options) })
	reference("max_pool2d", func(c Case) Result {
		x, o := c.In[0], attr[ops.PoolOptions](c)
		y := NewArray(x.DType, poolShape(x.Shape, o)...)
		seen := make([]bool, y.Len())
		overPool(x.Shape, y.Shape, o, func(p, q int) {
			if !seen[p] || beats(x, q, y, p, false) {
				y.copy(p, x, q)
				seen[p] = true
			}
		})
		return exactly(y)
	})
	reference("avg_pool2d", func(c Case) Result {
		x, o := c.In[0], attr[ops.PoolOptions](c)
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

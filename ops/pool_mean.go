package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// AvgPool returns the mean of each window over the last axes of the float x:
//
//	y[p, i] = 1/m · Σ_u x[p, i·s + u·d - before]
//
// over the positions that lie inside; m is their number, with CountPad that of the positions in the padding too (but not beyond it, where
// Ceil reaches), or Divisor. Errors: dtype not float; otherwise as [MaxPool].
// Source: ONNX, operator AveragePool; PyTorch, torch.nn.functional.avg_pool2d.
func AvgPool(x *Node, o PoolingOptions) *Node { return apply("avg_pool", o, x) }

var _ = define(Op{
	Name: "avg_pool", Category: "pooling", Attributes: AttributesOf[PoolingOptions](), Operands: operandX, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		if d := c.Attr.(PoolingOptions).Divisor; d < 0 {
			return nil, 0, fmt.Errorf("the divisor is %d", d)
		}
		return c.Attr.(PoolingOptions).result(c)
	},
	Compose: func(c *Call) *Node {
		x, a := c.In[0], c.Attr.(PoolingOptions)
		p, err := a.plan(x.shape)
		if err == nil && a.Divisor == 0 {
			err = p.countable(a.CountPad)
		}
		if err != nil {
			return x.graph.fail("avg_pool", c.In, err)
		}
		symmetric := slices.Equal(p.Before, p.After) && slices.Max(p.Beyond) == 0
		if images, o, ok := p.flat(x); ok && a.Divisor == 0 && symmetric {
			o.CountPad = a.CountPad
			if images.shape[2] > 1 || o.Size[0] == 1 {
				return Reshape(AvgPool2D(images, o), p.shape(x.shape)...)
			}
		}
		s := p.sum(widen(x))
		if a.Divisor != 0 {
			return Cast(Div(s, ScalarLike(s, float64(a.Divisor))), x.dtype)
		}
		return Cast(Mul(s, p.shares(s, x.shape, a.CountPad)), x.dtype)
	},
})

// sum is the sum of each window of x.
func (p poolPlan) sum(x *Node) *Node {
	if len(p.Size) == 3 { // fewer terms over planes, then over depth
		planes, depth := p.apart()
		return Reshape(depth.sum(Reshape(planes.sum(x), depth.operand(x.shape, p)...)), p.shape(x.shape)...)
	}
	return Sum(Windows(p.padded(x, 0), p.windows()...), p.taps()...)
}

// mostShares is the largest number of windows along an axis for which the part of each that lies inside is listed.
const mostShares = 1 << 26

// countable refuses windows that cannot be listed and are not all the same.
func (p poolPlan) countable(countPad bool) error {
	for i, out := range p.Out {
		if out > mostShares && (p.Beyond[i] > 0 || !countPad && max(p.Before[i], p.After[i]) > 0) {
			return fmt.Errorf("%d windows with padding, of at most %d", out, mostShares)
		}
	}
	return nil
}

// shares are 1 / m of every window of a tensor of shape x, in the dtype of y.
func (p poolPlan) shares(y *Node, x []int, countPad bool) *Node {
	var all *Node
	for i, extent := range x[p.Lead:] {
		low, high := 0, extent
		if countPad {
			low, high = -p.Before[i], extent+p.After[i]
		}
		var share *Node
		if p.Out[i] > mostShares { // all the same, else it was refused
			share = ScalarLike(y, 1/float64(p.Size[i]))
		} else {
			values := make([]float64, p.Out[i])
			for o := range values {
				first := o*p.Stride[i] - p.Before[i]
				from, to := max(ceilDiv(low-first, p.Dilation[i]), 0), min(ceilDiv(high-first, p.Dilation[i]), p.Size[i])
				values[o] = 1 / float64(max(to-from, 0))
			}
			share = ExpandDims(constOf(y.graph, y.dtype, values, p.Out[i]), trailing(1, len(p.Size)-1-i)...)
		}
		if all == nil {
			all = share
		} else {
			all = Mul(all, share)
		}
	}
	return all
}

type lpPoolAttr struct {
	PoolingOptions
	P float64 `default:"2" doc:"of the norm"`
}

// LPPool returns the p-norm of each window over the last axes of the float x:
//
//	y[q, i] = (Σ_u |x[q, i·s + u·d - before]|^p)^(1/p)
//
// over the positions that lie inside. The derivative of a window of zeros is 0. Errors: p is not positive and finite; otherwise as
// [AvgPool].
// Source: ONNX, operator LpPool.
func LPPool(x *Node, p float64, o PoolingOptions) *Node { return apply("lp_pool", lpPoolAttr{o, p}, x) }

var _ = define(Op{
	Name: "lp_pool", Category: "pooling", Attributes: AttributesOf[lpPoolAttr](), Operands: operandX, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(lpPoolAttr)
		if !(a.P > 0) || math.IsInf(a.P, 1) {
			return nil, 0, fmt.Errorf("the norm is %v", a.P)
		}
		return a.result(c)
	},
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(lpPoolAttr), widen(c.In[0])
		p, err := a.plan(x.shape)
		if err != nil {
			return x.graph.fail("lp_pool", c.In, err)
		}
		return Cast(rootOf(p.sum(powerOf(x, a.P)), a.P), c.dt(0))
	},
})

// powerOf is |x|^p, whose derivative at 0 is 0.
func powerOf(x *Node, p float64) *Node {
	switch p {
	case 1:
		return Abs(x)
	case 2:
		return Square(x)
	}
	zero, one := ScalarLike(x, 0), ScalarLike(x, 1)
	some := NotEqual(x, zero)
	return Where(some, Pow(Where(some, Abs(x), one), ScalarLike(x, p)), zero)
}

// rootOf is s^(1/p) of s >= 0, whose derivative at 0 is taken as 0.
func rootOf(s *Node, p float64) *Node {
	if p == 1 {
		return s
	}
	zero, one := ScalarLike(s, 0), ScalarLike(s, 1)
	some := NotEqual(s, zero)
	safe := Where(some, s, one)
	if p == 2 {
		return Where(some, Sqrt(safe), zero)
	}
	return Where(some, Pow(safe, ScalarLike(s, 1/p)), zero)
}

// AdaptiveAvgPool returns means over windows of x that are placed so that the last axes of the result have the extents of size: of n
// elements window i of m has those from ⌊i·n/m⌋ to ⌈(i+1)·n/m⌉. x is a float, with any axes before. An extent of -1
// stays as it is; 1 is the mean of the axis. Errors: size has more axes than x; an extent is below 1; dtype not float.
// Source: PyTorch, torch.nn.AdaptiveAvgPool2d.
func AdaptiveAvgPool(x *Node, size ...int) *Node {
	return apply("adaptive_avg_pool", adaptiveSize{size}, x)
}

type adaptiveSize struct {
	Size []int `doc:"extents of the result in its last axes; -1: as the operand has"`
}

// shape returns the shape of the result for an operand of shape x.
func (a adaptiveSize) shape(x []int) ([]int, error) {
	if len(a.Size) > len(x) || len(a.Size) == 0 {
		return nil, fmt.Errorf("the size %v does not fit the axes of %v", a.Size, x)
	}
	out := slices.Clone(x)
	for i, n := range a.Size {
		axis := len(x) - len(a.Size) + i
		if n != -1 {
			out[axis] = n
		}
		if out[axis] < 1 || x[axis] < 1 {
			return nil, fmt.Errorf("axis %d of %v would have %d elements", axis, x, n)
		}
	}
	return out, nil
}

var _ = define(Op{
	Name: "adaptive_avg_pool", Category: "pooling", Attributes: AttributesOf[adaptiveSize](), Operands: operandX, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape, err := c.Attr.(adaptiveSize).shape(c.shape(0))
		return shape, c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		x := c.In[0]
		shape, _ := c.Attr.(adaptiveSize).shape(x.shape)
		// Axes that divide are sums over blocks, together; others one after the other.
		var blocks, folded []int
		summed, count := slices.Clone(x.shape), 1
		var rest []resampleAttr
		for a, n := range x.shape {
			switch out := shape[a]; {
			case out == n:
				blocks = append(blocks, n)
			case n%out == 0:
				if summed[a] = out; out > 1 {
					blocks = append(blocks, out)
				}
				blocks, folded = append(blocks, n/out), append(folded, len(blocks))
				count *= n / out
			default:
				blocks = append(blocks, n)
				rest = append(rest, resampleAttr{Axis: a, In: n, Out: out, Filter: filterArea})
			}
		}
		y := widen(x)
		if len(folded) > 0 {
			s := blockSums(Reshape(y, blocks...), folded)
			y = Reshape(Div(s, ScalarLike(s, float64(count))), summed...)
		}
		return Cast(resampled(y, rest), x.dtype)
	},
})

// blockSums are the sums over axes of x that are the elements of blocks, the first axis first: those are sums of whole rows,
// and leave few elements for the others. Axes that are neighbours are one.
func blockSums(x *Node, axes []int) *Node {
	if axes[len(axes)-1]-axes[0] == len(axes)-1 {
		return Sum(x, axes...)
	}
	for i, axis := range axes {
		x = Sum(x, axis-i)
	}
	return x
}

// GlobalAvgPool returns the means of x, [N, C, ...], over all axes but the first two, which stay with extent 1. Errors: fewer than three
// axes; as [Mean].
// Source: ONNX, operator GlobalAveragePool.
func GlobalAvgPool(x *Node) *Node { return global(Mean, "global_avg_pool", x) }

// GlobalMaxPool returns the largest elements of x, [N, C, ...], over all axes but the first two, which stay with extent 1. Errors: fewer
// than three axes; as [Max].
// Source: ONNX, operator GlobalMaxPool.
func GlobalMaxPool(x *Node) *Node { return global(Max, "global_max_pool", x) }

// GlobalLPPool returns the p-norms of x, [N, C, ...], over all axes but the first two, which stay with extent 1. Errors: fewer than three
// axes; p is not positive; as [Sum].
// Source: ONNX, operator GlobalLpPool.
func GlobalLPPool(x *Node, p float64) *Node {
	if x != nil && !x.bad && (!(p > 0) || math.IsInf(p, 1)) {
		return x.graph.fail("global_lp_pool", []*Node{x}, fmt.Errorf("the norm is %v", p))
	}
	return global(func(x *Node, axes ...int) *Node {
		if !x.dtype.IsFloat() {
			return x.graph.fail("global_lp_pool", []*Node{x}, dtypeError(x.dtype, floats))
		}
		return Cast(rootOf(Sum(powerOf(widen(x), p), axes...), p), x.dtype)
	}, "global_lp_pool", x)
}

func global(fold func(x *Node, axes ...int) *Node, name string, x *Node) *Node {
	if x == nil || x.bad {
		return apply("reshape", nil, x)
	}
	if x.Rank() < 3 {
		return x.graph.fail(name, []*Node{x}, fmt.Errorf("needs x [N C ...], not %v", x.shape))
	}
	axes := trailing(2, x.Rank()-2)
	return ExpandDims(fold(x, axes...), axes...)
}

package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// PoolingOptions say how a window moves over the last axes of a tensor, as many as Size has. Other lists have one number for
// each of them, or one for all.
type PoolingOptions struct {
	Size     []int   `doc:"of the window, along each spatial axis"`
	Stride   []int   `default:"" doc:"from one window to the next; empty: the size"`
	Pad      []int   `default:"" doc:"before each axis, and after it where pad_after is empty; less than the window"`
	PadAfter []int   `default:"" doc:"after each axis"`
	Mode     PadMode `default:"" doc:"who chooses the padding: same, same_lower, valid; empty: pad and pad_after"`
	Dilation []int   `default:"" doc:"from one tap to the next; empty: 1"`
	Ceil     bool    `default:"false" doc:"windows that reach beyond the end count, if they begin before it"`
	CountPad bool    `default:"false" doc:"averages divide by taps in the padding too"`
	Divisor  int     `default:"0" doc:"averages divide by it; 0: by the number of taps"`
}

// poolPlan is a pooling with everything given.
type poolPlan struct {
	Lead                                  int // axes before the spatial ones
	Size, Stride, Before, After, Dilation []int
	Beyond                                []int // padding after the image that Ceil adds
	Out                                   []int
}

// plan is the pooling of a tensor of shape x.
func (o PoolingOptions) plan(x []int) (poolPlan, error) {
	n := len(o.Size)
	if n < 1 || n > 3 || len(x) < n {
		return poolPlan{}, fmt.Errorf("a window %v, for the last axes of %v: one to three are pooled", o.Size, x)
	}
	c, err := ConvOptions{Stride: o.Stride, Pad: o.Pad, PadAfter: o.PadAfter, Mode: o.Mode, Dilation: o.Dilation}.options(n)
	if err != nil {
		return poolPlan{}, err
	}
	p := poolPlan{Lead: len(x) - n, Size: o.Size, Stride: c.Stride, Before: c.Before, After: c.After, Dilation: c.Dilation,
		Beyond: make([]int, n), Out: make([]int, n)}
	if len(o.Stride) == 0 {
		p.Stride = o.Size
	}
	for i, extent := range x[p.Lead:] {
		if p.Size[i] < 1 || p.Stride[i] < 1 || extent < 1 {
			return p, fmt.Errorf("a window %v with stride %v over %v", o.Size, p.Stride, x)
		}
		span := Window{Size: p.Size[i], Dilation: p.Dilation[i]}.span()
		if o.Mode == PadSame || o.Mode == PadSameLower {
			convPlan{Before: p.Before, After: p.After}.share(o.Mode, i, max((ceilDiv(extent, p.Stride[i])-1)*p.Stride[i]+span-extent, 0))
		}
		if max(p.Before[i], p.After[i]) >= span {
			return p, fmt.Errorf("padding %v and %v is not less than the window %v with dilation %v", p.Before, p.After, o.Size, p.Dilation)
		}
		rest := plus(extent, p.Before[i], p.After[i]) - span
		if p.Out[i] = rest/p.Stride[i] + 1; rest < 0 {
			p.Out[i] = 0
		}
		if o.Ceil {
			p.Out[i] = ceilDiv(rest, p.Stride[i]) + 1
			if (p.Out[i]-1)*p.Stride[i] >= extent+p.Before[i] {
				p.Out[i]--
			}
			p.Beyond[i] = max((p.Out[i]-1)*p.Stride[i]-rest, 0)
		}
		if p.Out[i] < 1 {
			return p, fmt.Errorf("the window %v with dilation %v is larger than %v with padding %v and %v", o.Size, p.Dilation, x, p.Before, p.After)
		}
	}
	return p, nil
}

// span is how many elements w reaches over, or more than any axis has.
func (w Window) span() int {
	const most = 1 << 48
	d := max(w.Dilation, 1)
	if w.Size > most/d {
		return most
	}
	return d*(w.Size-1) + 1
}

func (o PoolingOptions) result(c *Call) ([]int, tensor.DType, error) {
	p, err := o.plan(c.shape(0))
	if err != nil {
		return nil, 0, err
	}
	return p.shape(c.shape(0)), c.dt(0), nil
}

// shape returns the shape of the result for an operand of shape x.
func (p poolPlan) shape(x []int) []int { return slices.Concat(x[:p.Lead], p.Out) }

// windows are how the window slides over the padded tensor.
func (p poolPlan) windows() []Window {
	out := make([]Window, len(p.Size))
	for i := range out {
		out[i] = Window{Axis: p.Lead + i, Size: p.Size[i], Stride: p.Stride[i], Dilation: p.Dilation[i]}
	}
	return out
}

// taps are the axes that windows add.
func (p poolPlan) taps() []int { return ir.Range(p.Lead+len(p.Size), p.Lead+2*len(p.Size)) }

// padded is x with v around it.
func (p poolPlan) padded(x *Node, v float64) *Node {
	var padding []Padding
	for i := range p.Size {
		if after := p.After[i] + p.Beyond[i]; p.Before[i]+after > 0 {
			padding = append(padding, Padding{p.Lead + i, p.Before[i], after})
		}
	}
	if len(padding) == 0 {
		return x
	}
	return Pad(x, v, padding...)
}

// flat gives x as images and options, where pooling in two dimensions has no need of windows of its own: neither dilation nor a
// third axis.
func (p poolPlan) flat(x *Node) (images *Node, o PoolOptions, ok bool) {
	n := len(p.Size)
	if n > 2 || slices.Max(p.Dilation) > 1 {
		return nil, o, false
	}
	two := func(list []int, v int) [2]int {
		if n == 1 {
			return [2]int{v, list[0]}
		}
		return [2]int(list)
	}
	o = PoolOptions{Size: two(p.Size, 1), Stride: two(p.Stride, 1)}
	if slices.Equal(p.Before, p.After) && slices.Max(p.Beyond) == 0 {
		o.Pad = two(p.Before, 0)
	}
	shape := x.shape
	if n == 1 {
		shape = slices.Insert(slices.Clone(shape), len(shape)-1, 1)
	}
	if k := len(shape); k != 4 {
		shape = []int{1, ir.Product(shape[:k-2]), shape[k-2], shape[k-1]}
	}
	return Reshape(x, shape...), o, true
}

// MaxPool returns the largest element of each window over the last axes of x:
//
//	y[p, i] = max_u x[p, i·s + u·d - before]
//
// over the positions that lie inside; i and u stand for all spatial axes. x is any number, with any axes before the spatial ones. The
// derivative goes to the first largest element. NaN beats every number. Errors: options out of range; a window larger than the padded
// tensor.
// Source: ONNX, operator MaxPool.
func MaxPool(x *Node, o PoolingOptions) *Node { return apply("max_pool", o, x) }

var _ = define(Op{
	Name: "max_pool", Category: "pooling", Attributes: AttributesOf[PoolingOptions](), Operands: operandX, DTypes: numbers,
	Result: func(c *Call) ([]int, tensor.DType, error) { return c.Attr.(PoolingOptions).result(c) },
	Compose: func(c *Call) *Node {
		x := c.In[0]
		p, err := c.Attr.(PoolingOptions).plan(x.shape)
		if err != nil {
			return x.graph.fail("max_pool", c.In, err)
		}
		return p.max(x)
	},
})

func (p poolPlan) max(x *Node) *Node {
	if images, o, ok := p.flat(x); ok {
		if o.Pad == [2]int{} {
			images, _, _ = p.flat(p.padded(x, math.Inf(-1)))
		}
		return Reshape(MaxPool2D(images, o), p.shape(x.shape)...)
	}
	if len(p.Size) == 3 && slices.Max(p.Dilation) == 1 {
		// Over planes, then over depth: of several the first in row-major order is the first of the first plane that has one.
		planes, depth := p.apart()
		return Reshape(depth.max(Reshape(planes.max(x), depth.operand(x.shape, p)...)), p.shape(x.shape)...)
	}
	return apply("max_windows", windowAttr{Windows: p.windows()}, p.padded(x, math.Inf(-1)))
}

// apart is p over three axes as one over the last two, and one over the first of them in front of all elements of a plane.
func (p poolPlan) apart() (planes, depth poolPlan) {
	planes = poolPlan{p.Lead + 1, p.Size[1:], p.Stride[1:], p.Before[1:], p.After[1:], p.Dilation[1:], p.Beyond[1:], p.Out[1:]}
	one := func(list []int, v int) []int { return []int{list[0], v} }
	depth = poolPlan{p.Lead, one(p.Size, 1), one(p.Stride, 1), one(p.Before, 0), one(p.After, 0), one(p.Dilation, 1), one(p.Beyond, 0),
		one(p.Out, p.Out[1]*p.Out[2])}
	return planes, depth
}

// operand is the shape of x after the planes are pooled by the plan of: the operand that p pools over depth.
func (p poolPlan) operand(x []int, of poolPlan) []int {
	return slices.Concat(x[:p.Lead], []int{x[p.Lead], of.Out[1] * of.Out[2]})
}

// max_windows are the largest elements of windows of any kind.
var _ = define(Op{
	Name: "max_windows", Attributes: AttributesOf[windowAttr](), Operands: operandX, hidden: true, Complete: completeWindows,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape := c.Attr.(windowAttr).shape()
		return shape[:len(c.shape(0))], c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a := c.Attr.(windowAttr)
		return Max(Windows(c.In[0], a.Windows...), a.taps()...)
	},
	// The first largest tap of each window hands the derivative to the element that it lies on.
	Grad: func(b *Back) {
		x, a := b.In(0), b.Attr().(windowAttr)
		w := Windows(widen(x), a.Windows...)
		at := ExpandDims(Cast(reduction("argmax", w, a.taps()), tensor.Int32), a.taps()...)
		dy := ExpandDims(widen(b.Grad()), a.taps()...)
		share := Where(Equal(at, numbered(w, a.taps())), dy, ScalarLike(dy, 0))
		b.Add(0, Cast(Sum(apply("unwindow", a, share), a.taps()...), x.dtype))
	},
})

// taps are the axes that the windows add.
func (a windowAttr) taps() []int { return ir.Range(len(a.full), len(a.full)+len(a.Windows)) }

// numbered are the numbers, in row-major order, of the coordinates in some axes of w, as int32 in the shape of w.
func numbered(w *Node, axes []int) *Node {
	var number *Node
	for _, a := range axes {
		at := w.graph.Iota(tensor.Int32, a, w.shape...)
		if number == nil {
			number = at
		} else {
			number = Add(Mul(number, ScalarLike(number, float64(w.shape[a]))), at)
		}
	}
	return number
}

type maxIndexAttr struct {
	PoolingOptions
	Whole bool `default:"false" doc:"indices count elements of all of x, not of its spatial axes"`
}

// MaxPoolWithIndices is [MaxPool], and where in the spatial axes of x each largest element stands, as int64 in row-major order: of
// several the first, of NaN too. whole counts in all of x, as ONNX does. Errors: as MaxPool.
// Source: PyTorch, torch.nn.functional.max_pool2d; ONNX, operator MaxPool.
func MaxPoolWithIndices(x *Node, o PoolingOptions, whole bool) (y, indices *Node) {
	r := ApplyAll("max_pool_indices", maxIndexAttr{o, whole}, x)
	return r[0], r[1]
}

var _ = define(Op{
	Name: "max_pool_indices", Category: "pooling", Attributes: AttributesOf[maxIndexAttr](), Operands: operandX, DTypes: numbers,
	ResultNames: []string{"y", "indices"},
	Results: func(c *Call) ([]Result, error) {
		shape, dt, err := c.Attr.(maxIndexAttr).result(c)
		return []Result{{dt, shape}, {tensor.Int64, shape}}, err
	},
	ComposeAll: func(c *Call) []*Node {
		x, a := c.In[0], c.Attr.(maxIndexAttr)
		p, err := a.plan(x.shape)
		if err != nil {
			n := x.graph.fail("max_pool_indices", c.In, err)
			return []*Node{n, n}
		}
		low := x // the padding must lie below every element
		if x.dtype.IsInt() && x.dtype.Size() < 8 {
			low = Cast(x, tensor.Int64)
		}
		w := Windows(p.padded(low, math.Inf(-1)), p.windows()...)
		at := reduction("argmax", w, p.taps())
		g, shape := x.graph, at.shape
		index, pitch := g.Full(tensor.Int64, 0, shape...), 1
		times := func(n *Node, v int) *Node { return Mul(n, ScalarLike(n, float64(v))) }
		for i := len(p.Size) - 1; i >= 0; i-- {
			u := at
			if i > 0 {
				u = Rem(at, ScalarLike(at, float64(p.Size[i])))
				at = Div(at, ScalarLike(at, float64(p.Size[i])))
			}
			o := times(g.Iota(tensor.Int64, p.Lead+i, shape...), p.Stride[i])
			along := Sub(Add(o, times(u, p.Dilation[i])), ScalarLike(o, float64(p.Before[i])))
			index = Add(index, times(along, pitch))
			pitch *= x.shape[p.Lead+i]
		}
		if a.Whole {
			rows := 1
			for i := p.Lead - 1; i >= 0; i-- {
				index = Add(index, times(g.Iota(tensor.Int64, i, shape...), rows*pitch))
				rows *= x.shape[i]
			}
		}
		return []*Node{p.max(x), index}
	},
})

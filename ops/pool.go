package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// PoolOptions says how a pooling window moves over an image: [2]int is
// {vertical, horizontal}.
type PoolOptions struct {
	Size     [2]int `doc:"of the window"`
	Stride   [2]int `default:"[0, 0]" doc:"0 means Size"`
	Pad      [2]int `default:"[0, 0]" doc:"before and after; less than Size"`
	CountPad bool   `default:"false" doc:"average pooling divides by the whole window at the edge too"`
}

func (o PoolOptions) normal() PoolOptions {
	for i := range 2 {
		if o.Stride[i] == 0 {
			o.Stride[i] = o.Size[i]
		}
	}
	return o
}

func completePool(c *Call) error {
	c.Attr = c.Attr.(PoolOptions).normal()
	return nil
}

func (o PoolOptions) window(i int) Window {
	return Window{Axis: 2 + i, Size: o.Size[i], Stride: o.Stride[i], Dilation: 1}
}

func (o PoolOptions) padding() []Padding {
	return []Padding{{2, o.Pad[0], o.Pad[0]}, {3, o.Pad[1], o.Pad[1]}}
}

func poolResult(c *Call) ([]int, tensor.DType, error) {
	x, o := c.shape(0), c.Attr.(PoolOptions)
	if len(x) != 4 {
		return nil, 0, fmt.Errorf("needs x [N C H W], not %v", x)
	}
	shape := []int{x[0], x[1], 0, 0}
	for i := range 2 {
		if o.Size[i] < 1 || o.Stride[i] < 1 || o.Pad[i] < 0 || o.Pad[i] >= o.Size[i] {
			return nil, 0, fmt.Errorf("window %v with stride %v and padding %v is out of range", o.Size, o.Stride, o.Pad)
		}
		if shape[2+i] = o.window(i).count(plus(x[2+i], o.Pad[i], o.Pad[i])); shape[2+i] < 1 {
			return nil, 0, fmt.Errorf("window %v is larger than image %v with padding %v", o.Size, x, o.Pad)
		}
	}
	return shape, c.dt(0), nil
}

// MaxPool2D returns the largest element of each window of the images x, which
// are [N, C, H, W]:
//
//	y[n, c, i, j] = max_{u,v} x[n, c, i·s₀ + u - p₀, j·s₁ + v - p₁]
//
// over the positions that lie inside. x is any number. The derivative goes to
// the first largest element. NaN beats every number. Errors: rank; options out
// of range; a window larger than the padded image.
func MaxPool2D(x *Node, o PoolOptions) *Node { return apply("max_pool2d", o, x) }

var _ = define(Op{
	Name: "max_pool2d", Category: "pooling",
	Attributes: AttributesOf[PoolOptions](), Complete: completePool,
	Operands: operandX, DTypes: numbers, Result: poolResult,
	Compose: func(c *Call) *Node {
		x, o := c.In[0], c.Attr.(PoolOptions)
		if o.apart(x) {
			return o.byAxes(x, math.Inf(-1), Max)
		}
		return Max(o.windows(x), 4, 5)
	},
	Grad: maxPoolGrad,
})

// farApart is the stride from which on windows are taken axis by axis: they have few elements in common, if any, so that no kernel slides
// from one to the next, and by rows the reads are of neighbours in memory.
const farApart = 5

// apart reports whether windows over images x are that far from one another. Those over whole lines have only neighbours as they are.
func (o PoolOptions) apart(x *Node) bool {
	beside := o.window(1).count(plus(x.shape[3], o.Pad[1], o.Pad[1])) > 1
	return beside && min(o.Size[0], o.Size[1]) > 1 && max(o.Stride[0], o.Stride[1]) >= farApart
}

// byAxes reduces the windows of x with v around it, along one axis after the other.
func (o PoolOptions) byAxes(x *Node, v float64, reduce func(x *Node, axes ...int) *Node) *Node {
	for i, p := range o.padding() {
		if p.Before > 0 {
			x = Pad(x, v, p)
		}
		x = reduce(Windows(x, o.window(i)), 4)
	}
	return x
}

// windows is x as [N, C, H', W', U, V], with -Inf, which is never the maximum, beyond the edge.
func (o PoolOptions) windows(x *Node) *Node {
	return Windows(o.padded(x, math.Inf(-1)), o.window(0), o.window(1))
}

// padded is x with v around it.
func (o PoolOptions) padded(x *Node, v float64) *Node {
	if o.Pad == [2]int{} {
		return x
	}
	return Pad(x, v, o.padding()...)
}

// AvgPool2D returns the mean of each window of the float images x, which are
// [N, C, H, W]:
//
//	y[n, c, i, j] = 1/m · Σ_{u,v} x[n, c, i·s₀ + u - p₀, j·s₁ + v - p₁]
//
// over the positions that lie inside; m is their number, or the size of the
// window with CountPad. Errors: dtype not float; otherwise as [MaxPool2D].
func AvgPool2D(x *Node, o PoolOptions) *Node { return apply("avg_pool2d", o, x) }

var _ = define(Op{
	Name: "avg_pool2d", Category: "pooling",
	Attributes: AttributesOf[PoolOptions](), Complete: completePool,
	Operands: operandX, DTypes: floats, Result: poolResult,
	Compose: func(c *Call) *Node {
		x, o := widen(c.In[0]), c.Attr.(PoolOptions)
		if k, h, w := o.Size, x.shape[2], x.shape[3]; o.Stride == k && o.Pad == [2]int{} && min(k[0], k[1]) >= 4 && h%k[0] == 0 && w%k[1] == 0 {
			s := blockSums(Reshape(x, x.shape[0], x.shape[1], h/k[0], k[0], w/k[1], k[1]), []int{3, 5})
			return Cast(o.mean(x, s), c.dt(0))
		}
		if o.apart(x) {
			return Cast(o.mean(x, o.byAxes(x, 0, Sum)), c.dt(0))
		}
		s := Sum(Windows(o.padded(x, 0), o.window(0), o.window(1)), 4, 5)
		return Cast(o.mean(x, s), c.dt(0))
	},
	Grad: avgPoolGrad,
})

// mean divides y, which has an element for each window of x, by their sizes.
func (o PoolOptions) mean(x, y *Node) *Node {
	if o.Pad == [2]int{} || o.CountPad {
		return Div(y, ScalarLike(y, float64(o.Size[0]*o.Size[1])))
	}
	return Div(y, Mul(ExpandDims(o.counts(x, 0), 1), o.counts(x, 1)))
}

// counts is how many positions of each window along spatial axis i lie inside x.
func (o PoolOptions) counts(x *Node, i int) *Node {
	n := x.shape[2+i]
	out := make([]float64, o.window(i).count(n+2*o.Pad[i]))
	for p := range out {
		from := p*o.Stride[i] - o.Pad[i]
		out[p] = float64(min(from+o.Size[i], n) - max(from, 0))
	}
	t, err := tensor.FromSlice(out)
	if err == nil {
		t, err = tensor.Cast(t, x.dtype)
	}
	if err != nil {
		return x.graph.fail("avg_pool2d", []*Node{x}, err)
	}
	return x.graph.Const(t)
}

// MaxUnpool puts every element of x where indices, as [MaxPoolWithIndices] gives them, say that it came from, into zeros:
//
//	y[p, indices[p, i]] = x[p, i]
//
// Indices count in row-major order in the last axes of the result, which have the extents of size; x has as many in their place, and any
// before. Where several name the same element, the last of them in row-major order stays; one outside is skipped. x is of any dtype, and
// indices an integer of its shape. The derivative of every element is that of the place that its index names, also of one that did not
// stay, as in PyTorch. Errors: shapes; dtypes; an extent is negative.
// Source: PyTorch, torch.nn.MaxUnpool2d.
func MaxUnpool(x, indices *Node, size ...int) *Node {
	return apply("max_unpool", adaptiveSize{size}, x, indices)
}

var _ = define(Op{
	Name: "max_unpool", Category: "pooling", Attributes: AttributesOf[adaptiveSize](),
	Operands: []Operand{{Name: "x"}, {Name: "indices", DTypes: ints}}, DTypes: every,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		size, x := c.Attr.(adaptiveSize).Size, c.shape(0)
		switch {
		case len(size) < 1 || len(size) > len(x) || slices.Min(size) < 0:
			return nil, 0, fmt.Errorf("the size %v does not fit the axes of %v", size, x)
		case !slices.Equal(x, c.shape(1)):
			return nil, 0, fmt.Errorf("indices are %v, not %v", c.shape(1), x)
		}
		return slices.Concat(x[:len(x)-len(size)], size), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		x, size := c.In[0], c.Attr.(adaptiveSize).Size
		lead := x.shape[:x.Rank()-len(size)]
		rows, volume, own := ir.Product(lead), ir.Product(size), ir.Product(x.shape[len(lead):])
		y := zerosIn(x.graph, x.dtype, []int{rows, volume})
		y = Scatter(y, 1, Reshape(c.In[1], rows, own), Reshape(x, rows, own))
		return Reshape(y, slices.Concat(lead, size)...)
	},
	Grad: func(b *Back) {
		x, d := b.In(0), b.Grad()
		lead := x.shape[:x.Rank()-len(b.Attr().(adaptiveSize).Size)]
		rows := ir.Product(lead)
		if rows == 0 || x.Size() == 0 {
			b.Add(0, zerosLike(x))
			return
		}
		d = TakeAlong(Reshape(d, rows, ir.Product(d.shape[len(lead):])), 1, Reshape(b.In(1), rows, x.Size()/rows))
		b.Add(0, Reshape(d, x.shape...))
	},
})

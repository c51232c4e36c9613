package ops

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/tensor"
)

// PoolOptions says how a pooling window moves over an image: [2]int is
// {vertical, horizontal}.
type PoolOptions struct {
	Size     [2]int
	Stride   [2]int // 0 means Size
	Pad      [2]int // before and after; less than Size
	CountPad bool   // average pooling divides by the whole window at the edge too
}

func (o PoolOptions) normal() PoolOptions {
	for i := range 2 {
		if o.Stride[i] == 0 {
			o.Stride[i] = o.Size[i]
		}
	}
	return o
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
func MaxPool2D(x *Node, o PoolOptions) *Node { return apply("max_pool2d", o.normal(), x) }

var _ = define(Op{
	Name: "max_pool2d", Arity: 1, DTypes: numbers, Result: poolResult,
	Compose: func(c *Call) *Node {
		return Max(c.Attr.(PoolOptions).windows(c.In[0]), 4, 5)
	},
	Grad: func(b *Back) {
		x, o := b.In(0), b.node.attr.(PoolOptions)
		dy := alike(b.Grad(), b.Out())
		first := o.first(x, b.Out())
		tap := Reshape(x.graph.Iota(first.dtype, 0, o.Size[0]*o.Size[1]), o.Size[0], o.Size[1])
		if o.tiles() {
			b.Add(0, o.spread(x, dy, Equal(ExpandDims(first, 3, 5), ExpandDims(tap, 1))))
			return
		}
		hit := Equal(ExpandDims(first, 4, 5), tap)
		share := Where(hit, ExpandDims(dy, 4, 5), ScalarLike(dy, 0))
		padded := padAttr{[]int{0, 0, o.Pad[0], o.Pad[1]}, []int{0, 0, o.Pad[0], o.Pad[1]}, 0}.shape(x.shape)
		a := windowAttr{windows: []Window{o.window(0).normal(), o.window(1).normal()}, full: padded}
		d := Sum(apply("unwindow", a, share), 4, 5)
		b.Add(0, Slice(d, Range{Axis: 2, Start: o.Pad[0], Stop: o.Pad[0] + x.shape[2]}, Range{Axis: 3, Start: o.Pad[1], Stop: o.Pad[1] + x.shape[3]}))
	},
	Samples: poolCases(MaxPool2D),
})

// windows is x as [N, C, H', W', U, V], with what never wins beyond the edge.
func (o PoolOptions) windows(x *Node) *Node {
	if o.Pad != [2]int{} {
		x = Pad(x, math.Inf(-1), o.padding()...)
	}
	return Windows(x, o.window(0), o.window(1))
}

// tiles reports whether the windows lie side by side, so that each element
// belongs to one at most.
func (o PoolOptions) tiles() bool { return o.Stride == o.Size && o.Pad == [2]int{} }

// fewTaps is up to which size a window is searched for its largest element by
// comparing each with the known largest.
const fewTaps = 4

// first is the tap of the first largest element of each window of x, of which y is
// the largest. It is as narrow as it can be: it is written once and read often.
func (o PoolOptions) first(x, y *Node) *Node {
	w, s, taps := o.windows(x), y.shape, o.Size[0]*o.Size[1]
	if taps > fewTaps {
		first := ArgMax(Reshape(w, s[0], s[1], s[2], s[3], taps), -1)
		if taps <= 256 {
			first = Cast(first, tensor.Uint8)
		}
		return first
	}
	number := func(i int) *Node { return x.graph.Const(tensor.Scalar(uint8(i))) }
	first := BroadcastTo(number(taps-1), s...)
	for i := taps - 2; i >= 0; i-- {
		u, v := i/o.Size[1], i%o.Size[1]
		at := Squeeze(Slice(w, Range{Axis: 4, Start: u, Stop: u + 1}, Range{Axis: 5, Start: v, Stop: v + 1}), 4, 5)
		hit := Equal(at, y)
		if x.dtype.IsFloat() {
			hit = Or(hit, And(IsNaN(at), IsNaN(y)))
		}
		first = Where(hit, number(i), first)
	}
	return first
}

// spread is the gradient where windows do not overlap: dy where hit, [N, C, H', U,
// W', V], in the shape of x.
func (o PoolOptions) spread(x, dy, hit *Node) *Node {
	s := dy.shape
	share := Where(hit, ExpandDims(dy, 3, 5), ScalarLike(dy, 0))
	h, w := s[2]*o.Size[0], s[3]*o.Size[1]
	return Pad(Reshape(share, s[0], s[1], h, w), 0, Padding{2, 0, x.shape[2] - h}, Padding{3, 0, x.shape[3] - w})
}

// AvgPool2D returns the mean of each window of the float images x, which are
// [N, C, H, W]:
//
//	y[n, c, i, j] = 1/m · Σ_{u,v} x[n, c, i·s₀ + u - p₀, j·s₁ + v - p₁]
//
// over the positions that lie inside; m is their number, or the size of the
// window with CountPad. Errors: dtype not float; otherwise as [MaxPool2D].
func AvgPool2D(x *Node, o PoolOptions) *Node { return apply("avg_pool2d", o.normal(), x) }

var _ = define(Op{
	Name: "avg_pool2d", Arity: 1, DTypes: floats, Result: poolResult,
	Compose: func(c *Call) *Node {
		x, o := widen(c.In[0]), c.Attr.(PoolOptions)
		s := Sum(Windows(Pad(x, 0, o.padding()...), o.window(0), o.window(1)), 4, 5)
		count := ScalarLike(s, float64(o.Size[0]*o.Size[1]))
		if o.Pad != [2]int{} && !o.CountPad {
			count = Mul(ExpandDims(o.counts(x, 0), 1), o.counts(x, 1))
		}
		return Cast(Div(s, count), c.dt(0))
	},
	Samples: append(poolCases(AvgPool2D),
		poolCase("count padding", AvgPool2D, []int{1, 2, 5, 5}, PoolOptions{Size: [2]int{3, 3}, Stride: [2]int{2, 2}, Pad: [2]int{1, 1}, CountPad: true})),
})

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

func poolCases(call func(x *Node, o PoolOptions) *Node) []Sample {
	return []Sample{
		poolCase("2x2", call, []int{2, 3, 6, 8}, PoolOptions{Size: [2]int{2, 2}}),
		poolCase("overlapping", call, []int{1, 2, 7, 9}, PoolOptions{Size: [2]int{3, 3}, Stride: [2]int{2, 2}}),
		poolCase("padded", call, []int{1, 2, 5, 6}, PoolOptions{Size: [2]int{3, 2}, Stride: [2]int{1, 2}, Pad: [2]int{1, 1}}),
		poolCase("rest cut off", call, []int{1, 1, 5, 7}, PoolOptions{Size: [2]int{2, 3}}),
		poolCase("whole image", call, []int{3, 2, 4, 5}, PoolOptions{Size: [2]int{4, 5}}),
	}
}

func poolCase(label string, call func(x *Node, o PoolOptions) *Node, shape []int, o PoolOptions) Sample {
	return Sample{
		Label: label, Operands: []Operand{{Shape: shape, Distinct: true}}, Attr: o.normal(),
		Build: func(in []*Node) *Node { return call(in[0], o) },
	}
}

package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// AdaptiveMaxPool returns the largest elements of the windows of [AdaptiveAvgPool], and where in the spatial axes of x each of them
// stands, as int64 in row-major order: the first of several. x is any number. Errors: dtype is bool; otherwise as there.
// Source: PyTorch, torch.nn.AdaptiveMaxPool2d.
func AdaptiveMaxPool(x *Node, size ...int) (y, indices *Node) {
	r := ApplyAll("adaptive_max_pool", adaptiveSize{size}, x)
	return r[0], r[1]
}

var _ = define(Op{
	Name: "adaptive_max_pool", Category: "pooling", Attributes: AttributesOf[adaptiveSize](), Operands: operandX, DTypes: numbers,
	ResultNames: []string{"y", "indices"},
	Results: func(c *Call) ([]Result, error) {
		shape, err := c.Attr.(adaptiveSize).shape(c.shape(0))
		return []Result{{c.dt(0), shape}, {tensor.Int64, shape}}, err
	},
	ComposeAll: func(c *Call) []*Node {
		x := c.In[0]
		n := len(c.Attr.(adaptiveSize).Size)
		lead := x.Rank() - n
		shape, _ := c.Attr.(adaptiveSize).shape(x.shape)
		y := apply("adaptive_max", c.Attr, x)
		if o, ok := evenWindows(x.shape[lead:], shape[lead:]); ok {
			_, at := MaxPoolWithIndices(x, o, false)
			return []*Node{y, at}
		}
		at := reduction("argmax", adaptiveWindows(x, shape[lead:]), tapsOfAdaptive(lead, n))
		return []*Node{y, adaptiveIndex(at, x.shape[lead:], shape[lead:])}
	},
})

// adaptive_max is the first result of adaptive_max_pool, of which alone there is a derivative.
var _ = define(Op{
	Name: "adaptive_max", Attributes: AttributesOf[adaptiveSize](), Operands: operandX, hidden: true,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape, err := c.Attr.(adaptiveSize).shape(c.shape(0))
		return shape, c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		n := len(c.Attr.(adaptiveSize).Size)
		lead := c.In[0].Rank() - n
		shape, _ := c.Attr.(adaptiveSize).shape(c.shape(0))
		x := c.In[0]
		if o, ok := evenWindows(x.shape[lead:], shape[lead:]); ok {
			return MaxPool(x, o)
		}
		// Axis by axis, the first before the others: its windows consist of whole rows of the later axes, and leave little work for these.
		for i := lead; i < lead+n; i++ {
			idx, _ := tapTable(x.graph, adaptiveRows(x.shape[i], shape[i]), 0)
			x = reduction("max", Gather(x, i, idx), []int{i + 1})
		}
		return x
	},
	// Each element takes the derivatives of those of the few windows over it whose maximum it is.
	Grad: func(b *Back) {
		x := b.In(0)
		n := len(b.Attr().(adaptiveSize).Size)
		lead := x.Rank() - n
		shape := b.node.shape
		at := reduction("argmax", adaptiveWindows(x, shape[lead:]), tapsOfAdaptive(lead, n))
		index, dy := Cast(adaptiveIndex(at, x.shape[lead:], shape[lead:]), tensor.Int32), widen(b.Grad())
		for i := n - 1; i >= 0; i-- { // the last first, so that axes before keep their numbers
			rows := transposedTaps(adaptiveRows(x.shape[lead+i], shape[lead+i]), x.shape[lead+i])
			idx, _ := tapTable(x.graph, rows, -1)
			index, dy = Gather(Add(index, ScalarLike(index, 1)), lead+i, idx), Gather(dy, lead+i, idx)
			index = Sub(index, ScalarLike(index, 1)) // elements of no window get the index -1
		}
		taps := tapsOfAdaptive(lead, n)
		var own []int
		full := index.shape
		for i := range n {
			own = append(own, lead+2*i)
		}
		share := Where(Equal(index, numberedIn(x.graph, full, own)), dy, ScalarLike(dy, 0))
		b.Add(0, Cast(Sum(share, taps...), x.dtype))
	},
})

// adaptiveRows are the elements of each of m windows over n.
func adaptiveRows(n, m int) [][]tap { return resampleAttr{In: n, Out: m, Filter: filterArea}.rows() }

// evenWindows is the pooling whose windows are those of adaptive pooling from extents to extents; not ok where these are not equally
// long, or not equally far apart.
func evenWindows(from, to []int) (o PoolingOptions, ok bool) {
	for i, n := range from {
		rows := adaptiveRows(n, to[i])
		if len(rows) == 0 {
			return o, false
		}
		size, stride := len(rows[0]), 1
		if len(rows) > 1 {
			stride = rows[1][0].at - rows[0][0].at
		}
		for j, r := range rows {
			if len(r) != size || stride == 0 || r[0].at != j*stride {
				return o, false
			}
		}
		o.Size, o.Stride = append(o.Size, size), append(o.Stride, stride)
	}
	return o, true
}

// tapTable are the elements of rows of taps as a constant [rows, K]; rows that are shorter end with the last of them again, or with filler
// where it is negative.
func tapTable(g *Graph, rows [][]tap, filler int32) (idx *Node, most int) {
	for _, r := range rows {
		most = max(most, len(r))
	}
	at := make([]int32, len(rows)*most)
	for o, r := range rows {
		for k := range most {
			switch {
			case k < len(r):
				at[o*most+k] = int32(r[k].at)
			case filler < 0 || len(r) == 0:
				at[o*most+k] = -1
			default:
				at[o*most+k] = int32(r[len(r)-1].at)
			}
		}
	}
	return positionsOf(g, tensor.Int32, at, len(rows), most), most
}

// adaptiveWindows is x, whose last axes become pairs of a window and a tap each.
func adaptiveWindows(x *Node, size []int) *Node {
	lead := x.Rank() - len(size)
	for i := len(size) - 1; i >= 0; i-- {
		idx, _ := tapTable(x.graph, adaptiveRows(x.shape[lead+i], size[i]), 0)
		x = Gather(x, lead+i, idx)
	}
	return x
}

// tapsOfAdaptive are the axes of taps in windows over n axes.
func tapsOfAdaptive(lead, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = lead + 2*i + 1
	}
	return out
}

// adaptiveIndex makes the position in the spatial axes x of the number of a tap in each window.
func adaptiveIndex(at *Node, x, size []int) *Node {
	n := len(size)
	index, pitch := at.graph.Full(tensor.Int64, 0, at.shape...), 1
	for i := n - 1; i >= 0; i-- {
		rows := adaptiveRows(x[i], size[i])
		first, most := make([]int64, size[i]), 0
		for o, r := range rows {
			first[o], most = int64(r[0].at), max(most, len(r))
		}
		starts := ExpandDims(positionsOf(at.graph, tensor.Int64, first, size[i]), trailing(1, n-1-i)...)
		u := at
		if i > 0 {
			u = Rem(at, ScalarLike(at, float64(most)))
			at = Div(at, ScalarLike(at, float64(most)))
		}
		// A window that is shorter than the longest has its last element several times.
		last := make([]int64, size[i])
		for o, r := range rows {
			last[o] = int64(len(r) - 1)
		}
		lasts := ExpandDims(positionsOf(at.graph, tensor.Int64, last, size[i]), trailing(1, n-1-i)...)
		along := Add(starts, Minimum(u, lasts))
		index = Add(index, Mul(along, ScalarLike(index, float64(pitch))))
		pitch *= x[i]
	}
	return index
}

// numberedIn are the numbers, in row-major order, of the coordinates in some axes of a shape, as int32.
func numberedIn(g *Graph, shape, axes []int) *Node {
	return numbered(&Node{graph: g, shape: slices.Clone(shape), dtype: tensor.Int32}, axes)
}

type fractionalAttr struct {
	Window []int `doc:"extents of a window"`
	Size   []int `doc:"spatial extents of the result"`
}

// FractionalMaxPool returns the largest elements of windows of x, [N, C, ...], that lie at random distances, and where in the spatial
// axes each of them stands, as int64 in row-major order. Of an axis with n elements, the windows of k elements begin at
//
//	⌊(i + u)·a⌋ - ⌊u·a⌋ for i < m - 1, and n - k for i = m - 1,  a = (n - k) / (m - 1)
//
// for m windows, as size has it, and a number u of [0, 1) that samples has for each image, channel and axis: [N, C, axes] in the order of
// the axes (PyTorch's has columns before rows in two dimensions). x and samples are floats of one dtype, of one to three spatial axes;
// samples have no derivative. Errors: shapes; a window that does not fit; dtypes.
// Source: Graham, Fractional Max-Pooling (2014); PyTorch, torch.nn.FractionalMaxPool2d.
func FractionalMaxPool(x, samples *Node, window, size []int) (y, indices *Node) {
	r := ApplyAll("fractional_max_pool", fractionalAttr{window, size}, x, samples)
	return r[0], r[1]
}

var _ = define(Op{
	Name: "fractional_max_pool", Category: "pooling", Attributes: AttributesOf[fractionalAttr](), DTypes: wideFloats,
	Operands: []Operand{{Name: "x"}, {Name: "samples"}}, ResultNames: []string{"y", "indices"},
	Results: func(c *Call) ([]Result, error) {
		a, x := c.Attr.(fractionalAttr), c.shape(0)
		n := len(a.Window)
		if n < 1 || n > 3 || len(a.Size) != n || len(x) != n+2 || !slices.Equal(c.shape(1), []int{x[0], x[1], n}) {
			return nil, fmt.Errorf("windows of %v, %v of them, over x of %v with samples of %v, not [N C %d]", a.Window, a.Size, x, c.shape(1), n)
		}
		for i, extent := range x[2:] {
			if a.Window[i] < 1 || a.Size[i] < 1 || a.Window[i]+a.Size[i]-1 > extent {
				return nil, fmt.Errorf("%d windows of %d do not fit %d elements", a.Size[i], a.Window[i], extent)
			}
		}
		shape := slices.Concat(x[:2], a.Size)
		return []Result{{c.dt(0), shape}, {tensor.Int64, shape}}, nil
	},
	ComposeAll: func(c *Call) []*Node {
		a, x, samples := c.Attr.(fractionalAttr), c.In[0], widen(StopGradient(c.In[1]))
		n, g := len(a.Window), x.graph
		volume := ir.Product(x.shape[2:])
		var at *Node // [N, C, windows..., taps...]
		pitch := volume
		for i := range n {
			extent, k, m := x.shape[2+i], a.Window[i], a.Size[i]
			pitch /= extent
			u := Slice(samples, Range{Axis: 2, Start: i, Stop: i + 1})
			alpha := 0.0
			if m > 1 {
				alpha = float64(extent-k) / float64(m-1)
			}
			window := g.Iota(u.dtype, 2, x.shape[0], x.shape[1], m)
			start := Sub(Floor(Mul(Add(window, u), alpha)), Floor(Mul(u, alpha)))
			start = Cast(Where(Equal(window, m-1), ScalarLike(start, float64(extent-k)), start), tensor.Int64)
			start = ExpandDims(ExpandDims(start, append(trailing(2, i), trailing(3+i, n-1-i)...)...), trailing(2+n, n)...)
			tap := make([]int64, k)
			for j := range tap {
				tap[j] = int64(j)
			}
			along := Mul(Add(start, ExpandDims(positionsOf(g, tensor.Int64, tap, k), trailing(1, n-1-i)...)), pitch)
			if at == nil {
				at = along
			} else {
				at = Add(at, along)
			}
		}
		rows := x.shape[0] * x.shape[1]
		flat := Reshape(x, rows, volume)
		windows := slices.Concat([]int{rows}, []int{ir.Product(a.Size), ir.Product(a.Window)})
		at = Reshape(at, windows...)
		values := TakeAlong(flat, 1, Reshape(at, rows, windows[1]*windows[2]))
		first := reduction("argmax", Reshape(values, windows...), []int{2})
		index := Squeeze(TakeAlong(at, 2, ExpandDims(first, 2)), 2) // [rows, windows]
		shape := slices.Concat(x.shape[:2], a.Size)
		return []*Node{Reshape(TakeAlong(flat, 1, index), shape...), Reshape(index, shape...)}
	},
})

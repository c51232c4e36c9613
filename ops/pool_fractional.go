package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

type fractionalAttr struct {
	Window []int `doc:"extents of a window"`
	Size   []int `doc:"spatial extents of the result"`
}

// FractionalMaxPool returns the largest elements of windows of x, [N, C, ...], that lie at random distances, and where in the spatial axes each of them stands, as int64 in row-major
// order. Of an axis with n elements, the windows of k elements begin at
//
//	⌊(i + u)·a⌋ - ⌊u·a⌋ for i < m - 1, and n - k for i = m - 1,  a = (n - k) / (m - 1)
//
// for m windows, as size has it, and a number u of [0, 1) that samples has for each image, channel and axis: [N, C, axes] in the order of the axes (PyTorch's has columns before rows in two
// dimensions). x and samples are floats of one dtype, of one to three spatial axes; samples have no derivative. Errors: shapes; a window that does not fit; dtypes.
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

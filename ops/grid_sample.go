package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// GridPadding says which values [GridSample] reads outside of x.
type GridPadding string

// The kinds of padding.
const (
	GridZeros      GridPadding = "zeros"
	GridBorder     GridPadding = "border"     // the element at the edge
	GridReflection GridPadding = "reflection" // x mirrored at its edges
)

// GridSampleOptions say how [GridSample] reads. The zero value is bilinear, with zeros outside, between the outer edges of the elements.
type GridSampleOptions struct {
	Mode  InterpolateMode `default:"linear" doc:"linear, nearest, or cubic for two axes"`
	Pad   GridPadding     `default:"zeros" doc:"what lies outside: zeros, border or reflection"`
	Align bool            `default:"false" doc:"-1 and 1 are the centres of the outermost elements, not their edges"`
}

// GridSample reads x at the positions of a grid:
//
//	y[n, c, p] = Σ_j filter(position(grid[n, p]) - j) · x[n, c, j]
//
// x is [N, C, H, W] or [N, C, D, H, W], a float; grid is [N, ..., 2] or [N, ..., 3] of its dtype, with the coordinates of the last axis
// of x first, from
// -1 at one end to 1 at the other. y has the extents of grid for the spatial axes. Nearest rounds halves to even. Both operands have
// derivatives. o may be nil. Errors: ranks; shapes; dtypes; an unknown mode or padding; cubic for three axes.
// Source: PyTorch, torch.nn.functional.grid_sample; ONNX, operator GridSample; Jaderberg et al., Spatial Transformer Networks (2015),
// section 3.3.
func GridSample(x, grid *Node, o *GridSampleOptions) *Node {
	return apply("grid_sample", valueOf(o), x, grid)
}

var _ = define(Op{
	Name: "grid_sample", Category: "resampling", Attributes: AttributesOf[GridSampleOptions](),
	Operands: []Operand{{Name: "x"}, {Name: "grid"}}, DTypes: wideFloats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		o, x, g := c.Attr.(GridSampleOptions), c.shape(0), c.shape(1)
		n := len(x) - 2
		switch {
		case n < 1 || n > 3 || len(g) != n+2 || g[n+1] != n || g[0] != x[0]:
			return nil, 0, fmt.Errorf("x %v and a grid %v: needs [N C ...] of one to three spatial axes and [N ... axes]", x, g)
		case ir.Product(x[2:]) == 0:
			return nil, 0, fmt.Errorf("x is empty: %v", x)
		case !slices.Contains([]InterpolateMode{"", InterpolateLinear, InterpolateNearest, InterpolateCubic}, o.Mode) ||
			o.Mode == InterpolateCubic && n == 3:
			return nil, 0, fmt.Errorf("the mode %q for %d axes", o.Mode, n)
		case !slices.Contains([]GridPadding{"", GridZeros, GridBorder, GridReflection}, o.Pad):
			return nil, 0, fmt.Errorf("the padding %q is none of zeros, border and reflection", o.Pad)
		}
		return slices.Concat(x[:2], g[1:n+1]), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		o := c.Attr.(GridSampleOptions)
		if o.Mode == InterpolateCubic { // of sixteen elements, which take longer to find than channels to turn around
			return o.sample(c.In[0], c.In[1], gridRows)
		}
		return o.sample(c.In[0], c.In[1], gridPlanes)
	},
	Grad: func(b *Back) { // of rows, which are added up where they came from as wholes
		x, grid := gradientPlaceholder(b.In(0)), gradientPlaceholder(b.In(1))
		y := b.Attr().(GridSampleOptions).sample(x, grid, gridRows)
		for i, d := range pullBack([]*Node{y}, []*Node{b.Grad()}, []*Node{x, grid}) {
			if d != nil { // the nearest element is the same for all places nearby
				b.Add(i, d)
			}
		}
	},
})

// gridTap is one of the elements along an axis of which a sample is the weighted sum.
type gridTap struct{ at, weight *Node } // at is whole, in float

// gridImage is how x [N, C, ...] is read at places of an image, numbers [N, ...] of its elements.
type gridImage struct {
	read   func(place, inside *Node) *Node // all channels there, 0 where it is not inside
	weight func(w *Node) *Node             // [N, ...], to be multiplied with these
	result func(y *Node) *Node             // their sum, as [N, C, ...]
}

// gridPlanes reads channels as planes, all at the same places: neighbouring results are neighbours in memory.
func gridPlanes(x, grid *Node) gridImage {
	batch, channels, n := x.shape[0], x.shape[1], x.Rank()-2
	points := ir.Product(grid.shape[1 : n+1])
	planes := Reshape(x, batch, channels, ir.Product(x.shape[2:]))
	shared := func(of *Node) *Node { return Reshape(of, batch, 1, points) }
	return gridImage{
		read: func(place, inside *Node) *Node {
			at := shared(Where(inside, place, ScalarLike(place, -1)))
			return TakeAlong(planes, 2, BroadcastTo(at, batch, channels, points))
		},
		weight: shared,
		result: func(y *Node) *Node { return Reshape(y, slices.Concat(x.shape[:2], grid.shape[1:n+1])...) },
	}
}

// gridRows reads rows of channels: a place is looked up once for all of them.
func gridRows(x, grid *Node) gridImage {
	n, size := x.Rank()-2, ir.Product(x.shape[2:])
	rows := Reshape(Transpose(x, slices.Concat([]int{0}, ir.Range(2, 2+n), []int{1})...), x.shape[0]*size, x.shape[1])
	image := x.graph.Iota(tensor.Int32, 0, grid.shape[:n+1]...)
	return gridImage{
		read: func(place, inside *Node) *Node {
			row := Add(Mul(image, ScalarLike(image, float64(size))), place)
			return Gather(rows, 0, Where(inside, row, ScalarLike(row, -1)))
		},
		weight: func(w *Node) *Node { return ExpandDims(w, -1) },
		result: func(y *Node) *Node { return Transpose(y, slices.Concat([]int{0, n + 1}, ir.Range(1, n+1))...) },
	}
}

func (o GridSampleOptions) sample(x, grid *Node, of func(x, grid *Node) gridImage) *Node {
	n, dt := x.Rank()-2, x.dtype
	x, grid = widen(x), widen(grid)
	taps := make([][]gridTap, n)
	for a := range n {
		last := grid.Rank() - 1
		at := Squeeze(Slice(grid, Range{Axis: last, Start: n - 1 - a, Stop: n - a}), last) // [N, ...]
		taps[a] = o.taps(at, x.shape[2+a])
	}
	image := of(x, grid)
	var y *Node
	var visit func(a int, place, weight, inside *Node)
	visit = func(a int, place, weight, inside *Node) {
		if a == n {
			term := image.read(place, inside)
			if weight != nil {
				term = Mul(term, image.weight(weight))
			}
			if y == nil {
				y = term
			} else {
				y = Add(y, term)
			}
			return
		}
		extent := x.shape[2+a]
		for _, t := range taps[a] {
			w := t.weight
			if w == nil {
				w = weight
			} else if weight != nil {
				w = Mul(weight, w)
			}
			in := And(GreaterEqual(t.at, 0), Less(t.at, extent))
			// A position outside may be of any magnitude or NaN, so 0 is cast in its place.
			next := Cast(Where(in, t.at, ScalarLike(t.at, 0)), tensor.Int32)
			if place != nil {
				next = Add(Mul(place, ScalarLike(place, float64(extent))), next)
			}
			if inside != nil {
				in = And(inside, in)
			}
			visit(a+1, next, w, in)
		}
	}
	visit(0, nil, nil, nil)
	return Cast(image.result(y), dt)
}

// taps are the elements along an axis around the coordinates u in [-1, 1].
func (o GridSampleOptions) taps(u *Node, extent int) []gridTap {
	n := float64(extent)
	var at *Node
	if o.Align {
		at = Mul(Add(u, 1.0), (n-1)/2)
	} else {
		at = Mul(Sub(Mul(Add(u, 1.0), n), 1.0), 0.5)
	}
	if o.Mode != InterpolateCubic {
		at = o.within(at, n)
	}
	switch o.Mode {
	case InterpolateNearest:
		return []gridTap{{StopGradient(Round(at)), nil}}
	case InterpolateCubic:
		first := StopGradient(Floor(at))
		t := Sub(at, first)
		var out []gridTap
		for k := -1; k <= 2; k++ {
			out = append(out, gridTap{StopGradient(o.within(Add(first, float64(k)), n)), cubicWeight(t, k)})
		}
		return out
	}
	low := StopGradient(Floor(at))
	t := Sub(at, low)
	return []gridTap{{low, Sub(ScalarLike(t, 1), t)}, {Add(low, 1.0), t}}
}

// cubicWeight is the weight of the element at distance k from the element below a position, whose fractional part is t. The cubic has
// the coefficient -0.75.
func cubicWeight(t *Node, k int) *Node {
	const c = -0.75
	poly := func(d *Node, a3, a2, a1, a0 float64) *Node {
		return Add(Mul(Add(Mul(Add(Mul(d, a3), a2), d), a1), d), a0)
	}
	switch k {
	case -1:
		return poly(Add(t, 1.0), c, -5*c, 8*c, -4*c)
	case 0:
		return poly(t, c+2, -(c + 3), 0, 1)
	case 1:
		return poly(Sub(ScalarLike(t, 1), t), c+2, -(c + 3), 0, 1)
	}
	return poly(Sub(ScalarLike(t, 2), t), c, -5*c, 8*c, -4*c)
}

// within brings a position to the elements of an axis of n, where the padding says so.
func (o GridSampleOptions) within(at *Node, n float64) *Node {
	if o.Pad == GridReflection {
		low, span := -0.5, n
		if o.Align {
			low, span = 0, n-1
		}
		if span == 0 {
			at = Mul(at, 0.0)
		} else {
			d := Abs(Sub(at, low))
			turns := StopGradient(Floor(Div(d, span)))
			rest := Sub(d, Mul(turns, span))
			even := Equal(Sub(turns, Mul(Floor(Mul(turns, 0.5)), 2.0)), 0.0)
			at = Where(even, Add(rest, low), Sub(ScalarLike(rest, span+low), rest))
		}
	}
	if o.Pad == GridBorder || o.Pad == GridReflection {
		return Clip(at, 0, n-1)
	}
	return at
}

type affineGridAttr struct {
	Size  []int `doc:"N, C and the spatial extents of what is to be sampled"`
	Align bool  `default:"false" doc:"-1 and 1 are the centres of the outermost elements, not their edges"`
}

// AffineGrid returns the grid by which [GridSample] transforms images affinely:
//
//	grid[n, p] = theta[n] · (position of p, 1)
//
// theta is [N, 2, 3] for size N, C, H, W and [N, 3, 4] for size N, C, D, H, W, a float; the grid is [N, H, W, 2] or [N, D, H, W, 3], with
// the coordinates of the last axis first. Errors: shapes; dtype not float.
// Source: PyTorch, torch.nn.functional.affine_grid; ONNX, operator AffineGrid.
func AffineGrid(theta *Node, size []int, align bool) *Node {
	return apply("affine_grid", affineGridAttr{size, align}, theta)
}

var _ = define(Op{
	Name: "affine_grid", Category: "resampling", Attributes: AttributesOf[affineGridAttr](), Operands: []Operand{{Name: "theta"}},
	DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, t := c.Attr.(affineGridAttr), c.shape(0)
		n := len(a.Size) - 2
		if n < 1 || n > 3 || slices.Min(a.Size) < 0 || !slices.Equal(t, []int{a.Size[0], n, n + 1}) {
			return nil, 0, fmt.Errorf("theta is %v for a size of %v", t, a.Size)
		}
		return slices.Concat(a.Size[:1], a.Size[2:], []int{n}), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a, theta := c.Attr.(affineGridAttr), widen(c.In[0])
		n := len(a.Size) - 2
		// theta as [N, 1..., n, n+1]
		column := func(j int) *Node {
			t := Slice(theta, Range{Axis: 2, Start: j, Stop: j + 1})
			return Reshape(t, slices.Concat([]int{theta.shape[0]}, slices.Repeat([]int{1}, n), []int{n})...)
		}
		y := BroadcastTo(column(n), slices.Concat(a.Size[:1], a.Size[2:], []int{n})...)
		for j := range n {
			axis := n - 1 - j // of the spatial axes
			extent := a.Size[2+axis]
			at := make([]float64, extent)
			for i := range at {
				switch {
				case !a.Align:
					at[i] = float64(2*i+1)/float64(extent) - 1
				case extent > 1:
					at[i] = 2*float64(i)/float64(extent-1) - 1
				}
			}
			position := ExpandDims(constOf(theta.graph, theta.dtype, at, extent), trailing(1, n-axis)...)
			y = Add(y, Mul(column(j), position))
		}
		return Cast(y, c.dt(0))
	},
})

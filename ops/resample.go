package ops

import (
	"math"

	"github.com/anycl/anycl/tensor"
)

// A resampling along one axis gives every element of the result a weighted sum of a few elements of the operand:
//
//	y[p, o, q] = Σ_k weight[o, k] · x[p, at[o, k], q]
//
// Interpolation and adaptive averages are one for each axis. The tables are constants of the graph, which the attributes
// describe; the derivative is the resampling with the transposed tables, so that nothing is scattered.

// Filters of resamplings.
const (
	filterNearest = "nearest"
	filterLinear  = "linear"
	filterCubic   = "cubic"
	filterArea    = "area"
)

// resampleAttr is a resampling along one axis.
type resampleAttr struct {
	Axis    int
	In, Out int
	Filter  string
	// Coords and Round are how the position of an element in the operand is found; Scale is Out / In, as the
	// user gave it, or 0.
	Coords     CoordMode
	Round      NearestMode
	Scale      float64
	Start, End float64 // of the region, with CoordCrop
	Cubic      float64 // coefficient of the cubic filter
	Antialias  bool
	Exclude    bool // weights of elements outside are 0, and not those at the edge counted again
	Transposed bool // from Out to In
}

// tap is one term of the weighted sum.
type tap struct {
	at     int
	weight float64
}

var _ = define(Op{
	Name: "resample", Attributes: AttributesOf[resampleAttr](), Operands: operandX, hidden: true,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, shape := c.Attr.(resampleAttr), c.Shape(0)
		shape[a.Axis] = a.Out
		if a.Transposed {
			shape[a.Axis] = a.In
		}
		return shape, c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(resampleAttr), c.In[0]
		rows := a.rows()
		if a.Transposed {
			rows = transposedTaps(rows, a.In)
		}
		return weightedTaps(x, a.Axis, rows)
	},
	Grad: func(b *Back) {
		a := b.Attr().(resampleAttr)
		a.Transposed = !a.Transposed
		b.Add(0, apply("resample", a, b.Grad()))
	},
})

// unrolledTaps is up to how many terms are written out; longer sums are loops.
const unrolledTaps = 4

// weightedTaps sums the taps of every row along axis of x.
func weightedTaps(x *Node, axis int, rows [][]tap) *Node {
	g, n, most, whole := x.graph, len(rows), 0, true
	for _, r := range rows {
		most = max(most, len(r))
		whole = whole && len(r) == 1 && r[0].weight == 1
	}
	shape := x.Shape()
	if shape[axis] = n; most == 0 || n == 0 {
		return zerosIn(g, x.dtype, shape)
	}
	at, weight := make([]int32, n*most), make([]float64, n*most)
	rest := x.Rank() - 1 - axis
	column := func(k, count int) (idx, w *Node) {
		for o, r := range rows {
			for j := range count {
				at[o*count+j], weight[o*count+j] = -1, 0 // an index outside reads 0
				if k+j < len(r) {
					at[o*count+j], weight[o*count+j] = int32(r[k+j].at), r[k+j].weight
				}
			}
		}
		shape := []int{n}
		if count > 1 {
			shape = append(shape, count)
		}
		idx = positionsOf(g, tensor.Int32, at[:n*count], shape...)
		w = constOf(g, x.dtype, weight[:n*count], shape...)
		return idx, ExpandDims(w, trailing(w.Rank(), rest)...)
	}
	switch {
	case whole:
		idx, _ := column(0, 1)
		return Gather(x, axis, idx)
	case most <= unrolledTaps:
		var y *Node
		for k := range most {
			idx, w := column(k, 1)
			term := Mul(Gather(x, axis, idx), w)
			if y == nil {
				y = term
			} else {
				y = Add(y, term)
			}
		}
		return y
	}
	idx, w := column(0, most)
	return Sum(Mul(Gather(x, axis, idx), w), axis+1)
}

// trailing are n axes behind the first rank ones.
func trailing(rank, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = rank + i
	}
	return out
}

// constOf is a constant of dtype dt with values that were computed in another.
func constOf[T tensor.Elem](g *Graph, dt tensor.DType, values []T, shape ...int) *Node {
	t, err := tensor.FromSlice(append([]T{}, values...), shape...)
	if err == nil {
		t, err = tensor.Cast(t, dt)
	}
	if err != nil {
		return g.fail("const", nil, err)
	}
	return g.Const(t)
}

func zerosIn(g *Graph, dt tensor.DType, shape []int) *Node {
	return BroadcastTo(scalarConst(g, dt, 0), shape...)
}

// transposedTaps are the rows of the transposed table: n of them.
func transposedTaps(rows [][]tap, n int) [][]tap {
	out := make([][]tap, n)
	for o, r := range rows {
		for _, t := range r {
			out[t.at] = append(out[t.at], tap{o, t.weight})
		}
	}
	return out
}

// rows are the taps of every element of the result.
func (a resampleAttr) rows() [][]tap {
	rows := make([][]tap, a.Out)
	for o := range rows {
		switch {
		case a.outside(o):
		case a.Filter == filterArea:
			from, to := o*a.In/a.Out, ceilDiv((o+1)*a.In, a.Out)
			for i := from; i < to; i++ {
				rows[o] = append(rows[o], tap{i, 1 / float64(to-from)})
			}
		case a.Filter == filterNearest:
			rows[o] = []tap{{min(max(a.nearest(o), 0), a.In-1), 1}}
		case a.Antialias && a.step() > 1:
			rows[o] = a.smoothed(o)
		default:
			rows[o] = a.interpolated(o)
		}
	}
	return rows
}

// step is how far neighbours of the result lie apart in the operand.
func (a resampleAttr) step() float64 {
	switch {
	case a.Coords == CoordAlignCorners && a.Out > 1:
		return float64(a.In-1) / float64(a.Out-1)
	case a.Coords == CoordAlignCorners:
		return 0
	case a.Coords == CoordCrop && a.Out > 1:
		return (a.End - a.Start) * float64(a.In-1) / float64(a.Out-1)
	case a.Scale > 0:
		return 1 / a.Scale
	}
	return float64(a.In) / float64(a.Out)
}

// position is where element o of the result lies in the operand.
func (a resampleAttr) position(o int) float64 {
	x, step := float64(o), a.step()
	switch a.Coords {
	case CoordAlignCorners:
		return x * step
	case CoordAsymmetric:
		return x * step
	case CoordPyTorchHalfPixel:
		if a.Out == 1 {
			return 0
		}
	case CoordHalfPixelSymmetric:
		// The result is as long as the scale says before it is cut to whole elements, and lies in the middle.
		cut := float64(a.Out) * step / float64(a.In)
		return float64(a.In)/2*(1-cut) + (x+0.5)*step - 0.5
	case CoordCrop:
		if a.Out == 1 {
			return 0.5 * (a.Start + a.End) * float64(a.In-1)
		}
		return a.Start*float64(a.In-1) + x*step
	}
	return (x+0.5)*step - 0.5
}

// outside reports whether element o lies where there is nothing to take it from.
func (a resampleAttr) outside(o int) bool {
	if a.Coords != CoordCrop {
		return a.In == 0
	}
	x := a.position(o)
	return x < 0 || x > float64(a.In-1)
}

// nearest is the element of the operand next to element o of the result.
func (a resampleAttr) nearest(o int) int {
	if a.Scale == 0 && a.Round == NearestFloor && a.Coords == CoordAsymmetric {
		return o * a.In / a.Out // exactly
	}
	x := a.position(o)
	switch a.Round {
	case NearestFloor:
		return int(math.Floor(x))
	case NearestCeil:
		return int(math.Ceil(x))
	case NearestRoundPreferCeil:
		if a.Scale == 0 && a.Coords == CoordHalfPixel {
			return (2*o + 1) * a.In / (2 * a.Out) // exactly
		}
		return int(math.Floor(x + 0.5))
	}
	return int(math.Ceil(x - 0.5))
}

// filter is the weight of an element at distance x, and how far there are any.
func (a resampleAttr) filter() (weight func(x float64) float64, reach int) {
	if a.Filter == filterLinear {
		return func(x float64) float64 { return max(1-math.Abs(x), 0) }, 1
	}
	c := a.Cubic // Keys, Cubic convolution interpolation (1981)
	return func(x float64) float64 {
		switch x = math.Abs(x); {
		case x <= 1:
			return ((c+2)*x-(c+3))*x*x + 1
		case x < 2:
			return ((c*x-5*c)*x+8*c)*x - 4*c
		}
		return 0
	}, 2
}

// interpolated are the elements around the position; those beyond the edge are the one at the edge, or excluded.
func (a resampleAttr) interpolated(o int) []tap {
	weight, reach := a.filter()
	x := a.position(o)
	if a.Filter == filterLinear && !a.Exclude {
		x = min(max(x, 0), float64(a.In-1))
	}
	first := int(math.Floor(x)) - reach + 1
	var taps []tap
	for i := first; i < first+2*reach; i++ {
		if w := weight(x - float64(i)); !a.Exclude || i >= 0 && i < a.In {
			taps = addTap(taps, min(max(i, 0), a.In-1), w)
		}
	}
	if a.Exclude {
		normalTaps(taps)
	}
	return taps
}

// smoothed stretches the filter by the step, so that all elements count.
func (a resampleAttr) smoothed(o int) []tap {
	weight, reach := a.filter()
	step := a.step()
	centre, support := a.position(o)+0.5, float64(reach)*step
	from, to := max(int(centre-support+0.5), 0), min(int(centre+support+0.5), a.In)
	var taps []tap
	for i := from; i < to; i++ {
		taps = addTap(taps, i, weight((float64(i)-centre+0.5)/step))
	}
	normalTaps(taps)
	return taps
}

// addTap adds the weight of an element, which may be there already.
func addTap(taps []tap, at int, weight float64) []tap {
	if weight == 0 {
		return taps
	}
	for i := range taps {
		if taps[i].at == at {
			taps[i].weight += weight
			return taps
		}
	}
	return append(taps, tap{at, weight})
}

// normalTaps makes the sum of the weights 1.
func normalTaps(taps []tap) {
	var sum float64
	for _, t := range taps {
		sum += t.weight
	}
	for i := range taps {
		taps[i].weight /= sum
	}
}

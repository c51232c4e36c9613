package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Range selects every Step-th index of one axis from Start on, up to and
// without Stop. Negative Start and Stop count from the end, as in Python.
// A zero Step means 1. With a zero Stop the range runs to the end of the axis,
// or with a negative Step down to index 0 inclusive, unless Exact is set: x[0:0] is
// Range{Exact: true} or [Between](axis, 0, 0). The part of a range outside the axis is cut off.
type Range struct {
	Axis, Start, Stop, Step int
	// Exact takes a zero Stop as it stands: the range ends before index 0.
	Exact bool
}

// From is x[start:] along an axis.
func From(axis, start int) Range { return Range{Axis: axis, Start: start} }

// To is x[:stop] along an axis; To(axis, 0) is empty.
func To(axis, stop int) Range { return Range{Axis: axis, Stop: stop, Exact: true} }

// Between is x[start:stop] along an axis; it is empty where stop is not behind start.
func Between(axis, start, stop int) Range {
	return Range{Axis: axis, Start: start, Stop: stop, Exact: true}
}

// resolve gives first index, count and step for an axis of extent n.
func (r Range) resolve(n int) (start, count, step int) {
	step = r.Step
	if step == 0 {
		step = 1
	}
	step = min(max(step, -max(n, 1)), max(n, 1)) // further is no different, and overflows
	wrap := func(i int) int {
		if i < 0 {
			return i + n
		}
		return i
	}
	if step > 0 {
		start = min(max(wrap(r.Start), 0), n)
		stop := n
		if r.Stop != 0 || r.Exact {
			stop = min(max(wrap(r.Stop), 0), n)
		}
		return start, max((stop-start+step-1)/step, 0), step
	}
	start = min(max(wrap(r.Start), -1), n-1)
	stop := -1
	if r.Stop != 0 || r.Exact {
		stop = min(max(wrap(r.Stop), -1), n-1)
	}
	return start, max((start-stop-step-1)/-step, 0), step
}

// affineAttr is a view whose coordinate on every axis is start + step·i.
type affineAttr struct {
	Shape []int `doc:"of the result"`
	Start []int `doc:"of each axis, where the first element stands"`
	Step  []int `doc:"of each axis, from one element to the next; negative: backwards"`
}

// allOf selects all of x.
func allOf(x *Node) affineAttr {
	return affineAttr{slices.Clone(x.shape), make([]int, x.Rank()), slices.Repeat([]int{1}, x.Rank())}
}

// within reports a view that reads elements that x, of the given shape, does not have.
func (a affineAttr) within(x []int) error {
	if len(a.Shape) != len(x) || len(a.Start) != len(x) || len(a.Step) != len(x) {
		return fmt.Errorf("shape %v, start %v and step %v are not of the %d axes of %v", a.Shape, a.Start, a.Step, len(x), x)
	}
	for i, n := range a.Shape {
		reach := n - 1
		if step := max(a.Step[i], -a.Step[i]); n < 0 || n > 1 && (step < 1 || step > x[i]) || n > x[i] {
			return fmt.Errorf("axis %d of %v has no %d elements from %d in steps of %d", i, x, n, a.Start[i], a.Step[i])
		}
		if last := a.Start[i] + reach*a.Step[i]; n > 0 && (min(a.Start[i], last) < 0 || max(a.Start[i], last) >= x[i]) {
			return fmt.Errorf("axis %d of %v ends before %d elements from %d in steps of %d", i, x, n, a.Start[i], a.Step[i])
		}
	}
	return nil
}

// knownRanges are ranges with numbers in place of open extents.
func knownRanges(ranges []Range, size func(d int) int) []Range {
	known := slices.Clone(ranges)
	for i, r := range known {
		r.Start, r.Stop, r.Step = size(r.Start), size(r.Stop), size(r.Step)
		known[i] = r
	}
	return known
}

// open reports the first number of r that is the handle of an open extent, or was calculated with one. Others as low are cut off.
func (r Range) open() (d int, open bool) {
	for _, d := range []int{r.Start, r.Stop, r.Step} {
		if dims.reaches(d) {
			return d, true
		}
	}
	return 0, false
}

// Slice returns the part of x that the ranges select, one range an axis at
// most; other axes are taken whole. It costs nothing. Errors: an axis does not
// exist or is named twice, an open extent that no input has.
func Slice(x *Node, ranges ...Range) *Node {
	if x == nil || x.bad {
		return apply("slice", nil, x)
	}
	if hasOpenSizes(x) {
		return sized1("slice", x, func(x *Node, size func(d int) int) *Node {
			return Slice(x, knownRanges(ranges, size)...)
		})
	}
	a := allOf(x)
	named := make([]bool, x.Rank())
	for _, r := range ranges {
		axis, err := shapes.Axis(r.Axis, x.Rank())
		if err == nil && named[axis] {
			err = fmt.Errorf("axis %d is named twice", r.Axis)
		}
		if d, open := r.open(); open {
			err = errors.Join(err, fmt.Errorf("the extent %s of axis %d is that of no input", DimName(d), r.Axis))
		}
		if err != nil {
			return x.graph.fail("slice", []*Node{x}, err)
		}
		named[axis] = true
		a.Start[axis], a.Shape[axis], a.Step[axis] = r.resolve(x.shape[axis])
	}
	return apply("slice", a, x)
}

var _ = define(Op{
	Name: "slice", Category: "layout", Traits: Traits(ir.TraitRepeats),
	Attributes: AttributesOf[affineAttr](),
	Operands:   operandX,
	DTypes:     every,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(affineAttr)
		return a.Shape, c.dt(0), a.within(c.shape(0))
	},
	Grad: func(b *Back) {
		a := b.Attr().(affineAttr)
		b.Add(0, apply("unslice", unsliceAttr{a, b.In(0).shape}, b.Grad()))
	},
	View: func(p Primitive, at []*engine.Index, _ engine.Domain) ([]*engine.Index, []engine.Cond) {
		a := p.Attr().(affineAttr)
		src := make([]*engine.Index, len(at))
		for i, x := range at {
			src[i] = x.Mul(int64(a.Step[i])).AddConst(int64(a.Start[i]))
		}
		return src, nil
	},
})

// unsliceAttr are the attributes of unslice, the gradient of slice: it puts every element back where it came
// from, with zeros between.
type unsliceAttr struct {
	affineAttr
	Full []int // the shape of the result
}

var _ = define(Op{
	Name: "unslice", Traits: Traits(ir.TraitReadsInside),
	Attributes: AttributesOf[unsliceAttr](),
	Operands:   operandX,
	hidden:     true,
	Result:     func(c *Call) ([]int, tensor.DType, error) { return c.Attr.(unsliceAttr).Full, c.dt(0), nil },
	Grad: func(b *Back) {
		b.Add(0, apply("slice", b.Attr().(unsliceAttr).affineAttr, b.Grad()))
	},
	View: func(p Primitive, at []*engine.Index, dom engine.Domain) ([]*engine.Index, []engine.Cond) {
		a := p.Attr().(unsliceAttr)
		src := make([]*engine.Index, len(at))
		var conds []engine.Cond
		for i, x := range at {
			rel, step := x.AddConst(int64(-a.Start[i])), int64(a.Step[i])
			if step < 0 {
				rel, step = rel.Mul(-1), -step
			}
			src[i] = rel.Div(step, dom)
			conds = append(conds, engine.Cond{X: src[i], Lo: 0, Hi: int64(a.Shape[i])})
			if step > 1 {
				conds = append(conds, engine.Cond{X: rel.Mod(step, dom), Lo: 0, Hi: 1})
			}
		}
		return src, conds
	},
})

// Flip returns x reversed along the named axes, or along all when none is
// named, as numpy.flip does without axis. Flip(x, axes...) with a list that is empty and not nil names none and reverses
// nothing, as NumPy and PyTorch do for an empty tuple. It costs nothing. Errors: an axis does not exist or is named twice.
func Flip(x *Node, axes ...int) *Node {
	if x == nil || x.bad {
		return apply("slice", nil, x)
	}
	chosen, err := shapes.Axes(axes, x.Rank())
	if err != nil {
		return x.graph.fail("flip", []*Node{x}, err)
	}
	ranges := make([]Range, len(chosen))
	for i, a := range chosen {
		ranges[i] = Range{Axis: a, Start: -1, Step: -1}
	}
	return Slice(x, ranges...)
}

// Split returns x cut into parts of equal extent along axis. It costs nothing.
// Errors: the axis does not exist; the extent is not a multiple of parts.
func Split(x *Node, axis, parts int) []*Node {
	const most = 1 << 20 // more parts than anybody means
	fail := func(n *Node) []*Node { return slices.Repeat([]*Node{n}, min(max(parts, 1), most)) }
	if x == nil || x.bad {
		return fail(apply("slice", nil, x))
	}
	if hasOpenSizes(x) && 0 < parts && parts <= most {
		return x.graph.sized("split", []*Node{x}, parts,
			func(_ *Graph, in []*Node, _ func(d int) int) []*Node { return Split(in[0], axis, parts) })
	}
	a, err := shapes.Axis(axis, x.Rank())
	if err == nil && (parts < 1 || parts > most || x.shape[a]%parts != 0) {
		err = fmt.Errorf("axis %d of %v does not split into %d equal parts", axis, x.shape, parts)
	}
	if err != nil {
		return fail(x.graph.fail("split", []*Node{x}, err))
	}
	n := x.shape[a] / parts
	out := make([]*Node, parts)
	for i := range out {
		attr := allOf(x)
		attr.Shape[a], attr.Start[a] = n, i*n
		out[i] = apply("slice", attr, x)
	}
	return out
}

package maps

import (
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/tensor"
)

// interior is a box of points for which conditions on coordinates hold, and addresses are affine: where a stencil or padding does not
// reach the borders. Loops over it load without masks.
type interior struct {
	from, to []int64 // of each axis
	values   []*engine.Expr
}

const (
	leastInterior = 1 << 17 // points, by the loads that become plain: fewer are not worth the compilation of a second loop
	mostNested    = 3       // minima and remainders of each other, in addresses
)

// interiorOf is the interior of t; nil where it does not pay.
func interiorOf(t *engine.Task) *interior {
	in := &interior{from: make([]int64, len(t.Axes)), values: t.Values}
	for _, n := range t.Axes {
		in.to = append(in.to, int64(n))
	}
	before := irregular(t.Values)
	if int64(before)*t.Axes.Size() < leastInterior {
		return nil
	}
	dom := t.Axes
	for range mostNested {
		from, to := in.narrowed(dom, t.Axes)
		inner := slices.Clone(dom)
		at := access.Coordinates(dom)
		for a := range dom {
			inner[a] = int(to[a] - from[a])
			at[a] = at[a].AddConst(from[a])
			in.from[a], in.to[a] = in.from[a]+from[a], in.from[a]+to[a]
		}
		if slices.Equal(inner, dom) {
			break
		}
		dom = inner
		in.values = mapped(in.values, func(e *engine.Expr) *engine.Expr { return decided(e.Subst(at, dom), dom) })
	}
	if irregular(in.values) == before {
		return nil
	}
	at := access.Coordinates(t.Axes)
	for a := range at {
		at[a] = at[a].AddConst(-in.from[a])
	}
	in.values = mapped(in.values, func(e *engine.Expr) *engine.Expr { return e.Subst(at, t.Axes) })
	return in
}

func mapped(es []*engine.Expr, f func(e *engine.Expr) *engine.Expr) []*engine.Expr {
	all := make([]*engine.Expr, len(es))
	for i, e := range es {
		all[i] = f(e)
	}
	return all
}

// irregular is how many loads have conditions, or addresses that are not affine but for data.
func irregular(es []*engine.Expr) (n int) {
	for _, e := range es {
		for s := range e.Walk() {
			if s.Op == engine.OpLoad && (len(s.Conds) > 0 ||
				slices.ContainsFunc(s.Addr.Terms, func(t engine.Term) bool { return t.Atom.X != nil })) {
				n++
			}
		}
	}
	return n
}

// most reports whether nearly all points of dom are inside: the others may take longer.
func (in *interior) most(dom engine.Domain) bool {
	points := 1.0
	for a := range dom {
		points *= float64(in.to[a] - in.from[a])
	}
	return points >= 0.9*float64(dom.Size())
}

// narrowed is the box within dom in which what the values ask of one coordinate alone is decided, as far as half of each of the
// whole extents is left.
func (in *interior) narrowed(dom, whole engine.Domain) (from, to []int64) {
	from = make([]int64, len(dom))
	for _, n := range dom {
		to = append(to, int64(n))
	}
	narrow := func(c engine.Cond) {
		if a, lo, hi, ok := within(c); ok {
			if lo, hi = max(lo, from[a]), min(hi, to[a]); 2*(hi-lo) >= int64(whole[a]) {
				from[a], to[a] = lo, hi
			}
		}
	}
	var visit func(x *engine.Index)
	visit = func(x *engine.Index) {
		for _, t := range x.Terms {
			if t.Atom.X == nil {
				continue
			}
			visit(t.Atom.X)
			d, middle := t.Atom.D, middleOf(t.Atom.X, dom)
			switch t.Atom.Kind {
			case engine.AtomMin:
				if middle <= d {
					narrow(engine.Cond{X: t.Atom.X, Lo: math.MinInt32, Hi: d + 1})
				} else {
					narrow(engine.Cond{X: t.Atom.X, Lo: d, Hi: math.MaxInt32})
				}
			case engine.AtomMod, engine.AtomDiv:
				q := int64(math.Floor(float64(middle) / float64(d)))
				narrow(engine.Cond{X: t.Atom.X, Lo: q * d, Hi: q*d + d})
			}
		}
	}
	for _, e := range in.values {
		for s := range e.Walk() {
			for _, x := range s.Indices() {
				visit(x)
			}
			for _, c := range s.Conds {
				narrow(c)
			}
		}
	}
	return from, to
}

// middleOf is x, if it is affine, in the middle of dom.
func middleOf(x *engine.Index, dom engine.Domain) int64 {
	v := x.Const
	for _, t := range x.Terms {
		if t.Atom.Kind == engine.AtomAxis {
			v += t.Coef * int64(dom[t.Atom.Axis]/2)
		}
	}
	return v
}

// within are the coordinates of an axis between which c holds, a condition of that axis alone.
func within(c engine.Cond) (axis int, from, to int64, ok bool) {
	if len(c.X.Terms) != 1 || c.X.Terms[0].Atom.Kind != engine.AtomAxis {
		return 0, 0, 0, false
	}
	k, lo, hi := c.X.Terms[0].Coef, c.Lo-c.X.Const, c.Hi-c.X.Const // lo <= k x < hi
	if k < 0 {
		k, lo, hi = -k, 1-hi, 1-lo
	}
	return c.X.Terms[0].Atom.Axis, ceilDiv(lo, k), ceilDiv(hi, k), true
}

func ceilDiv(a, b int64) int64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}

// whole reports whether rows inside may be computed from the first column to the last, with the few beyond the interior stored again:
// what the interior's values load for these lies in the operands too. The first and the last of the rows, or planes of them, are left
// outside if that makes it so: the corner of a stencil lies before the first element there.
func (in *interior) whole(t *engine.Task) bool {
	const few, many = 16, 64 // columns beyond, which are computed one by one; rows of which two may be left outside
	last := len(in.from) - 1
	columns, inner := int64(t.Axes[last]), in.to[last]-in.from[last]
	if columns-inner > few || columns%codegen.VectorLanes > inner%codegen.VectorLanes { // a rest is computed one by one too
		return false
	}
	if in.inOperands(t) {
		return true
	}
	if last == 0 || in.to[0]-in.from[0] < many {
		return false
	}
	less := interior{slices.Clone(in.from), slices.Clone(in.to), in.values}
	less.from[0]++
	less.to[0]--
	if !less.inOperands(t) {
		return false
	}
	*in = less
	return true
}

// inOperands reports whether all loads of rows inside, in each column, are of elements that there are.
func (in *interior) inOperands(t *engine.Task) bool {
	last := len(in.from) - 1
	rows, at := slices.Clone(t.Axes), access.Coordinates(t.Axes)
	for a := range last {
		rows[a] = int(in.to[a] - in.from[a])
		at[a] = at[a].AddConst(in.from[a])
	}
	for _, e := range in.values {
		for s := range e.Subst(at, rows).Walk() {
			if s.Op != engine.OpLoad {
				continue
			}
			if lo, hi := s.Addr.Bounds(rows); s.Addr.Gathers() || len(s.Conds) > 0 || lo < 0 || hi >= t.Ins[s.Input].Len {
				return false
			}
		}
	}
	return true
}

// write writes the hooks for rows that have an interior, and for its values.
func (in *interior) write(g *codegen.Builder, coords []codegen.Coord) {
	g.Macro("WHOLE", codegen.OneIf(in.whole(g.Task)))
	last := len(in.from) - 1
	var rows []engine.Cond
	for a := range last {
		rows = append(rows, engine.Cond{X: engine.AxisIndex(a), Lo: in.from[a], Hi: in.to[a]})
	}
	g.Hook("HAS_INTERIOR", coords[:1], engine.Valid(rows), tensor.Invalid)
	coords = slices.Clone(coords)
	coords[len(coords)-1].Apart = g.Device.CPU
	g.HookOf("INTERIOR_VALUE", coords, in.values, nil)
	g.Size("FROM", in.from[last])
	g.Size("TO", in.to[last])
}

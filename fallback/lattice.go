package fallback

import "github.com/anycl/anycl/engine"

// lattice is a box of points in row-major order with linear forms over it:
// the addresses of a load and the values of its conditions.
//
// Axes that every form steps through as through one are merged, so a
// contiguous operand is one long axis whatever its rank.
type lattice struct {
	extent []int64 // outermost first; at least one
	forms  []form
	size   int64
}

// form is base + Σ step·coordinate.
type form struct {
	base int64
	step []int64
}

// newLattice is the affine part of xs over the axes of order. Other terms are
// left out.
func newLattice(order []int, dom engine.Domain, xs []*engine.Index) lattice {
	l := lattice{size: 1, forms: make([]form, len(xs))}
	coef := make([]map[int]int64, len(xs))
	for i, x := range xs {
		l.forms[i].base = x.Const
		coef[i] = map[int]int64{}
		for _, t := range x.Terms {
			if t.Atom.Kind == engine.AtomAxis {
				coef[i][t.Atom.Axis] = t.Coef
			}
		}
	}
	for _, axis := range order {
		n := int64(dom[axis])
		l.size *= n
		if n == 1 {
			continue
		}
		last := len(l.extent) - 1
		merge := last >= 0
		for i := range xs {
			merge = merge && l.forms[i].step[last] == coef[i][axis]*n
		}
		if merge {
			l.extent[last] *= n
		} else {
			l.extent = append(l.extent, n)
			last++
		}
		for i := range xs {
			l.forms[i].step = append(l.forms[i].step[:last], coef[i][axis])
		}
	}
	if len(l.extent) == 0 {
		l.extent = []int64{1}
		for i := range xs {
			l.forms[i].step = []int64{0}
		}
	}
	return l
}

// inner is the step of form i along the innermost axis.
func (l *lattice) inner(i int) int64 {
	step := l.forms[i].step
	return step[len(step)-1]
}

// cursor is a place in a lattice and the values of the forms there.
type cursor struct {
	lat *lattice
	at  []int64 // coordinates
	val []int64 // of the forms
}

func newCursor(l *lattice) cursor {
	return cursor{lat: l, at: make([]int64, len(l.extent)), val: make([]int64, len(l.forms))}
}

// seek moves to point number flat.
func (c *cursor) seek(flat int64) {
	for i := range c.val {
		c.val[i] = c.lat.forms[i].base
	}
	for d := len(c.at) - 1; d >= 0; d-- {
		n := c.lat.extent[d]
		x := flat
		if d > 0 {
			q := flat / n
			x, flat = flat-q*n, q
		}
		c.at[d] = x
		for i := range c.val {
			c.val[i] += x * c.lat.forms[i].step[d]
		}
	}
}

// left is the number of points from here to the end of the innermost axis.
func (c *cursor) left() int64 {
	last := len(c.at) - 1
	return c.lat.extent[last] - c.at[last]
}

// advance moves k points on, k <= left().
func (c *cursor) advance(k int64) {
	d := len(c.at) - 1
	c.at[d] += k
	for i := range c.val {
		c.val[i] += k * c.lat.forms[i].step[d]
	}
	for ; d > 0 && c.at[d] == c.lat.extent[d]; d-- {
		c.at[d] = 0
		c.at[d-1]++
		for i := range c.val {
			step := c.lat.forms[i].step
			c.val[i] += step[d-1] - c.lat.extent[d]*step[d]
		}
	}
}

// bound is one condition, lo <= form < hi.
type bound struct {
	form   int
	lo, hi int64
}

// window is where the bounds hold among the next n points of the innermost
// axis: [from, to) of them, as every form is linear there.
func (c *cursor) window(bounds []bound, n int64) (from, to int64) {
	to = n
	for _, b := range bounds {
		v, step := c.val[b.form], c.lat.inner(b.form)
		switch {
		case step == 0:
			if v < b.lo || v >= b.hi {
				return 0, 0
			}
		case step > 0:
			from = max(from, ceilDiv(b.lo-v, step))
			to = min(to, ceilDiv(b.hi-v, step))
		default:
			from = max(from, ceilDiv(v-b.hi+1, -step))
			to = min(to, ceilDiv(v-b.lo+1, -step))
		}
	}
	if from >= to {
		return 0, 0
	}
	return from, to
}

// ceilDiv is ceil(a / b) for b > 0.
func ceilDiv(a, b int64) int64 {
	if b == 1 {
		return a
	}
	q := a / b
	if a > q*b {
		q++
	}
	return q
}

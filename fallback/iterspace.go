package fallback

import "github.com/anycl/anycl/engine"

// iterationSpace is an affine iteration space, a box of points in row-major order with linear forms over it:
// the addresses of a load and the values of its conditions.
//
// Axes that every form steps through as through one are merged, so a
// contiguous operand is one long axis whatever its rank.
type iterationSpace struct {
	extent []int64 // outermost first; at least one
	base   []int64 // of each form
	step   []int64 // of form i along axis d: step[d*forms+i]
	carry  []int64 // the increment of a form when axis d starts anew and d-1 steps on
	size   int64
}

// newIterationSpace is the affine part of xs over the axes of order. Other terms are
// left out.
func newIterationSpace(order []int, dom engine.Domain, xs []*engine.Index) iterationSpace {
	n := len(xs)
	l := iterationSpace{size: 1, base: make([]int64, n)}
	coef := make([][]int64, n)
	for i, x := range xs {
		l.base[i] = x.Const
		coef[i] = make([]int64, len(dom))
		for _, t := range x.Terms {
			if t.Atom.Kind == engine.AtomAxis {
				coef[i][t.Atom.Axis] = t.Coef
			}
		}
	}
	for _, axis := range order {
		ext := int64(dom[axis])
		l.size *= ext
		if ext == 1 {
			continue
		}
		last := len(l.extent) - 1
		merge := last >= 0
		for i := range xs {
			merge = merge && l.step[last*n+i] == coef[i][axis]*ext
		}
		if merge {
			l.extent[last] *= ext
			l.step = l.step[:last*n]
		} else {
			l.extent = append(l.extent, ext)
		}
		for i := range xs {
			l.step = append(l.step, coef[i][axis])
		}
	}
	if len(l.extent) == 0 {
		l.extent, l.step = []int64{1}, make([]int64, n)
	}
	l.carry = make([]int64, len(l.step))
	for d := 1; d < len(l.extent); d++ {
		for i := range n {
			l.carry[d*n+i] = l.step[(d-1)*n+i] - l.extent[d]*l.step[d*n+i]
		}
	}
	return l
}

// inner is the steps of the forms along the innermost axis.
func (l *iterationSpace) inner() []int64 { return l.step[(len(l.extent)-1)*len(l.base):] }

// run is the length of the innermost axis.
func (l *iterationSpace) run() int64 { return l.extent[len(l.extent)-1] }

// cost is the estimated time in ns of loading a point: part of the work of a
// run, and, beyond a cache line, waiting for memory.
func (l *iterationSpace) cost() float64 {
	n := len(l.base)
	ns := 0.15 + float64(6+4*n)/float64(max(l.run(), 1))
	switch step := l.inner()[0]; {
	case step == 0 || step == 1:
	case step > -16 && step < 16:
		ns += 0.5
	default:
		ns += 1.5
	}
	return ns
}

// cursor is a place in an iteration space and the values of the forms there.
type cursor struct {
	space *iterationSpace
	at    []int64 // coordinates
	val   []int64 // of the forms
}

func newCursor(l *iterationSpace) cursor {
	return cursor{space: l, at: make([]int64, len(l.extent)), val: make([]int64, len(l.base))}
}

// seek moves to point number flat.
func (c *cursor) seek(flat int64) {
	l := c.space
	n := len(c.val)
	copy(c.val, l.base)
	for d := len(c.at) - 1; d >= 0; d-- {
		x := flat
		if d > 0 {
			q := flat / l.extent[d]
			x, flat = flat-q*l.extent[d], q
		}
		c.at[d] = x
		if x != 0 {
			for i, s := range l.step[d*n:][:n] {
				c.val[i] += x * s
			}
		}
	}
}

// left is the number of points from here to the end of the innermost axis.
func (c *cursor) left() int64 {
	last := len(c.at) - 1
	return c.space.extent[last] - c.at[last]
}

// nextRun moves to the first point of the next run along the innermost axis.
func (c *cursor) nextRun() {
	l := c.space
	n := len(c.val)
	d := len(c.at) - 1
	if x := c.at[d]; x != 0 { // back to its start
		c.at[d] = 0
		for i, s := range l.step[d*n:][:n] {
			c.val[i] -= x * s
		}
	}
	if d == 0 {
		return
	}
	for i, s := range l.step[(d-1)*n:][:n] {
		c.val[i] += s
	}
	c.at[d-1]++
	for d--; d > 0 && c.at[d] == l.extent[d]; d-- {
		c.at[d] = 0
		c.at[d-1]++
		for i, s := range l.carry[d*n:][:n] {
			c.val[i] += s
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
	steps := c.space.inner()
	to = n
	for i := range bounds {
		b := &bounds[i]
		v, step := c.val[b.form], steps[b.form]
		switch {
		case step == 0:
			if v < b.lo || v >= b.hi {
				return 0, 0
			}
		case step == 1:
			from = max(from, b.lo-v)
			to = min(to, b.hi-v)
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

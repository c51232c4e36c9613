package fallback

import (
	"math/bits"

	"github.com/anycl/anycl/engine"
)

// pairwise adds or combines values pairwise as they come: level i holds the result of 2^i
// values. Its zero value is empty.
type pairwise[R reg] struct {
	n     uint64
	level [64]R
}

func (t *pairwise[R]) add(m engine.Monoid, x R) {
	i := 0
	for ; t.n>>i&1 == 1; i++ {
		x = combine(m, t.level[i], x)
	}
	t.level[i] = x
	t.n++
}

// total is the fold of all values, at least one.
func (t *pairwise[R]) total(m engine.Monoid) (sum R) {
	first := true
	for i := range bits.Len64(t.n) {
		switch {
		case t.n>>i&1 == 0:
		case first:
			sum, first = t.level[i], false
		default:
			sum = combine(m, t.level[i], sum)
		}
	}
	return sum
}

// joinParts folds the parts of each of best: part c of the i-th is parts[c*stride+i].
func joinParts[R reg](m engine.Monoid, best, parts []R, stride, n int64) {
	for i := range best {
		var t pairwise[R]
		for c := range n {
			t.add(m, parts[c*stride+int64(i)])
		}
		best[i] = t.total(m)
	}
}

// joinArgParts is joinParts for folds that find a position.
func joinArgParts[R reg](m engine.Monoid, best []R, at []int64, parts []R, ats []int64, stride, n int64) {
	copy(best, parts)
	copy(at, ats)
	for c := int64(1); c < n; c++ {
		for i := range best {
			if p := c*stride + int64(i); beats(m, best[i], parts[p]) {
				best[i], at[i] = parts[p], ats[p]
			}
		}
	}
}

// column folds vectors of values side by side. Sums are blocked: columnRun vectors are added one after
// the other, columnBlock of these sums likewise, and the sums of blocks to a compensated total, so that the
// error of each sum is at most (columnRun + columnBlock + 2) u times its magnitudes, however many there are.
// Its memory is columnLevels vectors: a run, a block, the total and its rounding error.
type column[R reg] struct {
	m      engine.Monoid
	levels []R
	width  int
	n      uint64
}

const (
	columnLevels = 4
	columnRun    = 32
	columnBlock  = 16
)

// add folds in one vector.
func (c *column[R]) add(xs []R) {
	if c.m != engine.Sum { // the order of other folds does not matter for their error
		if c.n++; c.n == 1 {
			copy(c.levels[:c.width], xs)
		} else {
			combineInto(c.m, c.levels[:c.width], xs)
		}
		return
	}
	c.put(0, xs, c.n%columnRun == 0)
	if c.n++; c.n%columnRun != 0 {
		return
	}
	runs := c.n / columnRun
	c.put(1, c.level(0), runs%columnBlock == 1)
	switch {
	case runs%columnBlock != 0:
	case runs == columnBlock:
		copy(c.level(2), c.level(1))
		clear(c.level(3))
	default:
		compensate(c.level(2), c.level(3), c.level(1))
	}
}

// put adds xs to level l, or begins it with them.
func (c *column[R]) put(l int, xs []R, first bool) {
	if first {
		copy(c.level(l), xs)
	} else {
		combineInto(engine.Sum, c.level(l), xs)
	}
}

func (c *column[R]) level(l int) []R { return c.levels[l*c.width:][:c.width] }

// total is the fold of all vectors, at least one, in memory of c.
func (c *column[R]) total() []R {
	if c.m != engine.Sum {
		return c.level(0)
	}
	var sum []R
	and := func(l int) {
		if sum == nil {
			sum = c.level(l)
		} else {
			combineInto(engine.Sum, sum, c.level(l))
		}
	}
	if c.n%columnRun != 0 {
		and(0)
	}
	if c.n/columnRun%columnBlock != 0 {
		and(1)
	}
	if c.n >= columnRun*columnBlock {
		and(3)
		and(2)
	}
	return sum
}

// compensate adds xs to totals and keeps the rounding errors in rests, which the next addition takes up
// (Kahan, Further Remarks on Reducing Truncation Errors, 1965). An infinite total has no error.
func compensate[R reg](totals, rests, xs []R) {
	rests, xs = rests[:len(totals)], xs[:len(totals)]
	for i, t := range totals {
		x := xs[i] + rests[i]
		sum := t + x
		got := sum - t
		totals[i], rests[i] = sum, x-got
		if got-got != 0 {
			rests[i] = 0
		}
	}
}

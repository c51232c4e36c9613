package fallback

import (
	"math/bits"

	"github.com/anycl/anycl/engine"
)

// tower adds or combines values pairwise as they come: level i holds what 2^i
// values came to. Its zero value is empty.
type tower[R reg] struct {
	n     uint64
	level [64]R
}

func (t *tower[R]) add(m engine.Monoid, x R) {
	i := 0
	for ; t.n>>i&1 == 1; i++ {
		x = combine(m, t.level[i], x)
	}
	t.level[i] = x
	t.n++
}

// total is the fold of all values, at least one.
func (t *tower[R]) total(m engine.Monoid) (sum R) {
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
		var t tower[R]
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

// column folds vectors as a tower does values, but 64 at a time, so that few
// vectors are alive. Its memory is columnLevels vectors.
type column[R reg] struct {
	m      engine.Monoid
	levels []R
	width  int
	n      uint64
}

const (
	columnLevels = 6 // 64^6 values
	columnRadix  = 64
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
	if c.n%columnRadix == 0 {
		copy(c.level(0), xs)
	} else {
		combineInto(engine.Sum, c.level(0), xs)
	}
	c.n++
	n := c.n
	for l := 0; n%columnRadix == 0 && l+1 < columnLevels; l++ {
		n /= columnRadix
		if n == 1 || l+2 < columnLevels && (n-1)%columnRadix == 0 {
			copy(c.level(l+1), c.level(l))
		} else {
			combineInto(engine.Sum, c.level(l+1), c.level(l))
		}
	}
}

func (c *column[R]) level(l int) []R { return c.levels[l*c.width:][:c.width] }

// total is the fold of all vectors, at least one, in memory of c.
func (c *column[R]) total() []R {
	if c.m != engine.Sum {
		return c.level(0)
	}
	var sum []R
	n := c.n
	for l := range columnLevels {
		here := n % columnRadix
		if l+1 == columnLevels {
			here = n
		}
		n /= columnRadix
		if here == 0 {
			continue
		}
		if sum != nil {
			combineInto(engine.Sum, c.level(l), sum)
		}
		sum = c.level(l)
	}
	return sum
}

package export

import (
	"math"
	"slices"
)

var posInf, negInf = math.Inf(1), math.Inf(-1)

// shifter moves values along the axis of a scan.
type shifter struct {
	c     *call
	axis  int
	shape []int
}

func (c *call) shifter() (s shifter, ok bool) {
	s = shifter{c, c.int("axis"), c.shape(0)}
	return s, len(s.shape) > 0
}

// later is v moved by k places along the axis, with fill in front.
func (s shifter) later(v string, k int, fill string) string {
	n := len(s.shape)
	before, after := make([]int, n), make([]int, n)
	start, to, step := make([]int, n), slices.Clone(s.shape), slices.Repeat([]int{1}, n)
	to[s.axis] = s.shape[s.axis] - k
	if s.c.bool("reverse") {
		start[s.axis], after[s.axis] = k, k
	} else {
		before[s.axis] = k
	}
	return s.c.op("Pad", []string{s.c.slice(v, s.shape, to, start, step), s.c.list(slices.Concat(before, after)...), fill})
}

// running writes a scan with an associative function in as many steps as the extent has binary digits: in each, the element 1, 2, 4, ...
// before is folded in.
// Source: Hillis and Steele, Data Parallel Algorithms (1986).
func running(identity func(c *call) string, fold func(c *call, a, b string) string) rule {
	return wide(func(c *call) []string {
		s, ok := c.shifter()
		if !ok {
			return nil
		}
		x, fill := c.arg(0), identity(c)
		if c.bool("exclusive") {
			x = s.later(x, 1, fill)
		}
		for k := 1; k < s.shape[s.axis]; k *= 2 {
			x = fold(c, x, s.later(x, k, fill))
		}
		return []string{x}
	})
}

// y[i] = a[i]·y[i-1] + b[i], by steps of pairs: the effect of an interval on its initial value is a factor and a summand.
var _ = define("linear_recurrence", wide(func(c *call) []string {
	s, ok := c.shifter()
	if !ok {
		return nil
	}
	a, b := c.arg(0), c.arg(1)
	zero, one := c.like(b, 0), c.like(a, 1)
	for k := 1; k < s.shape[s.axis]; k *= 2 {
		b = c.op("Add", []string{b, c.op("Mul", []string{a, s.later(b, k, zero)})})
		a = c.op("Mul", []string{a, s.later(a, k, one)})
	}
	if c.bool("exclusive") {
		b = s.later(b, 1, zero)
	}
	return []string{b}
}))

// maxCompared is how many pairs a search may compare.
const maxCompared = 1 << 24

// A position in a sorted row is the number of elements before it.
var _ = define("search_rows", func(c *call) []string {
	rows, n, m := c.shape(0)[0], c.shape(0)[1], c.shape(1)[1]
	if n*m*rows > maxCompared {
		return c.refused("a search of %d values among %d has no counterpart", rows*m, n)
	}
	sorted, values := c.reshape(c.arg(0), rows, 1, n), c.reshape(c.arg(1), rows, m, 1)
	before := func(a, b string) string {
		less := c.is("Less", a, b)
		if !c.in[0].DType().IsFloat() {
			return less
		}
		last := c.op("And", []string{c.op("IsNaN", []string{b}), c.op("Not", []string{c.op("IsNaN", []string{a})})})
		return c.op("Or", []string{less, last})
	}
	there := ""
	if c.bool("right") {
		there = c.op("Not", []string{before(values, sorted)})
	} else {
		there = before(sorted, values)
	}
	return c.do("ReduceSum", []string{c.cast(there, i64), c.list(2)}, anInt("keepdims", 0))
})

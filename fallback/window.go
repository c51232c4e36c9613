package fallback

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/internal/vector"
	"github.com/anycl/anycl/tensor"
)

// windows adds up products of float32 as a depthwise convolution does: neighbouring outputs multiply neighbours in an input by neighbouring
// factors, channels last, or by the same factor, channels first, where the numbers may be every n-th; numbers outside of the input are 0.
// Each run of outputs along which all indices are linear takes one pass for every value of the fold, where a program of loads and a product
// takes four.
type windows struct {
	x, w    []float32
	runs    iterationSpace // over the outputs: addresses in x and w, then the conditions of x
	bounds  []bound
	offsets []int64 // the offset that value k of the fold adds to each of them
	least   []int64 // of these, for each of them
	most    []int64
	cursors []cursor
	vals    [][]int64
}

const minWindowRun = 4 // outputs below which passes are mostly their beginnings

// windowsOf is nil where the task is no such sum.
func windowsOf(c *compiler) *windows {
	t := c.Task
	v := t.Folds[0].Value
	folds := t.Size(1)
	if t.Folds[0].Monoid != engine.Sum || t.Folds[0].Acc != tensor.Float32 || folds < 2 || folds > columnRun || !v.Applies(engine.FnMul) {
		return nil
	}
	if w := c.windows(v.Args[0], v.Args[1]); w != nil {
		return w
	}
	return c.windows(v.Args[1], v.Args[0])
}

// windows is windowsOf for the numbers x and the factors w.
func (c *compiler) windows(x, w *engine.Expr) *windows {
	t := c.Task
	for _, e := range []*engine.Expr{x, w} {
		if e.Op != engine.OpLoad || e.DType != tensor.Float32 {
			return nil
		}
	}
	conds, never := c.open(x.Conds)
	factors, none := c.open(w.Conds)
	if never || none || len(factors) > 0 {
		return nil
	}
	xs := []*engine.Index{x.Addr, w.Addr}
	p := &windows{x: work.Typed[float32](c.Ins[x.Input]), w: work.Typed[float32](c.Ins[w.Input])}
	for i, k := range conds {
		xs = append(xs, k.X)
		p.bounds = append(p.bounds, bound{i + 2, clamp(k.Lo), clamp(k.Hi)})
	}
	if slices.ContainsFunc(xs, func(x *engine.Index) bool { _, ok := x.Affine(len(t.Axes)); return !ok }) {
		return nil
	}
	p.runs = newIterationSpace(axesOf(t, 0), t.Axes, xs)
	step := p.runs.inner()
	if p.runs.run() < minWindowRun || step[0] < 1 || step[1] != 0 && (step[0] != 1 || step[1] != 1) {
		return nil
	}
	folds := newIterationSpace(axesOf(t, 1), t.Axes, xs)
	at := newCursor(&folds)
	p.least, p.most = make([]int64, len(xs)), make([]int64, len(xs))
	for k := range t.Size(1) {
		at.seek(k)
		for i, v := range at.val {
			v -= folds.base[i]
			p.offsets = append(p.offsets, v)
			if p.most[i] = max(p.most[i], v); k == 0 {
				p.most[i] = v
			}
			if p.least[i] = min(p.least[i], v); k == 0 {
				p.least[i] = v
			}
		}
	}
	for range c.Width {
		p.cursors, p.vals = append(p.cursors, newCursor(&p.runs)), append(p.vals, make([]int64, len(xs)))
	}
	return p
}

// nsPer is about the time of a product, in nanoseconds.
func (p *windows) nsPer() float64 {
	ns := 0.1 + 20/float64(p.runs.run())
	if p.runs.inner()[0] > 1 {
		ns += 0.3
	}
	return ns
}

// fold sets sums to those of values [lo, hi) of outputs from on.
func (p *windows) fold(worker int, from, lo, hi int64, sums []float32) {
	clear(sums)
	c := &p.cursors[worker]
	at := cursor{space: &p.runs, val: p.vals[worker]}
	forms := int64(len(c.val))
	for c.seek(from); ; c.nextRun() {
		n := min(int64(len(sums)), c.left())
		inside := p.inside(c, n)
		for k := lo; k < hi; k++ {
			offsets := p.offsets[k*forms:][:forms]
			if inside {
				p.pass(sums[:n], c.val[0]+offsets[0], c.val[1]+offsets[1])
				continue
			}
			for i, v := range offsets {
				at.val[i] = c.val[i] + v
			}
			p.cut(&at, sums[:n])
		}
		if sums = sums[n:]; len(sums) == 0 {
			return
		}
	}
}

// inside reports whether no bound cuts any value of the next n outputs.
func (p *windows) inside(c *cursor, n int64) bool {
	steps := p.runs.inner()
	for _, b := range p.bounds {
		first := c.val[b.form]
		last := first + (n-1)*steps[b.form]
		if min(first, last)+p.least[b.form] < b.lo || max(first, last)+p.most[b.form] >= b.hi {
			return false
		}
	}
	return true
}

// cut adds the products at c to sums, within bounds and outside.
func (p *windows) cut(c *cursor, sums []float32) {
	steps := p.runs.inner()
	w := p.w[c.val[1]:][:(int64(len(sums))-1)*steps[1]+1]
	from, to := c.window(p.bounds, int64(len(sums)))
	timesZero(sums[:from], w, steps[1])
	timesZero(sums[to:], w[min(to*steps[1], int64(len(w))):], steps[1])
	if from < to {
		p.pass(sums[from:to], c.val[0]+from*steps[0], c.val[1]+from*steps[1])
	}
}

// pass adds the products of numbers from x on and factors from w on to sums.
func (p *windows) pass(sums []float32, x, w int64) {
	steps := p.runs.inner()
	switch {
	case steps[1] == 1:
		vector.AddProducts(sums, p.x[x:], p.w[w:])
	case steps[0] == 1:
		vector.AddTimes(sums, p.x[x:], p.w[w])
	case steps[0] == 2:
		vector.AddTimesOfTwo(sums, p.x[x:], p.w[w])
	default:
		for i := range sums {
			sums[i] += float32(p.w[w] * p.x[x+int64(i)*steps[0]])
		}
	}
}

// timesZero adds the products of factors and the zeros outside of x, which are NaN where factors are not finite.
func timesZero(sums, w []float32, step int64) {
	for i := range sums {
		sums[i] += w[int64(i)*step] * 0
	}
}

package fallback

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// layout says where the values of an operand of a contraction are.
type layout uint8

const (
	byRows layout = iota // in the input, k consecutive
	byCols               // in the input, rows consecutive
	packed               // computed
)

// operand is A or B of a contraction: for each batch a matrix of rows x k.
type operand[R reg] struct {
	rows, k  int64
	perBatch bool // it depends on the batch
	layout   layout

	// In the input:
	mem   []R
	ld    int64          // between rows, or columns
	batch iterationSpace // where each batch starts

	// Computed:
	prog    *program
	across  bool  // the domain of prog is batch, k, rows
	panel   int   // reserved: the panel of a tile
	once    bool  // packed whole before the tiles
	whole   int   // reserved and shared: all of it
	wholeN  int   // values there
	pitch   int64 // between rows there
	batches int64 // matrices there
}

// newOperand finds where the values of x are. rows is the group of its rows.
func newOperand[R reg](c *compiler, x *engine.Expr, rows int) (operand[R], error) {
	t := c.Task
	o := operand[R]{rows: t.Size(rows), k: t.Size(3)}
	from, to := t.Group(0)
	x.VisitAxes(func(a int) { o.perBatch = o.perBatch || a >= from && a < to })
	if !c.noInputs && c.inPlace(x) && o.inInput(c, x, rows) {
		return o, nil
	}
	o.layout = packed
	straight, across := axesOf(t, rows, 3), axesOf(t, 3, rows)
	if o.perBatch {
		straight, across = axesOf(t, 0, rows, 3), axesOf(t, 0, 3, rows)
	}
	if o.rows < 8 {
		across = straight
	}
	var err error
	o.prog, o.across, err = c.compileEither(straight, across, 0.8, t.Acc, x)
	return o, err
}

// inPlace reports whether x is a load of values that are their own registers.
func (c *compiler) inPlace(x *engine.Expr) bool {
	if x.Op != engine.OpLoad || engine.ClassOf(x.DType) != engine.ClassOf(c.Task.Acc) {
		return false
	}
	switch x.DType {
	case tensor.Float32, tensor.Float64, tensor.Int64, tensor.Uint64:
	default:
		return false
	}
	conds, never := c.open(x.Conds)
	return !never && len(conds) == 0
}

// inInput tries to use the input of x as it lies.
func (o *operand[R]) inInput(c *compiler, x *engine.Expr, rows int) bool {
	t := c.Task
	if _, ok := x.Addr.Affine(len(t.Axes)); !ok {
		return false
	}
	xs := []*engine.Index{x.Addr}
	r := newIterationSpace(axesOf(t, rows), t.Axes, xs)
	k := newIterationSpace(axesOf(t, 3), t.Axes, xs)
	if len(r.extent) > 1 || len(k.extent) > 1 {
		return false
	}
	rs, ks := r.inner()[0], k.inner()[0]
	switch { // the step of an axis of one does not matter
	case o.k == 1:
		ks = 1
		if o.rows == 1 {
			rs = 1
		}
	case o.rows == 1 && ks == 1:
		rs = o.k
	case o.rows == 1:
		rs = 1
	}
	switch {
	case ks == 1 && rs >= o.k:
		o.layout, o.ld = byRows, rs
	case rs == 1 && ks >= o.rows:
		o.layout, o.ld = byCols, ks
	default:
		return false
	}
	o.mem = work.Typed[R](c.Ins[x.Input])
	o.batch = newIterationSpace(axesOf(t, 0), t.Axes, xs)
	return true
}

// start is the place in the input where the matrix of a batch starts.
func (o *operand[R]) start(batch int64) int64 {
	at := o.batch.base[0]
	for d := len(o.batch.extent) - 1; d >= 0; d-- {
		n := o.batch.extent[d]
		at += batch % n * o.batch.step[d]
		batch /= n
	}
	return at
}

// width is the distance between the rows of a panel of nk values each. When
// panels are written across, an odd number of cache lines keeps the rows in
// different sets of the cache.
func (o *operand[R]) width(nk int64) int64 {
	if o.across {
		return (nk+15)&^15 + 16
	}
	return nk
}

// tile is rows [r0, r0+nr) and values [k0, k0+nk) of them, and the distance
// between rows.
func (o *operand[R]) tile(worker int, batch, r0, nr, k0, nk int64) ([]R, int) {
	if !o.perBatch {
		batch = 0
	}
	switch {
	case o.layout == byRows:
		return o.mem[o.start(batch)+r0*o.ld+k0:], int(o.ld)
	case o.once:
		all := work.Shared[R](o.prog.env, o.whole, o.wholeN)
		return all[(batch*o.rows+r0)*o.pitch+k0:], int(o.pitch)
	}
	ld := o.width(nk)
	dst := work.Scratch[R](o.prog.env, worker, o.panel, int(nr*ld))
	o.pack(worker, batch, r0, nr, k0, nk, dst, ld)
	return dst, int(ld)
}

// pack computes a panel.
func (o *operand[R]) pack(worker int, batch, r0, nr, k0, nk int64, dst []R, ld int64) {
	f := o.prog.frame(worker)
	if o.across {
		o.packAcross(f, batch, r0, nr, k0, nk, dst, ld)
		return
	}
	if nk == o.k && ld == nk {
		f.evalTo((batch*o.rows+r0)*o.k, int(nr*nk), blockOf(dst))
		return
	}
	for r := range nr {
		f.evalTo((batch*o.rows+r0+r)*o.k+k0, int(nk), blockOf(dst[r*ld:][:nk]))
	}
}

// packAcross computes a panel column by column, as the operand lies in memory.
func (o *operand[R]) packAcross(f *frame, batch, r0, nr, k0, nk int64, dst []R, ld int64) {
	block := int64(o.prog.block)
	if per := min(block/nr, 16); nr == o.rows && per > 0 {
		for x := int64(0); x < nk; x += per {
			n := min(per, nk-x)
			b := f.eval((batch*o.k+k0+x)*o.rows, int(n*nr))
			xs := *lane[R](&b)
			for r := range nr {
				to := dst[r*ld+x:][:n]
				for i := range to {
					to[i] = xs[int64(i)*nr+r]
				}
			}
		}
		return
	}
	for x := range nk {
		for r := int64(0); r < nr; r += block {
			n := min(block, nr-r)
			b := f.eval((batch*o.k+k0+x)*o.rows+r0+r, int(n))
			for i, v := range *lane[R](&b) {
				dst[(r+int64(i))*ld+x] = v
			}
		}
	}
}

package fallback

import (
	"context"
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// rowTask folds every row several times, each fold knowing what the ones
// before arrived at, and then writes its outputs. Rows are taken in groups that
// fit a block, so that short rows fill one; a long row is walked block by block,
// once for every fold and once for the outputs.
type rowTask struct {
	env        *env
	rows, cols int64
	folds      []rowFold
	over, per  writer // outputs over the row, and those for it
	points     int64  // of a block
	group      int64  // rows of a block
	piece      int64  // rows of a piece
	count      int64
	cost
	wide   bool
	states []*rowState // of each worker
	spread []int       // reserved: results, repeated for every point of their row
	work   job
}

// rowState is what a worker knows of the rows at hand.
type rowState struct {
	results []engine.Block // of each fold, one value a row
	spread  []engine.Block // the same, one value a point
}

// rowFold is one fold of a rowTask.
type rowFold interface {
	// reserve takes memory for the results of n rows.
	reserve(c *compiler, n int64)
	// result is that memory on a worker.
	result(e *env, worker int) engine.Block
	// run folds rows [row, row+n) into it.
	run(t *rowTask, s *rowState, worker int, row, n int64)
	program() *program
	ns() float64
}

func newRow(c *compiler) (runner, error) {
	t := c.task
	r := &rowTask{env: c.env, rows: t.Size(0), cols: t.Size(1), states: make([]*rowState, c.width)}
	r.points = maxBlock
	axes := axesOf(t, 0, 1)
	ns := 0.0
	for _, f := range t.Folds {
		k, err := newRowFold(c, f, axes)
		if err != nil {
			return nil, err
		}
		r.folds = append(r.folds, k)
		r.points = min(r.points, int64(k.program().block))
		ns += k.ns() + 0.3 // results are spread
	}
	var over, per []int
	for i := range t.Outs {
		if t.OverRow(i) {
			over = append(over, i)
		} else {
			per = append(per, i)
		}
	}
	var err error
	if r.over, err = c.writerOf(axes, over); err != nil {
		return nil, err
	}
	if r.per, err = c.writerOf(axesOf(t, 0), per); err != nil {
		return nil, err
	}
	r.points = max(min(r.points, int64(r.over.prog.block)), 1)
	r.group = max(r.points/max(r.cols, 1), 1)
	for i, k := range r.folds {
		k.reserve(c, r.group)
		r.spread = append(r.spread, c.reserve(int(r.points)*classBytes(engine.ClassOf(t.Folds[i].Acc))))
	}
	each := float64(r.cols)*(ns+r.over.prog.nsPer) + r.per.prog.nsPer + 20*float64(len(r.folds)+1)/float64(r.group)
	r.piece, r.count = c.limits.pieces(r.rows, each, r.group)
	r.chain = float64(r.rows) * each
	r.wide = r.cost.ns() > c.limits.wideNs
	r.work = r.do
	return r, nil
}

func (r *rowTask) run(ctx context.Context, p *pool) error { return p.run(ctx, r.count, r.wide, r.work) }

func (r *rowTask) plan() engine.Plan {
	programs := []*program{}
	for _, k := range r.folds {
		programs = append(programs, k.program())
	}
	return plan(fmt.Sprintf("%d folds, rows of %d in groups of %d", len(r.folds), r.cols, r.group), r.count, r.wide,
		append(programs, r.over.prog, r.per.prog)...)
}

func (r *rowTask) state(worker int) *rowState {
	s := r.states[worker]
	if s == nil {
		s = &rowState{}
		for i, k := range r.folds {
			b := k.result(r.env, worker)
			s.results = append(s.results, b)
			bytes := int(r.points) * classBytes(classIn(b))
			s.spread = append(s.spread, newBlock(classIn(b), r.env.arena(worker)[r.spread[i]:][:bytes]))
		}
		r.states[worker] = s
	}
	return s
}

// do takes one piece of rows, group by group.
func (r *rowTask) do(worker int, i int64) {
	s := r.state(worker)
	for row, end := i*r.piece, min((i+1)*r.piece, r.rows); row < end; row += r.group {
		n := min(r.group, end-row)
		for k, f := range r.folds {
			f.run(r, s, worker, row, n)
			spread(s.spread[k], s.results[k], int(n), int(min(r.cols, r.points)))
		}
		for lo := int64(0); lo < n*r.cols && len(r.over.sinks) > 0; lo += r.points {
			r.over.write(worker, row*r.cols+lo, int(min(r.points, n*r.cols-lo)), s.spread...)
		}
		if len(r.per.sinks) > 0 {
			r.per.write(worker, row, int(n), s.results...)
		}
	}
}

// spread repeats each of n values of src times times.
func spread(dst, src engine.Block, n, times int) {
	switch {
	case dst.F32 != nil:
		repeat(dst.F32, src.F32[:n], times)
	case dst.F64 != nil:
		repeat(dst.F64, src.F64[:n], times)
	case dst.I64 != nil:
		repeat(dst.I64, src.I64[:n], times)
	default:
		repeat(dst.U64, src.U64[:n], times)
	}
}

func repeat[R reg](dst, src []R, times int) {
	for i, v := range src {
		fill(dst[i*times:][:times], v)
	}
}

// classIn is the class of b's values.
func classIn(b engine.Block) engine.Class {
	switch {
	case b.F32 != nil:
		return engine.ClassF32
	case b.F64 != nil:
		return engine.ClassF64
	case b.I64 != nil:
		return engine.ClassI64
	default:
		return engine.ClassU64
	}
}

// typedFold is a rowFold over values of register class R.
type typedFold[R reg] struct {
	fold      engine.Monoid
	acc       tensor.DType
	empty     R
	value     *program
	n         int64
	best      int // reserved: folded values of a group
	positions int // reserved: their positions
}

func newRowFold(c *compiler, f engine.Fold, axes []int) (rowFold, error) {
	dt := f.Acc
	if f.Monoid.IsArg() {
		dt = f.Value.DType
	}
	switch engine.ClassOf(dt) {
	case engine.ClassF32:
		return makeRowFold[float32](c, f, dt, axes)
	case engine.ClassF64:
		return makeRowFold[float64](c, f, dt, axes)
	case engine.ClassI64:
		return makeRowFold[int64](c, f, dt, axes)
	default:
		return makeRowFold[uint64](c, f, dt, axes)
	}
}

func makeRowFold[R reg](c *compiler, f engine.Fold, dt tensor.DType, axes []int) (rowFold, error) {
	id := constBlock(engine.ClassOf(dt), identity(f.Monoid, dt), 1)
	k := &typedFold[R]{fold: f.Monoid, acc: f.Acc, empty: (*lane[R](&id))[0]}
	var err error
	k.value, err = c.compile(axes, []tensor.DType{dt}, f.Value)
	return k, err
}

func (k *typedFold[R]) program() *program { return k.value }

func (k *typedFold[R]) ns() float64 { return k.value.nsPer + foldNs(k.fold) }

func (k *typedFold[R]) reserve(c *compiler, n int64) {
	var zero R
	k.n, k.best = n, c.reserve(int(n)*sizeOf(zero))
	if k.fold.IsArg() {
		k.positions = c.reserve(int(n) * 8)
	}
}

func (k *typedFold[R]) result(e *env, worker int) engine.Block {
	if k.fold.IsArg() {
		return blockOf(scratch[int64](e, worker, k.positions, int(k.n)))
	}
	return blockOf(scratch[R](e, worker, k.best, int(k.n)))
}

func (k *typedFold[R]) run(t *rowTask, s *rowState, worker int, row, n int64) {
	best := scratch[R](t.env, worker, k.best, int(n))
	var at []int64
	if k.fold.IsArg() {
		at = scratch[int64](t.env, worker, k.positions, int(n))
	}
	f := k.value.frame(worker)
	switch {
	case t.cols == 0:
		fill(best, k.empty)
		clear(at)
	case t.cols <= t.points:
		f.set(s.spread)
		b := f.eval(row*t.cols, int(n*t.cols))
		xs := *lane[R](&b)
		for i := range n {
			k.short(best, at, int(i), xs[i*t.cols:][:t.cols])
		}
	default:
		k.long(t, s, f, row, best, at)
	}
	if at != nil {
		wrap(k.acc, blockOf(at))
	} else {
		wrap(k.acc, blockOf(best))
	}
}

func (k *typedFold[R]) short(best []R, at []int64, i int, xs []R) {
	if at == nil {
		best[i] = foldRun(k.fold, xs)
		return
	}
	v, p := argRun(k.fold, xs)
	best[i], at[i] = v, int64(p)
}

// long folds one row that is longer than a block.
func (k *typedFold[R]) long(t *rowTask, s *rowState, f *frame, row int64, best []R, at []int64) {
	var sum tower[R]
	for x := int64(0); x < t.cols; x += t.points {
		f.set(s.spread)
		b := f.eval(row*t.cols+x, int(min(t.points, t.cols-x)))
		xs := *lane[R](&b)
		if at == nil {
			sum.add(k.fold, foldRun(k.fold, xs))
			continue
		}
		if v, p := argRun(k.fold, xs); x == 0 || beats(k.fold, best[0], v) {
			best[0], at[0] = v, x+int64(p)
		}
	}
	if at == nil {
		best[0] = sum.total(k.fold)
	}
}

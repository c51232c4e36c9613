package fallback

import (
	"context"
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// reduceTask folds values of register class R into accumulators of class A.
//
// By rows, the domain is walked fold axes innermost and each output is folded
// from runs of values. By columns, it is walked output axes innermost and
// whole vectors of outputs are folded at once, which is faster when
// the operand lies so in memory.
//
// Where there are few outputs, the fold is cut into chunks whose results are
// folded in a second phase. How many depends on the task alone.
type reduceTask[R reg] struct {
	fold    engine.Monoid
	way     products // how it multiplies
	acc     tensor.DType
	empty   R // of an empty fold
	value   *program
	out     writer
	outs    int64 // outputs
	folds   int64 // values that each is folded from
	columns bool
	windows *windows // computes it instead of value; nil: value does

	group  int64 // outputs of a piece
	groups int64
	chunk  int64 // values of a fold that a piece takes
	chunks int64
	work.Cost
	wide bool

	best      int // reserved: folded values of a group
	positions int // reserved: their positions
	levels    int // reserved: memory of a column
	pairs     int // reserved, and shared where there are chunks: products
	partBest  int // reserved and shared: results of chunks
	partAt    int

	work, last work.Job
}

func newReduce(c *compiler) (work.Runner, error) {
	t := c.Task
	dt := t.Folds[0].Acc
	if t.Folds[0].Monoid.IsArg() {
		dt = t.Folds[0].Value.DType // positions are int64 whatever the values are
	}
	switch engine.ClassOf(dt) {
	case engine.ClassF32:
		return makeReduce[float32](c, dt)
	case engine.ClassF64:
		return makeReduce[float64](c, dt)
	case engine.ClassI64:
		return makeReduce[int64](c, dt)
	default:
		return makeReduce[uint64](c, dt)
	}
}

const (
	maxGroup  = 1024    // outputs of a piece
	wantParts = 64      // pieces that a long task should have at least
	mostFold  = 1 << 24 // elements of a chunk: tenths of a second, after which a context can end the run
	mostParts = 1 << 20 // results of chunks that are kept for that
)

func makeReduce[R reg](c *compiler, dt tensor.DType) (work.Runner, error) {
	t := c.Task
	fold := t.Folds[0]
	r := &reduceTask[R]{fold: fold.Monoid, acc: fold.Acc, outs: t.Size(0), folds: t.Size(1)}
	rows, columns := axesOf(t, 0, 1), axesOf(t, 1, 0)
	extra := 0.2 - 8/float64(max(r.folds, 1)) // short runs of values take time, too
	if r.outs < 8 {
		columns, extra = rows, 1
	}
	var err error
	if r.value, r.columns, err = c.compileEither(rows, columns, extra, dt, fold.Value); err != nil {
		return nil, err
	}
	if r.out, err = c.writer(); err != nil {
		return nil, err
	}
	r.way = productsOf[R](r.fold, r.folds)
	id := constBlock(engine.ClassOf(dt), identity(r.fold, dt), 1)
	r.empty = (*lane[R](&id))[0]

	// Pieces of about equal time, then chunks where they are too few.
	ns := r.value.nsPer + foldNs(r.fold) + 8/float64(max(r.folds, 1))
	if r.columns {
		if r.windows = windowsOf(c); r.windows != nil {
			ns = r.windows.nsPer()
		}
	}
	r.group, r.groups = c.Limits.Pieces(r.outs, ns*float64(max(r.folds, 1)), 1)
	r.group = min(r.group, maxGroup)
	if r.columns { // vectors as long as a block allows
		r.group = min(r.outs, maxGroup, int64(r.value.block))
	}
	if r.outs > 0 {
		r.groups = (r.outs + r.group - 1) / r.group
	}
	r.chunk, r.chunks = max(r.folds, 1), 1
	n := min(wantParts/max(r.groups, 1), r.folds*r.group/c.Limits.Chunk, r.folds)
	if n = max(n, min(r.folds/max(mostFold/r.group, 1), mostParts/max(r.outs, 1))); n > 1 && (r.columns || r.group == 1) {
		r.chunk = (r.folds + n - 1) / n
		r.chunks = (r.folds + r.chunk - 1) / r.chunk
	}
	r.Chain = float64(r.value.size)*ns + float64(r.outs)*r.out.prog.nsPer
	r.wide = r.Ns() > c.Limits.WideNs

	var zero R
	size := sizeOf(zero)
	r.best = c.Reserve(int(r.group) * size)
	if r.fold.IsArg() {
		r.positions = c.Reserve(int(r.group) * 8)
	}
	if r.way != notProducts {
		if r.chunks == 1 {
			r.pairs = c.Reserve(int(r.group) * productBytes)
		} else {
			r.pairs = c.ReserveShared(int(r.outs*r.chunks) * productBytes)
		}
	}
	if r.columns {
		r.levels = c.Reserve(int(r.group) * size * columnLevels)
	}
	if r.chunks > 1 && r.way == notProducts {
		n := int(r.outs * r.chunks)
		r.partBest = c.ReserveShared(n * size)
		if r.fold.IsArg() {
			r.partAt = c.ReserveShared(n * 8)
		}
	}
	r.work, r.last = r.do, r.finish
	return r, nil
}

func (r *reduceTask[R]) Run(ctx context.Context, p *work.Pool) error {
	if err := p.Run(ctx, r.groups*r.chunks, r.wide, r.work); err != nil || r.chunks == 1 {
		return err
	}
	return p.Run(ctx, r.groups, false, r.last)
}

func (r *reduceTask[R]) Plan() engine.Plan {
	way := "rows"
	if r.columns {
		way = "columns"
	}
	if r.windows != nil {
		way = "windows"
	}
	p := plan(fmt.Sprintf("%v by %s", r.fold, way), r.groups*r.chunks, r.wide, r.value, r.out.prog)
	if r.chunks > 1 {
		p.Launch = append(p.Launch, fmt.Sprintf("%d chunks folded again", r.chunks))
	}
	return p
}

// do folds one chunk of one group of outputs.
func (r *reduceTask[R]) do(worker int, i int64) {
	g, c := i/r.chunks, i%r.chunks
	from := g * r.group
	n := min(r.group, r.outs-from)
	lo, hi := c*r.chunk, min((c+1)*r.chunk, r.folds)
	env := r.value.env
	if r.way != notProducts {
		ps := r.products(worker, c, from, n)
		if r.multiply(worker, from, lo, hi, ps); r.chunks == 1 {
			r.emitProducts(worker, from, ps)
		}
		return
	}
	best := work.Scratch[R](env, worker, r.best, int(n))
	var at []int64
	if r.fold.IsArg() {
		at = work.Scratch[int64](env, worker, r.positions, int(n))
	}
	switch {
	case r.folds == 0:
		fill(best, r.empty)
		clear(at)
	case r.windows != nil:
		r.windows.fold(worker, from, lo, hi, blockOf(best).F32)
	case r.columns:
		r.foldColumns(worker, from, n, lo, hi, best, at)
	default:
		r.foldRows(worker, from, n, lo, hi, best, at)
	}
	if r.chunks == 1 {
		r.emit(worker, from, best, at)
		return
	}
	base := int(c * r.outs)
	copy(work.Shared[R](env, r.partBest, int(r.outs*r.chunks))[base+int(from):], best)
	if at != nil {
		copy(work.Shared[int64](env, r.partAt, int(r.outs*r.chunks))[base+int(from):], at)
	}
}

// emit passes the folded values of a group through the epilogue.
func (r *reduceTask[R]) emit(worker int, from int64, best []R, at []int64) {
	acc := blockOf(best)
	if at != nil {
		acc = blockOf(at)
	}
	wrap(r.acc, acc)
	r.out.write(worker, from, len(best), acc)
}

// finish folds the chunks of a group.
func (r *reduceTask[R]) finish(worker int, g int64) {
	from := g * r.group
	n := min(r.group, r.outs-from)
	if r.way != notProducts {
		r.finishProducts(worker, from, n)
		return
	}
	env := r.value.env
	parts := work.Shared[R](env, r.partBest, int(r.outs*r.chunks))[from:]
	best := work.Scratch[R](env, worker, r.best, int(n))
	switch {
	case r.fold.IsArg():
		at := work.Scratch[int64](env, worker, r.positions, int(n))
		ats := work.Shared[int64](env, r.partAt, int(r.outs*r.chunks))[from:]
		joinArgParts(r.fold, best, at, parts, ats, r.outs, r.chunks)
		r.emit(worker, from, best, at)
		return
	case r.columns:
		col := r.column(worker, n)
		for c := range r.chunks {
			col.add(parts[c*r.outs:][:n])
		}
		copy(best, col.total())
	default:
		joinParts(r.fold, best, parts, r.outs, r.chunks)
	}
	r.emit(worker, from, best, nil)
}

// column is an empty column of n outputs.
func (r *reduceTask[R]) column(worker int, n int64) column[R] {
	return column[R]{m: r.fold, width: int(n), levels: work.Scratch[R](r.value.env, worker, r.levels, int(n)*columnLevels)}
}

// foldRows folds values [lo, hi) of each of n outputs.
func (r *reduceTask[R]) foldRows(worker int, from, n, lo, hi int64, best []R, at []int64) {
	f := r.value.frame(worker)
	block := int64(r.value.block)
	if lo == 0 && hi == r.folds && hi <= block { // several outputs in a block
		per := block / hi
		for o := int64(0); o < n; o += per {
			k := min(per, n-o)
			b := f.eval((from+o)*r.folds, int(k*hi))
			xs := *lane[R](&b)
			for i := range k {
				run := xs[i*hi:][:hi]
				if at == nil {
					best[o+i] = foldRun(r.fold, run)
				} else {
					v, p := argRun(r.fold, run)
					best[o+i], at[o+i] = v, int64(p)
				}
			}
		}
		return
	}
	for o := range n {
		var t pairwise[R]
		for x := lo; x < hi; x += block {
			b := f.eval((from+o)*r.folds+x, int(min(block, hi-x)))
			xs := *lane[R](&b)
			if at == nil {
				t.add(r.fold, foldRun(r.fold, xs))
				continue
			}
			if v, p := argRun(r.fold, xs); x == lo || beats(r.fold, best[o], v) {
				best[o], at[o] = v, x+int64(p)
			}
		}
		if at == nil {
			best[o] = t.total(r.fold)
		}
	}
}

// columnsOf hands over values [lo, hi) of n outputs side by side: to take value x of each.
func (r *reduceTask[R]) columnsOf(worker int, from, n, lo, hi int64, take func(xs []R, x int64)) {
	f := r.value.frame(worker)
	per := int64(1) // vectors in a block: more where they follow each other
	if n == r.outs {
		per = int64(r.value.block) / n
	}
	for x := lo; x < hi; x += per {
		k := min(per, hi-x)
		b := f.eval(x*r.outs+from, int(k*n))
		xs := *lane[R](&b)
		for j := range k {
			take(xs[j*n:][:n], x+j)
		}
	}
}

// foldColumns folds values [lo, hi) of n outputs side by side.
func (r *reduceTask[R]) foldColumns(worker int, from, n, lo, hi int64, best []R, at []int64) {
	col := r.column(worker, n)
	r.columnsOf(worker, from, n, lo, hi, func(xs []R, x int64) {
		if at == nil {
			col.add(xs)
			return
		}
		for i, v := range xs {
			if x == lo || beats(r.fold, best[i], v) {
				best[i], at[i] = v, x
			}
		}
	})
	if at == nil {
		copy(best, col.total())
	}
}

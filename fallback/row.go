package fallback

import (
	"context"
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// rowTask folds every row several times, each fold knowing the results of the ones
// before, and then writes its outputs. Rows are taken in groups that
// fit a block, so that short rows fill one; a long row is walked block by block,
// once for every fold and once for the outputs.
type rowTask struct {
	env        *work.Env
	rows, cols int64
	folds      []rowFold
	over, per  writer // outputs over the row, and those for it
	points     int64  // of a block
	group      int64  // rows of a block
	piece      int64  // rows of a piece
	count      int64
	work.Cost
	wide   bool
	states []*rowState // of each worker
	spread []int       // reserved: results, repeated for every point of their row
	kept   []kept
	work   work.Job

	// The fields below are used for a task that is divided.
	chunk, chunks                int64 // columns of a chunk, chunks of a row
	stage                        int   // the fold at hand
	totals                       []engine.Block
	foldWork, writeWork, perWork work.Job
}

// kept is the values of a fold that later ones, or the outputs, would compute
// again: a softmax has its exponentials in the sum and in the quotients. They
// are a further result, number len(Folds) + fold, of one value a point.
type kept struct {
	fold  int
	class engine.Class
	at    int // reserved: a whole row; of a divided task all of them, shared
}

// rowState is the state of a worker for the rows at hand.
type rowState struct {
	results []engine.Block // of each fold, one value a row
	spread  []engine.Block // the same, one value a point; then the kept values
	whole   []engine.Block // the kept values of each fold, for a row
}

// at makes the kept values from column x on known to the programs.
func (r *rowTask) at(s *rowState, x int64, n int) {
	for _, k := range r.kept {
		s.spread[len(r.folds)+k.fold] = cut(s.whole[k.fold], int(x), int(x)+n)
	}
}

// rowFold is one fold of a rowTask.
type rowFold interface {
	// reserve takes memory for the results of n rows.
	reserve(c *compiler, n int64)
	// result is that memory on a worker.
	result(e *work.Env, worker int) engine.Block
	// run folds rows [row, row+n) into it.
	run(t *rowTask, s *rowState, worker int, row, n int64)
	program() *program
	ns() float64

	// divide takes memory for parts, and for their totals.
	divide(c *compiler, rows, parts int64)
	// chunk folds columns [lo, hi) of a row to part i.
	chunk(t *rowTask, s *rowState, worker int, row, lo, hi, i int64)
	// total is the fold of the parts of every row.
	total(t *rowTask) engine.Block
}

func newRow(c *compiler) (work.Runner, error) {
	whole := c.Task
	defer func() { c.Task = whole }()
	t, keep := keepValues(whole)
	c.Task = t
	r := &rowTask{env: c.Env, rows: t.Size(0), cols: t.Size(1), states: make([]*rowState, c.Width)}
	r.points = maxBlock
	axes := axesOf(t, 0, 1)
	ns := 0.0
	for i := range t.Folds {
		k, err := newRowFold(c, i, axes)
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
		r.spread = append(r.spread, c.Reserve(int(r.points)*classBytes(engine.ClassOf(t.Folds[i].Acc))))
	}
	r.divide(c)
	for _, i := range keep {
		class := engine.ClassOf(t.Folds[i].Value.DType)
		k := kept{fold: i, class: class}
		if r.chunks > 1 {
			k.at = c.ReserveShared(int(r.rows*r.cols) * classBytes(class))
		} else {
			k.at = c.Reserve(int(max(r.cols, r.points)) * classBytes(class))
		}
		r.kept = append(r.kept, k)
	}
	each := float64(r.cols)*(ns+r.over.prog.nsPer) + r.per.prog.nsPer + 20*float64(len(r.folds)+1)/float64(r.group)
	r.piece, r.count = c.Limits.Pieces(r.rows, each, r.group)
	r.Chain = float64(r.rows) * each
	r.wide = r.Cost.Ns() > c.Limits.WideNs
	r.work = r.do
	return r, nil
}

// keepFlops is the least number of operations for which a value is kept rather than computed again.
const keepFlops = 8

// keepValues replaces the values of folds in later expressions of t by the
// kept values, and lists those folds.
func keepValues(t *engine.Task) (*engine.Task, []int) {
	var keep []int
	c := *t
	c.Folds, c.Values = slices.Clone(t.Folds), slices.Clone(t.Values)
	over := axesOf(t, 1)
	for i := range c.Folds {
		v := c.Folds[i].Value
		columns := false
		v.VisitAxes(func(a int) { columns = columns || slices.Contains(over, a) })
		dear := v.Op == engine.OpApply && columns && flopsOf(v) >= keepFlops
		if !dear || !c.Folds[i].Monoid.IsArg() && engine.ClassOf(v.DType) != engine.ClassOf(c.Folds[i].Acc) {
			continue
		}
		found := false
		replace := func(e *engine.Expr) *engine.Expr {
			return e.Rewrite(func(s *engine.Expr) *engine.Expr {
				if s.Key() != v.Key() {
					return s
				}
				found = true
				return engine.Acc(len(c.Folds)+i, v.DType)
			})
		}
		for j := i + 1; j < len(c.Folds); j++ {
			c.Folds[j].Value = replace(c.Folds[j].Value)
		}
		for j := range c.Values {
			c.Values[j] = replace(c.Values[j])
		}
		if found {
			keep = append(keep, i)
		}
	}
	return &c, keep
}

// flopsOf is the cost of e with all that it computes on.
func flopsOf(e *engine.Expr) (n float64) {
	for s := range e.Walk() {
		if s.Op == engine.OpApply {
			n += s.Fn.Flops
		}
	}
	return n
}

func (r *rowTask) Run(ctx context.Context, p *work.Pool) error {
	if r.chunks > 1 {
		return r.inChunks(ctx, p)
	}
	return p.Run(ctx, r.count, r.wide, r.work)
}

func (r *rowTask) Plan() engine.Plan {
	programs := []*program{}
	for _, k := range r.folds {
		programs = append(programs, k.program())
	}
	how, count := fmt.Sprintf("%d folds, rows of %d in groups of %d", len(r.folds), r.cols, r.group), r.count
	if r.chunks > 1 {
		how, count = fmt.Sprintf("%d folds, rows of %d in chunks of %d", len(r.folds), r.cols, r.chunk), r.rows*r.chunks
	}
	return plan(how, count, r.wide,
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
			s.spread = append(s.spread, newBlock(classIn(b), r.env.Arena(worker)[r.spread[i]:][:bytes]))
		}
		s.spread = append(s.spread, make([]engine.Block, len(r.folds))...)
		s.whole = make([]engine.Block, len(r.folds))
		for _, k := range r.kept {
			if r.chunks == 1 {
				bytes := int(max(r.cols, r.points)) * classBytes(k.class)
				s.whole[k.fold] = newBlock(k.class, r.env.Arena(worker)[k.at:][:bytes])
			}
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
		if len(r.over.sinks) > 0 {
			r.writeRow(s, worker, row*r.cols, 0, n*r.cols)
		}
		if len(r.per.sinks) > 0 {
			r.per.write(worker, row, int(n), s.results...)
		}
	}
}

// writeRow computes n points of the outputs from place lo on, which is column x.
func (r *rowTask) writeRow(s *rowState, worker int, lo, x, n int64) {
	for done := int64(0); done < n; done += r.points {
		k := int(min(r.points, n-done))
		r.at(s, x+done, k)
		r.over.write(worker, lo+done, k, s.spread...)
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
	way       products // how it multiplies
	acc       tensor.DType
	empty     R
	value     *program
	number    int
	n         int64
	best      int // reserved: folded values of a group
	positions int // reserved: their positions

	// Reserved and shared, of a task that is divided: folded values of each chunk and of each row,
	// and their positions.
	parts, partProducts                  int
	partBest, partAt, totalBest, totalAt int
}

func newRowFold(c *compiler, i int, axes []int) (rowFold, error) {
	f := c.Task.Folds[i]
	dt := f.Acc
	if f.Monoid.IsArg() {
		dt = f.Value.DType
	}
	switch engine.ClassOf(dt) {
	case engine.ClassF32:
		return makeRowFold[float32](c, i, dt, axes)
	case engine.ClassF64:
		return makeRowFold[float64](c, i, dt, axes)
	case engine.ClassI64:
		return makeRowFold[int64](c, i, dt, axes)
	default:
		return makeRowFold[uint64](c, i, dt, axes)
	}
}

func makeRowFold[R reg](c *compiler, i int, dt tensor.DType, axes []int) (rowFold, error) {
	f := c.Task.Folds[i]
	id := constBlock(engine.ClassOf(dt), identity(f.Monoid, dt), 1)
	k := &typedFold[R]{number: i, fold: f.Monoid, acc: f.Acc, empty: (*lane[R](&id))[0]}
	k.way = productsOf[R](f.Monoid, c.Task.Size(1))
	var err error
	k.value, err = c.compile(axes, []tensor.DType{dt}, f.Value)
	return k, err
}

func (k *typedFold[R]) program() *program { return k.value }

func (k *typedFold[R]) ns() float64 { return k.value.nsPer + foldNs(k.fold) }

func (k *typedFold[R]) reserve(c *compiler, n int64) {
	var zero R
	k.n, k.best = n, c.Reserve(int(n)*sizeOf(zero))
	if k.fold.IsArg() {
		k.positions = c.Reserve(int(n) * 8)
	}
}

func (k *typedFold[R]) result(e *work.Env, worker int) engine.Block {
	if k.fold.IsArg() {
		return blockOf(work.Scratch[int64](e, worker, k.positions, int(k.n)))
	}
	return blockOf(work.Scratch[R](e, worker, k.best, int(k.n)))
}

func (k *typedFold[R]) run(t *rowTask, s *rowState, worker int, row, n int64) {
	best := work.Scratch[R](t.env, worker, k.best, int(n))
	var at []int64
	if k.fold.IsArg() {
		at = work.Scratch[int64](t.env, worker, k.positions, int(n))
	}
	f := k.value.frame(worker)
	switch {
	case t.cols == 0:
		fill(best, k.empty)
		clear(at)
	case t.cols <= t.points:
		b := k.eval(t, s, f, row*t.cols, 0, int(n*t.cols))
		xs := *lane[R](&b)
		for i := range n {
			k.short(best, at, int(i), xs[i*t.cols:][:t.cols])
		}
	case k.way != notProducts:
		best[0] = R(k.multiply(t, s, f, row, 0, t.cols).hi)
	default:
		k.long(t, s, f, row, 0, t.cols, best, at)
	}
	if at != nil {
		wrap(k.acc, blockOf(at))
	} else {
		wrap(k.acc, blockOf(best))
	}
}

// eval computes n points from lo on, which is column x, and keeps them if they
// are wanted again.
func (k *typedFold[R]) eval(t *rowTask, s *rowState, f *frame, lo, x int64, n int) engine.Block {
	t.at(s, x, n)
	f.set(s.spread)
	b := f.eval(lo, n)
	if w := s.whole[k.number]; start(w) != nil {
		copyBlock(cut(w, int(x), int(x)+n), b)
	}
	return b
}

func (k *typedFold[R]) short(best []R, at []int64, i int, xs []R) {
	switch {
	case k.way != notProducts:
		p := noFactors
		multiply(&p, k.way, xs)
		best[i] = R(p.hi)
		return
	case at == nil:
		best[i] = foldRun(k.fold, xs)
		return
	}
	v, p := argRun(k.fold, xs)
	best[i], at[i] = v, int64(p)
}

// long folds columns [lo, hi) of a row, which are more than a block.
func (k *typedFold[R]) long(t *rowTask, s *rowState, f *frame, row, lo, hi int64, best []R, at []int64) {
	var sum pairwise[R]
	for x := lo; x < hi; x += t.points {
		b := k.eval(t, s, f, row*t.cols+x, x, int(min(t.points, hi-x)))
		xs := *lane[R](&b)
		if at == nil {
			sum.add(k.fold, foldRun(k.fold, xs))
			continue
		}
		if v, p := argRun(k.fold, xs); x == lo || beats(k.fold, best[0], v) {
			best[0], at[0] = v, x+int64(p)
		}
	}
	if at == nil {
		best[0] = sum.total(k.fold)
	}
}

// multiply is the product of columns [lo, hi) of a row.
func (k *typedFold[R]) multiply(t *rowTask, s *rowState, f *frame, row, lo, hi int64) product {
	p := noFactors
	for x := lo; x < hi; x += t.points {
		b := k.eval(t, s, f, row*t.cols+x, x, int(min(t.points, hi-x)))
		multiply(&p, k.way, *lane[R](&b))
	}
	return p
}

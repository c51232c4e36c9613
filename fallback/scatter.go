package fallback

import (
	"context"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// scatterTask folds updates into rows, or elements, that data chooses. Updates are computed
// some at a time, in parallel, into shared memory; then each worker adds
// those that fall into its own part of the output, in order of n. So results
// do not depend on the number of workers and no two write one place.
//
// Where a row may have many updates of floats, every scatterRun of them are carried to a compensated
// total, and seen counts them: a sum is off by at most (scatterRun + 2) u times its magnitudes.
type scatterTask[R reg] struct {
	env         *work.Env
	v, n, d     int64
	init        writer
	at, update  *program
	direct      []R   // the output, where its values are registers
	sums        int   // reserved and shared, where direct is nil
	rows        int64 // n that are computed at once
	atBuf, vals int   // reserved and shared: their At and Update
	long        bool  // rows may have many updates of floats
	seen        int   // reserved and shared: updates of each row, for each range of d
	totals      int   // reserved and shared: of each element of the output, and their rounding errors
	byD         bool  // parts are ranges of d, else of v
	byN         bool  // parts are ranges of updates, no two of which meet
	each        bool  // every element of an update has a position of its own
	put         engine.Put
	part, parts int64
	initPiece   int64
	inits       int64
	piece       int64 // rows of a piece of updates
	work.Cost
	wide                             bool
	from, to                         int64 // the rows at work
	doInit, doUpdate, doAdd, doStore work.Job
	doSettle                         work.Job
}

// scatterRun is how many updates of a row are added up one after the other.
const scatterRun = 32

func newScatter(c *compiler) (work.Runner, error) {
	switch engine.ClassOf(c.Task.Outs[0].DType) {
	case engine.ClassF32:
		return makeScatter[float32](c)
	case engine.ClassF64:
		return makeScatter[float64](c)
	case engine.ClassI64:
		return makeScatter[int64](c)
	default:
		return makeScatter[uint64](c)
	}
}

func makeScatter[R reg](c *compiler) (work.Runner, error) {
	t := c.Task
	dt := t.Outs[0].DType
	s := &scatterTask[R]{env: c.Env, v: t.Size(0), n: t.Size(1), d: t.Size(2), each: t.Each, put: t.Put}
	var err error
	if s.init, err = c.writer(); err != nil {
		return nil, err
	}
	keyed := []int{1}
	if s.each {
		keyed = []int{1, 2}
	}
	if s.at, err = c.compile(axesOf(t, keyed...), []tensor.DType{tensor.Int64}, t.At); err != nil {
		return nil, err
	}
	if s.update, err = c.compile(axesOf(t, 1, 2), []tensor.DType{dt}, t.Update); err != nil {
		return nil, err
	}
	var zero R
	size := sizeOf(zero)
	switch {
	case !s.init.sinks[0].plain():
		s.sums = c.ReserveShared(int(s.v*s.d) * size)
	case !c.Dry:
		b, _ := s.init.sinks[0].view(0, int(s.v*s.d))
		s.direct = *lane[R](&b)
	}
	s.rows = max(1, min(s.n, c.Limits.Updates/int64(size)/max(s.d, 1)))
	s.atBuf = c.ReserveShared(int(s.rows*s.keys()) * 8)
	s.vals = c.ReserveShared(int(s.rows*s.d) * size)

	// Ranges of d share the work evenly whatever At is, but need long rows.
	s.byD = s.d >= 16*int64(c.Width)
	over := s.v
	if s.byD {
		over = s.d
	}
	s.parts = max(1, min(int64(c.Width), over))
	s.part = (over + s.parts - 1) / s.parts
	if s.byN = t.Distinct && t.Put == engine.PutSet; s.byN {
		s.byD, s.parts = false, max(1, min(int64(c.Width), s.rows))
		s.part = (s.rows + s.parts - 1) / s.parts
	}
	s.initPiece, s.inits = c.Limits.Pieces(s.v*s.d, s.init.prog.nsPer+0.3, 1)
	s.piece, _ = c.Limits.Pieces(s.rows, s.at.nsPer*float64(s.keys())+s.update.nsPer*float64(s.d), 1)
	s.Chain = float64(s.n)*(float64(s.keys())*(s.at.nsPer+3)+float64(s.d)*(s.update.nsPer+0.3)) + float64(s.v*s.d)*(s.init.prog.nsPer+0.3)
	s.wide = s.Ns() > c.Limits.WideNs
	if s.long = dt.IsFloat() && s.n > 2*scatterRun && t.Put == engine.PutAdd; s.long {
		s.seen = c.ReserveShared(int(s.v*s.ranges()) * 8)
		s.totals = c.ReserveShared(int(2*s.v*s.d) * size)
	}
	s.doSettle = s.settle
	s.doInit, s.doUpdate, s.doAdd, s.doStore = s.initialise, s.compute, s.add, s.store
	return s, nil
}

func (s *scatterTask[R]) Run(ctx context.Context, p *work.Pool) error {
	if s.v*s.d == 0 {
		return ctx.Err()
	}
	if err := p.Run(ctx, s.inits, s.wide, s.doInit); err != nil {
		return err
	}
	if s.long {
		clear(s.counts())
	}
	for s.from = 0; s.from < s.n; s.from = s.to {
		s.to = min(s.from+s.rows, s.n)
		if err := p.Run(ctx, (s.to-s.from+s.piece-1)/s.piece, s.wide, s.doUpdate); err != nil {
			return err
		}
		if err := p.Run(ctx, s.parts, s.wide, s.doAdd); err != nil {
			return err
		}
	}
	if s.long {
		if err := p.Run(ctx, s.inits, s.wide, s.doSettle); err != nil {
			return err
		}
	}
	if s.direct != nil {
		return nil
	}
	return p.Run(ctx, s.inits, s.wide, s.doStore)
}

// ranges is how many counts of updates a row has: one for each worker that adds to it, or for each element.
func (s *scatterTask[R]) ranges() int64 {
	switch {
	case s.each:
		return s.d
	case s.byD:
		return s.parts
	}
	return 1
}

// keys is how many positions a row of updates has.
func (s *scatterTask[R]) keys() int64 {
	if s.each {
		return s.d
	}
	return 1
}

// counts are the updates of each row so far, for each range of d, or of each element.
func (s *scatterTask[R]) counts() []int64 {
	return work.Shared[int64](s.env, s.seen, int(s.v*s.ranges()))
}

// compensated are the totals of all elements, and their rounding errors.
func (s *scatterTask[R]) compensated() (totals, rests []R) {
	n := int(s.v * s.d)
	all := work.Shared[R](s.env, s.totals, 2*n)
	return all[:n], all[n:]
}

// carry adds the sums of updates of elements [lo, hi) to their totals, which begin with the first.
func (s *scatterTask[R]) carry(sums []R, lo, hi int64, first bool) {
	totals, rests := s.compensated()
	if first {
		copy(totals[lo:hi], sums[lo:hi])
		clear(rests[lo:hi])
	} else {
		compensate(totals[lo:hi], rests[lo:hi], sums[lo:hi])
	}
	clear(sums[lo:hi])
}

// settle adds the totals of a piece of the output to the sums that came after them.
func (s *scatterTask[R]) settle(_ int, i int64) {
	lo := i * s.initPiece
	hi := min(lo+s.initPiece, s.v*s.d)
	sums, seen := s.target(), s.counts() // those of the first range: all have seen the same
	totals, rests := s.compensated()
	if s.each {
		for i := lo; i < hi; i++ {
			if seen[i] > scatterRun {
				sums[i] = (sums[i] + rests[i]) + totals[i]
			}
		}
		return
	}
	for lo < hi {
		v := lo / s.d
		end := min((v+1)*s.d, hi)
		if seen[v] > scatterRun {
			combineInto(engine.Sum, sums[lo:end], rests[lo:end])
			combineInto(engine.Sum, sums[lo:end], totals[lo:end])
		}
		lo = end
	}
}

func (s *scatterTask[R]) Plan() engine.Plan {
	p := plan("scatter", s.inits, s.wide, s.init.prog, s.at, s.update)
	p.Scratch += s.rows * (s.keys()*8 + s.d*8)
	switch {
	case s.byN:
		p.Why += "; parts are ranges of updates"
	case s.byD:
		p.Why += "; parts are ranges of columns"
	default:
		p.Why += "; parts are ranges of rows"
	}
	return p
}

// target is where sums are.
func (s *scatterTask[R]) target() []R {
	if s.direct != nil {
		return s.direct
	}
	return work.Shared[R](s.env, s.sums, int(s.v*s.d))
}

func (s *scatterTask[R]) initialise(worker int, i int64) {
	lo := i * s.initPiece
	n := min(s.initPiece, s.v*s.d-lo)
	if s.direct != nil {
		s.init.write(worker, lo, int(n), engine.Block{})
		return
	}
	s.init.prog.frame(worker).evalTo(lo, int(n), blockOf(s.target()[lo:lo+n]))
}

// compute evaluates At and Update for a piece of the rows at work.
func (s *scatterTask[R]) compute(worker int, i int64) {
	lo := i * s.piece
	n := min(s.piece, s.to-s.from-lo)
	k := s.keys()
	at := work.Shared[int64](s.env, s.atBuf, int(s.rows*k))[lo*k:][:n*k]
	s.at.frame(worker).evalTo((s.from+lo)*k, int(n*k), blockOf(at))
	vals := work.Shared[R](s.env, s.vals, int(s.rows*s.d))[lo*s.d:][:n*s.d]
	s.update.frame(worker).evalTo((s.from+lo)*s.d, int(n*s.d), blockOf(vals))
}

// add adds the rows at work to one part of the output.
func (s *scatterTask[R]) add(_ int, part int64) {
	at := work.Shared[int64](s.env, s.atBuf, int(s.rows*s.keys()))[:(s.to-s.from)*s.keys()]
	vals := work.Shared[R](s.env, s.vals, int(s.rows*s.d))
	sums := s.target()
	lo, hi := part*s.part, (part+1)*s.part
	d0, d1 := int64(0), s.d
	n0, n1 := int64(0), s.to-s.from
	if s.byN {
		n0, n1 = min(lo, n1), min(hi, n1)
		lo, hi = 0, s.v
	}
	if s.byD {
		d0, d1 = lo, min(hi, s.d)
		lo, hi = 0, s.v
	}
	hi = min(hi, s.v)
	if lo >= hi || d0 >= d1 {
		return
	}
	if s.each {
		for n := n0; n < n1; n++ {
			s.addEach(sums, at[n*s.d:][:s.d], vals[n*s.d:][:s.d], lo, hi, d0, d1)
		}
		return
	}
	var seen []int64
	if s.long {
		if seen = s.counts(); s.byD {
			seen = seen[part*s.v:]
		}
	}
	for i := n0; i < n1; i++ {
		v := at[i]
		if v < lo || v >= hi {
			continue
		}
		row := vals[i*s.d:]
		if seen != nil {
			if seen[v]++; seen[v]%scatterRun == 1 && seen[v] > 1 {
				s.carry(sums, v*s.d+d0, v*s.d+d1, seen[v] == scatterRun+1)
			}
		}
		switch to := sums[v*s.d+d0 : v*s.d+d1]; {
		case s.put == engine.PutSet:
			copy(to, row[d0:d1])
		case s.put != engine.PutAdd:
			combineInto(monoidOf[s.put], to, row[d0:d1])
		case s.d == 1:
			sums[v] += row[0]
		default:
			combineInto(engine.Sum, to, row[d0:d1])
		}
	}
}

// monoidOf is the fold that each kind of scatter, but one that replaces, takes.
var monoidOf = [...]engine.Monoid{engine.PutAdd: engine.Sum, engine.PutMul: engine.Prod, engine.PutMin: engine.Min,
	engine.PutMax: engine.Max}

// addEach folds elements [d0, d1) of one row of updates, each of which has its position in at, into rows [lo, hi).
func (s *scatterTask[R]) addEach(sums []R, at []int64, row []R, lo, hi, d0, d1 int64) {
	var seen []int64
	if s.long {
		seen = s.counts()
	}
	for d := d0; d < d1; d++ {
		if at[d] < lo || at[d] >= hi {
			continue
		}
		i := at[d]*s.d + d
		if seen != nil {
			if seen[i]++; seen[i]%scatterRun == 1 && seen[i] > 1 {
				s.carry(sums, i, i+1, seen[i] == scatterRun+1)
			}
		}
		if s.put == engine.PutSet {
			sums[i] = row[d]
		} else {
			sums[i] = combine(monoidOf[s.put], sums[i], row[d])
		}
	}
}

// store rounds or wraps the sums into the output.
func (s *scatterTask[R]) store(_ int, i int64) {
	lo := i * s.initPiece
	n := min(s.initPiece, s.v*s.d-lo)
	s.init.sinks[0].store(lo, blockOf(s.target()[lo:lo+n]))
}

package hostrun

import (
	"context"
	"time"

	"github.com/anycl/anycl/cl"
)

// Launch is a kernel launch that the host's processors run, whole or in parts.
type Launch struct {
	kernel *cl.Kernel
	rng    cl.Range // as PartRange made it
	RunArg int      // the argument that takes the number of the run, or -1
	partition
}

// NewLaunch is a launch of the given number of work-groups. solo is how long one thread is predicted to take for all of them,
// 0: not known.
func NewLaunch(k *cl.Kernel, r cl.Range, groups int, solo time.Duration) *Launch {
	return &Launch{kernel: k, rng: r, RunArg: -1, partition: partition{groups: groups, perGroup: float64(solo) / float64(max(1, groups))}}
}

// setRun passes the number of the run.
func (l *Launch) setRun(run uint32) error {
	if l.RunArg < 0 {
		return nil
	}
	return l.kernel.SetUint32(l.RunArg, run)
}

// whole runs all of it on the calling thread, in one part.
func (l *Launch) whole(q *cl.Queue, run uint32) error {
	if err := l.setRun(run); err != nil {
		return err
	}
	return q.Launch(l.kernel, l.rng, nil)
}

// Run is one run on the calling thread, which workers help where a launch is worth it and they are free.
type Run struct {
	counts *Pool // counts the runs; nil: there is none
	pool   *Pool // may help; nil: the caller is alone
	has    bool  // the run has it
	queues []*cl.Queue
	yields *Yield
}

// Begin starts a run. counts is the pool that runs are counted for, pool the one that may help; either may be nil.
func Begin(counts, pool *Pool, queues []*cl.Queue, yields *Yield) Run {
	if counts != nil {
		counts.begin()
	}
	yields.give(time.Now())
	return Run{counts: counts, pool: pool, queues: queues, yields: yields}
}

// End gives the pool back.
func (r *Run) End() {
	if r.has {
		r.pool.dismiss()
	}
	if r.counts != nil {
		r.counts.end()
	}
}

// Do runs one launch and returns when it is done.
func (r *Run) Do(ctx context.Context, l *Launch, run uint32) error {
	worth := r.pool != nil && l.worth(r.pool.Width())
	if worth && !r.has {
		r.has = r.pool.Enlist()
	}
	shared := worth && r.has && r.pool.free() && !r.pool.backsOff(&l.partition)
	if !shared && l.short() {
		if r.pool == nil || !l.asks() {
			return l.whole(r.queues[0], run)
		}
		start := time.Now()
		err := l.whole(r.queues[0], run)
		l.learnAlone(time.Since(start))
		return err
	}
	if err := l.setRun(run); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if shared {
		start := r.yields.give(time.Now())
		err := r.pool.do(ctx, r.queues, l, r.yields)
		l.learnShared(time.Since(start), r.pool.Width())
		return err
	}
	return alone(ctx, r.queues[0], l, r.yields)
}

// alone runs a launch on the calling thread, part by part, as long as ctx lets it.
func alone(ctx context.Context, q *cl.Queue, l *Launch, y *Yield) error {
	for first, n := 0, 0; first < l.groups; first += n {
		if err := ctx.Err(); err != nil {
			return err
		}
		n = min(int(l.chunk()>>32), l.groups-first)
		start := y.give(time.Now())
		if err := q.Launch(l.kernel, part(l.rng, first, n), nil); err != nil {
			return err
		}
		l.learn(time.Since(start), n)
	}
	return nil
}

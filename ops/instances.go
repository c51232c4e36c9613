package ops

import (
	"context"
	"errors"
	"sync"

	"github.com/anycl/anycl/internal/procs"
)

// Runs of a graph on their callers' threads overlap if each has memory and kernels of its own. So such
// an executable has several instances: the same tasks, prepared again when a run finds the others in use, up to one
// for each processor. No run waits for that: it takes what is free first. What the instances compile is in
// memory already, and variables are shared.

// instances are an executable, the first, and its copies.
type instances struct {
	free   chan *Executable // those that no run has
	ctx    context.Context  // done when no more are to be made
	cancel context.CancelFunc
	making sync.WaitGroup

	mu     sync.Mutex
	copies []*Executable
	room   int  // for so many more
	busy   bool // one is being made
}

// newInstances returns nil for an executable whose runs follow each other: it leaves work to a device,
// updates variables, or is not brief.
func newInstances(x *Executable) *instances {
	for _, s := range x.sides {
		if s.seq != nil && !s.immediate() {
			return nil
		}
	}
	for i := range x.vars {
		if x.vars[i].writes >= 0 {
			return nil
		}
	}
	n := procs.Count()
	if n == 1 || len(x.units) == 0 || !x.short { // copies of what is large would cost memory
		return nil
	}
	t := &instances{free: make(chan *Executable, n), room: n - 1}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.free <- x
	return t
}

// take returns one that no run has, which goes back to free.
func (t *instances) take(ctx context.Context, x *Executable) (*Executable, error) {
	select {
	case y := <-t.free:
		return y, nil
	default:
	}
	t.grow(x)
	select {
	case y := <-t.free:
		return y, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// grow begins to make one more copy of x beside the runs, unless there is no room, or one is being made.
func (t *instances) grow(x *Executable) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.busy || t.room == 0 {
		return
	}
	t.busy = true
	t.making.Go(func() {
		y := t.another(x)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.busy = false
		if y == nil {
			t.room = 0
			return
		}
		t.room = max(t.room-1, 0)
		t.copies = append(t.copies, y)
		t.free <- y
	})
}

// another is one more copy of x. A copy that cannot be made, which gives nil, is done without from then on: it was
// only to be faster.
func (t *instances) another(x *Executable) *Executable {
	y := &Executable{
		rt: x.rt, name: x.name, graph: x.graph, units: x.units, results: x.results, where: x.where, placement: x.placement,
		plan: x.plan, short: x.short, runs: x.runs, changes: x.changes, sides: newSides(x.rt), flows: x.flows, often: x.often,
	}
	if err := y.build(t.ctx, true); err != nil {
		x.rt.log.Debug("ops: no more runs at a time", "graph", x.name, "error", errors.Join(err, y.release()))
		return nil
	}
	return y
}

// close closes the copies and lets no more be made.
func (t *instances) close() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	t.room = 0
	t.mu.Unlock()
	t.cancel()
	t.making.Wait()
	var errs []error
	for _, y := range t.copies {
		errs = append(errs, y.shut())
	}
	t.copies = nil
	return errors.Join(errs...)
}

// count is how many there are, the first included.
func (t *instances) count() int {
	if t == nil {
		return 1
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return 1 + len(t.copies)
}

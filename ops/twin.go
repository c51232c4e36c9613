package ops

import (
	"context"
	"errors"
	"sync"

	"github.com/anycl/anycl/internal/procs"
)

// A graph that runs on its callers' threads can run on several at once, if each
// run has memory and kernels of its own. So such an executable has twins: the same
// tasks, prepared again when a run finds the others at work, up to one for each
// processor. What they compile is in memory already, and variables are the same.

// twins are an executable, the first, and its copies.
type twins struct {
	free chan *Executable // those that no run has

	mu     sync.Mutex // held while one is made
	copies []*Executable
	room   int // for so many more
}

// newTwins returns nil for an executable whose runs follow each other: it leaves work to a device,
// updates variables, or is not brief.
func newTwins(x *Executable) *twins {
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
	if n == 1 || len(x.units) == 0 || !x.brief { // copies of what is large would cost memory
		return nil
	}
	t := &twins{free: make(chan *Executable, n), room: n - 1}
	t.free <- x
	return t
}

// take returns one that no run has, which goes back to free.
func (t *twins) take(ctx context.Context, x *Executable) (*Executable, error) {
	select {
	case y := <-t.free:
		return y, nil
	default:
	}
	if y := t.grow(ctx, x); y != nil {
		return y, nil
	}
	select {
	case y := <-t.free:
		return y, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// grow makes one more copy of x, nil where there is no room, or another run is making one. A
// copy that cannot be made is done without from then on: it was only to be faster.
func (t *twins) grow(ctx context.Context, x *Executable) *Executable {
	if !t.mu.TryLock() {
		return nil
	}
	defer t.mu.Unlock()
	if t.room == 0 {
		return nil
	}
	y := &Executable{
		rt: x.rt, name: x.name, graph: x.graph, units: x.units, results: x.results, where: x.where,
		plan: x.plan, brief: x.brief, runs: x.runs, changes: x.changes, sides: newSides(x.rt), flows: x.flows, often: x.often,
	}
	if err := y.build(ctx, true); err != nil {
		x.rt.log.Debug("ops: no more runs at a time", "graph", x.name, "error", errors.Join(err, y.release()))
		if ctx.Err() == nil {
			t.room = 0
		}
		return nil
	}
	t.room--
	t.copies = append(t.copies, y)
	return y
}

// close closes the copies and lets no more be made.
func (t *twins) close() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.room = 0
	var errs []error
	for _, y := range t.copies {
		errs = append(errs, y.shut())
	}
	t.copies = nil
	return errors.Join(errs...)
}

// count is how many there are, the first included.
func (t *twins) count() int {
	if t == nil {
		return 1
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return 1 + len(t.copies)
}

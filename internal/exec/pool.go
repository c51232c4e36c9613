package exec

import (
	"context"
	"errors"
	"sync"

	"github.com/anycl/anycl/internal/procs"
)

// Runs of a graph on their callers' threads overlap if each has memory and kernels of its own. So such a
// program has several instances: the same tasks, prepared again when a run finds the others in use, up to one
// for each processor. No run waits for that: it takes a free instance first. The kernels of later instances are
// compiled already, and variables are shared.

// pool is the instances of a program.
type pool struct {
	of     *version
	free   chan *instance  // those that no run has
	ctx    context.Context // done when no more are to be made
	cancel context.CancelFunc
	making sync.WaitGroup

	mu     sync.Mutex
	copies []*instance // all but the first
	room   int         // how many more there may be
	busy   bool        // one is being made
}

// newPool returns nil for a program whose runs follow each other: it leaves work to a device,
// updates variables, or takes long.
func newPool(v *version) *pool {
	for e := range v.first.engines {
		if s := &v.first.engines[e]; s.seq != nil && !s.immediate() {
			return nil
		}
	}
	for _, u := range v.Variables {
		if u.Writer >= 0 {
			return nil
		}
	}
	n := procs.Count()
	if n == 1 || len(v.Instructions) == 0 || !v.Short { // copies of large programs would cost memory
		return nil
	}
	p := &pool{of: v, free: make(chan *instance, n), room: n - 1}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.free <- v.first
	return p
}

// take returns one that no run has, which goes back to free.
func (p *pool) take(ctx context.Context) (*instance, error) {
	select {
	case i := <-p.free:
		return i, nil
	default:
	}
	p.grow()
	select {
	case i := <-p.free:
		return i, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// grow begins to make one more instance beside the runs, unless there is no room, or one is being made.
func (p *pool) grow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy || p.room == 0 {
		return
	}
	p.busy = true
	p.making.Go(func() {
		i := p.another()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.busy = false
		if i == nil {
			p.room = 0
			return
		}
		p.room = max(p.room-1, 0)
		p.copies = append(p.copies, i)
		p.free <- i
	})
}

// another is one more instance. One that cannot be made, which gives nil, is done without from then on: it was
// only to be faster.
func (p *pool) another() *instance {
	i, err := p.of.newInstance(p.ctx)
	if err != nil {
		p.of.machine.Log.Debug("ops: no more runs at a time", "graph", p.of.name, "error", err)
		return nil
	}
	return i
}

// close closes the copies and lets no more be made.
func (p *pool) close() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	p.room = 0
	p.mu.Unlock()
	p.cancel()
	p.making.Wait()
	var errs []error
	for _, i := range p.copies {
		errs = append(errs, i.close())
	}
	p.copies = nil
	return errors.Join(errs...)
}

// count is the number of instances, the first included.
func (p *pool) count() int {
	if p == nil {
		return 1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return 1 + len(p.copies)
}

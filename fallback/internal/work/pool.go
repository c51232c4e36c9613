package work

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Pool is a set of goroutines that help the caller of Run.
type Pool struct {
	workers int // with the caller

	region sync.Mutex // held by the one run that has the helpers
	next   atomic.Int64

	mu      sync.Mutex
	idle    *sync.Cond // active became 0
	open    bool       // helpers may still join
	active  int
	job     Job
	pieces  int64
	done    <-chan struct{}
	err     error
	wake    []chan struct{} // nil until helpers are first needed
	stopped bool
	alive   sync.WaitGroup
}

// Job does piece i of some work on worker number w.
type Job func(w int, i int64)

// NewPool is a pool of the given number of workers, the caller among them; its goroutines start when they are first needed.
func NewPool(workers int) *Pool {
	p := &Pool{workers: workers}
	p.idle = sync.NewCond(&p.mu)
	return p
}

// Run does pieces 0 to n-1 of j, by several workers where wide is set. When
// the helpers are at work for another caller, this one works alone.
func (p *Pool) Run(ctx context.Context, n int64, wide bool, j Job) error {
	if n == 0 {
		return ctx.Err()
	}
	if !wide || n == 1 || p.workers == 1 || !p.region.TryLock() {
		return alone(ctx, n, j)
	}
	defer p.region.Unlock()
	helpers := int(min(int64(p.workers), n)) - 1
	p.mu.Lock()
	if p.stopped {
		p.mu.Unlock()
		return alone(ctx, n, j)
	}
	p.spawn()
	p.next.Store(0)
	p.open, p.job, p.pieces, p.done, p.err = true, j, n, ctx.Done(), nil
	p.mu.Unlock()
	for _, c := range p.wake[:helpers] {
		select {
		case c <- struct{}{}:
		default: // still has its last call to answer
		}
	}
	p.share(0)
	p.mu.Lock()
	p.open = false // one that wakes only now goes back to sleep
	for p.active > 0 {
		p.idle.Wait()
	}
	err := p.err
	p.job, p.done = nil, nil
	p.mu.Unlock()
	if err == nil && p.next.Load() < n {
		err = ctx.Err()
	}
	return err
}

// alone does all pieces on the caller's goroutine, as worker 0.
func alone(ctx context.Context, n int64, j Job) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = Panicked(r)
		}
	}()
	done := ctx.Done()
	for i := range n {
		if cancelled(done) {
			return ctx.Err()
		}
		j(0, i)
	}
	return nil
}

// share takes pieces until none is left.
func (p *Pool) share(w int) {
	defer func() {
		if r := recover(); r != nil {
			p.next.Store(p.pieces)
			p.mu.Lock()
			if p.err == nil {
				p.err = Panicked(r)
			}
			p.mu.Unlock()
		}
	}()
	for !cancelled(p.done) {
		i := p.next.Add(1) - 1
		if i >= p.pieces {
			return
		}
		p.job(w, i)
	}
}

func cancelled(done <-chan struct{}) bool {
	if done == nil {
		return false
	}
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// spawn starts the helpers. p.mu is held.
func (p *Pool) spawn() {
	if p.wake != nil {
		return
	}
	for w := 1; w < p.workers; w++ {
		c := make(chan struct{}, 1)
		p.wake = append(p.wake, c)
		p.alive.Go(func() { p.help(w, c) })
	}
}

func (p *Pool) help(w int, wake <-chan struct{}) {
	for range wake {
		p.mu.Lock()
		if !p.open {
			p.mu.Unlock()
			continue
		}
		p.active++
		p.mu.Unlock()
		p.share(w)
		p.mu.Lock()
		if p.active--; p.active == 0 {
			p.idle.Signal()
		}
		p.mu.Unlock()
	}
}

// Close waits for the region at work and ends the helpers.
func (p *Pool) Close() {
	p.region.Lock()
	defer p.region.Unlock()
	p.mu.Lock()
	stopped := p.stopped
	p.stopped = true
	p.mu.Unlock()
	if stopped {
		return
	}
	for _, c := range p.wake {
		close(c)
	}
	p.alive.Wait()
}

// panicError is a panic in the code of a task.
type panicError struct {
	value any
	stack []byte
}

// Panicked is the error of a task whose code panicked with r, with the stack of the caller.
func Panicked(r any) error { return &panicError{r, debug.Stack()} }

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.value, e.stack) }

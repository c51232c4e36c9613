package exec

import (
	"context"
	"errors"
	"sync"

	"github.com/anycl/anycl/internal/plan"
)

// Engines whose calls block overlap only if each has its own goroutine. These are the goroutines of
// one run: the caller is the first, the others begin and end with the run. A step that moves a value waits for a
// token from the step that makes it; the rest follows from the order of steps on each engine, and from values that
// are moved keeping their memory to the end of the run.

// stepWorkers are the goroutines of a run, one for each engine.
type stepWorkers struct {
	i    *instance
	all  []*engineWorker
	done sync.WaitGroup

	ctx   context.Context // of the run
	run   uint32
	mu    sync.Mutex
	errs  []error
	abort chan struct{} // closed when a worker has failed
}

// engineWorker does the steps of one engine.
type engineWorker struct {
	of    *stepWorkers
	steps []handled
	start func() // serve, as a value made once
}

// handled is a step and those that it waits for, or tells.
type handled struct {
	*step
	wait chan struct{}
	tell []chan struct{}
}

// newStepWorkers divides the steps of i by engine; nil where the caller can as well do them all.
func newStepWorkers(i *instance) *stepWorkers {
	if !i.program.Workers {
		return nil
	}
	h := &stepWorkers{i: i, abort: make(chan struct{})}
	of := make([]*engineWorker, len(i.engines))
	where := make([]int, len(i.steps)) // in its worker
	for n := range i.steps {
		s := &i.steps[n]
		a := of[s.Engine()]
		if a == nil {
			a = &engineWorker{of: h}
			a.start = func() {
				defer h.done.Done()
				a.serve()
			}
			of[s.Engine()] = a
			h.all = append(h.all, a)
		}
		where[n] = len(a.steps)
		a.steps = append(a.steps, handled{step: s})
		if s.Kind == plan.Move {
			token := make(chan struct{}, 1)
			a.steps[where[n]].wait = token
			from := &of[i.steps[s.After].Engine()].steps[where[s.After]]
			from.tell = append(from.tell, token)
		}
	}
	if len(h.all) < 2 {
		return nil
	}
	return h
}

// do lets every worker do its steps, and returns when all are done or have given up.
func (h *stepWorkers) do(ctx context.Context, run uint32) error {
	h.ctx, h.run = ctx, run
	h.done.Add(len(h.all) - 1)
	for _, a := range h.all[1:] {
		go a.start()
	}
	h.all[0].serve()
	h.done.Wait()
	h.ctx = nil
	if h.errs == nil {
		return nil
	}
	return h.failed()
}

// serve does the steps of a worker until one fails, or another worker has.
func (a *engineWorker) serve() {
	h := a.of
	for i := range a.steps {
		s := &a.steps[i]
		err := h.ctx.Err()
		if err == nil && s.wait != nil {
			select {
			case <-s.wait:
			case <-h.abort:
				return
			case <-h.ctx.Done():
				err = h.ctx.Err()
			}
		}
		if err == nil {
			err = h.i.do(h.ctx, s.step, h.run)
		}
		if err != nil {
			h.fail(err)
			return
		}
		for _, token := range s.tell {
			token <- struct{}{}
		}
	}
}

func (h *stepWorkers) fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.errs = append(h.errs, err); len(h.errs) == 1 {
		close(h.abort)
	}
}

// failed makes everything ready for the next run and returns the errors of this one.
func (h *stepWorkers) failed() error {
	err := h.errs[0]
	for _, e := range h.errs[1:] {
		if !errors.Is(err, e) { // one context ends all
			err = errors.Join(err, e)
		}
	}
	h.errs, h.abort = nil, make(chan struct{})
	for _, a := range h.all {
		for i := range a.steps {
			select {
			case <-a.steps[i].wait:
			default:
			}
		}
	}
	return errors.Join(err, h.i.giveUp())
}

// Package wait waits for commands of OpenCL queues.
package wait

import (
	"context"
	"sync"
)

// Waiter lets many goroutines wait for one queue, each with its own context,
// while at most one operating system thread blocks in the driver.
type Waiter struct {
	finish func() error
	serve  func() // run, as a value made once: "go w.run()" would allocate one

	mu      sync.Mutex
	pending []chan error
	running bool
	spare   []chan error // a free list, so that waiting allocates nothing
	batch   []chan error // the round in progress; owned by run
	idle    sync.Cond    // signalled when run ends
}

// New is a waiter for the queue that finish waits for.
func New(finish func() error) *Waiter {
	w := &Waiter{finish: finish}
	w.idle.L = &w.mu
	w.serve = w.run
	return w
}

// Wait returns when everything that was enqueued before the call is done, or
// ctx is. A context that cannot end costs no switch of goroutines.
func (w *Waiter) Wait(ctx context.Context) error {
	if ctx.Done() == nil {
		return w.finish()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	var done chan error
	if n := len(w.spare); n > 0 {
		done, w.spare = w.spare[n-1], w.spare[:n-1]
	} else {
		done = make(chan error, 1)
	}
	w.pending = append(w.pending, done)
	if !w.running {
		w.running = true
		go w.serve()
	}
	w.mu.Unlock()
	select {
	case err := <-done:
		w.mu.Lock()
		w.spare = append(w.spare, done)
		w.mu.Unlock()
		return err
	case <-ctx.Done():
		return ctx.Err() // the channel is left to run and then to the collector
	}
}

// run serves rounds until nobody waits. Who comes during a round waits for the
// next one, because its work may have been enqueued after the driver was asked.
func (w *Waiter) run() {
	for {
		w.mu.Lock()
		if len(w.pending) == 0 {
			w.running = false
			w.idle.Broadcast()
			w.mu.Unlock()
			return
		}
		w.batch, w.pending = w.pending, w.batch[:0]
		w.mu.Unlock()
		err := w.finish()
		for i, done := range w.batch {
			done <- err
			w.batch[i] = nil
		}
	}
}

// Stop waits until no round is in progress.
func (w *Waiter) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.running {
		w.idle.Wait()
	}
}

package exec

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Two engines that get ready on the same cores at the same time take twice as long for the first result as either. So one of them is
// first: the CPU engine where its run is short, else the device, for as long as it may have its kernels in a cache.
const (
	quick   = 300 * time.Millisecond // what a run on the CPU engine is predicted to take at most that comes before all compiling
	opening = 200 * time.Millisecond // the time of opening a device that this machine has opened before
)

// pending is the version that is compiled beside the runs.
type pending struct {
	built  chan struct{} // closed when version or err is set, which are not read before
	begun  chan struct{} // closed when runs have begun without it
	done   chan struct{} // closed after both, when runs take the version
	cancel context.CancelFunc

	free  sync.Once
	freed chan struct{} // closed when nothing is to be waited for before compiling

	version *version
	err     error
}

func newPending(cancel context.CancelFunc) *pending {
	return &pending{
		built: make(chan struct{}), begun: make(chan struct{}), done: make(chan struct{}), freed: make(chan struct{}), cancel: cancel,
	}
}

// hold returns when the first run has ended or takes unexpectedly long, someone waits for w, or no run has begun in a while.
func (w *pending) hold(ctx context.Context, runs *atomic.Uint32) {
	before := runs.Load()
	select {
	case <-w.begun:
	case <-ctx.Done():
		return
	}
	for _, d := range []time.Duration{quick, 3 * quick} {
		t := time.NewTimer(d)
		select {
		case <-w.freed:
		case <-ctx.Done():
		case <-t.C:
			if runs.Load() != before {
				continue
			}
		}
		t.Stop()
		return
	}
}

// release ends hold.
func (w *pending) release() {
	if w != nil {
		w.free.Do(func() { close(w.freed) })
	}
}

// within is the version, for the caller to begin with; nil: it is not ready in time, or there is none. Errors: ctx is done.
func (w *pending) within(ctx context.Context, d time.Duration) (*version, error) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-w.built:
	case <-t.C:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	v := w.version
	if v != nil {
		w.version = nil
		w.cancel()
	}
	return v, nil
}

// end stops compiling, and closes its result.
func (w *pending) end() error {
	if w == nil {
		return nil
	}
	w.cancel()
	<-w.done
	if w.version == nil {
		return nil
	}
	return w.version.close()
}

// Ready returns when nothing is compiled beside the runs any more, or x is closed. Errors: that of compiling; of ctx; [ErrClosed].
func (x *Executor) Ready(ctx context.Context) error {
	if x.closed.Load() {
		return x.closedError()
	}
	w := x.pending
	if w == nil {
		return ctx.Err()
	}
	w.release()
	select {
	case <-w.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if w.err != nil {
		return fmt.Errorf("ops: compile %q: %w", x.name, EngineClosed(w.err))
	}
	return nil
}

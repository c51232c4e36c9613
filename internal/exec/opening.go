package exec

import (
	"context"

	"github.com/anycl/anycl/engine"
)

// Opening is a device that is being opened beside the runs of a machine. Until it is open, an engine that takes no task stands in
// its place, so that engines keep their numbers.
type Opening struct {
	done    chan struct{} // closed when the other fields are set, which are not read before
	engines []engine.Engine
	why     string
	err     error
}

// NewOpening is a device that is not open yet.
func NewOpening() *Opening { return &Opening{done: make(chan struct{})} }

// Finish sets the outcome: the engines from now on and why they were chosen, or an error, after which the machine is of no use.
func (o *Opening) Finish(engines []engine.Engine, why string, err error) {
	o.engines, o.why, o.err = engines, why, err
	close(o.done)
}

// Wait returns when the device is open. Errors: that of opening it; ctx's.
func (o *Opening) Wait(ctx context.Context) error {
	switch {
	case o == nil:
		return nil
	case !o.Pending(): // even if ctx is done
		return o.err
	}
	select {
	case <-o.done:
		return o.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Pending reports whether the device is not open yet.
func (o *Opening) Pending() bool {
	if o == nil {
		return false
	}
	select {
	case <-o.done:
		return false
	default:
		return true
	}
}

// Current are the machine's engines at the moment, and why they were chosen.
func (m *Machine) Current() (engines []engine.Engine, why string) {
	if o := m.Opening; o != nil && !o.Pending() && o.err == nil {
		return o.engines, o.why
	}
	return m.Engines, m.Why
}

package exec

import (
	"context"
	"fmt"
	"time"

	"github.com/anycl/anycl/engine"
)

// Tracer is told what a run does, in the order in which the host does it.
type Tracer interface {
	// Epoch is the time from which launches are timed.
	Epoch() time.Time
	// Host says that the caller's goroutine has done what is named since start.
	Host(name string, start time.Time)
	// Ran says that an engine, by its number, has run its tasks [first, last), in these launches if it can time them.
	Ran(engine, first, last int, launches []engine.Span)
}

// began is the time in a traced run.
func (i *instance) began() (start time.Time) {
	if i.tracer != nil {
		start = time.Now()
	}
	return start
}

// did tells the tracer, if there is one, what the host has done since start.
func (i *instance) did(name string, start time.Time) {
	if i.tracer != nil {
		i.tracer.Host(name, start)
	}
}

// didIteration tells the tracer of an iteration of a loop, or the way of a branch.
func (i *instance) didIteration(f *region, n int64, start time.Time) {
	switch {
	case i.tracer == nil: // no name is made
	case f.Loop:
		i.tracer.Host(fmt.Sprintf("%s, iteration %d", f.Node.Scope, n), start)
	default:
		i.tracer.Host(fmt.Sprintf("%s, %t", f.Node.Scope, n == 0), start)
	}
}

// runTraced runs the tasks of a step with a clock on each launch. An engine that has none is timed as a whole.
func (i *instance) runTraced(ctx context.Context, s *step, run uint32) (err error) {
	e, start := &i.engines[s.From], time.Now()
	var launches []engine.Span
	if p := e.seq.Traits().Profiler; p != nil {
		launches, err = p.Profile(ctx, s.First, s.Last, run, i.tracer.Epoch())
	} else if err = e.seq.Run(ctx, s.First, s.Last, run); err == nil {
		err = e.engine.Wait(ctx)
	}
	if err != nil {
		return err
	}
	i.tracer.Host("run", start)
	i.tracer.Ran(s.From, s.First, s.Last, launches)
	return nil
}

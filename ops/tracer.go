package ops

import (
	"context"
	"fmt"
	"time"

	"github.com/anycl/anycl/engine"
)

// tracer is told what a run does, in the order in which the host does it.
type tracer interface {
	// Epoch is the time from which launches are timed.
	Epoch() time.Time
	// Host says that the caller's goroutine has done what is named since start.
	Host(name string, start time.Time)
	// Ran says that an engine, by its number, has run its tasks [first, last), in these launches if it can time them.
	Ran(engine, first, last int, launches []engine.Span)
}

// began is the time in a traced run.
func (x *Executable) began() (start time.Time) {
	if x.tracer != nil {
		start = time.Now()
	}
	return start
}

// did tells the tracer, if there is one, what the host has done since start.
func (x *Executable) did(name string, start time.Time) {
	if x.tracer != nil {
		x.tracer.Host(name, start)
	}
}

// didIteration tells the tracer of an iteration of a loop, or the way of a branch.
func (x *Executable) didIteration(f *flowSteps, n int64, start time.Time) {
	switch {
	case x.tracer == nil: // no name is made
	case f.Loop:
		x.tracer.Host(fmt.Sprintf("%s, iteration %d", f.Node.Scope, n), start)
	default:
		x.tracer.Host(fmt.Sprintf("%s, %t", f.Node.Scope, n == 0), start)
	}
}

// runTraced runs the tasks of a step with a clock on each launch. An engine that has none is timed as a whole.
func (x *Executable) runTraced(ctx context.Context, s *step, run uint32) (err error) {
	side, start := x.sides[s.from], time.Now()
	var launches []engine.Span
	if p := side.seq.Traits().Profiler; p != nil {
		launches, err = p.Profile(ctx, s.first, s.last, run, x.tracer.Epoch())
	} else if err = side.seq.Run(ctx, s.first, s.last, run); err == nil {
		err = side.engine.Wait(ctx)
	}
	if err != nil {
		return err
	}
	x.tracer.Host("run", start)
	x.tracer.Ran(s.from, s.first, s.last, launches)
	return nil
}

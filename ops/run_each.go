package ops

import (
	"context"
	"fmt"
	"iter"

	"github.com/anycl/anycl/internal/exec"
	"github.com/anycl/anycl/tensor"
)

// EachOptions say how [Executable.Each] works. The zero value is right for most.
type EachOptions struct {
	// Ahead is how many runs may be under way while the caller has the results
	// of an earlier one or makes the next feeds; 0 means 2, -1 none.
	Ahead int
}

// Each runs x with one feed after the other and yields the outputs of each run
// in the same order. On a device it works ahead: while one run computes, the
// next feeds are made and handed over, so that the device does not wait for the
// host. On the CPU path, in a graph that is spread over several engines, and in one
// so small that it runs on the caller's thread, each run is over before the next
// feeds are asked for.
//
//	for outs, err := range exe.Each(ctx, batches, ops.EachOptions{}) {
//		if err != nil {
//			return err
//		}
//		sum += outs[0].Float64At(0)
//	}
//
// Feeds and their tensors may be changed when feeds is asked for the next ones:
// they are copied at once. The yielded tensors are the same each time, and hold
// their values until the next; of a graph with open sizes they are new ones. Everything runs on the caller's goroutine.
//
// Each stops at the first error, which it yields after the results of the runs
// before: an error that comes with feeds, those of Run, or ctx's. When the loop
// or ctx ends early, runs that are under way go on, and update variables: up to
// Ahead more than have been yielded.
func (x *Executable) Each(ctx context.Context, feeds iter.Seq2[Feeds, error], o EachOptions) iter.Seq2[[]*tensor.Tensor, error] {
	return func(yield func([]*tensor.Tensor, error) bool) {
		c, err := x.newConveyor(o)
		if err == nil && feeds == nil {
			err = fmt.Errorf("ops: each %q: no feeds", x.graph.name)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		defer c.close()
		for f, err := range feeds {
			if err == nil {
				err = c.start(ctx, f)
			}
			if err != nil {
				if c.deliver(ctx, 0, yield) {
					yield(nil, err)
				}
				return
			}
			if !c.deliver(ctx, c.ahead, yield) {
				return
			}
		}
		c.deliver(ctx, 0, yield)
	}
}

// conveyor is the runs of one Each.
type conveyor struct {
	x      *Executable
	ahead  int
	outs   []*tensor.Tensor
	stream *exec.Stream // nil: one run at a time
	of     any          // the version of the executor for which stream was made, or found to be impossible
	done   bool         // a run that was not ahead has filled outs
}

func (x *Executable) newConveyor(o EachOptions) (*conveyor, error) {
	c := &conveyor{x: x, ahead: o.Ahead}
	switch {
	case o.Ahead < -1:
		return nil, fmt.Errorf("ops: each %q: %d runs ahead", x.graph.name, o.Ahead)
	case o.Ahead == -1:
		c.ahead = 0
	case o.Ahead == 0:
		c.ahead = 2
	}
	if x.open != nil { // results differ in size
		return c, nil
	}
	var err error
	if c.outs, err = x.executor.NewOutputs(); err != nil {
		return nil, err
	}
	c.of = x.executor.Version()
	c.stream, err = x.executor.NewStream(c.outs)
	return c, err
}

// start begins a run, or does it where nothing works ahead.
func (c *conveyor) start(ctx context.Context, feeds Feeds) error {
	if c.x.open != nil {
		var err error
		c.outs, err = c.x.Run(ctx, feeds)
		c.done = err == nil
		return err
	}
	if now := c.x.executor.Version(); c.stream == nil && now != c.of { // one that may work ahead
		var err error
		if c.stream, err = c.x.executor.NewStream(c.outs); err != nil {
			return err
		}
		c.of = now
	}
	if c.stream == nil {
		err := c.x.RunInto(ctx, feeds, c.outs)
		c.done = err == nil
		return err
	}
	return c.stream.Start(ctx, func(into []*tensor.Tensor) error { return c.x.fill(ctx, feeds, into) })
}

// deliver yields results until no more than left runs are under way. It reports
// whether the loop goes on.
func (c *conveyor) deliver(ctx context.Context, left int, yield func([]*tensor.Tensor, error) bool) bool {
	if c.stream == nil {
		if !c.done {
			return true
		}
		c.done = false
		return yield(c.outs, nil)
	}
	for c.stream.Pending() > left {
		if err := c.stream.Take(ctx); err != nil {
			yield(nil, err)
			return false
		}
		if !yield(c.outs, nil) {
			return false
		}
	}
	return true
}

func (c *conveyor) close() {
	if c.stream != nil {
		c.stream.Close()
	}
}

package ops

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
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
// their values until the next. Everything runs on the caller's goroutine.
//
// Each stops at the first error, which it yields after the results of the runs
// before: an error that comes with feeds, those of Run, or ctx's. When the loop
// or ctx ends early, runs that are under way go on, and update variables: up to
// Ahead more than have been yielded.
func (x *Executable) Each(ctx context.Context, feeds iter.Seq2[Feeds, error], o EachOptions) iter.Seq2[[]*tensor.Tensor, error] {
	return func(yield func([]*tensor.Tensor, error) bool) {
		c, err := x.newConveyor(o)
		if err == nil && feeds == nil {
			err = fmt.Errorf("ops: each %q: no feeds", x.name)
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

// conveyor is the runs of one Each that are under way, the oldest first.
type conveyor struct {
	x       *Executable
	ahead   int
	outs    []*tensor.Tensor
	streams []engine.Streamer // of each side; nil: one run at a time
	pieces  [][]engine.Piece  // of outs, by side
	data    [][][]byte        // where they go
	pending [][]engine.Ticket // of each run, by side; nil: nothing to wait for there
	spare   [][]engine.Ticket // closed, for later runs
	done    bool              // a run that was not ahead has filled outs
}

func (x *Executable) newConveyor(o EachOptions) (*conveyor, error) {
	x = x.now()
	c := &conveyor{x: x, ahead: o.Ahead}
	switch {
	case o.Ahead < -1:
		return nil, fmt.Errorf("ops: each %q: %d runs ahead", x.name, o.Ahead)
	case o.Ahead == -1:
		c.ahead = 0
	case o.Ahead == 0:
		c.ahead = 2
	}
	x.mu.Lock()
	closed := x.closed
	x.mu.Unlock()
	if closed { // also where there are no feeds, and no run would tell
		return nil, x.closedError()
	}
	var err error
	if c.outs, err = x.newOutputs(); err != nil {
		return nil, err
	}
	c.pieces, c.data = make([][]engine.Piece, len(x.sides)), make([][][]byte, len(x.sides))
	for i, o := range x.outs {
		data, _ := c.outs[i].Bytes()
		c.data[o.side] = append(c.data[o.side], data)
		c.pieces[o.side] = append(c.pieces[o.side], engine.Piece{Slot: o.slot, Bytes: o.bytes()})
	}
	for i, s := range x.sides {
		e := s.engine.Traits().Stream
		if len(x.flows) > 0 || (e == nil || s.immediate()) && x.uses(i) {
			c.streams, c.ahead = nil, 0
			return c, nil
		}
		c.streams = append(c.streams, e)
	}
	return c, nil
}

// uses reports whether a run has anything to do with side i.
func (x *Executable) uses(i int) bool {
	if x.sides[i].seq != nil {
		return true
	}
	for _, in := range x.inputs {
		for _, to := range in.to {
			if to.side == i {
				return true
			}
		}
	}
	for _, o := range x.outs {
		if o.side == i {
			return true
		}
	}
	return false
}

// start begins a run, or does it where nothing works ahead.
func (c *conveyor) start(ctx context.Context, feeds Feeds) error {
	if c.streams == nil {
		err := c.x.RunInto(ctx, feeds, c.outs)
		c.done = err == nil
		return err
	}
	var tickets []engine.Ticket
	if n := len(c.spare); n > 0 {
		tickets, c.spare = c.spare[n-1], c.spare[:n-1]
	} else {
		tickets = make([]engine.Ticket, len(c.x.sides))
	}
	err := c.x.start(ctx, feeds, c.streams, c.pieces, tickets)
	if err == nil {
		c.pending = append(c.pending, tickets)
	}
	return err
}

// deliver yields results until no more than left runs are under way. It reports
// whether the loop goes on.
func (c *conveyor) deliver(ctx context.Context, left int, yield func([]*tensor.Tensor, error) bool) bool {
	if c.done {
		c.done = false
		return yield(c.outs, nil)
	}
	for len(c.pending) > left {
		tickets := c.pending[0]
		c.pending = slices.Delete(c.pending, 0, 1)
		if err := errors.Join(c.take(ctx, tickets), closeTickets(tickets)); err != nil {
			yield(nil, fmt.Errorf("ops: run %q: %w", c.x.name, engineClosed(err)))
			return false
		}
		c.spare = append(c.spare, tickets)
		if !yield(c.outs, nil) {
			return false
		}
	}
	return true
}

// take waits for a run and copies its outputs to outs.
func (c *conveyor) take(ctx context.Context, tickets []engine.Ticket) error {
	for s, t := range tickets {
		if t == nil {
			continue
		}
		if err := t.Wait(ctx, c.data[s]); err != nil {
			return err
		}
	}
	return nil
}

func (c *conveyor) close() {
	for _, tickets := range c.pending {
		_ = closeTickets(tickets) // nobody wants them
	}
}

func closeTickets(tickets []engine.Ticket) (err error) {
	for _, t := range tickets {
		if t != nil {
			err = errors.Join(err, t.Close())
		}
	}
	return err
}

// start submits a run and asks for its outputs: the pieces of each side. Tickets
// are those of a run before, closed, and become those of this one.
func (x *Executable) start(ctx context.Context, feeds Feeds, streams []engine.Streamer, pieces [][]engine.Piece, tickets []engine.Ticket) (err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.ready(ctx, feeds); err != nil {
		return err
	}
	asked := 0
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("ops: run %q: %w", x.name, engineClosed(err)), closeTickets(tickets[:asked]))
		}
	}()
	// What comes later on these engines comes after this run: the variables need
	// not stay locked until it is done.
	locked, err := x.lockVariables(ctx)
	defer func() { x.unlockVariables(locked) }()
	if err != nil {
		return err
	}
	if err := x.submit(ctx, feeds, streams); err != nil {
		return err
	}
	for ; asked < len(x.sides); asked++ {
		if !x.uses(asked) {
			continue
		}
		t, err := streams[asked].Fetch(pieces[asked], tickets[asked])
		if err != nil {
			return err
		}
		tickets[asked] = t
	}
	return nil
}

// bytes is the size of the output.
func (o *output) bytes() int64 { return int64(ir.Product(o.shape)) * int64(o.dtype.Size()) }

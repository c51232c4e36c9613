package exec

import (
	"context"
	"errors"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// Stream is runs that are under way at the same time, in the order in which they were begun.
type Stream struct {
	version *version
	engines []engine.Streamer
	pieces  [][]engine.Piece  // outputs, by engine
	data    [][][]byte        // where they go
	pending [][]engine.Ticket // of each run, by engine, the oldest first; nil: nothing to wait for there
	spare   [][]engine.Ticket // closed, for later runs
}

// NewStream makes a stream of runs whose results go to outs; nil where each run is over before the next can begin.
// Errors: x is closed.
func (x *Executor) NewStream(outs []*tensor.Tensor) (*Stream, error) {
	v := x.now()
	i := v.first
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return nil, x.closedError()
	}
	if len(v.Flows) > 0 || v.machine.Timeline != nil {
		return nil, nil
	}
	s := &Stream{version: v, pieces: make([][]engine.Piece, len(i.engines)), data: make([][][]byte, len(i.engines))}
	for e := range i.engines {
		st := i.engines[e].stream
		if (st == nil || i.engines[e].immediate()) && i.uses(e) {
			return nil, nil
		}
		s.engines = append(s.engines, st)
	}
	for n, o := range i.outputs {
		data, _ := outs[n].Bytes()
		s.data[o.engine] = append(s.data[o.engine], data)
		s.pieces[o.engine] = append(s.pieces[o.engine], engine.Piece{Slot: o.Slot, Bytes: v.Outputs[n].Bytes})
	}
	return s, nil
}

// uses reports whether a run has anything to do with engine e.
func (i *instance) uses(e int) bool {
	if i.engines[e].seq != nil {
		return true
	}
	for _, in := range i.inputs {
		for _, b := range in {
			if b.engine == e {
				return true
			}
		}
	}
	for _, o := range i.outputs {
		if o.engine == e {
			return true
		}
	}
	return false
}

// Pending is how many runs have begun whose results were not taken.
func (s *Stream) Pending() int { return len(s.pending) }

// Start submits a run and asks for its outputs.
func (s *Stream) Start(ctx context.Context, fill Fill) (err error) {
	v, i := s.version, s.version.first
	i.mu.Lock()
	defer i.ends()
	if err := i.ready(fill); err != nil {
		return err
	}
	var tickets []engine.Ticket
	if n := len(s.spare); n > 0 {
		tickets, s.spare = s.spare[n-1], s.spare[:n-1]
	} else {
		tickets = make([]engine.Ticket, len(s.engines))
	}
	asked := 0
	defer func() {
		if err != nil {
			err = errors.Join(v.failed(err), closeTickets(tickets[:asked]))
			return
		}
		s.pending = append(s.pending, tickets)
	}()
	// These engines run later work after this run: the variables need not stay locked until it is done.
	locked, err := i.lockVariables(ctx)
	defer func() { i.unlockVariables(locked) }()
	if err != nil {
		return err
	}
	if err := i.submit(ctx, s.engines); err != nil {
		return err
	}
	for ; asked < len(s.engines); asked++ {
		if !i.uses(asked) {
			continue
		}
		t, err := s.engines[asked].Fetch(s.pieces[asked], tickets[asked])
		if err != nil {
			return err
		}
		tickets[asked] = t
	}
	return nil
}

// Take waits for the oldest run and copies its outputs.
func (s *Stream) Take(ctx context.Context) error {
	tickets := s.pending[0]
	s.pending = append(s.pending[:0], s.pending[1:]...)
	err := errors.Join(s.wait(ctx, tickets), closeTickets(tickets))
	s.version.pending.release()
	if err != nil {
		return s.version.failed(err)
	}
	s.spare = append(s.spare, tickets)
	return nil
}

func (s *Stream) wait(ctx context.Context, tickets []engine.Ticket) error {
	for e, t := range tickets {
		if t == nil {
			continue
		}
		if err := t.Wait(ctx, s.data[e]); err != nil {
			return err
		}
	}
	return nil
}

// Close gives up the results of runs that nobody has taken.
func (s *Stream) Close() {
	for _, tickets := range s.pending {
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

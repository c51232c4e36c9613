package exec

import (
	"context"
	"errors"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/plan"
	"github.com/anycl/anycl/tensor"
)

// step is a step of the program with its memory.
type step struct {
	plan.Step
	src, dst engine.Slot
	// data holds the value on its way: memory of an engine, where that is the
	// host's, so that the value need not be read from there, or not be written there.
	data    []byte
	fetched *fetched // nil: the value was not fetched ahead
	ahead   bool     // the write is ordered behind the work submitted before
	region  *region
}

// fetched is a value that was asked for. Its ticket serves one run after the other.
type fetched struct {
	pieces []engine.Piece
	data   [][]byte
	ticket engine.Ticket
	open   bool
}

// region is a loop or a branch with its memory.
type region struct {
	*plan.Region
	slot  engine.Slot // of the predicate
	truth []byte      // likewise, or where it is read to
	parts [2][]step
}

// bind gives steps their memory. Of an engine that has done its work when it was told to, nothing is asked ahead.
func (i *instance) bind(steps []plan.Step) []step {
	bound := make([]step, len(steps))
	for n, p := range steps {
		s := &bound[n]
		s.Step = p
		switch p.Kind {
		case plan.Move:
			s.src, s.dst = i.slot(p.Src), i.slot(p.Dst)
			switch {
			case !p.Write:
				s.data = i.host(p.To, s.dst, p.Bytes)
			case !p.Read:
				s.data = i.host(p.From, s.src, p.Bytes)
			default:
				s.data = tensor.AlignedBytes(int(p.Bytes))
			}
			s.ahead = p.Ahead && !i.engines[p.To].immediate()
			if p.Fetch >= 0 && !i.engines[p.From].immediate() {
				s.fetched = &i.fetches[p.Fetch]
				s.fetched.data = [][]byte{s.data}
			}
		case plan.Ask:
			if !i.engines[p.From].immediate() {
				s.fetched = &i.fetches[p.Fetch]
				s.fetched.pieces = []engine.Piece{{Slot: i.slot(p.Src), Bytes: p.Bytes}}
			}
		case plan.Enter:
			s.region = i.bindRegion(p.Region)
		}
	}
	return bound
}

func (i *instance) bindRegion(p *plan.Region) *region {
	r := &region{Region: p}
	if p.Predicate != nil {
		if r.slot = i.slot(*p.Predicate); p.OnHost {
			r.truth = i.host(p.Predicate.Engine, r.slot, 1)
		} else {
			r.truth = make([]byte, 1)
		}
	}
	for k, steps := range p.Parts {
		r.parts[k] = i.bind(steps)
	}
	return r
}

// do does one step.
func (i *instance) do(ctx context.Context, s *step, run uint32) error {
	switch s.Kind {
	case plan.Run:
		if i.tracer != nil {
			return i.runTraced(ctx, s, run)
		}
		return i.engines[s.From].seq.Run(ctx, s.First, s.Last, run)
	case plan.Enter:
		return i.enter(ctx, s.region, run)
	case plan.Ask:
		if s.fetched == nil {
			return nil
		}
	}
	start := i.began()
	err := i.move(ctx, s)
	i.did("move", start)
	return err
}

// follow takes steps one after the other.
func (i *instance) follow(ctx context.Context, steps []step, run uint32) error {
	for n := range steps {
		if err := i.do(ctx, &steps[n], run); err != nil {
			return err
		}
	}
	return nil
}

// move asks for a value, or brings it from one engine to another.
func (i *instance) move(ctx context.Context, s *step) (err error) {
	from, to := i.engines[s.From].engine, i.engines[s.To].engine
	f := s.fetched
	switch {
	case s.Kind == plan.Ask:
		f.ticket, err = i.engines[s.From].stream.Fetch(f.pieces, f.ticket)
		f.open = err == nil
		return err
	case f != nil:
		if err := f.ticket.Wait(ctx, f.data); err != nil {
			return err
		}
		f.open = false
		err = f.ticket.Close()
	case s.Read:
		err = from.Read(ctx, s.data, s.src.Mem, s.src.Offset)
	}
	switch {
	case err != nil || !s.Write:
		return err
	case s.ahead:
		return i.engines[s.To].stream.Send(ctx, s.dst.Mem, s.dst.Offset, s.data)
	}
	return to.Write(ctx, s.dst.Mem, s.dst.Offset, s.data)
}

// giveUp closes the tickets of a run that has failed.
func (i *instance) giveUp() (err error) {
	for n := range i.fetches {
		if f := &i.fetches[n]; f.open {
			f.open = false
			err = errors.Join(err, f.ticket.Close())
		}
	}
	return err
}

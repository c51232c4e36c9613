package ops

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/anycl/anycl/tensor"
)

// stepping is the step that is under way.
type stepping struct {
	ctx    context.Context
	cancel context.CancelFunc
	fetch  bool // the phase: variables are brought, or shares computed
	done   sync.WaitGroup
}

// Step divides a batch among the devices, makes one step of training and returns the mean
// loss before it. batch has one tensor for each of Share.Inputs, all with the same number of rows, any
// number from 1 on; the graphs for a new number are compiled first. feeds are for other
// inputs of the graph, those of a share and of the optimiser, and may be nil. It allocates a few
// hundred bytes for each device.
//
// An error of one device, or a context that is done, ends the step on all, and variables are as they
// were: nothing is written before all derivatives are there. Errors: a tensor that does not fit (is
// ErrFeed); ctx is done; closed; a device failed.
func (p *DataParallel) Step(ctx context.Context, feeds Feeds, batch ...*tensor.Tensor) (loss float64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.ready(ctx); err != nil {
		return 0, err
	}
	rows, err := p.rows(batch)
	if err != nil {
		return 0, err
	}
	if err := errors.Join(p.divide(ctx, rows), p.feed(feeds, batch)); err != nil {
		return 0, err
	}
	for k, s := range p.shares {
		p.weights.SetFloat64(k, float64(s.rows)/float64(rows))
		if s.rows == 0 { // its old values may be NaN or infinite
			for _, t := range s.outs {
				b, _ := t.Bytes()
				clear(b)
			}
		}
	}
	for _, fetch := range []bool{true, false} {
		if err := p.together(ctx, fetch); err != nil {
			return 0, err
		}
	}
	if err := ctx.Err(); err != nil {
		return 0, p.wrap(err)
	}
	for n, t := range feeds {
		p.sumFeeds[n] = t
	}
	p.update.executor.SetRuns(p.steps)
	err = p.update.RunInto(context.WithoutCancel(ctx), p.sumFeeds, p.loss)
	for n := range feeds {
		delete(p.sumFeeds, n)
	}
	if err != nil {
		return 0, err
	}
	p.steps++
	return p.loss[0].Float64At(0), nil
}

func (p *DataParallel) wrap(err error) error {
	return fmt.Errorf("ops: step of %q: %w", p.graph.name, err)
}

// rows is how many rows a batch has.
func (p *DataParallel) rows(batch []*tensor.Tensor) (int, error) {
	rows := 0
	for i, t := range batch {
		switch {
		case t == nil || t.Rank() == 0:
			return 0, fmt.Errorf("%w: step of %q: tensor %d of the batch has no rows", ErrFeed, p.graph.name, i)
		case i > 0 && t.Shape()[0] != rows:
			return 0, fmt.Errorf("%w: step of %q: tensor %d of the batch is %v%v, and the first has %d rows", ErrFeed, p.graph.name, i, t.DType(),
				t.Shape(), rows)
		}
		rows = t.Shape()[0]
	}
	if rows == 0 {
		return 0, fmt.Errorf("%w: step of %q: the batch has no rows", ErrFeed, p.graph.name)
	}
	return rows, nil
}

// feed gives each share its part of the batch.
func (p *DataParallel) feed(feeds Feeds, batch []*tensor.Tensor) error {
	at := 0
	for _, s := range p.shares {
		clear(s.feeds)
		if s.now == nil {
			continue
		}
		if len(batch) != len(s.now.Inputs) {
			return fmt.Errorf("%w: step of %q: %d tensors for %d inputs", ErrFeed, p.graph.name, len(batch), len(s.now.Inputs))
		}
		for n, t := range feeds {
			s.feeds[n] = t
		}
		for i, n := range s.now.Inputs {
			part, err := batch[i].Slice(0, at, at+s.rows, 1)
			if err != nil {
				return p.wrap(err)
			}
			s.feeds[n] = part
		}
		at += s.rows
	}
	return nil
}

// together lets every device do its part of a phase, and returns when all have done it or given up.
func (p *DataParallel) together(ctx context.Context, fetch bool) error {
	st := &p.step
	st.ctx, st.fetch, st.cancel = ctx, fetch, func() {}
	if len(p.replicas) > 1 {
		st.ctx, st.cancel = context.WithCancel(ctx)
	}
	st.done.Add(len(p.replicas) - 1)
	for _, r := range p.replicas[1:] {
		go r.start()
	}
	p.replicas[0].phase()
	st.done.Wait()
	st.cancel()
	st.ctx = nil
	var errs []error
	for _, r := range p.replicas {
		// Errors of replicas that were cancelled because of another's error are not reported.
		if r.err != nil && (ctx.Err() != nil || !errors.Is(r.err, context.Canceled)) {
			errs = append(errs, r.err)
		}
	}
	if err := ctx.Err(); err != nil && len(errs) > 0 {
		return p.wrap(errors.Join(err, notOf(errs, err)))
	}
	if len(errs) == 0 {
		return nil
	}
	return p.wrap(errors.Join(errs...))
}

// notOf are the errors that another does not stand for.
func notOf(errs []error, one error) error {
	var rest []error
	for _, e := range errs {
		if !errors.Is(e, one) {
			rest = append(rest, e)
		}
	}
	return errors.Join(rest...)
}

// phase does a device's part.
func (r *replica) phase() {
	st := &r.of.step
	r.err = nil
	for _, s := range r.shares {
		if s.now == nil {
			continue
		}
		err := s.compute
		if st.fetch {
			err = s.fetch
		} else {
			s.now.exe.executor.SetRuns(r.of.steps)
		}
		if e := err(st.ctx); e != nil {
			r.err = fmt.Errorf("share %d, %d rows, on %s: %w", s.number, s.rows, s.rt.engines()[0].Name(), e)
			st.cancel()
			return
		}
	}
}

func (s *share) compute(ctx context.Context) error {
	return s.now.exe.RunInto(ctx, s.feeds, s.outs)
}

// fetch brings variables to where the share reads them. It happens on all devices before any
// computes: a run holds the variables that it reads, and nobody could bring them elsewhere.
func (s *share) fetch(ctx context.Context) error {
	return s.now.exe.executor.Bring(ctx)
}

package ocl

import (
	"context"
	"errors"
	"time"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
)

// peaks are the rates that calibration measured.
func (e *Engine) peaks() engine.Peaks {
	return engine.Peaks{Flops: e.rates().flops, Bytes: e.rates().memory}
}

// Profile runs tasks [from, to), waits, and tells when each command was at work:
// by the device's clock where it has one, else by waiting for each in turn.
func (s *sequence) Profile(ctx context.Context, from, to int, run uint32, epoch time.Time) ([]engine.Span, error) {
	if err := s.ready(ctx, from, to); err != nil {
		return nil, err
	}
	if err := s.eng.Wait(ctx); err != nil { // the other queue is not ordered with the commands submitted before
		return nil, err
	}
	if s.eng.dev.Caps().Profiling && !s.eng.bounds && !s.launcher.immediate() {
		return s.profileByEvents(ctx, from, to, run, epoch)
	}
	return s.profileByWaiting(ctx, from, to, run, epoch)
}

func (s *sequence) profileByWaiting(ctx context.Context, from, to int, run uint32, epoch time.Time) ([]engine.Span, error) {
	var spans []engine.Span
	start := time.Since(epoch)
	err := s.submit(ctx, from, to, run, func(task int, c *command) error {
		if !s.launcher.immediate() {
			if err := s.eng.Wait(ctx); err != nil {
				return err
			}
		}
		end := time.Since(epoch)
		spans = append(spans, engine.Span{Task: task, Name: c.name, Start: start, End: end, Clock: engine.HostClock})
		start = end
		return nil
	})
	if err != nil {
		return nil, err
	}
	return spans, nil
}

// timed is a command in the profiling queue.
type timed struct {
	task  int
	name  string
	event *cl.Event
}

func (s *sequence) profileByEvents(ctx context.Context, from, to int, run uint32, epoch time.Time) (spans []engine.Span, err error) {
	q, err := s.eng.dev.ProfilingQueue()
	if err != nil {
		return nil, s.eng.waited(err)
	}
	var commands []timed
	defer func() {
		for _, c := range commands {
			err = errors.Join(err, c.event.Close())
		}
	}()
	var enqueued time.Duration // of the first command, on the host's clock
	for i := from; i < to; i++ {
		p := &s.tasks[i]
		for j := range p.steps {
			if p.skips(j) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, errors.Join(err, s.eng.finish(q)) // nothing may be left in a queue that nobody waits for
			}
			if len(commands) == 0 {
				enqueued = time.Since(epoch)
			}
			e, err := p.steps[j].submitEvent(q, run)
			if err != nil {
				return nil, errors.Join(s.failed(p, err), s.eng.finish(q))
			}
			commands = append(commands, timed{i, p.steps[j].name, e})
		}
	}
	if err := s.eng.finish(q); err != nil {
		return nil, err
	}
	s.eng.launches.Add(int64(to - from))
	var first uint64
	for i, c := range commands {
		t, err := c.event.Profile()
		if err != nil {
			return nil, s.eng.waited(err)
		}
		if i == 0 { // the clocks meet where the first command was enqueued
			if first = t.Queued; first == 0 || first > t.Started {
				first = t.Started
			}
		}
		since := func(at uint64) time.Duration { return enqueued + time.Duration(int64(at-first)) }
		spans = append(spans, engine.Span{
			Task: c.task, Name: c.name, Start: since(t.Started), End: since(max(t.Ended, t.Started)), Clock: engine.DeviceClock,
		})
	}
	return spans, nil
}

// submitEvent is submit with an event.
func (t *command) submitEvent(q *cl.Queue, run uint32) (*cl.Event, error) {
	if c := t.copy; c != nil {
		if c.in {
			return q.CopyEvent(c.whole, c.part, c.offset, 0, c.bytes, nil)
		}
		return q.CopyEvent(c.part, c.whole, 0, c.offset, c.bytes, nil)
	}
	if t.run >= 0 {
		if err := t.kernel.SetUint32(t.run, run); err != nil {
			return nil, err
		}
	}
	return q.LaunchEvent(t.kernel, t.rng, nil)
}

package ocl

import (
	"context"
	"errors"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/hostrun"
)

// runInline is Run on the companion. It returns when the tasks are done. With note, it is
// called after each command.
func (s *sequence) runInline(ctx context.Context, from, to int, run uint32, note func(task int, step *command)) error {
	if err := s.settle(); err != nil {
		return err
	}
	var counts *hostrun.Pool
	if t := s.eng.pooled; t != nil {
		counts = t.pool
	}
	h := hostrun.Begin(counts, s.site.pool, s.queues, &s.yields)
	defer h.End()
	for i := from; i < to; i++ {
		p := &s.tasks[i]
		for j := range p.steps {
			if p.skips(j) {
				continue
			}
			step := &p.steps[j]
			var err error
			if step.host != nil {
				err = h.Do(ctx, step.host, run)
			} else { // a copy
				err = errors.Join(step.submit(s.queues[0], run), s.queues[0].Finish())
			}
			if err != nil {
				return s.failed(p, err)
			}
			if note != nil {
				note(i, step)
			}
		}
		p.current = true
	}
	if from < to {
		s.eng.last.Store(s.tasks[to-1].task)
	}
	s.eng.launches.Add(int64(to - from))
	return nil
}

// profileInline is Profile on the companion, by the host's clock: launches are over when
// they return.
func (s *sequence) profileInline(ctx context.Context, from, to int, run uint32, epoch time.Time) ([]engine.Span, error) {
	var spans []engine.Span
	start := time.Since(epoch)
	err := s.runInline(ctx, from, to, run, func(task int, step *command) {
		end := time.Since(epoch)
		spans = append(spans, engine.Span{Task: task, Name: step.name, Start: start, End: end, Clock: engine.HostClock})
		start = end
	})
	if err != nil {
		return nil, err
	}
	return spans, nil
}

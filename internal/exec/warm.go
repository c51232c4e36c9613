package exec

import (
	"context"
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/plan"
)

// warm has the engines compile what they would compile in the first run. Their tasks run for it, on memory that
// holds zeros; variables keep their values.
func (i *instance) warm(ctx context.Context) error {
	for e := range i.engines {
		s := &i.engines[e]
		if s.seq == nil {
			continue
		}
		w := s.seq.Traits().Warmer
		if w == nil || !w.Cold() {
			continue
		}
		if v := i.version; v.scratch != nil && !v.compileOnly { // which others may be using
			if err := v.compileAside(ctx, v.model.Again(), v.Placement); err != nil {
				return err
			}
			continue
		}
		if err := i.warmEngine(ctx, e, w); err != nil {
			return fmt.Errorf("on %s: %w", s.engine.Name(), err)
		}
	}
	return nil
}

// warmEngine is warm for one engine, which must not have the only copy of a variable that its tasks write.
func (i *instance) warmEngine(ctx context.Context, e int, w engine.Warmer) error {
	for n := range i.variables { // in the order of their ids, as runs lock them
		u := &i.variables[n]
		if u.Writer != e || i.version.compileOnly {
			continue
		}
		u.Mu.Lock()
		defer u.Mu.Unlock()
		if c := u.Copy(i.engines[e].engine); c.Fresh {
			if err := u.CopyToHost(ctx); err != nil {
				return err
			}
			c.Fresh = false
		}
	}
	if err := i.clear(ctx, e); err != nil {
		return err
	}
	return w.Warm(ctx)
}

// clear sets the memory of engine e that values lie in between tasks to 0. Only tasks that have to be compiled run for warming, so that
// their operands may never have been written, and an index that is never checked, because the task that computes it keeps it in range,
// could be any number.
func (i *instance) clear(ctx context.Context, e int) error {
	s := &i.engines[e]
	for n, m := range i.program.Engines[e].Memories {
		if m.Kind != plan.Arena && (m.Kind != plan.State || !i.version.compileOnly) {
			continue
		}
		if err := engine.Clear(ctx, s.engine, s.memories[n], 0, m.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// Cold reports whether the next run would compile something.
func (x *Executor) Cold() bool {
	return slices.ContainsFunc(x.now().first.engines, func(e engineState) bool {
		return e.seq != nil && e.seq.Traits().Warmer != nil && e.seq.Traits().Warmer.Cold()
	})
}

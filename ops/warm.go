package ops

import (
	"context"
	"fmt"

	"github.com/anycl/anycl/engine"
)

// warm has the engines compile what they would compile in the first run. Their tasks run for it, on memory that
// holds anything; what a variable holds stays what it was.
func (x *Executable) warm(ctx context.Context) error {
	for i, s := range x.sides {
		if s.seq == nil {
			continue
		}
		w := s.seq.Traits().Warmer
		if w == nil || !w.Cold() {
			continue
		}
		if err := x.warmSide(ctx, i, w); err != nil {
			return fmt.Errorf("on %s: %w", s.engine.Name(), err)
		}
	}
	return nil
}

// warmSide is warm for one side, which must not have the only copy of a variable that its tasks write.
func (x *Executable) warmSide(ctx context.Context, side int, w engine.Warmer) error {
	for i := range x.vars { // in the order of their ids, as runs lock them
		u := &x.vars[i]
		if u.writes != side {
			continue
		}
		u.v.Mu.Lock()
		defer u.v.Mu.Unlock()
		if c := u.v.Copy(x.sides[side].engine); c.Fresh {
			if err := u.v.BringHome(ctx); err != nil {
				return err
			}
			c.Fresh = false
		}
	}
	return w.Warm(ctx)
}

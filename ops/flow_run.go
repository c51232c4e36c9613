package ops

import (
	"context"
	"fmt"
)

// unheard is how many iterations are submitted before the host waits, where nothing else makes it.
const unheard = 64

// flow runs a loop or a branch.
func (x *Executable) flow(ctx context.Context, f *flowSteps, run uint32) error {
	if !f.Loop {
		return x.branch(ctx, f, run)
	}
	var n int64
	for ; f.Trips < 0 || n < int64(f.Trips); n++ {
		if f.Trips < 0 && f.Limit > 0 && n == int64(f.Limit) {
			break
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s at %s, iteration %d: %w", f.Node.Scope, f.Node.Caller, n, err)
		}
		start := x.began()
		if err := x.follow(ctx, f.parts[0], run); err != nil {
			return err
		}
		if f.Pred != nil {
			if ok, err := x.holds(ctx, f); err != nil || !ok {
				if err != nil {
					return err
				}
				break
			}
		}
		if err := x.follow(ctx, f.parts[1], run); err != nil {
			return err
		}
		if f.Pred == nil && n%unheard == unheard-1 {
			if err := x.wait(ctx); err != nil {
				return err
			}
		}
		x.didIteration(f, n, start)
	}
	f.Stats.Note(n)
	return nil
}

func (x *Executable) branch(ctx context.Context, f *flowSteps, run uint32) error {
	start := x.began()
	ok, err := x.holds(ctx, f)
	if err != nil {
		return err
	}
	way, taken := 1, int64(0)
	if ok {
		way, taken = 0, 1
	}
	f.Stats.Note(taken)
	if err := x.follow(ctx, f.parts[way], run); err != nil {
		return err
	}
	x.didIteration(f, int64(way), start)
	return nil
}

// holds reads the predicate of f.
func (x *Executable) holds(ctx context.Context, f *flowSteps) (bool, error) {
	if f.host {
		return f.truth[0] != 0, nil
	}
	start := x.began()
	if x.short { // the part of the run that is waited for is over soon
		ctx = context.Background()
	}
	if err := x.sides[f.from].engine.Read(ctx, f.truth, f.slot.Mem, f.slot.Offset); err != nil {
		return false, err
	}
	x.did("read", start)
	return f.truth[0] != 0, nil
}

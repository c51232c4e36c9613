package exec

import (
	"context"
	"fmt"
)

// submittedAhead is how many iterations are submitted before the host waits for them, where nothing else makes it wait.
const submittedAhead = 64

// enter runs a loop or a branch.
func (i *instance) enter(ctx context.Context, f *region, run uint32) error {
	if !f.Loop {
		return i.branch(ctx, f, run)
	}
	var n int64
	for ; f.Trips < 0 || n < int64(f.Trips); n++ {
		if f.Trips < 0 && f.Limit > 0 && n == int64(f.Limit) {
			break
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s at %s, iteration %d: %w", f.Node.Scope, f.Node.Caller, n, err)
		}
		start := i.began()
		if err := i.follow(ctx, f.parts[0], run); err != nil {
			return err
		}
		if f.Pred != nil {
			if ok, err := i.holds(ctx, f); err != nil || !ok {
				if err != nil {
					return err
				}
				break
			}
		}
		if err := i.follow(ctx, f.parts[1], run); err != nil {
			return err
		}
		if f.Pred == nil && n%submittedAhead == submittedAhead-1 {
			if err := i.wait(ctx); err != nil {
				return err
			}
		}
		i.didIteration(f, n, start)
	}
	f.Stats.Note(n)
	return nil
}

func (i *instance) branch(ctx context.Context, f *region, run uint32) error {
	start := i.began()
	ok, err := i.holds(ctx, f)
	if err != nil {
		return err
	}
	way, taken := 1, int64(0)
	if ok {
		way, taken = 0, 1
	}
	f.Stats.Note(taken)
	if err := i.follow(ctx, f.parts[way], run); err != nil {
		return err
	}
	i.didIteration(f, int64(way), start)
	return nil
}

// holds reads the predicate of f.
func (i *instance) holds(ctx context.Context, f *region) (bool, error) {
	if f.OnHost {
		return f.truth[0] != 0, nil
	}
	start := i.began()
	if i.program.Short { // the part of the run that is waited for is over soon
		ctx = context.Background()
	}
	if err := i.engines[f.Predicate.Engine].engine.Read(ctx, f.truth, f.slot.Mem, f.slot.Offset); err != nil {
		return false, err
	}
	i.did("read", start)
	return f.truth[0] != 0, nil
}

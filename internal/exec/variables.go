package exec

import (
	"context"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/plan"
	"github.com/anycl/anycl/internal/store"
)

// variableUse is a variable of the program, and the engines that have memory for it.
type variableUse struct {
	*plan.Variable
	acquired []int
	seen     uint64   // the count of writes at the last run
	known    *changes // nil: a run writes it
}

// acquire is the memory of v on engine e.
func (i *instance) acquire(v *store.Variable, e int) (engine.Memory, error) {
	mem, err := v.Acquire(i.engines[e].engine)
	if err != nil {
		return nil, err
	}
	for n := range i.variables {
		if u := &i.variables[n]; u.Variable.Variable == v {
			u.acquired = append(u.acquired, e)
		}
	}
	return mem, nil
}

// renew tells the engines, and the placement, when variables that the run only reads have changed.
func (i *instance) renew(run uint32) {
	changed := false
	for n := range i.variables {
		if u := &i.variables[n]; u.Writer < 0 && u.seen != u.Writes {
			u.seen, changed = u.Writes, true
			u.known.note(u.seen, run)
		}
	}
	for n := range i.engines {
		if s := i.engines[n].seq; changed && s != nil {
			s.Changed()
		}
	}
}

// lockVariables locks variables in the order of their ids, so that no two runs wait for each other:
// exclusively those that the run writes, shared those that it only reads. A locked variable is up
// to date on every engine that reads it. It returns how many are locked.
func (i *instance) lockVariables(ctx context.Context) (int, error) {
	for n := range i.variables {
		u := &i.variables[n]
		if u.Writer >= 0 {
			u.Mu.Lock()
			if err := i.refresh(ctx, u); err != nil {
				u.Mu.Unlock()
				return n, err
			}
			continue
		}
		for u.Mu.RLock(); !i.fresh(u); u.Mu.RLock() {
			u.Mu.RUnlock()
			u.Mu.Lock()
			err := i.refresh(ctx, u)
			u.Mu.Unlock()
			if err != nil {
				return n, err
			}
		}
	}
	return len(i.variables), nil
}

func (i *instance) unlockVariables(n int) {
	for k := range n {
		if u := &i.variables[k]; u.Writer >= 0 {
			u.Mu.Unlock()
		} else {
			u.Mu.RUnlock()
		}
	}
}

func (i *instance) fresh(u *variableUse) bool {
	for _, e := range u.Readers {
		if !u.IsFresh(i.engines[e].engine) {
			return false
		}
	}
	return true
}

// refresh brings u to the engines that read it, and to the engine that writes it: a
// run that fails before it writes must leave the old value there.
func (i *instance) refresh(ctx context.Context, u *variableUse) error {
	for _, e := range u.Readers {
		if err := u.Refresh(ctx, i.engines[e].engine); err != nil {
			return err
		}
	}
	if u.Writer < 0 {
		return nil
	}
	return u.Refresh(ctx, i.engines[u.Writer].engine)
}

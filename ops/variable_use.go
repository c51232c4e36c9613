package ops

import (
	"context"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/store"
)

// variableUse is a variable that a run reads or writes, and on which sides.
type variableUse struct {
	v      *store.Variable
	reads  []int
	writes int // side, or -1
	sides  []int
	seen   uint64   // the count of writes at the last run
	known  *changes // nil: a run writes it
}

// useVariable acquires v's memory on a side, once.
func (x *Executable) useVariable(v *store.Variable, s int, write bool) (engine.Memory, error) {
	i := slices.IndexFunc(x.vars, func(u variableUse) bool { return u.v == v })
	if i < 0 {
		at, _ := slices.BinarySearchFunc(x.vars, v.ID, func(u variableUse, id int64) int { return int(u.v.ID - id) })
		x.vars = slices.Insert(x.vars, at, variableUse{v: v, writes: -1, known: x.changes[v]})
		i = at
	}
	u := &x.vars[i]
	if write {
		u.writes = s
	} else {
		u.reads = append(u.reads, s)
	}
	if slices.Contains(u.sides, s) {
		return v.Copy(x.sides[s].engine).Mem, nil
	}
	mem, err := v.Acquire(x.sides[s].engine)
	if err == nil {
		u.sides = append(u.sides, s)
	}
	return mem, err
}

// lockVariables takes variables in the order of their ids, so that no two runs
// wait for each other: exclusively what the run writes, shared what it only
// reads. What is locked is fresh on every side that reads it. It returns how
// many are locked.
func (x *Executable) lockVariables(ctx context.Context) (int, error) {
	for i := range x.vars {
		u := &x.vars[i]
		if u.writes >= 0 {
			u.v.Mu.Lock()
			if err := x.refresh(ctx, u); err != nil {
				u.v.Mu.Unlock()
				return i, err
			}
			continue
		}
		for u.v.Mu.RLock(); !x.fresh(u); u.v.Mu.RLock() {
			u.v.Mu.RUnlock()
			u.v.Mu.Lock()
			err := x.refresh(ctx, u)
			u.v.Mu.Unlock()
			if err != nil {
				return i, err
			}
		}
	}
	return len(x.vars), nil
}

func (x *Executable) unlockVariables(n int) {
	for i := range n {
		if u := &x.vars[i]; u.writes >= 0 {
			u.v.Mu.Unlock()
		} else {
			u.v.Mu.RUnlock()
		}
	}
}

func (x *Executable) fresh(u *variableUse) bool {
	for _, s := range u.reads {
		if !u.v.IsFresh(x.sides[s].engine) {
			return false
		}
	}
	return true
}

// refresh brings u to the sides that read it, and to the one that writes it: a
// run that fails before it writes must leave the old value there.
func (x *Executable) refresh(ctx context.Context, u *variableUse) error {
	for _, s := range u.reads {
		if err := u.v.Refresh(ctx, x.sides[s].engine); err != nil {
			return err
		}
	}
	if u.writes < 0 {
		return nil
	}
	return u.v.Refresh(ctx, x.sides[u.writes].engine)
}

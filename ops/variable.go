package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// variable is the state behind a Variable node: a tensor that may live in the
// host's memory and in that of several engines at once. At least one copy is
// fresh; a run that writes makes its engine's copy the only fresh one.
type variable struct {
	id    int64 // orders locks
	name  string
	bytes int64

	mu     sync.RWMutex // held by runs, exclusively by those that write
	host   *tensor.Tensor
	stale  bool   // host is older than some copy
	writes uint64 // counts the values that it had
	copies []*variableCopy
}

type variableCopy struct {
	engine engine.Engine
	mem    engine.Memory
	fresh  bool
	users  int // executables
}

var variableIDs atomic.Int64

func newVariable(name string, init *tensor.Tensor) *variable {
	return &variable{id: variableIDs.Add(1), name: name, bytes: int64(init.NumBytes()), host: init.Clone()}
}

// acquire makes sure that e has memory for v, for one more executable.
func (v *variable) acquire(e engine.Engine) (engine.Memory, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if c := v.copy(e); c != nil {
		c.users++
		return c.mem, nil
	}
	mem, err := e.Alloc(v.bytes)
	if err != nil {
		return nil, fmt.Errorf("variable %s: %w", v.name, err)
	}
	v.copies = append(v.copies, &variableCopy{engine: e, mem: mem, users: 1})
	return mem, nil
}

// release gives up what acquire gave. The last user's copy is brought home
// first, so that the variable outlives every executable.
func (v *variable) release(e engine.Engine) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	c := v.copy(e)
	if c == nil {
		return nil
	}
	if c.users--; c.users > 0 {
		return nil
	}
	var err error
	if c.fresh && v.stale && v.freshCopies() == 1 {
		err = v.bringHome(context.Background())
	}
	v.copies = slices.DeleteFunc(v.copies, func(x *variableCopy) bool { return x == c })
	return errors.Join(err, c.mem.Close())
}

func (v *variable) copy(e engine.Engine) *variableCopy {
	for _, c := range v.copies {
		if c.engine == e {
			return c
		}
	}
	return nil
}

func (v *variable) freshCopies() int {
	n := 0
	for _, c := range v.copies {
		if c.fresh {
			n++
		}
	}
	return n
}

// bringHome makes host fresh. v.mu is held exclusively.
func (v *variable) bringHome(ctx context.Context) error {
	if !v.stale {
		return nil
	}
	data, _ := v.host.Bytes() // a clone is contiguous
	err := fmt.Errorf("ops: variable %s: no copy is left", v.name)
	for _, c := range v.copies {
		if c.fresh {
			if err = c.engine.Read(ctx, data, c.mem, 0); err == nil {
				v.stale = false
				return nil
			}
		}
	}
	return fmt.Errorf("ops: variable %s: %w", v.name, engineClosed(err))
}

// isFresh reports whether e's copy can be read as it is. v.mu is held.
func (v *variable) isFresh(e engine.Engine) bool {
	c := v.copy(e)
	return c != nil && c.fresh
}

// refresh makes e's copy fresh. v.mu is held exclusively.
func (v *variable) refresh(ctx context.Context, e engine.Engine) error {
	if v.isFresh(e) {
		return nil
	}
	if err := v.bringHome(ctx); err != nil {
		return err
	}
	data, _ := v.host.Bytes()
	c := v.copy(e)
	if err := e.Write(ctx, c.mem, 0, data); err != nil {
		return fmt.Errorf("ops: variable %s: %w", v.name, err)
	}
	c.fresh = true
	return nil
}

// prefetch makes e's copy fresh, while runs go on reading v. If v gets another value meanwhile, it is left to who
// needs it.
func (v *variable) prefetch(ctx context.Context, e engine.Engine) error {
	writes, err := v.send(ctx, e)
	if err != nil {
		return fmt.Errorf("ops: variable %s: %w", v.name, err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if c := v.copy(e); c != nil && v.writes == writes {
		c.fresh = true
	}
	return nil
}

// send writes v's value to e's copy, which nobody reads if it is not fresh, and tells the count of writes that it is of.
func (v *variable) send(ctx context.Context, e engine.Engine) (writes uint64, err error) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	to := v.copy(e)
	if to == nil || to.fresh {
		return v.writes, nil
	}
	data, _ := v.host.Bytes()
	if v.stale {
		data = tensor.AlignedBytes(len(data))
		i := slices.IndexFunc(v.copies, func(c *variableCopy) bool { return c.fresh })
		if i < 0 {
			return v.writes, errors.New("no copy is left")
		}
		if err := v.copies[i].engine.Read(ctx, data, v.copies[i].mem, 0); err != nil {
			return v.writes, err
		}
	}
	return v.writes, e.Write(ctx, to.mem, 0, data)
}

// bring is refresh for an engine that may have no copy, and whoever does not hold v.mu.
func (v *variable) bring(ctx context.Context, e engine.Engine) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.copy(e) == nil {
		return nil
	}
	return v.refresh(ctx, e)
}

// written records that e's copy has the newest value. v.mu is held exclusively.
func (v *variable) written(e engine.Engine) {
	v.stale = true
	v.writes++
	for _, c := range v.copies {
		c.fresh = c.engine == e
	}
}

// Value returns a copy of what the variable v holds now. It waits for runs that
// write it. Errors: v is not a variable; ctx is done; the device failed.
func Value(ctx context.Context, v *Node) (*tensor.Tensor, error) {
	if !IsVariable(v) {
		return nil, fmt.Errorf("ops: value: %v is not a variable", v)
	}
	if err := alive(ctx); err != nil {
		return nil, err
	}
	s := v.state
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.bringHome(ctx); err != nil {
		return nil, err
	}
	return s.host.Clone(), nil
}

// Set gives the variable v the value t, which is copied. It waits for runs that
// use v. Errors: v is not a variable; shape or dtype differ; ctx is done.
func Set(ctx context.Context, v *Node, t *tensor.Tensor) error {
	switch {
	case !IsVariable(v):
		return fmt.Errorf("ops: set: %v is not a variable", v)
	case t == nil:
		return fmt.Errorf("ops: set %s: the tensor is nil", v.state.name)
	case t.DType() != v.dtype || !slices.Equal(t.Shape(), v.shape):
		return fmt.Errorf("ops: set %s: variable is %v%v, not %v%v", v.state.name, v.dtype, v.shape, t.DType(), t.Shape())
	}
	if err := alive(ctx); err != nil {
		return err
	}
	s := v.state
	s.mu.Lock()
	defer s.mu.Unlock()
	s.host, s.stale = t.Clone(), false
	s.writes++
	for _, c := range s.copies {
		c.fresh = false
	}
	return nil
}

package store

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

// Variable is a tensor that lives in the host's memory and in that of several engines
// at once. At least one copy is fresh; a run that writes makes its engine's copy the only fresh one.
type Variable struct {
	ID    int64 // orders locks
	Name  string
	Bytes int64

	Mu     sync.RWMutex // held by runs, exclusively by those that write
	host   *tensor.Tensor
	stale  bool   // host is older than some copy
	Writes uint64 // counts the values that it had
	copies []*variableCopy
}

type variableCopy struct {
	engine engine.Engine
	Mem    engine.Memory
	Fresh  bool
	users  int // executables
}

var errNoCopy = errors.New("no copy is left")

var variableIDs atomic.Int64

func NewVariable(name string, init *tensor.Tensor) *Variable {
	return &Variable{ID: variableIDs.Add(1), Name: name, Bytes: int64(init.NumBytes()), host: init.Clone()}
}

// Acquire makes sure that e has memory for v, for one more executable.
func (v *Variable) Acquire(e engine.Engine) (engine.Memory, error) {
	v.Mu.Lock()
	defer v.Mu.Unlock()
	if c := v.Copy(e); c != nil {
		c.users++
		return c.Mem, nil
	}
	mem, err := e.Alloc(v.Bytes)
	if err != nil {
		return nil, fmt.Errorf("variable %s: %w", v.Name, err)
	}
	v.copies = append(v.copies, &variableCopy{engine: e, Mem: mem, users: 1})
	return mem, nil
}

// Release gives up memory that acquire returned. The last user's copy is brought home first, so
// that the variable outlives every executable.
func (v *Variable) Release(e engine.Engine) error {
	v.Mu.Lock()
	defer v.Mu.Unlock()
	c := v.Copy(e)
	if c == nil {
		return nil
	}
	if c.users--; c.users > 0 {
		return nil
	}
	var err error
	if c.Fresh && v.stale && v.freshCopies() == 1 {
		err = v.CopyToHost(context.Background())
	}
	v.copies = slices.DeleteFunc(v.copies, func(x *variableCopy) bool { return x == c })
	return errors.Join(err, c.Mem.Close())
}

func (v *Variable) Copy(e engine.Engine) *variableCopy {
	for _, c := range v.copies {
		if c.engine == e {
			return c
		}
	}
	return nil
}

func (v *Variable) freshCopies() int {
	n := 0
	for _, c := range v.copies {
		if c.Fresh {
			n++
		}
	}
	return n
}

// CopyToHost makes the host's copy fresh. v.Mu is held exclusively.
func (v *Variable) CopyToHost(ctx context.Context) error {
	if !v.stale {
		return nil
	}
	data, _ := v.host.Bytes() // a clone is contiguous
	err := errNoCopy
	for _, c := range v.copies {
		if c.Fresh {
			if err = c.engine.Read(ctx, data, c.Mem, 0); err == nil {
				v.stale = false
				return nil
			}
		}
	}
	return fmt.Errorf("variable %s: %w", v.Name, err)
}

// IsFresh reports whether e's copy can be read as it is. v.Mu is held.
func (v *Variable) IsFresh(e engine.Engine) bool {
	c := v.Copy(e)
	return c != nil && c.Fresh
}

// Refresh makes e's copy fresh. v.Mu is held exclusively.
func (v *Variable) Refresh(ctx context.Context, e engine.Engine) error {
	if v.IsFresh(e) {
		return nil
	}
	if err := v.CopyToHost(ctx); err != nil {
		return err
	}
	data, _ := v.host.Bytes()
	c := v.Copy(e)
	if err := e.Write(ctx, c.Mem, 0, data); err != nil {
		return fmt.Errorf("variable %s: %w", v.Name, err)
	}
	c.Fresh = true
	return nil
}

// Prefetch makes e's copy fresh, while runs go on reading v. If v gets another value meanwhile, it is left to who
// needs it.
func (v *Variable) Prefetch(ctx context.Context, e engine.Engine) error {
	writes, err := v.send(ctx, e)
	if err != nil {
		return fmt.Errorf("variable %s: %w", v.Name, err)
	}
	v.Mu.Lock()
	defer v.Mu.Unlock()
	if c := v.Copy(e); c != nil && v.Writes == writes {
		c.Fresh = true
	}
	return nil
}

// send writes v's value to e's copy, which nobody reads if it is not fresh, and tells the count of writes that it is of.
func (v *Variable) send(ctx context.Context, e engine.Engine) (writes uint64, err error) {
	v.Mu.RLock()
	defer v.Mu.RUnlock()
	to := v.Copy(e)
	if to == nil || to.Fresh {
		return v.Writes, nil
	}
	data, _ := v.host.Bytes()
	if v.stale {
		data = tensor.AlignedBytes(len(data))
		i := slices.IndexFunc(v.copies, func(c *variableCopy) bool { return c.Fresh })
		if i < 0 {
			return v.Writes, errNoCopy
		}
		if err := v.copies[i].engine.Read(ctx, data, v.copies[i].Mem, 0); err != nil {
			return v.Writes, err
		}
	}
	return v.Writes, e.Write(ctx, to.Mem, 0, data)
}

// Bring is refresh for an engine that may have no copy, and for callers that do not hold v.Mu.
func (v *Variable) Bring(ctx context.Context, e engine.Engine) error {
	v.Mu.Lock()
	defer v.Mu.Unlock()
	if v.Copy(e) == nil {
		return nil
	}
	return v.Refresh(ctx, e)
}

// Written records that e's copy has the newest value. v.Mu is held exclusively.
func (v *Variable) Written(e engine.Engine) {
	v.stale = true
	v.Writes++
	for _, c := range v.copies {
		c.Fresh = c.engine == e
	}
}

// Value returns a copy of v's present tensor. It waits for runs that write it.
func (v *Variable) Value(ctx context.Context) (*tensor.Tensor, error) {
	v.Mu.Lock()
	defer v.Mu.Unlock()
	if err := v.CopyToHost(ctx); err != nil {
		return nil, err
	}
	return v.host.Clone(), nil
}

// Set gives v the value t, which is copied. It waits for runs that use v.
func (v *Variable) Set(t *tensor.Tensor) {
	v.Mu.Lock()
	defer v.Mu.Unlock()
	v.host, v.stale = t.Clone(), false
	v.Writes++
	for _, c := range v.copies {
		c.Fresh = false
	}
}

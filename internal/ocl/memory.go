package ocl

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/platform"
)

// memory is an engine.Memory.
type memory struct {
	eng    *Engine
	mem    *platform.Memory // nil: not allocated yet
	outer  *external        // nil: nothing can be in its place
	closed atomic.Bool
}

func (m *memory) Bytes() int64 {
	if m.outer != nil {
		return m.outer.size
	}
	return m.mem.Bytes()
}

func (m *memory) Close() error {
	if m.closed.Swap(true) {
		return nil
	}
	m.eng.mu.Lock()
	_, known := m.eng.memories[m]
	delete(m.eng.memories, m)
	mem := m.mem
	if known && mem != nil {
		m.eng.bytes -= mem.Bytes()
	}
	m.eng.mu.Unlock()
	if mem == nil {
		return nil
	}
	return mem.Close()
}

// Alloc gives n bytes of device memory.
func (e *Engine) Alloc(n int64) (engine.Memory, error) {
	if e.isClosed() {
		return nil, engine.ErrClosed
	}
	pm, err := e.dev.Alloc(n)
	if err != nil {
		return nil, e.waited(err)
	}
	m := &memory{eng: e}
	if !e.enter(m, pm) {
		return nil, errors.Join(engine.ErrClosed, pm.Close())
	}
	return m, nil
}

// enter counts m, to which it gives pm, unless the engine is closed.
func (e *Engine) enter(m *memory, pm *platform.Memory) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.memories[m] = struct{}{}
	if m.mem = pm; pm != nil {
		e.bytes += pm.Bytes()
	}
	return true
}

// own is m as this engine's memory.
func (e *Engine) own(m engine.Memory) (*memory, error) {
	o, ok := m.(*memory)
	switch {
	case !ok || o.eng != e:
		return nil, fmt.Errorf("ocl: %s: memory of another engine", e.facts.Name)
	case o.closed.Load() || e.isClosed():
		return nil, engine.ErrClosed
	}
	return o, nil
}

// reach is where n bytes of m from offset on are: bytes that are bound in its place, or the memory of its own.
func (e *Engine) reach(m engine.Memory, offset int64, n int) (bound []byte, pm *platform.Memory, err error) {
	o, err := e.own(m)
	if err != nil {
		return nil, nil, err
	}
	if o.Bound() {
		bound, err = o.outer.part(offset, n)
	} else {
		pm, err = o.allocated()
	}
	return bound, pm, err
}

// Write copies src to dst from offset on.
func (e *Engine) Write(ctx context.Context, dst engine.Memory, offset int64, src []byte) error {
	bound, pm, err := e.reach(dst, offset, len(src))
	if err != nil || pm == nil {
		copy(bound, src)
		return err
	}
	return e.waited(e.dev.Write(ctx, pm, offset, src))
}

// Read waits for all that was submitted and copies from src.
func (e *Engine) Read(ctx context.Context, dst []byte, src engine.Memory, offset int64) error {
	bound, pm, err := e.reach(src, offset, len(dst))
	if err != nil || pm == nil {
		copy(dst, bound)
		return err
	}
	return e.waited(e.dev.Read(ctx, dst, pm, offset))
}

// allocated is the memory of m's own, which externally backed memory has from its first use on.
func (m *memory) allocated() (*platform.Memory, error) {
	if m.mem != nil {
		return m.mem, nil
	}
	pm, err := m.eng.dev.Alloc(m.outer.size)
	if err != nil {
		return nil, m.eng.waited(err)
	}
	if !m.eng.enter(m, pm) {
		return nil, errors.Join(engine.ErrClosed, pm.Close())
	}
	return pm, nil
}

// pinned is allocated for a caller that uses the memory from then on: nothing can be bound in its place any more.
func (m *memory) pinned() (*platform.Memory, error) {
	if m.outer != nil {
		m.outer.pinned = true
	}
	return m.allocated()
}

package fallback

import (
	"fmt"
	"sync/atomic"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ram"
	"github.com/anycl/anycl/tensor"
)

// maxAlloc bounds one allocation where the runtime would panic: 2^46 bytes,
// more than any host has.
const maxAlloc = min(1<<46, int64(^uint(0)>>1)-tensor.Alignment)

// memory is a buffer of the engine: bytes that the garbage collector owns.
type memory struct {
	engine  *Engine
	data    []byte
	wrapped bool // data are the caller's
	closed  atomic.Bool
}

var _ engine.Memory = (*memory)(nil)

// Alloc gives n bytes. They are zero, which callers must not rely on.
func (e *Engine) Alloc(n int64) (engine.Memory, error) {
	if e.closed.Load() {
		return nil, engine.ErrClosed
	}
	if n < 0 || n > maxAlloc {
		return nil, fmt.Errorf("fallback: cannot allocate %d bytes", n)
	}
	if err := ram.Check(n); err != nil {
		return nil, fmt.Errorf("fallback: out of memory: %w", err)
	}
	e.memories.Add(1)
	e.bytes.Add(n)
	return &memory{engine: e, data: tensor.AlignedBytes(int(n))}, nil
}

func (m *memory) Bytes() int64 { return int64(len(m.data)) }

// Host is the bytes of m.
func (e *Engine) Host(m engine.Memory) []byte { return m.(*memory).data }

// External is not there: tasks are bound to memory before they run.
func (e *Engine) External(int64) (engine.External, error) {
	return nil, fmt.Errorf("fallback: externally backed memory: %w", engine.ErrUnsupported)
}

// Wrap is b as a memory, which the counts of bytes do not hold.
func (e *Engine) Wrap(b []byte) (engine.Memory, bool) {
	if e.closed.Load() {
		return nil, false
	}
	e.memories.Add(1)
	return &memory{engine: e, data: b, wrapped: true}, true
}

// Close gives the memory up. Sequences bound to it fail from then on.
func (m *memory) Close() error {
	if m.closed.Swap(true) {
		return nil
	}
	m.engine.memories.Add(-1)
	if !m.wrapped {
		m.engine.bytes.Add(-m.Bytes())
	}
	return nil
}

// at is n bytes of m from offset on.
func (e *Engine) at(m engine.Memory, offset, n int64) ([]byte, error) {
	mem, ok := m.(*memory)
	switch {
	case e.closed.Load():
		return nil, engine.ErrClosed
	case !ok || mem.engine != e:
		return nil, fmt.Errorf("fallback: memory of another engine (%T)", m)
	case mem.closed.Load():
		return nil, engine.ErrClosed
	case offset < 0 || n < 0 || offset > mem.Bytes()-n:
		return nil, fmt.Errorf("fallback: %d bytes from %d on are not within a memory of %d", n, offset, mem.Bytes())
	}
	return mem.data[offset : offset+n : offset+n], nil
}

package ocl

import (
	"fmt"
	"unsafe"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

var _ engine.External = (*memory)(nil)

// external is the state of a memory that the caller's bytes can take the place of. The memory allocates nothing
// before something is copied to it. Go does not move allocated memory, and the caller of a run holds the bound bytes
// until the run returns.
type external struct {
	size   int64
	bytes  []byte // the caller's; nil: nothing is bound
	pinned bool   // a sequence has the memory's own, and no other
}

// Host is nil: a buffer of the driver's is reached by commands.
func (e *Engine) Host(engine.Memory) []byte { return nil }

// External gives a memory of n bytes in whose place the caller's can be.
func (e *Engine) External(n int64) (engine.External, error) {
	if n <= 0 {
		return nil, fmt.Errorf("ocl: %s: externally backed memory of %d bytes", e.facts.Name, n)
	}
	m := &memory{eng: e, outer: &external{size: n}}
	if !e.enter(m, nil) {
		return nil, engine.ErrClosed
	}
	return m, nil
}

// Bind puts b in the place of m until Release.
func (m *memory) Bind(b []byte) bool {
	x := m.outer
	if x == nil || x.pinned || int64(len(b)) != x.size || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%tensor.Alignment != 0 {
		return false
	}
	x.bytes = b
	return true
}

// Bound reports whether something is in the place of m.
func (m *memory) Bound() bool { return m.outer != nil && m.outer.bytes != nil }

// Release ends that.
func (m *memory) Release() {
	if m.outer != nil {
		m.outer.bytes = nil
	}
}

// part is n bytes from offset on of the bound bytes.
func (x *external) part(offset int64, n int) ([]byte, error) {
	if offset < 0 || offset > int64(len(x.bytes)-n) {
		return nil, fmt.Errorf("ocl: %d bytes at %d of a memory of %d", n, offset, len(x.bytes))
	}
	return x.bytes[offset:][:n], nil
}

// Wrap is not supported: buffers have memory of the device's.
func (e *Engine) Wrap([]byte) (engine.Memory, bool) { return nil, false }

package ocl

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// Kernels on the companion take addresses, and are done when a run returns. So they can read feeds where the
// caller has them, and write results where the caller wants them. Memory for that is vacant: it
// has none of its own before something is copied to it. Go moves nothing that it has allocated, and whoever
// calls a run holds what is lent until it returns.

var _ engine.External = (*memory)(nil)

// vacancy is what is in the place of a memory.
type vacancy struct {
	bytes int64
	lent  []byte
	fixed bool // a sequence has its own memory, and no other
}

// guest is a memory whose place may be another's in each run, and the arguments that it is.
type guest struct {
	mem  *memory
	set  guestSet
	at   uintptr // where what was lent lies, as origin counts
	args []guestArg
}

// guestSet is what the arguments of a guest are.
type guestSet int8

const (
	setToNothing guestSet = iota
	setToOwn              // the memory's own
	setToLent
)

// origin is a place to tell others' distance from, which keeps none of them alive.
var origin byte

type guestArg struct {
	kernel *cl.Kernel
	index  int
}

// lends reports whether kernels of w take memory that is lent for a run.
func (w *launchSite) lends() bool { return w.companion != nil && w.companion.Addresses() }

// Host is nil: a buffer of the driver's is reached by commands.
func (e *Engine) Host(engine.Memory) []byte { return nil }

// External gives a memory of n bytes in whose place the caller's can be.
func (e *Engine) External(n int64) (engine.External, error) {
	if n <= 0 {
		return nil, fmt.Errorf("ocl: %s: externally backed memory of %d bytes", e.facts.Name, n)
	}
	m := &memory{eng: e, vacant: &vacancy{bytes: n}}
	if !e.enter(m, nil) {
		return nil, engine.ErrClosed
	}
	return m, nil
}

// Bind puts b in the place of m until Release.
func (m *memory) Bind(b []byte) bool {
	v := m.vacant
	if v == nil || v.fixed || int64(len(b)) != v.bytes || uintptr(unsafe.Pointer(unsafe.SliceData(b)))%tensor.Alignment != 0 {
		return false
	}
	v.lent = b
	return true
}

// Bound reports whether something is in the place of m.
func (m *memory) Bound() bool { return m.lent() != nil }

// Release ends that.
func (m *memory) Release() {
	if m.vacant != nil {
		m.vacant.lent = nil
	}
}

// lent is what is in the place of m, or nil.
func (m *memory) lent() []byte {
	if m.vacant == nil {
		return nil
	}
	return m.vacant.lent
}

// part is n bytes from offset on of what is in the place of m.
func (m *memory) part(offset int64, n int) ([]byte, error) {
	b := m.vacant.lent
	if offset < 0 || offset > int64(len(b)-n) {
		return nil, fmt.Errorf("ocl: %d bytes at %d of a memory of %d", n, offset, len(b))
	}
	return b[offset:][:n], nil
}

// held is the memory of m's own.
func (m *memory) held() (*platform.Memory, error) {
	if m.mem != nil {
		return m.mem, nil
	}
	pm, err := m.eng.dev.Alloc(m.vacant.bytes)
	if err != nil {
		return nil, m.eng.waited(err)
	}
	if !m.eng.enter(m, pm) {
		return nil, errors.Join(engine.ErrClosed, pm.Close())
	}
	return pm, nil
}

// setPlace makes argument i of k the memory m, or what is in its place when the sequence runs.
func (s *sequence) setPlace(k *cl.Kernel, i int, m *memory) error {
	if m.vacant == nil || !s.site.lends() {
		pm, err := m.held()
		if err != nil {
			return err
		}
		if m.vacant != nil {
			m.vacant.fixed = true
		}
		return s.setMemory(k, i, pm)
	}
	for j := range s.guests {
		if g := &s.guests[j]; g.mem == m {
			g.args = append(g.args, guestArg{k, i})
			return nil
		}
	}
	s.guests = append(s.guests, guest{mem: m, args: []guestArg{{k, i}}})
	return nil
}

// settle sets the arguments that are other memory than in the run before.
func (s *sequence) settle() error {
	for i := range s.guests {
		g := &s.guests[i]
		if b := g.mem.lent(); b != nil {
			at := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(&origin))
			if g.set == setToLent && g.at == at {
				continue
			}
			if err := g.all(setToLent, func(k *cl.Kernel, i int) error { return s.site.companion.SetHost(k, i, b) }); err != nil {
				return err
			}
			g.at = at
			continue
		}
		if g.set == setToOwn {
			continue
		}
		pm, err := g.mem.held()
		if err == nil {
			err = g.all(setToOwn, func(k *cl.Kernel, i int) error { return s.setMemory(k, i, pm) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// all calls f, which sets one to what, with each argument. What they are is not known if that fails.
func (g *guest) all(what guestSet, f func(k *cl.Kernel, i int) error) error {
	g.set = setToNothing
	for _, a := range g.args {
		if err := f(a.kernel, a.index); err != nil {
			return err
		}
	}
	g.set = what
	return nil
}

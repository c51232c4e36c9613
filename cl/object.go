package cl

import (
	"math"
	"runtime"
	"sync/atomic"

	"github.com/anycl/anycl/internal/cldriver"
)

// object is the part of every public type that outlives it: the driver's handle
// and the count of its users. A public object points to its core, never the other
// way round, so that the garbage collector can see that the public one is lost.
type object struct {
	lib    *Library
	kind   kind
	h      cldriver.Handle
	parent *object // released after this one
	second *object // a mapping's or command buffer's other parent
	// free overrides the plain release of h, for objects without a handle kind.
	free func(o *object) cldriver.Status

	left atomic.Bool // to the garbage collector, on purpose

	// state counts the users of h: one for the owner until Close, one for each
	// child, one for each call in flight. The top bit says that Close was called.
	state   atomic.Uint32
	cleanup runtime.Cleanup
}

const closedBit = math.MaxUint32 ^ math.MaxInt32

// newObject counts an object that the driver has just made and retains its parents.
func (l *Library) newObject(k kind, h cldriver.Handle, parent, second *object) *object {
	o := &object{lib: l, kind: k, h: h, parent: parent, second: second}
	o.state.Store(1)
	if parent != nil {
		parent.state.Add(1)
	}
	if second != nil {
		second.state.Add(1)
	}
	l.live[k].Add(1)
	return o
}

// guard attaches the safety net: when the public object is collected without
// Close, its core is queued for release by the next call into the library. A
// cleanup runs on the runtime's goroutine, where calling a driver is asking for
// trouble (PyOpenCL and OpenCL.jl both crashed that way).
func guard[T any](public *T, o *object) *T {
	o.cleanup = runtime.AddCleanup(public, func(o *object) { o.lib.abandon(o) }, o)
	return public
}

// use takes the object for one call. It fails after Close.
func (o *object) use() bool {
	for {
		s := o.state.Load()
		if s&closedBit != 0 {
			return false
		}
		if o.state.CompareAndSwap(s, s+1) {
			return true
		}
	}
}

// done ends a use, or a child's hold. The last one out releases.
func (o *object) done() {
	if o.state.Add(math.MaxUint32) == closedBit {
		if err := o.release(); err != nil {
			o.lib.log.Warn("cl: release failed", "object", o.kind.String(), "error", err)
		}
	}
}

// close marks the object closed and drops the owner's hold. The handle goes at
// once, or when the last child and the last call in flight are done.
func (o *object) close() error {
	for {
		s := o.state.Load()
		if s&closedBit != 0 {
			return nil
		}
		if o.state.CompareAndSwap(s, s|closedBit) {
			break
		}
	}
	o.cleanup.Stop()
	if o.state.Add(math.MaxUint32) == closedBit {
		return o.release()
	}
	return nil
}

func (o *object) isClosed() bool { return o == nil || o.state.Load()&closedBit != 0 }

func (o *object) release() error {
	var st cldriver.Status
	if o.free != nil {
		st = o.free(o)
	} else {
		st = o.lib.drv.Release(releaseKind[o.kind], o.h)
	}
	o.lib.live[o.kind].Add(-1)
	if o.second != nil {
		o.second.done()
	}
	if o.parent != nil {
		o.parent.done()
	}
	return check(st, "release "+o.kind.String(), "")
}

// holder is a public object with a core. A nil pointer has none.
type holder interface{ core() *object }

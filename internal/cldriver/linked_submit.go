//go:build cgocl

package cldriver

import (
	"bytes"
	"unsafe"

	opencl "github.com/jgillich/go-opencl/cl"
)

// Submit runs one command. Unlike the loaded library's it allocates: every command of this
// library returns an event and takes its sizes as slices.
func (l *linked) Submit(c *Command) Status {
	if c.Recorder != 0 {
		return Unsupported
	}
	switch c.Op {
	case OpSetArg:
		k := object[opencl.Kernel](l, KindKernel, c.Object)
		if k == nil {
			return refusedKernel
		}
		// A copy: cgo lets no address into an object pass that has pointers itself, as the command has.
		value := c.Ptr
		if value != nil {
			value = unsafe.Pointer(unsafe.SliceData(bytes.Clone(unsafe.Slice((*byte)(value), c.Size))))
		}
		return statusOf(k.SetArgUnsafe(int(c.Dims), int(c.Size), value))
	case OpRelease:
		return l.Release(KindEvent, c.Event)
	case OpWait:
		wait, st := l.events(c)
		if st < 0 {
			return st
		}
		return statusOf(opencl.WaitForEvents(wait))
	}
	q := object[opencl.CommandQueue](l, KindQueue, c.Queue)
	if q == nil {
		return refusedQueue
	}
	switch c.Op {
	case OpFinish:
		return statusOf(q.Finish())
	case OpFlush:
		// The library's Flush calls clFinish. Nothing may wait here for an event that the caller has yet to
		// set, so flushing is left to the wait that follows.
		return Success
	}
	wait, st := l.events(c)
	if st < 0 {
		return st
	}
	e, st := l.enqueue(q, c, wait)
	if st < 0 || e == nil || handleOf(e) == 0 {
		return st
	}
	if !c.WantEvent {
		e.Release()
		return st
	}
	c.Event, _ = keep(l, KindEvent, e, nil)
	return st
}

func (l *linked) events(c *Command) ([]*opencl.Event, Status) {
	if len(c.Wait) == 0 {
		return nil, Success // an empty list must be nil
	}
	wait := make([]*opencl.Event, len(c.Wait))
	for i, h := range c.Wait {
		if wait[i] = object[opencl.Event](l, KindEvent, h); wait[i] == nil {
			return nil, refusedEvent
		}
	}
	return wait, Success
}

// enqueue is one call of the library.
func (l *linked) enqueue(q *opencl.CommandQueue, c *Command, wait []*opencl.Event) (e *opencl.Event, st Status) {
	src, dst := object[opencl.MemObject](l, KindMemory, c.Src), object[opencl.MemObject](l, KindMemory, c.Dst)
	if c.Src != 0 && src == nil || c.Dst != 0 && dst == nil {
		return nil, refusedMemory
	}
	var err error
	switch c.Op {
	case OpLaunch:
		k := object[opencl.Kernel](l, KindKernel, c.Object)
		if k == nil {
			return nil, refusedKernel
		}
		e, err = q.EnqueueNDRangeKernel(k, extents(c.A, c.Dims), ints(c.B[:c.Dims]), extents(c.C, c.Dims), wait)
	case OpRead:
		e, err = q.EnqueueReadBuffer(src, c.Blocking, int(c.SrcOffset), int(c.Size), c.Ptr, wait)
	case OpWrite:
		e, err = q.EnqueueWriteBuffer(dst, c.Blocking, int(c.DstOffset), int(c.Size), c.Ptr, wait)
	case OpCopy:
		e, err = q.EnqueueCopyBuffer(src, dst, int(c.SrcOffset), int(c.DstOffset), int(c.Size), wait)
	case OpFill:
		pattern := c.Pattern
		e, err = q.EnqueueFillBuffer(dst, unsafe.Pointer(&pattern), int(c.PatternSize), int(c.DstOffset), int(c.Size), wait)
	case OpMap:
		var m *opencl.MappedMemObject
		if m, e, err = q.EnqueueMapBuffer(src, c.Blocking, opencl.MapFlag(c.Flags), int(c.SrcOffset), int(c.Size), wait); err == nil {
			c.Mapped = uintptr(m.Ptr())
		}
	case OpMapImage:
		var m *opencl.MappedMemObject
		if m, e, err = q.EnqueueMapImage(src, c.Blocking, opencl.MapFlag(c.Flags), three(c.A), three(c.C), wait); err == nil {
			c.Mapped, c.Pitch[0], c.Pitch[1] = uintptr(m.Ptr()), uintptr(m.RowPitch()), uintptr(m.SlicePitch())
		}
	case OpUnmap:
		// The library takes the object that its map call returned, of which it uses the first word: the address.
		e, err = q.EnqueueUnmapMemObject(src, (*opencl.MappedMemObject)(unsafe.Pointer(&mapped{ptr: c.Ptr})), wait)
	case OpReadImage:
		e, err = q.EnqueueReadImage(src, c.Blocking, three(c.A), three(c.C), int(c.Pitch[0]), int(c.Pitch[1]), unsafe.Slice((*byte)(c.Ptr), 1),
			wait)
	case OpWriteImage:
		e, err = q.EnqueueWriteImage(dst, c.Blocking, three(c.A), three(c.C), int(c.Pitch[0]), int(c.Pitch[1]), unsafe.Slice((*byte)(c.Ptr), 1),
			wait)
	case OpMarker:
		e, err = q.EnqueueMarkerWithWaitList(wait)
	case OpBarrier:
		e, err = q.EnqueueBarrierWithWaitList(wait)
	default:
		return nil, Unsupported
	}
	return e, statusOf(err)
}

// extents are of as many dimensions as a launch has, nil where all are zero.
func extents(v [3]uintptr, dims uint32) []int {
	if v == [3]uintptr{} {
		return nil
	}
	return ints(v[:dims])
}

func ints(v []uintptr) []int {
	out := make([]int, len(v))
	for i, n := range v {
		out[i] = int(n)
	}
	return out
}

func three(v [3]uintptr) [3]int { return [3]int(ints(v[:])) }

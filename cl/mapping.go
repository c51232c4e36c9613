package cl

import (
	"unsafe"

	"github.com/anycl/anycl/internal/cldriver"
)

// Mapping is a part of a buffer or image that the host can touch. Give it back
// with Close or Queue.Unmap before the device uses the memory again.
type Mapping struct {
	obj        *object
	queue      *Queue
	memory     holder
	bytes      []byte
	rowPitch   int
	slicePitch int
}

// Bytes returns the mapped memory, nil after it was given back. It is C memory:
// keep no slice of it longer than that.
func (m *Mapping) Bytes() []byte {
	if m.obj.isClosed() {
		return nil
	}
	return m.bytes
}

// Pitches returns the bytes from row to row and from slice to slice of a mapped
// image, 0 for a buffer.
func (m *Mapping) Pitches() (row, slice int) { return m.rowPitch, m.slicePitch }

// Close enqueues the unmapping on the queue that mapped, and waits for nothing.
func (m *Mapping) Close() error {
	if m == nil {
		return nil
	}
	return m.obj.close()
}

// Map maps size bytes at offset of the buffer and waits until the host may touch
// them. On devices that share the host's memory this copies nothing. Map the same
// bytes from one goroutine at a time: PoCL 3.1 confuses mappings that overlap in
// time and place, up to a crash.
func (q *Queue) Map(b *Buffer, flags MapFlags, offset, size int64, wait []*Event) (*Mapping, error) {
	c, err := q.mapping(b, flags, offset, size)
	if err != nil {
		return nil, err
	}
	c.Blocking = true
	m, _, err := q.runMap(c, wait, b, int(size))
	return m, err
}

// MapEvent starts the mapping. The bytes may be touched when the event is done.
func (q *Queue) MapEvent(b *Buffer, flags MapFlags, offset, size int64, wait []*Event) (*Mapping, *Event, error) {
	c, err := q.mapping(b, flags, offset, size)
	if err != nil {
		return nil, nil, err
	}
	c.WantEvent = true
	return q.runMap(c, wait, b, int(size))
}

func (q *Queue) mapping(b *Buffer, flags MapFlags, offset, size int64) (*cldriver.Command, error) {
	if err := b.contains(cldriver.OpMap, offset, size); err != nil {
		return nil, err
	}
	if size == 0 {
		return nil, invalid("map", InvalidValue, "no bytes")
	}
	c := q.command(cldriver.OpMap)
	c.Src, c.SrcOffset, c.Size, c.Flags = b.obj.h, uintptr(offset), uintptr(size), uint64(flags)
	return c, nil
}

// runMap submits the mapping of size bytes, or of an image with rows of size
// bytes. Queue and memory are held until the mapping itself holds them.
func (q *Queue) runMap(c *cldriver.Command, wait []*Event, memory holder, size int) (*Mapping, *Event, error) {
	defer q.obj.lib.recycle(c)
	if err := hold(q.obj, c.Op); err != nil {
		return nil, nil, err
	}
	defer q.obj.done()
	if err := hold(memory.core(), c.Op); err != nil {
		return nil, nil, err
	}
	defer memory.core().done()
	if err := q.submit(c, wait, nil); err != nil {
		return nil, nil, err
	}
	m := &Mapping{queue: q, memory: memory}
	if c.Op == cldriver.OpMapImage {
		m.rowPitch, m.slicePitch = int(c.Pitch[0]), int(c.Pitch[1])
		if m.rowPitch == 0 {
			m.rowPitch = size // rusticl leaves it out where there is one row
		}
		size = imageBytes(size, 1, int(c.C[1]), int(c.C[2]), m.rowPitch, m.slicePitch)
	}
	// The address is C memory, which Go neither moves nor frees.
	p := *(*unsafe.Pointer)(unsafe.Pointer(&c.Mapped))
	m.bytes = unsafe.Slice((*byte)(p), size)
	m.obj = q.obj.lib.newObject(kindMapping, 0, q.obj, memory.core())
	counts, inOrder := q.progress, !q.opts.OutOfOrder
	m.obj.free = func(o *object) cldriver.Status {
		c := o.lib.command(cldriver.OpUnmap)
		defer o.lib.recycle(c)
		c.Queue, c.Src, c.Ptr = o.parent.h, o.second.h, p
		return counts.follow(o.lib.drv, c, inOrder)
	}
	guard(m, m.obj)
	if !c.WantEvent {
		return m, nil, nil
	}
	return m, q.ctx.newEvent(c.Event, nil), nil
}

// Unmap gives the mapping back on its own queue once the wait list is done. Doing
// it twice does nothing.
func (q *Queue) Unmap(m *Mapping, wait []*Event) error {
	if m == nil {
		return invalid("unmap", InvalidValue, "nil mapping")
	}
	if m.obj.isClosed() {
		return nil
	}
	if q != m.queue {
		return invalid("unmap", InvalidCommandQueue, "mapped by another queue")
	}
	if len(wait) > 0 {
		// In-order queues wait here; on others the barrier holds the unmapping back.
		if err := q.Barrier(wait); err != nil {
			return err
		}
	}
	return m.obj.close()
}

package cl

import (
	"github.com/anycl/anycl/internal/cldriver"
)

// Write copies src into the buffer at offset and waits for it.
func (q *Queue) Write(b *Buffer, offset int64, src []byte, wait []*Event) error {
	c, err := q.transfer(cldriver.OpWrite, b, offset, src)
	if err != nil {
		return err
	}
	c.Blocking = true
	return q.run(c, wait, b.core())
}

// WriteEvent starts the copy. The slice must not change until the event is done;
// it is kept alive and in place until then.
func (q *Queue) WriteEvent(b *Buffer, offset int64, src []byte, wait []*Event) (*Event, error) {
	c, err := q.transfer(cldriver.OpWrite, b, offset, src)
	if err != nil {
		return nil, err
	}
	return q.runEvent(c, wait, src, nil, b.core())
}

// Read copies from the buffer at offset into dst and waits for it.
func (q *Queue) Read(b *Buffer, offset int64, dst []byte, wait []*Event) error {
	c, err := q.transfer(cldriver.OpRead, b, offset, dst)
	if err != nil {
		return err
	}
	c.Blocking = true
	return q.run(c, wait, b.core())
}

// ReadEvent starts the copy. The slice must not be looked at until the event is
// done; it is kept alive and in place until then.
func (q *Queue) ReadEvent(b *Buffer, offset int64, dst []byte, wait []*Event) (*Event, error) {
	c, err := q.transfer(cldriver.OpRead, b, offset, dst)
	if err != nil {
		return nil, err
	}
	return q.runEvent(c, wait, dst, nil, b.core())
}

func (q *Queue) transfer(op cldriver.Op, b *Buffer, offset int64, host []byte) (*cldriver.Command, error) {
	if err := b.contains(op, offset, int64(len(host))); err != nil {
		return nil, err
	}
	c := q.command(op)
	c.Size, c.Ptr = uintptr(len(host)), pointer(host)
	if op == cldriver.OpRead {
		c.Src, c.SrcOffset = b.obj.h, uintptr(offset)
	} else {
		c.Dst, c.DstOffset = b.obj.h, uintptr(offset)
	}
	q.skipEmpty(c)
	return c, nil
}

// skipEmpty turns a command over no bytes, which OpenCL refuses, into a marker.
func (q *Queue) skipEmpty(c *cldriver.Command) {
	if c.Size == 0 {
		c.Op = cldriver.OpMarker
	}
}

func (b *Buffer) contains(op cldriver.Op, offset, size int64) error {
	if b == nil {
		return invalid(op.String(), InvalidMemObject, "nil buffer")
	}
	if offset < 0 || size < 0 || offset > b.size-size {
		return invalid(op.String(), InvalidValue, "offset %d, %d bytes of a buffer of %d", offset, size, b.size)
	}
	return nil
}

// Copy enqueues a copy of size bytes between buffers. The ranges must not
// overlap: MemCopyOverlap.
func (q *Queue) Copy(src, dst *Buffer, srcOffset, dstOffset, size int64, wait []*Event) error {
	c, err := q.copying(src, dst, srcOffset, dstOffset, size)
	if err != nil {
		return err
	}
	return q.run(c, wait, src.core(), dst.core())
}

// CopyEvent is Copy with an event.
func (q *Queue) CopyEvent(src, dst *Buffer, srcOffset, dstOffset, size int64, wait []*Event) (*Event, error) {
	c, err := q.copying(src, dst, srcOffset, dstOffset, size)
	if err != nil {
		return nil, err
	}
	return q.runEvent(c, wait, nil, nil, src.core(), dst.core())
}

func (q *Queue) copying(src, dst *Buffer, srcOffset, dstOffset, size int64) (*cldriver.Command, error) {
	if err := src.contains(cldriver.OpCopy, srcOffset, size); err != nil {
		return nil, err
	}
	if err := dst.contains(cldriver.OpCopy, dstOffset, size); err != nil {
		return nil, err
	}
	c := q.command(cldriver.OpCopy)
	c.Src, c.Dst = src.obj.h, dst.obj.h
	c.SrcOffset, c.DstOffset, c.Size = uintptr(srcOffset), uintptr(dstOffset), uintptr(size)
	q.skipEmpty(c)
	return c, nil
}

// Fill enqueues the repetition of pattern over size bytes at offset. The pattern
// has 1, 2, 4, ... or 128 bytes and divides offset and size: InvalidValue.
func (q *Queue) Fill(b *Buffer, pattern []byte, offset, size int64, wait []*Event) error {
	c, err := q.filling(b, pattern, offset, size)
	if err != nil {
		return err
	}
	return q.run(c, wait, b.core())
}

// FillEvent is Fill with an event.
func (q *Queue) FillEvent(b *Buffer, pattern []byte, offset, size int64, wait []*Event) (*Event, error) {
	c, err := q.filling(b, pattern, offset, size)
	if err != nil {
		return nil, err
	}
	return q.runEvent(c, wait, nil, nil, b.core())
}

func (q *Queue) filling(b *Buffer, pattern []byte, offset, size int64) (*cldriver.Command, error) {
	if err := b.contains(cldriver.OpFill, offset, size); err != nil {
		return nil, err
	}
	if err := checkPattern(cldriver.OpFill, pattern, offset, size); err != nil {
		return nil, err
	}
	c := q.command(cldriver.OpFill)
	c.Dst, c.DstOffset, c.Size = b.obj.h, uintptr(offset), uintptr(size)
	c.PatternSize = uintptr(copy(c.Pattern[:], pattern))
	q.skipEmpty(c)
	return c, nil
}

func checkPattern(op cldriver.Op, pattern []byte, offset, size int64) error {
	n := int64(len(pattern))
	if n == 0 || n > cldriver.MaxPattern || n&(n-1) != 0 || offset%n != 0 || size%n != 0 {
		return invalid(op.String(), InvalidValue, "a pattern of %d bytes, offset %d, size %d", n, offset, size)
	}
	return nil
}

// Migrate moves buffers to the queue's device ahead of their use. Events are
// seldom wanted; order it with a marker.
func (q *Queue) Migrate(buffers []*Buffer, flags MigrateFlags, wait []*Event) error {
	if len(buffers) == 0 {
		return q.Marker(wait)
	}
	objects := make([]*object, len(buffers))
	c := q.command(cldriver.OpMigrate)
	for i, b := range buffers {
		objects[i] = b.core()
		if b != nil {
			c.Memory = append(c.Memory, b.obj.h)
		}
	}
	c.Flags = uint64(flags)
	return q.run(c, wait, objects...)
}

// Marker enqueues a point that is reached when the wait list, or with an empty
// list everything enqueued before, is done.
func (q *Queue) Marker(wait []*Event) error { return q.run(q.command(cldriver.OpMarker), wait) }

// MarkerEvent is Marker with an event.
func (q *Queue) MarkerEvent(wait []*Event) (*Event, error) {
	return q.runEvent(q.command(cldriver.OpMarker), wait, nil, nil)
}

// Barrier is Marker that later commands of the queue wait for.
func (q *Queue) Barrier(wait []*Event) error { return q.run(q.command(cldriver.OpBarrier), wait) }

// BarrierEvent is Barrier with an event.
func (q *Queue) BarrierEvent(wait []*Event) (*Event, error) {
	return q.runEvent(q.command(cldriver.OpBarrier), wait, nil, nil)
}

// Flush submits the enqueued commands to the device.
func (q *Queue) Flush() error { return q.run(q.command(cldriver.OpFlush), nil) }

// Finish waits until everything enqueued is done. It blocks an operating system
// thread.
func (q *Queue) Finish() error { return q.run(q.command(cldriver.OpFinish), nil) }

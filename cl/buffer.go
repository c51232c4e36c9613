package cl

import (
	"fmt"
	"unsafe"

	"github.com/anycl/anycl/internal/cldriver"
)

// Buffer is linear device memory. It is safe for concurrent use; the caller orders the commands in
// flight that access its bytes.
type Buffer struct {
	obj    *object
	ctx    *Context
	parent *Buffer
	size   int64
	flags  MemFlags
	host   unsafe.Pointer // keeps MemUseHostPtr's memory alive
}

func (b *Buffer) core() *object {
	if b == nil {
		return nil
	}
	return b.obj
}

// NewBuffer allocates size bytes. The host pointer is read at once for
// MemCopyHostPtr, is the storage itself for MemUseHostPtr, and must be nil
// otherwise. Storage in Go memory must not move or die: use memory from outside
// Go's heap, or a pinned slice, which the buffer then keeps alive.
//
// Errors: InvalidBufferSize for a size of 0 or above the device's largest single
// allocation; MemObjectAllocationFailure or OutOfResources when memory is short,
// which many drivers find out only at the first use.
func (c *Context) NewBuffer(flags MemFlags, size int64, host unsafe.Pointer) (*Buffer, error) {
	if size <= 0 {
		return nil, invalid("create buffer", InvalidBufferSize, "size %d", size)
	}
	o, err := c.create(kindBuffer, fmt.Sprintf("%d bytes", size),
		func(drv cldriver.Driver, ctx cldriver.Handle) (cldriver.Handle, cldriver.Status) {
			return drv.NewBuffer(ctx, uint64(flags), uintptr(size), host)
		})
	if err != nil {
		return nil, err
	}
	b := &Buffer{obj: o, ctx: c, size: size, flags: flags}
	if flags&MemUseHostPtr != 0 {
		b.host = host
	}
	return guard(b, o), nil
}

// Sub returns a view of a part of the buffer. The offset must be a multiple of
// the devices' BaseAddrAlignBits / 8. Errors: MisalignedSubBufferOffset,
// InvalidValue for a part that sticks out.
func (b *Buffer) Sub(flags MemFlags, offset, size int64) (*Buffer, error) {
	const op = "create sub-buffer"
	if b == nil {
		return nil, invalid(op, InvalidMemObject, "nil buffer")
	}
	if offset < 0 || size <= 0 || offset > b.size-size {
		return nil, invalid(op, InvalidValue, "offset %d, size %d of a buffer of %d bytes", offset, size, b.size)
	}
	if !b.obj.use() {
		return nil, closed(op, "buffer")
	}
	defer b.obj.done()
	h, st := b.obj.lib.drv.NewSubBuffer(b.obj.h, uint64(flags), uintptr(offset), uintptr(size))
	if err := check(st, op, fmt.Sprintf("offset %d, %d bytes", offset, size)); err != nil {
		return nil, err
	}
	o := b.obj.lib.newObject(kindBuffer, h, b.obj, nil)
	return guard(&Buffer{obj: o, ctx: b.ctx, parent: b, size: size, flags: flags}, o), nil
}

// Size returns the number of bytes.
func (b *Buffer) Size() int64 { return b.size }

// Flags returns the flags that the buffer was made with.
func (b *Buffer) Flags() MemFlags { return b.flags }

// Context returns the context that the buffer belongs to.
func (b *Buffer) Context() *Context { return b.ctx }

// Close releases the memory once sub-buffers, mappings and commands in flight are done.
func (b *Buffer) Close() error {
	if b == nil {
		return nil
	}
	return b.obj.close()
}

// Remnant is the driver handle of an object that may be collected without Close. It does not keep
// the object alive.
type Remnant struct{ obj *object }

// Remnant returns a handle that can release the buffer even while the garbage collector is about
// to: a weak pointer is empty before the lost buffer's cleanup has run.
func (b *Buffer) Remnant() Remnant { return Remnant{b.obj} }

// Closed reports whether the object was closed, by its owner or as lost.
func (r Remnant) Closed() bool { return r.obj.isClosed() }

// Close closes the object. Closing one that is closed already does nothing.
func (r Remnant) Close() error {
	if r.obj == nil {
		return nil
	}
	return r.obj.close()
}

// Bytes views a slice of numbers as bytes, without a copy, for Read and Write.
func Bytes[T ~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}

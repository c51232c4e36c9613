package cl

import (
	"fmt"
	"unsafe"

	"github.com/anycl/anycl/internal/cldriver"
)

// SVM is memory that host and device address alike (OpenCL 2.0, optional). It is
// safe for concurrent use.
type SVM struct {
	obj   *object
	ctx   *Context
	ptr   unsafe.Pointer
	size  int64
	flags MemFlags
}

func (s *SVM) core() *object {
	if s == nil {
		return nil
	}
	return s.obj
}

// NewSVM allocates size bytes with the alignment given, 0 for the default. Errors:
// ErrUnsupported where the library or every device lacks it, OutOfResources when
// the memory cannot be had (OpenCL does not say why).
func (c *Context) NewSVM(flags MemFlags, size int64, align int) (*SVM, error) {
	const op = "create SVM allocation"
	if size <= 0 || align < 0 {
		return nil, invalid(op, InvalidBufferSize, "size %d, alignment %d", size, align)
	}
	if c != nil && !c.hasSVM() {
		return nil, unsupported(op)
	}
	var p unsafe.Pointer
	o, err := c.create(kindSVM, fmt.Sprintf("%d bytes", size),
		func(drv cldriver.Driver, ctx cldriver.Handle) (cldriver.Handle, cldriver.Status) {
			var st cldriver.Status
			p, st = drv.SVMAlloc(ctx, uint64(flags), uintptr(size), uint32(align))
			return 0, st
		})
	if err != nil {
		return nil, err
	}
	o.free = func(o *object) cldriver.Status { return o.lib.drv.SVMFree(o.parent.h, p) }
	return guard(&SVM{obj: o, ctx: c, ptr: p, size: size, flags: flags}, o), nil
}

func (c *Context) hasSVM() bool {
	for _, d := range c.devices {
		if d.Info().SVM != 0 {
			return c.obj.lib.drv.Has(cldriver.FeatureSVM)
		}
	}
	return false
}

// Size returns the number of bytes.
func (s *SVM) Size() int64 { return s.size }

// Bytes views the memory. The host may touch it only between MapSVM and UnmapSVM,
// unless the allocation is fine-grained; nobody may after Close.
func (s *SVM) Bytes() []byte {
	if s.obj.isClosed() {
		return nil
	}
	return unsafe.Slice((*byte)(s.ptr), s.size)
}

// Close frees the memory. Unlike a buffer's it goes at once: finish the commands
// that use it first.
func (s *SVM) Close() error {
	if s == nil {
		return nil
	}
	return s.obj.close()
}

// MapSVM lets the host touch size bytes from offset and waits for it.
func (q *Queue) MapSVM(s *SVM, flags MapFlags, offset, size int64, wait []*Event) error {
	if err := s.contains(cldriver.OpSVMMap, offset, size); err != nil {
		return err
	}
	c := q.command(cldriver.OpSVMMap)
	c.Ptr, c.Size, c.Flags, c.Blocking = unsafe.Add(s.ptr, offset), uintptr(size), uint64(flags), true
	q.skipEmpty(c)
	return q.run(c, wait, s.core())
}

// UnmapSVM gives the memory, mapped from offset, back to the device.
func (q *Queue) UnmapSVM(s *SVM, offset int64, wait []*Event) error {
	if err := s.contains(cldriver.OpSVMUnmap, offset, 0); err != nil {
		return err
	}
	c := q.command(cldriver.OpSVMUnmap)
	c.Ptr = unsafe.Add(s.ptr, offset)
	return q.run(c, wait, s.core())
}

// CopySVM copies between allocations and waits for it.
func (q *Queue) CopySVM(dst *SVM, dstOffset int64, src *SVM, srcOffset, size int64, wait []*Event) error {
	if err := dst.contains(cldriver.OpSVMCopy, dstOffset, size); err != nil {
		return err
	}
	if err := src.contains(cldriver.OpSVMCopy, srcOffset, size); err != nil {
		return err
	}
	c := q.command(cldriver.OpSVMCopy)
	c.Ptr, c.Ptr2, c.Size, c.Blocking = unsafe.Add(dst.ptr, dstOffset), unsafe.Add(src.ptr, srcOffset), uintptr(size), true
	q.skipEmpty(c)
	return q.run(c, wait, dst.core(), src.core())
}

// FillSVM enqueues the repetition of pattern, as Fill.
func (q *Queue) FillSVM(s *SVM, pattern []byte, offset, size int64, wait []*Event) error {
	if err := s.contains(cldriver.OpSVMFill, offset, size); err != nil {
		return err
	}
	if err := checkPattern(cldriver.OpSVMFill, pattern, offset, size); err != nil {
		return err
	}
	c := q.command(cldriver.OpSVMFill)
	c.Ptr, c.Size = unsafe.Add(s.ptr, offset), uintptr(size)
	c.PatternSize = uintptr(copy(c.Pattern[:], pattern))
	q.skipEmpty(c)
	return q.run(c, wait, s.core())
}

func (s *SVM) contains(op cldriver.Op, offset, size int64) error {
	if s == nil {
		return invalid(op.String(), InvalidValue, "nil SVM")
	}
	if offset < 0 || size < 0 || offset > s.size-size {
		return invalid(op.String(), InvalidValue, "offset %d, %d bytes of an allocation of %d", offset, size, s.size)
	}
	return nil
}

// UsesSVM declares allocations that the kernel reaches through pointers in memory
// instead of through its arguments. It replaces the set declared before; the
// caller keeps them open while launches run.
func (k *Kernel) UsesSVM(allocations ...*SVM) error {
	const op = "declare SVM"
	pointers := make([]unsafe.Pointer, len(allocations))
	for i, s := range allocations {
		if err := hold(s.core(), cldriver.OpNone); err != nil {
			for _, held := range allocations[:i] {
				held.obj.done()
			}
			return err
		}
		pointers[i] = s.ptr
	}
	defer func() {
		for _, s := range allocations {
			s.obj.done()
		}
	}()
	if !k.obj.use() {
		return closed(op, "kernel")
	}
	defer k.obj.done()
	return check(k.obj.lib.drv.SVMUsed(k.obj.h, pointers), op, k.name)
}

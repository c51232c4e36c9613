package cl

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/anycl/anycl/internal/cldriver"
)

// The Set methods give argument i its value, which stays for all later launches.
// They do not allocate. Errors: InvalidArgIndex, InvalidArgSize for a value of
// another size than the argument (not every driver checks), InvalidArgValue.

// SetBuffer sets a global or constant pointer argument. A nil buffer is SetNil.
func (k *Kernel) SetBuffer(i int, b *Buffer) error {
	if b == nil {
		return k.SetNil(i)
	}
	return k.setHandle(i, b.obj, b)
}

// SetImage sets an image argument.
func (k *Kernel) SetImage(i int, m *Image) error {
	if m == nil {
		return k.argError(i, InvalidArgValue, "nil image")
	}
	return k.setHandle(i, m.obj, m)
}

// SetSampler sets a sampler argument.
func (k *Kernel) SetSampler(i int, s *Sampler) error {
	if s == nil {
		return k.argError(i, InvalidArgValue, "nil sampler")
	}
	return k.setHandle(i, s.obj, s)
}

// SetNil sets a pointer argument to null.
func (k *Kernel) SetNil(i int) error { return k.set(i, unsafe.Sizeof(uintptr(0)), nil, nil) }

// SetLocal sets the size in bytes of a local memory argument.
func (k *Kernel) SetLocal(i, size int) error {
	if size <= 0 {
		return k.argError(i, InvalidArgSize, "local memory of no bytes")
	}
	return k.set(i, uintptr(size), nil, nil)
}

// SetBytes sets an argument by value from the n bytes at p, which it copies. A
// three-element vector has the size of one with four.
func (k *Kernel) SetBytes(i int, p unsafe.Pointer, n int) error {
	if p == nil || n <= 0 {
		return k.argError(i, InvalidArgSize, "no value")
	}
	return k.set(i, uintptr(n), p, nil)
}

// SetInt32 sets an int argument.
func (k *Kernel) SetInt32(i int, v int32) error { return k.set32(i, uint32(v)) }

// SetUint32 sets a uint argument.
func (k *Kernel) SetUint32(i int, v uint32) error { return k.set32(i, v) }

// SetInt64 sets a long argument.
func (k *Kernel) SetInt64(i int, v int64) error { return k.set64(i, uint64(v)) }

// SetUint64 sets a ulong argument.
func (k *Kernel) SetUint64(i int, v uint64) error { return k.set64(i, v) }

// SetFloat32 sets a float argument.
func (k *Kernel) SetFloat32(i int, v float32) error { return k.set32(i, math.Float32bits(v)) }

// SetFloat64 sets a double argument.
func (k *Kernel) SetFloat64(i int, v float64) error { return k.set64(i, math.Float64bits(v)) }

// SetSVM sets a pointer argument to a shared virtual memory address: offset bytes
// into s.
func (k *Kernel) SetSVM(i int, s *SVM, offset int64) error {
	if s == nil {
		return k.argError(i, InvalidArgValue, "nil SVM")
	}
	if offset < 0 || offset >= s.size {
		return k.argError(i, InvalidArgValue, "an offset outside the allocation")
	}
	if !s.obj.use() {
		return closed("set argument", "SVM allocation")
	}
	defer s.obj.done()
	c := k.obj.lib.command(cldriver.OpSetArgSVM)
	c.Ptr = unsafe.Add(s.ptr, offset)
	return k.submit(i, c, s)
}

// SetAddress sets a pointer argument to p, an address of the process in the storage of b, which the
// kernel keeps. No commands are put in order by it, and the driver is not told that it is b. Without b it is
// memory that stays where it is, and the caller's, until another is set. OpenCL allows
// it for shared virtual memory only: it is for drivers that have shown that they take others' addresses too.
func (k *Kernel) SetAddress(i int, b *Buffer, p unsafe.Pointer) error {
	if p == nil {
		return k.argError(i, InvalidArgValue, "no address")
	}
	var kept holder
	if b != nil {
		if !b.obj.use() {
			return closed("set argument", b.obj.kind.String())
		}
		defer b.obj.done()
		kept = b
	}
	c := k.obj.lib.command(cldriver.OpSetArgSVM)
	c.Ptr = p
	return k.submit(i, c, kept)
}

// setHandle passes an object's handle by value; the value is stored in the command, whose address
// does not change.
func (k *Kernel) setHandle(i int, o *object, h holder) error {
	if !o.use() {
		return closed("set argument", o.kind.String())
	}
	defer o.done()
	c := k.obj.lib.command(cldriver.OpSetArg)
	c.Src = o.h
	c.Size, c.Ptr = unsafe.Sizeof(c.Src), unsafe.Pointer(&c.Src)
	return k.submit(i, c, h)
}

func (k *Kernel) set32(i int, v uint32) error {
	c := k.obj.lib.command(cldriver.OpSetArg)
	binary.NativeEndian.PutUint32(c.Pattern[:], v)
	c.Size, c.Ptr = 4, unsafe.Pointer(&c.Pattern)
	return k.submit(i, c, nil)
}

func (k *Kernel) set64(i int, v uint64) error {
	c := k.obj.lib.command(cldriver.OpSetArg)
	binary.NativeEndian.PutUint64(c.Pattern[:], v)
	c.Size, c.Ptr = 8, unsafe.Pointer(&c.Pattern)
	return k.submit(i, c, nil)
}

func (k *Kernel) set(i int, size uintptr, p unsafe.Pointer, h holder) error {
	c := k.obj.lib.command(cldriver.OpSetArg)
	c.Size, c.Ptr = size, p
	return k.submit(i, c, h)
}

func (k *Kernel) submit(i int, c *cldriver.Command, h holder) error {
	defer k.obj.lib.recycle(c)
	if i < 0 || i >= len(k.args) {
		return k.argError(i, InvalidArgIndex, "no such argument")
	}
	if !k.obj.use() {
		return closed("set argument", "kernel")
	}
	defer k.obj.done()
	c.Object, c.Dims = k.obj.h, uint32(i)
	if st := k.obj.lib.drv.Submit(c); st < 0 {
		if st == cldriver.Unsupported {
			return unsupported(c.Op.String())
		}
		return k.argError(i, Status(st), "")
	}
	k.args[i] = h
	return nil
}

func (k *Kernel) argError(i int, s Status, why string) error {
	if why != "" {
		why = ": " + why
	}
	return invalid("set argument", s, "%s, argument %d of %d%s", k.name, i, len(k.args), why)
}

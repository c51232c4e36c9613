package good

import (
	"runtime"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

func literal(f uintptr, out []uint64, name string) uint32 {
	var n uint32
	purego.SyscallN(f, uintptr(len(out)), uintptr(unsafe.Pointer(&n)), (uintptr(unsafe.Pointer(unsafe.SliceData(out)))))
	return n
}

func pointer(f uintptr, p unsafe.Pointer) { purego.SyscallN(f, uintptr(p)) }

func kernel(p *uint64) {
	syscall.RawSyscall6(0, uintptr(unsafe.Pointer(p)), 0, 0, 0, 0, 0)
}

// A block that pins itself may hold addresses of its own.
type block struct {
	args  [4]uintptr
	out   uint32
	sizes [3]uintptr
	list  []uint64
	host  unsafe.Pointer
	pin   runtime.Pinner
}

func (b *block) call(f uintptr) {
	b.args[0] = uintptr(unsafe.Pointer(&b.out))
	b.args[1] = uintptr(unsafe.Pointer(&b.sizes[1]))
	b.args[2] = uintptr(unsafe.Pointer(unsafe.SliceData(b.list)))
	b.args[3] = uintptr(b.host)
	purego.SyscallN(f, b.args[:]...)
}

func aligned(p *uint32) bool { return (uintptr(unsafe.Pointer(p)))%64 == 0 }

// A distance is no address.
func apart(p, q *uint32) uintptr { return uintptr(unsafe.Pointer(p)) - uintptr(unsafe.Pointer(q)) }

func before(p, q unsafe.Pointer) bool { return uintptr(p) < uintptr(q) }

func size() uintptr { return uintptr(8) + unsafe.Sizeof(block{}) }

func noPointer(f uintptr) { purego.SyscallN(f, size(), uintptr(len("x"))) }

// C memory read back from a number is not this analyzer's business.
func address(r uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&r)) }

package bad

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

// The helper that loses out-parameters.
func p[T any](x *T) uintptr {
	return uintptr(unsafe.Pointer(x)) // want "pointer becomes a number outside"
}

type number uintptr

func helper(f uintptr) uint32 {
	var n uint32
	purego.SyscallN(f, 0, p(&n)) // want "p hides a pointer"
	return n
}

func variable(f uintptr) uint32 {
	var n uint32
	a := uintptr(unsafe.Pointer(&n)) // want "pointer becomes a number outside"
	purego.SyscallN(f, a)
	return n
}

func slice(f uintptr) uint32 {
	var n uint32
	args := []uintptr{0, uintptr(unsafe.Pointer(&n))} // want "pointer becomes a number outside"
	purego.SyscallN(f, args...)
	return n
}

func named(q *uint32) number {
	return number(unsafe.Pointer(q)) // want "pointer becomes a number outside"
}

func other(q *uint32) {
	use(uintptr(unsafe.Pointer(q))) // want "pointer becomes a number outside"
}

func arithmetic(f uintptr, q *[4]uint32) {
	purego.SyscallN(f, uintptr(unsafe.Pointer(q))+4) // want "pointer becomes a number outside"
}

func aligned(f uintptr, q *uint32) {
	purego.SyscallN(f, uintptr(unsafe.Pointer(q))&^63) // want "pointer becomes a number outside"
	use(5 % uintptr(unsafe.Pointer(q)))                // want "pointer becomes a number outside"
	use(uintptr(unsafe.Pointer(q)) - 8)                // want "pointer becomes a number outside"
}

func use(uintptr) {}

// A block without a pinner may move.
type block struct {
	args [4]uintptr
	out  uint32
}

func (b *block) call(f uintptr) {
	b.args[0] = uintptr(unsafe.Pointer(&b.out)) // want "pointer becomes a number outside"
	purego.SyscallN(f, b.args[:1]...)
}

func registered(f uintptr) {
	var get func(int32) int32
	purego.RegisterFunc(&get, f)           // want "RegisterFunc allocates"
	purego.RegisterLibFunc(&get, f, "get") // want "RegisterLibFunc allocates"
	_ = purego.NewCallback(get)            // want "never freed"
}

package ram

import (
	"syscall"
	"unsafe"
)

// largePage is the size of a large page on most processors; where theirs are larger, the kernel
// leaves out memory that does not fill one.
const largePage = 2 << 20

// PreferLargePages asks for large pages in the part of mem that they can fill, before anybody has
// touched it. Memory is as good where that fails.
func PreferLargePages(mem []byte) error {
	skip := (largePage - uintptr(unsafe.Pointer(unsafe.SliceData(mem)))%largePage) % largePage
	if whole := (uintptr(len(mem)) - skip) / largePage * largePage; skip < uintptr(len(mem)) && whole > 0 {
		return syscall.Madvise(mem[skip:][:whole], syscall.MADV_HUGEPAGE)
	}
	return nil
}

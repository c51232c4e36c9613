package platform

import (
	"syscall"
	"unsafe"
)

// hugePage is the size of a large page on most processors; where theirs are
// larger, the kernel leaves out what does not fill one.
const hugePage = 2 << 20

// adviseHugePages asks for large pages in the part of mem that they can fill.
func adviseHugePages(mem []byte) error {
	skip := (hugePage - uintptr(unsafe.Pointer(unsafe.SliceData(mem)))%hugePage) % hugePage
	if whole := (uintptr(len(mem)) - skip) / hugePage * hugePage; skip < uintptr(len(mem)) && whole > 0 {
		return syscall.Madvise(mem[skip:][:whole], syscall.MADV_HUGEPAGE)
	}
	return nil
}

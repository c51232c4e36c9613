package procs

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Here is the processor that the calling thread is on, -1 where that is not known. It may be
// another one as soon as it is told.
func Here() int {
	var cpu uint32
	if _, _, errno := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0); errno != 0 {
		return -1
	}
	return int(cpu)
}

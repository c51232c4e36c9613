package par

import (
	"strings"
	"unsafe"

	"github.com/anycl/anycl/tensor"
)

// Uncleared returns memory for n values without pointers, which may be anything: the caller is to write all of them. Its address is a
// multiple of [tensor.Alignment]. Clearing memory that is written next takes as long as writing it.
func Uncleared[T any](n int) []T {
	var z T
	size := n * int(unsafe.Sizeof(z))
	if size < 16<<10 {
		return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(tensor.AlignedBytes(max(size, 8))))), n)
	}
	var b strings.Builder // the only type of the standard library whose memory is not cleared
	b.Grow(size + tensor.Alignment - 1)
	b.WriteByte(0) // so that it has an address
	p := unsafe.Pointer(unsafe.StringData(b.String()))
	skip := int(-uintptr(p) % tensor.Alignment)
	return unsafe.Slice((*T)(unsafe.Add(p, skip)), n)
}

//go:build linux && (amd64 || arm64) && !noopencl

package cldriver

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/ebitengine/purego"
)

// A compiler in a driver takes its memory from the C library bit by bit: 110 MiB for PoCL's library of
// built-in functions, which in pages of 4 KiB are 28,000 page faults. In a virtual machine they take as long as
// the compiler. Glibc has pages of 2 MiB for whole processes only, by a variable that it reads when they start.
//
// glibc's malloc keeps freed memory for the thread, as long as it is less than 64 MiB in a piece. So untouched
// blocks are allocated, large pages are requested for them, and they are freed before the compiler begins. Where any
// of this fails, memory is as good as without. Source: malloc/malloc.c and arena.c of glibc 2.36.

const (
	heapPiece  = 30 << 20 // two are a heap of a thread's arena
	heapPieces = 6
	heapMapped = 32<<20 - 8<<10 // the largest block that, given back, has malloc take such from its heaps from then on
	heapKeeper = 64             // the part of a block that stays allocated so that its heap stays
	heapFirst  = 112 << 20      // the least memory of the first build of a process
	heapLater  = 4 << 20        // and of later ones
)

// libcHeap are the C library's functions, zero unless it is glibc.
var libcHeap = sync.OnceValue(func() (fn struct{ malloc, realloc, free uintptr }) {
	if symbol(purego.RTLD_DEFAULT, "gnu_get_libc_version") != 0 {
		fn.malloc = symbol(purego.RTLD_DEFAULT, "malloc")
		fn.realloc = symbol(purego.RTLD_DEFAULT, "realloc")
		fn.free = symbol(purego.RTLD_DEFAULT, "free")
	}
	return fn
})

// heapBegun says that a build of this process has begun.
var heapBegun atomic.Bool

// WithLargePages calls f, on one thread, with up to 180 MiB of large pages at hand for the driver's
// allocations on that thread, as long as they come quickly. Those beyond what it will use take no memory.
func WithLargePages(f func()) {
	fn := libcHeap()
	if fn.malloc == 0 || fn.realloc == 0 || fn.free == 0 {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	free := func(p uintptr) { purego.SyscallN(fn.free, p) }
	malloc := func(n uintptr) uintptr {
		p, _, _ := purego.SyscallN(fn.malloc, n)
		return p
	}
	free(malloc(heapMapped))
	pages := largePages{used: heapLater}
	if !heapBegun.Swap(true) {
		pages.used = heapFirst
	}
	var pieces []uintptr
	for range heapPieces {
		p := malloc(heapPiece)
		if p == 0 {
			break
		}
		pieces = append(pieces, p)
		const words = 16 // malloc's own, before the piece and behind it
		pages.ask(p+words, p+heapPiece-words)
	}
	for i, p := range pieces {
		if i == 0 || i%2 == 1 {
			free(p)
		} else if q, _, _ := purego.SyscallN(fn.realloc, p, heapKeeper); q != 0 {
			defer free(q)
		} else {
			defer free(p)
		}
	}
	f()
}

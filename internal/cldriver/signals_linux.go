//go:build linux && (amd64 || arm64) && !noopencl

package cldriver

import (
	"sync"
	"syscall"
	"unsafe"

	"github.com/anycl/anycl/internal/quirks"
)

// sigaction is the kernel's struct sigaction, which is not libc's: the same on
// amd64 and arm64, both of which have the restorer word.
type sigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

const signals = 64

// snapshot holds the actions of signals 1 to 64.
type snapshot [signals + 1]sigaction

// watch is the state shared by the calls that may replace signal handlers: the signal actions from
// before the first of the calls now running.
var watch struct {
	sync.Mutex
	calls  int
	before snapshot
}

// keepSignals remembers the process's signal handlers; the function that it
// returns puts back those that have been replaced since. Drivers replace them
// (PoCL fifteen, SIGSEGV among them, through LLVM), and with PoCL 7.1 a nil
// dereference in Go then kills the process instead of panicking.
//
// Handlers that Go itself installed in between, for signal.Notify, stay. Calls
// may overlap, because programs are built in parallel.
func keepSignals() func() {
	watch.Lock()
	defer watch.Unlock()
	if watch.calls == 0 {
		watch.before.take()
	}
	watch.calls++
	return func() {
		watch.Lock()
		defer watch.Unlock()
		watch.calls--
		if quirks.Off(quirks.RestoreSignals) {
			return
		}
		watch.before.restore()
	}
}

func (s *snapshot) take() {
	for sig := 1; sig <= signals; sig++ {
		rtSigaction(sig, nil, &s[sig])
	}
}

func (s *snapshot) restore() {
	var now snapshot
	now.take()
	// The runtime's own handler, the one that always serves preemption.
	goHandler := s[syscall.SIGURG].handler
	for sig := range s {
		if s[sig] != now[sig] && now[sig].handler != goHandler {
			rtSigaction(sig, &s[sig], nil)
		}
	}
}

// rtSigaction calls the kernel without libc, whose own wrapper would replace the
// restorer that Go set. It fails for SIGKILL and SIGSTOP, which nobody can take.
func rtSigaction(sig int, set, old *sigaction) {
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)),
		unsafe.Sizeof(sigaction{}.mask), 0, 0)
}

//go:build linux && (amd64 || arm64) && !noopencl

package cldriver

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	smallPage = 4 << 10
	largePage = 2 << 20
	fewPages  = 64 * smallPage
)

// largePages asks for large pages, in memory that nothing has touched, as long as they come quicker than small ones. A virtual
// machine may have given the free ones back to its host, and each then takes several times as long as small pages to be backed
// again. So those that are about to be used are taken at once, and the first that is slow is the last.
type largePages struct {
	used  uintptr       // how many bytes are about to be used
	limit time.Duration // the time of small pages in place of a large one; 0: not measured yet
	slow  bool
}

// ask does so in the memory from an address to another.
func (l *largePages) ask(from, to uintptr) {
	from, to = alignUp(from, smallPage), to&^(smallPage-1)
	if l.limit == 0 && l.used > 0 && from+fewPages < to {
		advise(from, fewPages, unix.MADV_NOHUGEPAGE)
		l.limit = largePage / fewPages * taken(from, fewPages)
		from += fewPages
	}
	for from = alignUp(from, largePage); !l.slow && l.used > 0 && from+largePage <= to; from += largePage {
		advise(from, largePage, unix.MADV_HUGEPAGE)
		l.slow = taken(from, largePage) > l.limit
		l.used -= min(l.used, largePage)
	}
	if !l.slow && from < to {
		advise(from, to-from, unix.MADV_HUGEPAGE)
	}
}

// taken is how long this thread takes to get memory for the pages from an address on; 0 where the system, before Linux 5.14, gives
// none before it is used.
func taken(from, bytes uintptr) time.Duration {
	var begin, end unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &begin) != nil || !advise(from, bytes, unix.MADV_POPULATE_WRITE) ||
		unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &end) != nil {
		return 0
	}
	return time.Duration(end.Nano() - begin.Nano())
}

func advise(from, bytes uintptr, advice int) bool {
	_, _, errno := syscall.Syscall(syscall.SYS_MADVISE, from, bytes, uintptr(advice))
	return errno == 0
}

func alignUp(p, size uintptr) uintptr { return (p + size - 1) &^ (size - 1) }

//go:build (amd64 || arm64) && !noopencl

package cldriver

import (
	"math"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// asked returns how much of 32 MiB is resident once l asked for its pages.
func asked(t *testing.T, l *largePages) (resident int) {
	const size = 32 << 20
	at, _, errno := unix.Syscall6(unix.SYS_MMAP, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON, ^uintptr(0), 0)
	require.Zero(t, errno)
	defer func() { _, _, _ = unix.Syscall(unix.SYS_MUNMAP, at, size, 0) }()
	l.ask(at+16, at+size-16)
	pages := make([]byte, size/smallPage)
	_, _, errno = unix.Syscall(unix.SYS_MINCORE, at, size, uintptr(unsafe.Pointer(&pages[0])))
	require.Zero(t, errno)
	for _, p := range pages {
		resident += smallPage * int(p&1)
	}
	return resident
}

func TestLargePagesAreTakenAsFarAsTheyAreUsed(t *testing.T) {
	l := &largePages{used: 6 << 20, limit: math.MaxInt64}
	if got := asked(t, l); got == 0 {
		t.Skip("no pages before they are used: Linux before 5.14")
	} else {
		assert.Equal(t, 6<<20, got)
	}
	assert.False(t, l.slow)
	assert.Zero(t, l.used)
}

func TestLargePagesEndAtOneThatIsSlow(t *testing.T) {
	l := &largePages{used: 20 << 20, limit: time.Nanosecond}
	if got := asked(t, l); got == 0 {
		t.Skip("no pages before they are used: Linux before 5.14")
	} else {
		assert.Equal(t, largePage, got)
	}
	assert.True(t, l.slow)
	assert.Zero(t, asked(t, l), "nor are others asked for in what follows")
}

func TestSmallPagesTellWhatLargeOnesMayTake(t *testing.T) {
	l := &largePages{used: 4 << 20}
	if asked(t, l) == 0 {
		t.Skip("no pages before they are used: Linux before 5.14")
	}
	assert.Positive(t, l.limit)
	assert.Less(t, l.limit, time.Second)
}

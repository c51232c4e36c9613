package ram

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// collect runs the garbage collector until ok, or for long.
func collect(t *testing.T, ok func() bool, what string) {
	t.Helper()
	require.Eventually(t, func() bool {
		runtime.GC()
		return ok()
	}, 20*time.Second, time.Millisecond, what)
}

// address is where b begins, without a reference to it.
func address(b []byte) string { return fmt.Sprintf("%p", b) }

// idle are the blocks of c that wait for a caller, and the bytes of all that come back.
func (c *cache) idle() (blocks, total int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, all := range c.free {
		blocks += len(all)
	}
	return blocks, c.total
}

func TestDroppedBlocksComeBack(t *testing.T) {
	var c cache
	const size = 1 << 20
	first := c.take(size)
	at := address(first)
	first[0] = 1
	runtime.GC()
	n, total := c.idle()
	require.Zero(t, n, "it is in use")
	require.Equal(t, size, total)
	require.EqualValues(t, 1, first[0])
	collect(t, func() bool { n, _ := c.idle(); return n == 1 }, "nothing refers to it")
	require.Len(t, c.take(2*size), 2*size, "another size")
	again := c.take(size)
	require.Equal(t, at, address(again))
	require.Len(t, again, size)
	part := again[size-1:]
	again = nil
	for range 3 {
		runtime.GC()
	}
	part[0] = 7
	other := c.take(size)
	require.NotEqual(t, at, address(other), "a part of it is in use")
	require.EqualValues(t, 7, part[0])
	runtime.KeepAlive(other)
	collect(t, func() bool { n, total := c.idle(); return n == 0 && total == 0 }, "what nobody wants is freed")
}

func TestBlocksThatComeBackAreBounded(t *testing.T) {
	c := cache{most: recycleLeast}
	const size = recycleFirst / 2
	var held [][]byte
	for range 3 {
		held = append(held, c.take(size))
	}
	_, total := c.idle()
	require.Equal(t, recycleFirst, total)
	c.cycle = 1000
	for range 10 {
		held = append(held, c.take(size))
	}
	_, total = c.idle()
	require.Equal(t, recycleLeast, total)
	runtime.KeepAlive(held)
	held = nil
	require.Len(t, c.take(2*recycleLeast), 2*recycleLeast, "larger than all")
	collect(t, func() bool { n, total := c.idle(); return n == 0 && total == 0 }, "what nobody wants is freed")
}

// Results larger than the initial limit come back once a few have been made.
func TestLargeBlocksComeBackAfterSomeCollections(t *testing.T) {
	c := cache{most: 16 * recycleFirst}
	collect(t, func() bool {
		n, _ := c.idle()
		if n == 0 {
			c.take(3 * recycleFirst)
		}
		return n > 0
	}, "the limit grows while blocks are asked for")
	_, total := c.idle()
	require.LessOrEqual(t, total, c.most)
}

func TestTheLimitIsAShareOfTheMemory(t *testing.T) {
	t.Parallel()
	const none = math.MaxInt64
	require.Equal(t, recycleLeast, share(1<<29, none))
	require.Equal(t, 256<<20, share(8<<30, none))
	require.Equal(t, recycleMost, share(1<<40, none))
	require.Equal(t, recycleMost, share(0, none), "unknown")
	require.Equal(t, 64<<20, share(64<<30, 2<<30), "GOMEMLIMIT")
	require.Equal(t, recycleLeast, share(64<<30, 0))
}

func TestRecycledMemoryIsAlignedAndItsCallersOwn(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 100, RecycleFrom - 1, RecycleFrom, RecycleFrom + 1, 5 << 20} {
		for _, align := range []int{1, 64, 4096} {
			b := Recycled(n, align)
			require.Len(t, b, n)
			require.Equal(t, n, cap(b))
			require.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(b)))%uintptr(align))
		}
	}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 50 {
				b, mark := Recycled(RecycleFrom+g*1000, 64), byte(50*g+i)
				for j := range b {
					b[j] = mark
				}
				if i%10 == 0 {
					runtime.GC()
				}
				for j := range b {
					if b[j] != mark {
						t.Errorf("two callers have the same memory")
						return
					}
				}
			}
		})
	}
	all.Wait()
}

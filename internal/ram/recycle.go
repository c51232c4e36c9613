package ram

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"unsafe"
)

// Results that a program drops after each run start a garbage collection every few megabytes,
// and memory that is new to the process costs a page fault every 4 KiB. A caching allocator
// avoids both: a finalizer brings a block back when nothing refers to it any more.

// Bounds of the cache.
const (
	RecycleFrom  = 256 << 10 // smaller blocks are the Go heap's own business
	recycleFirst = 8 << 20   // the limit of the blocks that come back, in use or not, which doubles with each garbage collection
	recycleShare = 32        // the limit grows to the memory that the process may use, divided by this,
	recycleLeast = 32 << 20  // which is no less than this
	recycleMost  = 1 << 30   // and no more than this
	blockUnit    = 4 << 10   // sizes are rounded up to a page
)

// Recycled returns n bytes that hold anything, at an address that is a multiple of align, a power of two. From
// [RecycleFrom] on they are a block that an earlier caller has dropped, if there is one of that size. No more than a
// 32nd of the machine's memory, or of GOMEMLIMIT, takes part, between 32 MiB and 1 GiB, and a block that nobody wants
// between two garbage collections is freed by the next.
func Recycled(n, align int) []byte {
	size := (n + align - 1 + blockUnit - 1) / blockUnit * blockUnit
	var raw []byte
	if n < RecycleFrom {
		raw = make([]byte, n+align-1)
	} else {
		raw = blocks.take(size)
	}
	skip := (align - int(uintptr(unsafe.Pointer(unsafe.SliceData(raw)))%uintptr(align))) % align
	return raw[skip : skip+n : skip+n]
}

var blocks cache

// cache holds blocks that were dropped, by size.
type cache struct {
	mu     sync.Mutex
	free   map[int][]block // the ones that were dropped last at the end
	total  int             // bytes that come back, in use or not
	cycle  uint64          // garbage collections while there were blocks
	most   int             // the value that the limit grows to; 0: not set yet
	waking bool            // the next garbage collection calls trim
}

type block struct {
	start *byte
	cycle uint64 // in which it was dropped
}

// take returns a block of size bytes.
func (c *cache) take(size int) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	start := (*byte)(nil)
	if all := c.free[size]; len(all) > 0 {
		last := len(all) - 1
		start = all[last].start
		all[last] = block{}
		c.free[size] = all[:last]
	} else {
		raw := make([]byte, size)
		if size >= LargeFrom {
			_ = PreferLargePages(raw) // an advice
		}
		c.wake()
		if c.total+size > c.limit() {
			return raw
		}
		c.total += size
		start = unsafe.SliceData(raw)
	}
	runtime.SetFinalizer(start, func(start *byte) { c.put(start, size) })
	return unsafe.Slice(start, size)
}

// limit grows with use, so that a program that makes a few results does not keep many.
func (c *cache) limit() int {
	if c.most == 0 {
		c.most = share(memory(), debug.SetMemoryLimit(-1))
	}
	return min(recycleFirst<<min(c.cycle, 7), c.most)
}

// share is the value that the limit grows to, by the memory of the machine, 0 where it is unknown, and the
// runtime's limit.
func share(machine, runtime int64) int {
	if machine == 0 {
		machine = math.MaxInt64
	}
	return int(max(min(machine, runtime, recycleShare*recycleMost)/recycleShare, recycleLeast))
}

// put takes back a block that nothing refers to.
func (c *cache) put(start *byte, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.free == nil {
		c.free = map[int][]block{}
	}
	c.free[size] = append(c.free[size], block{start, c.cycle})
}

// wake has trim called after the next garbage collection.
func (c *cache) wake() {
	if c.waking {
		return
	}
	c.waking = true
	runtime.AddCleanup(&sentinel{}, (*cache).trim, c)
}

// sentinel is an object that the next garbage collection finds unreachable. Its pointer keeps it
// apart from the small objects that share their memory.
type sentinel struct{ _ *byte }

// trim leaves to the garbage collector the blocks that were not used since the collection before the last.
func (c *cache) trim() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cycle++
	for size, all := range c.free {
		old := 0
		for old < len(all) && all[old].cycle+1 < c.cycle {
			old++
		}
		c.total -= old * size
		if rest := all[old:]; len(rest) == 0 {
			delete(c.free, size)
		} else if old > 0 {
			c.free[size] = append([]block(nil), rest...)
		}
	}
	if c.waking = false; c.total > 0 {
		c.wake()
	}
}

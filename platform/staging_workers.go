package platform

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anycl/anycl/internal/procs"
)

// copyWorkers copy the pieces of one transfer, beside who sends or reads. One core copies a
// fourth of what a link moves (Sapphire Rapids, PCIe 5: 13 of 54 GB/s), and waking
// another takes as long as it needs for some hundred KiB. So helpers begin once, take
// parts of all pieces in their order and watch for more, and the caller takes parts
// too: it never waits for one who has not begun.
type copyWorkers struct {
	parts   int64 // of a piece
	helpers int32 // at most
	slots   [workerSlots]workerSlot
	run     func() // help, bound once
	refs    atomic.Int32
	over    atomic.Bool

	// Apart from each other: what is told, and what all write.
	_      [64]byte
	told   atomic.Int64 // parts that may be copied
	_      [64]byte
	claims atomic.Int64 // parts that somebody has taken
	_      [64]byte
}

// workerSlot is a piece that is being copied.
type workerSlot struct {
	dst, src []byte
	left     atomic.Int64 // parts that are not copied
	_        [8]byte
}

const (
	// workerSlots is how many pieces are copied at once at most.
	workerSlots = 16
	// workerPart is what is copied at once: some microseconds, and below what Go's copy writes past the caches.
	workerPart = 128 << 10
	// workerMost bounds the helpers, and workerShare is what there must be for each.
	workerMost, workerShare = 7, 512 << 10
	// workerWait is how long a helper watches for parts: links move a piece in less.
	workerWait = 200 * time.Microsecond
)

var idleWorkers = sync.Pool{New: func() any { return new(copyWorkers) }}

// newWorkers is for n bytes in pieces of at most so many. It is to be ended.
func newWorkers(n, piece int) *copyWorkers {
	c := idleWorkers.Get().(*copyWorkers)
	if c.run == nil {
		c.run = c.help
	}
	c.parts = int64((piece + workerPart - 1) / workerPart)
	c.helpers = int32(max(min(procs.Count()-1, workerMost, n/workerShare-1), 0))
	c.told.Store(0)
	c.claims.Store(0)
	c.over.Store(false)
	c.refs.Store(1)
	return c
}

// tell gives the workers piece i to copy, the next one after the last. Piece i - workerSlots is copied.
func (c *copyWorkers) tell(i int, dst, src []byte) {
	s := &c.slots[i%workerSlots]
	s.dst, s.src = dst[:len(src)], src
	s.left.Store(c.parts)
	c.told.Store(int64(i+1) * c.parts)
	for c.refs.Load() <= c.helpers {
		c.refs.Add(1)
		go c.run()
	}
}

// copied reports whether piece i is.
func (c *copyWorkers) copied(i int) bool { return c.slots[i%workerSlots].left.Load() == 0 }

// finish copies until piece i is there.
func (c *copyWorkers) finish(i int) {
	for !c.copied(i) {
		if !c.one() {
			runtime.Gosched()
		}
	}
}

// one copies a part, if there is one.
func (c *copyWorkers) one() bool {
	i := c.claims.Load()
	if i >= c.told.Load() {
		return false
	}
	if !c.claims.CompareAndSwap(i, i+1) {
		return true // ask again
	}
	s := &c.slots[i/c.parts%workerSlots]
	if from := int(i%c.parts) * workerPart; from < len(s.src) {
		copy(s.dst[from:min(from+workerPart, len(s.src))], s.src[from:])
	}
	s.left.Add(-1)
	return true
}

func (c *copyWorkers) help() {
	defer c.leave()
	var since time.Time
	for i := 0; !c.over.Load(); i++ {
		if c.one() {
			i = 0
			continue
		}
		procs.Pause()
		if i%16 != 15 {
			continue
		}
		if runtime.Gosched(); i == 15 {
			since = time.Now()
		} else if time.Since(since) > workerWait {
			return
		}
	}
}

// end is to be called when all that was told is copied.
func (c *copyWorkers) end() {
	for i := range c.slots {
		c.slots[i].dst, c.slots[i].src = nil, nil
	}
	c.over.Store(true)
	c.leave()
}

func (c *copyWorkers) leave() {
	if c.refs.Add(-1) == 0 {
		idleWorkers.Put(c)
	}
}

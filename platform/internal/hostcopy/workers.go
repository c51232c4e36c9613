package hostcopy

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anycl/anycl/internal/procs"
)

// Workers copy the pieces of one transfer, beside the thread that sends or reads. One core copies slower
// than a link moves, and waking another takes as long as many small copies. So helpers begin once, take parts of all pieces in their
// order and watch for more, and the caller takes parts too: it never waits for a helper that has not begun.
type Workers struct {
	parts   int64 // of a piece
	helpers int32 // at most
	slots   [Slots]workerSlot
	run     func() // help, bound once
	refs    atomic.Int32
	over    atomic.Bool

	// Apart from each other: the fields that are read, and those that all write.
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
	// Slots is how many pieces are copied at once at most.
	Slots = 16
	// Part is the number of bytes copied at once: some microseconds, and less than the size from which
	// Go's copy writes past the caches.
	Part = 128 << 10
	// workerMost bounds the helpers, and workerShare is the least number of bytes for each.
	workerMost, workerShare = 7, 512 << 10
	// workerWait is how long a helper watches for parts: links move a piece in less.
	workerWait = 200 * time.Microsecond
)

var idleWorkers = sync.Pool{New: func() any { return new(Workers) }}

// New is for n bytes in pieces of at most a given size. It is to be ended.
func New(n, piece int) *Workers {
	c := idleWorkers.Get().(*Workers)
	if c.run == nil {
		c.run = c.help
	}
	c.parts = int64((piece + Part - 1) / Part)
	c.helpers = int32(max(min(procs.Count()-1, workerMost, n/workerShare-1), 0))
	c.told.Store(0)
	c.claims.Store(0)
	c.over.Store(false)
	c.refs.Store(1)
	return c
}

// Tell gives the workers piece i to copy, the next one after the last. Piece i - Slots must have been copied.
func (c *Workers) Tell(i int, dst, src []byte) {
	s := &c.slots[i%Slots]
	s.dst, s.src = dst[:len(src)], src
	s.left.Store(c.parts)
	c.told.Store(int64(i+1) * c.parts)
	for c.refs.Load() <= c.helpers {
		c.refs.Add(1)
		go c.run()
	}
}

// Copied reports whether piece i is.
func (c *Workers) Copied(i int) bool { return c.slots[i%Slots].left.Load() == 0 }

// Finish copies until piece i is complete.
func (c *Workers) Finish(i int) {
	for !c.Copied(i) {
		if !c.One() {
			runtime.Gosched()
		}
	}
}

// One copies a part, if there is one.
func (c *Workers) One() bool {
	i := c.claims.Load()
	if i >= c.told.Load() {
		return false
	}
	if !c.claims.CompareAndSwap(i, i+1) {
		return true // ask again
	}
	s := &c.slots[i/c.parts%Slots]
	if from := int(i%c.parts) * Part; from < len(s.src) {
		copy(s.dst[from:min(from+Part, len(s.src))], s.src[from:])
	}
	s.left.Add(-1)
	return true
}

func (c *Workers) help() {
	defer c.leave()
	var since time.Time
	for i := 0; !c.over.Load(); i++ {
		if c.One() {
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

// End is to be called when all that was told is copied.
func (c *Workers) End() {
	for i := range c.slots {
		c.slots[i].dst, c.slots[i].src = nil, nil
	}
	c.over.Store(true)
	c.leave()
}

func (c *Workers) leave() {
	if c.refs.Add(-1) == 0 {
		idleWorkers.Put(c)
	}
}

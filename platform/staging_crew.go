package platform

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anycl/anycl/internal/procs"
)

// crew copies the pieces of one transfer, beside who sends or reads. One core copies a
// fourth of what a link moves (Sapphire Rapids, PCIe 5: 13 of 54 GB/s), and waking
// another takes as long as it needs for some hundred KiB. So helpers begin once, take
// parts of all pieces in their order and watch for more, and the caller takes parts
// too: it never waits for one who has not begun.
type crew struct {
	parts   int64 // of a piece
	helpers int32 // at most
	slots   [crewSlots]crewSlot
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

// crewSlot is a piece that is being copied.
type crewSlot struct {
	dst, src []byte
	left     atomic.Int64 // parts that are not copied
	_        [8]byte
}

const (
	// crewSlots is how many pieces are copied at once at most.
	crewSlots = 16
	// crewPart is what is copied at once: some microseconds, and below what Go's copy writes past the caches.
	crewPart = 128 << 10
	// crewMost bounds the helpers, and crewShare is what there must be for each.
	crewMost, crewShare = 7, 512 << 10
	// crewVigil is how long a helper watches for parts: links move a piece in less.
	crewVigil = 200 * time.Microsecond
)

var crews = sync.Pool{New: func() any { return new(crew) }}

// newCrew is for n bytes in pieces of at most so many. It is to be ended.
func newCrew(n, piece int) *crew {
	c := crews.Get().(*crew)
	if c.run == nil {
		c.run = c.help
	}
	c.parts = int64((piece + crewPart - 1) / crewPart)
	c.helpers = int32(max(min(procs.Count()-1, crewMost, n/crewShare-1), 0))
	c.told.Store(0)
	c.claims.Store(0)
	c.over.Store(false)
	c.refs.Store(1)
	return c
}

// tell gives the crew piece i to copy, the next one after the last. Piece i - crewSlots is copied.
func (c *crew) tell(i int, dst, src []byte) {
	s := &c.slots[i%crewSlots]
	s.dst, s.src = dst[:len(src)], src
	s.left.Store(c.parts)
	c.told.Store(int64(i+1) * c.parts)
	for c.refs.Load() <= c.helpers {
		c.refs.Add(1)
		go c.run()
	}
}

// copied reports whether piece i is.
func (c *crew) copied(i int) bool { return c.slots[i%crewSlots].left.Load() == 0 }

// finish copies until piece i is there.
func (c *crew) finish(i int) {
	for !c.copied(i) {
		if !c.one() {
			runtime.Gosched()
		}
	}
}

// one copies a part, if there is one.
func (c *crew) one() bool {
	i := c.claims.Load()
	if i >= c.told.Load() {
		return false
	}
	if !c.claims.CompareAndSwap(i, i+1) {
		return true // ask again
	}
	s := &c.slots[i/c.parts%crewSlots]
	if from := int(i%c.parts) * crewPart; from < len(s.src) {
		copy(s.dst[from:min(from+crewPart, len(s.src))], s.src[from:])
	}
	s.left.Add(-1)
	return true
}

func (c *crew) help() {
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
		} else if time.Since(since) > crewVigil {
			return
		}
	}
}

// end is to be called when all that was told is copied.
func (c *crew) end() {
	for i := range c.slots {
		c.slots[i].dst, c.slots[i].src = nil, nil
	}
	c.over.Store(true)
	c.leave()
}

func (c *crew) leave() {
	if c.refs.Add(-1) == 0 {
		crews.Put(c)
	}
}

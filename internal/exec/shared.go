package exec

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/anycl/anycl/engine"
)

// Shared is the state common to executors that compute one graph with different sizes. Their runs follow each other.
type Shared struct {
	Runs    *atomic.Uint32 // begun so far
	Scratch *Scratch
}

// Scratch is memory that executors have in common for intermediate values, which the runs of all use in turn.
type Scratch struct {
	running sync.Mutex // held by a run

	mu     sync.Mutex
	blocks map[engine.Engine][]*sharedMemory
}

// sharedMemory is closed when its last user has released it.
type sharedMemory struct {
	engine.Memory
	bytes int64
	users int
}

// NewScratch has no memory yet.
func NewScratch() *Scratch {
	return &Scratch{blocks: map[engine.Engine][]*sharedMemory{}}
}

// block is memory of e for at least the given number of bytes, and none of those that its user has already. Sizes are rounded up to a
// quarter of a power of two, so that a few blocks serve many sizes.
func (s *Scratch) block(e engine.Engine, bytes int64, has []*sharedMemory) (*sharedMemory, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var best *sharedMemory
	for _, b := range s.blocks[e] {
		if b.bytes >= bytes && (best == nil || b.bytes < best.bytes) && !slices.Contains(has, b) {
			best = b
		}
	}
	if best != nil {
		best.users++
		return best, nil
	}
	step := int64(256)
	for step*8 < bytes {
		step *= 2
	}
	bytes = (bytes + step - 1) / step * step
	mem, err := e.Alloc(bytes)
	if err != nil {
		return nil, err
	}
	b := &sharedMemory{mem, bytes, 1}
	s.blocks[e] = append(s.blocks[e], b)
	return b, nil
}

// release gives up memory that block returned.
func (s *Scratch) release(m *sharedMemory) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.users--; m.users > 0 {
		return nil
	}
	for e, all := range s.blocks {
		s.blocks[e] = slices.DeleteFunc(all, func(b *sharedMemory) bool { return b == m })
	}
	return m.Memory.Close()
}

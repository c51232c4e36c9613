// Package pool keeps memory of devices for reuse.
package pool

import (
	"io"
	"math/bits"
	"slices"
)

// MinBlock is the smallest allocation and the alignment of all sizes, bytes.
const MinBlock = 256

// maxIdle bounds how many blocks wait in a pool, whatever their size.
const maxIdle = 1024

// Size rounds n up to a size that many requests share: four steps to each
// power of two, so that at most a fifth of a block is unused. limit, unless it
// is 0, is the largest that the device allocates; n itself must not be above.
func Size(n, limit int64) int64 {
	if n <= MinBlock {
		return MinBlock
	}
	step := max(MinBlock, int64(1)<<(bits.Len64(uint64(n-1))-3))
	if n > (1<<63-1)-step {
		return n
	}
	size := (n + step - 1) / step * step
	if limit > 0 {
		size = max(n, min(size, limit))
	}
	return size
}

// Pool keeps closed blocks for reuse. It decides and does not lock; the caller closes the blocks
// returned as evicted.
type Pool[B io.Closer] struct {
	Cap  int64 // bytes
	held int64 // bytes of idle blocks
	idle []idleBlock[B]
}

type idleBlock[B io.Closer] struct {
	size  int64
	block B
}

// Get takes an idle block of exactly this size, the most recently used one,
// which is the likeliest to be in a cache.
func (p *Pool[B]) Get(size int64) (b B, ok bool) {
	for i, e := range slices.Backward(p.idle) {
		if e.size == size {
			p.idle = slices.Delete(p.idle, i, i+1)
			p.held -= size
			return e.block, true
		}
	}
	return b, false
}

// Put keeps a block. Blocks that no longer fit under the cap, oldest first, are returned.
func (p *Pool[B]) Put(size int64, b B) (evicted []B) {
	if size > p.Cap {
		return []B{b}
	}
	p.idle = append(p.idle, idleBlock[B]{size, b})
	p.held += size
	n := 0
	for p.held > p.Cap || len(p.idle)-n > maxIdle {
		p.held -= p.idle[n].size
		evicted = append(evicted, p.idle[n].block)
		n++
	}
	p.idle = slices.Delete(p.idle, 0, n)
	return evicted
}

// Drain empties the pool.
func (p *Pool[B]) Drain() (evicted []B) {
	for _, e := range p.idle {
		evicted = append(evicted, e.block)
	}
	clear(p.idle)
	p.idle, p.held = p.idle[:0], 0
	return evicted
}

// Held is how many blocks are idle, and their bytes.
func (p *Pool[B]) Held() (blocks int, bytes int64) { return len(p.idle), p.held }

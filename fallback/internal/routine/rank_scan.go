package routine

import (
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/tensor"
)

// keyBlock is how many keys are made at once: they stay in the nearest cache.
const keyBlock = 256

// keyedRank orders values of at most four bytes.
func keyedRank(c *work.Setup, a *engine.Rank) rankOf[keyed] {
	dt := c.Task.Ins[0].DType
	r := rankOf[keyed]{digits: keyedDigits, pos: func(x keyed) uint32 { return uint32(x) }}
	r.n = dt.Size()
	byPosition := keyedDigits
	r.turn = func(xs, tmp []keyed, c *counts) []keyed {
		for i, x := range xs {
			xs[i] = x<<32 | x>>32
		}
		xs = byPosition.sort(xs, tmp, c)
		for i, x := range xs {
			xs[i] = x<<32 | x>>32
		}
		return xs
	}
	if c.Dry {
		return r
	}
	keys := keys32(dt, c.Ins[0])
	flip := uint32(0)
	if a.Descending {
		flip = 1<<(8*dt.Size()) - 1
	}
	r.fill = func(m *rankMemory, dst []keyed, at int64, pos uint32) {
		for len(dst) > 0 {
			block := m.keys32[:min(len(dst), keyBlock)]
			keys(block, at, flip)
			for i, k := range block {
				dst[i] = uint64(k)<<32 | uint64(pos) + uint64(i)
			}
			dst, at, pos = dst[len(block):], at+int64(len(block)), pos+uint32(len(block))
		}
	}
	r.scan = func(m *rankMemory, dst []keyed, at int64, pos uint32, n int, limit keyed) ([]keyed, int) {
		last := uint32(limit >> 32) // equal elements come later
		block := m.keys32[:min(n, keyBlock)]
		keys(block, at, flip)
		for i, k := range block {
			if k < last {
				if len(dst) == cap(dst) {
					return dst, i
				}
				dst = append(dst, uint64(k)<<32|uint64(pos)+uint64(i))
			}
		}
		return dst, len(block)
	}
	if dt == tensor.Float32 {
		xs := work.Typed[float32](c.Ins[0])
		r.scan = floatScan(xs, a.Descending, r.pos, func(dst []keyed, v float32, pos uint32, limit keyed) []keyed {
			if k := floatKey32(v) ^ flip; k < uint32(limit>>32) {
				dst = append(dst, uint64(k)<<32|uint64(pos))
			}
			return dst
		})
	}
	return r
}

// itemRank orders values of eight bytes.
func itemRank(c *work.Setup, a *engine.Rank) rankOf[item] {
	dt := c.Task.Ins[0].DType
	r := rankOf[item]{digits: itemDigits, pos: func(x item) uint32 { return x.pos }}
	byPosition := itemDigits
	byPosition.n = 4
	r.turn = func(xs, tmp []item, c *counts) []item {
		for i, x := range xs {
			xs[i] = item{uint64(x.pos), x.pos}
		}
		return byPosition.sort(xs, tmp, c)
	}
	if c.Dry {
		return r
	}
	keys := keys64(dt, c.Ins[0])
	flip := uint64(0)
	if a.Descending {
		flip = 1<<64 - 1
	}
	r.fill = func(m *rankMemory, dst []item, at int64, pos uint32) {
		for len(dst) > 0 {
			block := m.keys64[:min(len(dst), keyBlock)]
			keys(block, at, flip)
			for i, k := range block {
				dst[i] = item{k, pos + uint32(i)}
			}
			dst, at, pos = dst[len(block):], at+int64(len(block)), pos+uint32(len(block))
		}
	}
	r.scan = func(m *rankMemory, dst []item, at int64, pos uint32, n int, limit item) ([]item, int) {
		block := m.keys64[:min(n, keyBlock)]
		keys(block, at, flip)
		for i, k := range block {
			if k < limit.key {
				if len(dst) == cap(dst) {
					return dst, i
				}
				dst = append(dst, item{k, pos + uint32(i)})
			}
		}
		return dst, len(block)
	}
	if dt == tensor.Float64 {
		xs := work.Typed[float64](c.Ins[0])
		r.scan = floatScan(xs, a.Descending, r.pos, func(dst []item, v float64, pos uint32, limit item) []item {
			if k := floatKey64(v) ^ flip; k < limit.key {
				dst = append(dst, item{k, pos})
			}
			return dst
		})
	}
	return r
}

// floatScan is a scan that compares values as they are with that of the limit
// and asks for a key only where this does not rule them out: NaN, and values
// that enter. It takes half the time of one that makes all keys.
func floatScan[T float32 | float64, E any](xs []T, descending bool, pos func(E) uint32,
	enter func(dst []E, v T, pos uint32, limit E) []E) func(*rankMemory, []E, int64, uint32, int, E) ([]E, int) {
	return func(_ *rankMemory, dst []E, at int64, first uint32, n int, limit E) ([]E, int) {
		last := xs[at-int64(first)+int64(pos(limit))]
		if descending {
			for i, v := range xs[at:][:n] {
				if !(v <= last) {
					if len(dst) == cap(dst) {
						return dst, i
					}
					dst = enter(dst, v, first+uint32(i), limit)
				}
			}
			return dst, n
		}
		for i, v := range xs[at:][:n] {
			if !(v >= last) {
				if len(dst) == cap(dst) {
					return dst, i
				}
				dst = enter(dst, v, first+uint32(i), limit)
			}
		}
		return dst, n
	}
}

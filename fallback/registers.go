package fallback

import (
	"slices"

	"github.com/anycl/anycl/fallback/internal/work"
)

// finish gives registers memory and the program its block size: points where
// that is not 0, else as many as the budget has room for.
//
// A register whose last reader has run is used again, so the registers of a
// long chain are few enough for the cache.
func (b *builder) finish(points int) *program {
	p := b.p
	phys, place := b.assign(b.lastReads())
	for _, s := range p.steps {
		s.rename(place)
	}
	for i, r := range p.roots {
		p.roots[i] = place[r]
	}
	for i := range p.accs {
		p.accs[i].reg = place[p.accs[i].reg]
	}
	b.layOut(phys, points)
	for i := range p.strips {
		p.strips[i].offset = b.Reserve(p.strips[i].bytes)
	}
	b.Env.Need = max(b.Env.Need, b.Used)
	if len(p.roots) > 0 {
		p.rootOwn = p.slots[p.roots[0]].offset >= 0
	}
	return p
}

// lastReads is the last step that reads each register; the number of steps for those that are results.
func (b *builder) lastReads() []int {
	last := make([]int, len(b.regs))
	for i, uses := range b.uses {
		for _, r := range uses {
			last[r] = i
		}
	}
	for _, r := range b.p.roots {
		last[r] = len(b.p.steps)
	}
	return last
}

// physical is a register that stands for virtual ones, one after the other.
type physical struct {
	slot
	free bool
}

// assign gives each virtual register a physical one, the place of which in phys is place[r]. A register that is not in memory has a slot
// to itself; others share those of registers that no later step reads.
func (b *builder) assign(last []int) (phys []physical, place []int) {
	place = make([]int, len(b.regs))
	for i := range place {
		place[i] = -1
	}
	take := func(r int) int {
		v := b.regs[r]
		own := v.kind == ownMemory
		if own && !slices.Contains(b.p.roots, r) {
			for i := range phys {
				if phys[i].free && phys[i].class == v.class {
					phys[i].free = false
					return i
				}
			}
		}
		s := slot{class: v.class, offset: -1}
		if own {
			s.offset = 0
		}
		phys = append(phys, physical{slot: s})
		return len(phys) - 1
	}
	for i, dst := range b.makes {
		// The readers' registers are free before dst is placed: a step may
		// write over its own operand.
		for _, r := range b.uses[i] {
			if v := place[r]; v >= 0 && last[r] == i && b.regs[r].kind == ownMemory {
				phys[v].free = true
			}
		}
		place[dst] = take(dst)
	}
	for r := range b.regs {
		if place[r] < 0 { // outside
			place[r] = take(r)
		}
	}
	return phys, place
}

// layOut chooses how many points a block has, unless that is given, and where the registers of a block lie in memory.
func (b *builder) layOut(phys []physical, points int) {
	p := b.p
	width := 0
	for _, ph := range phys {
		if ph.offset >= 0 {
			width += classBytes(ph.class)
		}
	}
	p.block = points
	if points == 0 {
		p.block = max(minBlock, min(maxBlock, b.bytes/max(width, 1)))
	}
	p.block = int(min(int64(p.block), max(p.size, 1)))
	for i := range phys {
		if phys[i].offset >= 0 {
			phys[i].offset = b.Used
			b.Used += work.RoundUp(p.block*classBytes(phys[i].class), 64)
		}
		p.slots = append(p.slots, phys[i].slot)
	}
}

// arenaBytes is the memory of p's registers on one worker.
func (p *program) arenaBytes() (n int) {
	for _, s := range p.slots {
		if s.offset >= 0 {
			n += work.RoundUp(p.block*classBytes(s.class), 64)
		}
	}
	for _, r := range p.strips {
		n += work.RoundUp(r.bytes, 64)
	}
	for _, s := range p.subs {
		n += s.arenaBytes()
	}
	return n
}

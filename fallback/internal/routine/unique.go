package routine

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
)

// uniqueTask enters one item after the other in a table with open addresses, on
// one worker, and then sorts the different ones.
type uniqueTask struct {
	routine
	*engine.Unique
	elements                      int64
	keysOf                        func(dst []uint64, at int64) // of elements; equal where the elements are equal
	keys, table, groups, sort     int                          // reserved for each worker
	gather                        func(pos []int64)
	first, inverse, sizes, number []int64
	sums                          counts
	all                           []uint64
	work                          work.Job
}

func newUnique(c *work.Setup, a *engine.Unique) work.Runner {
	u := &uniqueTask{Unique: a, elements: a.Count * a.Width}
	n, w := float64(a.Count), float64(a.Width)
	ns := n * (9 + 3*w)
	if n > 1<<15 { // the table is in no near cache
		ns += n * 12
	}
	if a.Sorted {
		different := n / 8 // a guess: it is up to the data
		ns += different * 10 * math.Log2(different+2) * min(w, 2) / 4
	}
	u.routine = routineOf(c, 80+ns, "a table of hashes")
	u.wide = false
	u.keys = c.Reserve(int(u.elements) * 8)
	u.table = c.Reserve(int(u.slots()) * 8)
	u.groups = c.Reserve(int(a.Count) * 3 * 8)
	u.sort = c.Reserve(int(a.Count) * 2 * 16)
	u.work = func(int, int64) { u.find() }
	if c.Dry {
		return u
	}
	u.keysOf = wideKeys(c)
	outs := [5][]int64{}
	for i := 1; i < 5; i++ {
		if c.Task.Reads(i) {
			outs[i] = work.Typed[int64](c.Outs[i])
		}
	}
	u.first, u.inverse, u.sizes, u.number = outs[1], outs[2], outs[3], outs[4]
	if c.Task.Reads(0) {
		out, size := c.Outs[0], int(a.Width)*c.Task.Ins[0].DType.Size()
		in := c.Ins[0]
		u.gather = func(pos []int64) {
			for i, p := range pos {
				copy(out[i*size:][:size], in[int(p)*size:][:size])
			}
			clear(out[len(pos)*size:])
		}
	}
	return u
}

// wideKeys makes keys of 64 bits of any input.
func wideKeys(c *work.Setup) func(dst []uint64, at int64) {
	dt := c.Task.Ins[0].DType
	if dt.Size() == 8 {
		keys := keys64(dt, c.Ins[0])
		return func(dst []uint64, at int64) { keys(dst, at, 0) }
	}
	keys, block := keys32(dt, c.Ins[0]), make([]uint32, keyBlock)
	return func(dst []uint64, at int64) {
		for len(dst) > 0 {
			b := block[:min(len(dst), keyBlock)]
			keys(b, at, 0)
			for i, k := range b {
				dst[i] = uint64(k)
			}
			dst, at = dst[len(b):], at+int64(len(b))
		}
	}
}

// slots is the size of the table: a power of two, at most half of it used.
func (u *uniqueTask) slots() int64 { return 1 << bits.Len64(uint64(2*u.Count)) }

func (u *uniqueTask) Run(ctx context.Context, p *work.Pool) error {
	return p.Run(ctx, 1, false, u.work)
}

func (u *uniqueTask) find() {
	u.all = work.Scratch[uint64](u.env, 0, u.keys, int(u.elements))
	u.keysOf(u.all, 0)
	n := int(u.Count)
	groups := work.Scratch[int64](u.env, 0, u.groups, 3*n)
	first, sizes, inverse := groups[:n], groups[n:2*n], groups[2*n:]
	if u.inverse != nil {
		inverse = u.inverse
	}
	k := u.group(first, sizes, inverse)
	order := work.Scratch[int64](u.env, 0, u.table, int(u.slots()))[:k] // the table has been used
	for g := range order {
		order[g] = int64(g)
	}
	if u.Sorted {
		u.arrange(order, first)
	}
	u.write(order, first, sizes, inverse)
}

// group numbers the different items in the order in which they stand: where each stands
// first, how many of it there are, and which one each item is. The table starts
// small and doubles when it is half full: few groups stay in a near cache.
func (u *uniqueTask) group(first, sizes, inverse []int64) (k int) {
	whole := work.Scratch[uint64](u.env, 0, u.table, int(u.slots()))
	table := whole[:min(len(whole), 1024)]
	clear(table)
	for i := range int(u.Count) {
		if 2*k >= len(table) {
			table = whole[:2*len(table)]
			clear(table)
			for g, at := range first[:k] {
				h := u.hash(int(at))
				slot := h & uint64(len(table)-1)
				for table[slot] != 0 {
					slot = (slot + 1) & uint64(len(table)-1)
				}
				table[slot] = entry(h, g)
			}
		}
		h := u.hash(i)
		mask := uint64(len(table) - 1)
		for at := h & mask; ; at = (at + 1) & mask {
			e := table[at&uint64(len(table)-1)]
			if e == 0 {
				table[at] = entry(h, k)
				first[k], sizes[k], inverse[i] = int64(i), 1, int64(k)
				k++
				break
			}
			if e>>32 != h>>32 {
				continue
			}
			if g := int64(uint32(e)) - 1; u.equal(i, int(first[g])) {
				sizes[g]++
				inverse[i] = g
				break
			}
		}
	}
	return k
}

// entry is the entry of group g in a table: its number, and a part of the hash, so that different keys are seldom compared.
func entry(h uint64, g int) uint64 { return h&^(1<<32-1) | uint64(g+1) }

func (u *uniqueTask) hash(i int) uint64 {
	if u.Width == 1 {
		return mix(u.all[i])
	}
	h := uint64(0)
	for _, key := range u.all[i*int(u.Width):][:u.Width] {
		h = mix(h ^ key)
	}
	return h
}

func (u *uniqueTask) equal(i, j int) bool {
	if u.Width == 1 {
		return u.all[i] == u.all[j]
	}
	w := int(u.Width)
	return slices.Equal(u.all[i*w:][:w], u.all[j*w:][:w])
}

// mix spreads every bit of x over all of the result. Source: Stafford, Better
// Bit Mixing (2011), variant 13.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// arrange sorts groups by their items.
func (u *uniqueTask) arrange(order, first []int64) {
	if u.Width != 1 {
		slices.SortFunc(order, func(a, b int64) int { return u.compare(first[a], first[b]) })
		return
	}
	both := work.Scratch[item](u.env, 0, u.sort, 2*u.Count)
	xs := both[:len(order)]
	for i, g := range order {
		xs[i] = item{u.all[first[g]], uint32(g)}
	}
	for i, x := range itemDigits.sort(xs, both[u.Count:][:len(order)], &u.sums) {
		order[i] = int64(x.pos)
	}
}

func (u *uniqueTask) compare(a, b int64) int {
	return slices.Compare(u.all[a*u.Width:][:u.Width], u.all[b*u.Width:][:u.Width])
}

// write stores the groups in their order, and the filling behind them.
func (u *uniqueTask) write(order, first, sizes, inverse []int64) {
	put := func(dst, src []int64, rest int64) {
		if dst == nil {
			return
		}
		for i, g := range order {
			dst[i] = src[g]
		}
		for i := len(order); i < len(dst); i++ {
			dst[i] = rest
		}
	}
	put(u.first, first, -1)
	put(u.sizes, sizes, 0)
	if u.number != nil {
		u.number[0] = int64(len(order))
	}
	if u.gather != nil {
		pos := sizes // read no more
		put(pos[:len(order)], first, 0)
		u.gather(pos[:len(order)])
	}
	if u.inverse != nil && u.Sorted {
		place := first // read no more
		for i, g := range order {
			place[g] = int64(i)
		}
		for i, g := range inverse {
			inverse[i] = place[g]
		}
	}
}

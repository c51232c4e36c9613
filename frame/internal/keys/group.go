package keys

import (
	"errors"
	"math/bits"
	"sync"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/par"
)

// Groups says which rows have equal keys.
type Groups struct {
	IDs   []uint32 // of each row, below Slots
	Slots int      // some numbers may have no row
	First []uint32 // of each group, the first row, ascending
	Order []uint32 // of each group, its number; nil if group i has number i
}

// Len returns the number of groups.
func (g *Groups) Len() int { return len(g.First) }

// direct is the number of possible keys up to which rows are grouped by an array of them in place of a hash table.
const direct = 1 << 20

// few is how many groups a stripe's own table may have: it stays in a core's cache.
const few = 1 << 16

// Group groups n rows by digits. Groups are in the order of their first rows.
func Group(p par.Pool, digits []Digit, n int) (*Groups, error) {
	g, _, err := group(p, digits, n, false)
	return g, err
}

// group also returns the stages that find the group of other keys, if keep is true.
func group(p par.Pool, digits []Digit, n int, keep bool) (*Groups, []stage, error) {
	if uint64(n) >= none {
		return nil, nil, errors.New("more than 4,294,967,294 rows")
	}
	if len(digits) == 0 {
		g := &Groups{IDs: make([]uint32, n), Slots: 1}
		if n > 0 {
			g.First = []uint32{0}
		}
		return g, nil, nil
	}
	var stages []stage
	for {
		k, card := fit(digits)
		if k == 1 && len(digits) > 1 && len(stages) > 0 { // the number of a group needs 32 bits at most
			d, err := dense(p, digits[1], n, keep)
			if err != nil {
				return nil, nil, err
			}
			digits[1] = d
			continue
		}
		limit := uint64(direct)
		if keep {
			limit = max(limit, 8*uint64(n))
		}
		limit = min(limit, 1<<28)
		s := stage{digits: digits[:k], first: len(stages) == 0}
		var g *Groups
		if card != 0 && card <= limit {
			ids, err := pack32(p, s.digits, n)
			if err != nil {
				return nil, nil, err
			}
			g = &Groups{IDs: ids, Slots: int(card)}
			if keep && k == len(digits) { // joins need the numbers only
				return g, append(stages, s), nil
			}
			if err := g.findFirst(p); err != nil {
				return nil, nil, err
			}
		} else {
			keys, err := pack64(p, s.digits, n)
			if err != nil {
				return nil, nil, err
			}
			if g, err = hashed(p, keys); err != nil {
				return nil, nil, err
			}
			if keep {
				if s.table, err = tableOf(p, keys, g.First, card); err != nil {
					return nil, nil, err
				}
			}
		}
		stages = append(stages, s)
		if k == len(digits) {
			return g, stages, nil
		}
		digits = append([]Digit{numbers(g.IDs, g.Slots)}, digits[k:]...)
	}
}

// dense returns a digit with as many codes as d has different ones.
func dense(p par.Pool, d Digit, n int, keep bool) (Digit, error) {
	keys, err := pack64(p, []Digit{d}, n)
	if err != nil {
		return d, err
	}
	g, err := hashed(p, keys)
	if err != nil {
		return d, err
	}
	out := numbers(g.IDs, g.Slots)
	if !keep {
		return out, nil
	}
	t, err := tableOf(p, keys, g.First, d.Card)
	out.probe = func(c *column.Column) prober {
		inner, buf := d.probe(c), sync.Pool{New: func() any { return new([packed]uint64) }}
		return func(dst []uint64, miss []bool, lo int, mul uint64) {
			b := buf.Get().(*[packed]uint64)
			codes := b[:len(dst)]
			inner(codes, miss, lo, 0)
			t.find(codes, miss)
			for i, code := range codes {
				dst[i] = dst[i]*mul + code
			}
			buf.Put(b)
		}
	}
	return out, err
}

// findFirst finds the first rows of groups whose numbers are known.
func (g *Groups) findFirst(p par.Pool) error {
	n := len(g.IDs)
	parts := make([][]uint32, p.Stripes(n)) // first row + 1
	err := p.Striped(n, func(k, lo, hi int) error {
		seen, first := 0, make([]uint32, g.Slots)
		for i, id := range g.IDs[lo:hi] {
			if first[id] == 0 {
				first[id] = uint32(lo + i + 1)
				if seen++; seen == g.Slots {
					break
				}
			}
		}
		parts[k] = first
		return nil
	})
	if err != nil {
		return err
	}
	first := parts[0]
	for _, other := range parts[1:] {
		for id, row := range other {
			if first[id] == 0 {
				first[id] = row
			}
		}
	}
	byRow := make([]uint64, 0, 1024)
	for id, row := range first {
		if row > 0 {
			byRow = append(byRow, uint64(row-1)<<32|uint64(id))
		}
	}
	radix(byRow, 32, 32+bits.Len(uint(n)))
	g.First, g.Order = make([]uint32, len(byRow)), make([]uint32, len(byRow))
	same := len(byRow) == g.Slots
	for i, e := range byRow {
		g.First[i], g.Order[i] = uint32(e>>32), uint32(e)
		same = same && uint32(e) == uint32(i)
	}
	if same {
		g.Order = nil
	}
	return nil
}

type keySlot struct {
	key uint64
	id  uint32 // + 1; 0 is free
}

// keyTable numbers distinct keys in order of appearance.
type keyTable struct {
	slots []keySlot
	skip  int // highest bits of hashes, which all keys have in common
	shift int
	count int
}

func newKeyTable(n, skip int) *keyTable {
	b := max(6, bits.Len(uint(2*n-1)))
	return &keyTable{slots: make([]keySlot, 1<<b), skip: skip, shift: 64 - b}
}

// find returns the number of a key, and whether it is new.
func (t *keyTable) find(key uint64) (uint32, bool) {
	for i := hash64(key) << t.skip >> t.shift; ; i = (i + 1) & uint64(len(t.slots)-1) {
		s := &t.slots[i]
		if s.id == 0 {
			t.count++
			*s = keySlot{key, uint32(t.count)}
			if 2*t.count > len(t.slots) {
				t.grow()
			}
			return uint32(t.count - 1), true
		}
		if s.key == key {
			return s.id - 1, false
		}
	}
}

func (t *keyTable) grow() {
	old := t.slots
	t.shift -= 2
	t.slots = make([]keySlot, 4*len(old))
	for _, s := range old {
		if s.id != 0 {
			i := hash64(s.key) << t.skip >> t.shift
			for t.slots[i].id != 0 {
				i = (i + 1) & uint64(len(t.slots)-1)
			}
			t.slots[i] = s
		}
	}
}

var errMany = errors.New("more groups than a stripe's table may have")

// hashed groups rows by keys of 64 bits: by a table for each stripe when groups are few, else in partitions.
func hashed(p par.Pool, keys []uint64) (*Groups, error) {
	n := len(keys)
	g := &Groups{IDs: make([]uint32, n)}
	type part struct {
		table *keyTable
		keys  []uint64
		first []uint32
	}
	parts := make([]part, p.Stripes(n))
	err := p.Striped(n, func(k, lo, hi int) error {
		t := newKeyTable(64, 0)
		var a part
		for i, key := range keys[lo:hi] {
			id, fresh := t.find(key)
			g.IDs[lo+i] = id
			if fresh {
				a.keys, a.first = append(a.keys, key), append(a.first, uint32(lo+i))
				if t.count > few && n > 4*few {
					return errMany
				}
			}
		}
		a.table = t
		parts[k] = a
		return nil
	})
	if err == errMany {
		return partitioned(p, keys, g.IDs)
	}
	if err != nil {
		return nil, err
	}
	to := make([][]uint32, len(parts))
	g.First = parts[0].first
	for k, a := range parts[1:] {
		to[k+1] = make([]uint32, len(a.keys))
		for i, key := range a.keys {
			id, fresh := parts[0].table.find(key)
			to[k+1][i] = id
			if fresh {
				g.First = append(g.First, a.first[i])
			}
		}
	}
	g.Slots = len(g.First)
	return g, p.Striped(n, func(k, lo, hi int) error {
		if k > 0 {
			ids := g.IDs[lo:hi]
			for i, id := range ids {
				ids[i] = to[k][id]
			}
		}
		return nil
	})
}

// partitioned groups rows in partitions by hash, whose tables stay in cache. Ranks of first rows are the groups' numbers.
func partitioned(p par.Pool, keys []uint64, ids []uint32) (*Groups, error) {
	n := len(keys)
	b := max(1, bits.Len(uint(n/(12<<10))))
	b = min(b, 11)
	pk, rows, bounds, err := partition(p, keys, b)
	if err != nil {
		return nil, err
	}
	words := (n + 63) / 64
	isFirst := make([][]uint64, p.Workers)
	firsts := make([][]uint32, 1<<b)
	local := make([]uint32, n) // in the order of partitions
	err = p.Items(1<<b, func(w, k int) error {
		lo, hi := bounds[k], bounds[k+1]
		if lo == hi {
			return nil
		}
		if isFirst[w] == nil {
			isFirst[w] = make([]uint64, words)
		}
		t := newKeyTable(min(hi-lo, 1<<12), b)
		var first []uint32
		for i, key := range pk[lo:hi] {
			id, fresh := t.find(key)
			local[lo+i] = id
			if fresh {
				row := rows[lo+i]
				first = append(first, row)
				isFirst[w][row>>6] |= 1 << (row & 63)
			}
		}
		firsts[k] = first
		return nil
	})
	if err != nil {
		return nil, err
	}
	before := make([]uint32, words)
	var all []uint64
	count := uint32(0)
	for w := range isFirst {
		switch {
		case isFirst[w] == nil:
		case all == nil:
			all = isFirst[w]
		default:
			for i, x := range isFirst[w] {
				all[i] |= x
			}
		}
	}
	for i, x := range all {
		before[i] = count
		count += uint32(bits.OnesCount64(x))
	}
	g := &Groups{IDs: ids, Slots: int(count), First: make([]uint32, count)}
	return g, p.Items(1<<b, func(w, k int) error {
		to := firsts[k]
		for i, row := range to {
			id := before[row>>6] + uint32(bits.OnesCount64(all[row>>6]&(1<<(row&63)-1)))
			g.First[id] = row
			to[i] = id
		}
		lo, hi := bounds[k], bounds[k+1]
		for i, id := range local[lo:hi] {
			ids[rows[lo+i]] = to[id]
		}
		return nil
	})
}

// partition orders keys, with their rows, by the highest b bits of their hash. Partition k is from bounds[k] to bounds[k+1].
func partition(p par.Pool, keys []uint64, b int) (out []uint64, rows []uint32, bounds []int, err error) {
	n, shift := len(keys), 64-b
	out, rows = make([]uint64, n), make([]uint32, n)
	counts := make([][]int, p.Stripes(n))
	err = p.Striped(n, func(k, lo, hi int) error {
		c := make([]int, 1<<b)
		for _, key := range keys[lo:hi] {
			c[hash64(key)>>shift]++
		}
		counts[k] = c
		return nil
	})
	if err != nil {
		return
	}
	bounds = starts(counts, 1<<b)
	err = p.Striped(n, func(k, lo, hi int) error {
		at := counts[k]
		for i, key := range keys[lo:hi] {
			h := hash64(key) >> shift
			j := at[h]
			out[j], rows[j] = key, uint32(lo+i)
			at[h] = j + 1
		}
		return nil
	})
	return
}

// starts makes, of how many rows of each stripe belong to each part, where the stripe writes the part's rows, and returns where parts
// begin.
func starts(counts [][]int, parts int) []int {
	bounds, sum := make([]int, parts+1), 0
	for h := range parts {
		bounds[h] = sum
		for _, c := range counts {
			c[h], sum = sum, sum+c[h]
		}
	}
	bounds[parts] = sum
	return bounds
}

package keys

import (
	"sync/atomic"

	"github.com/anycl/anycl/frame/column"
	"github.com/anycl/anycl/frame/internal/par"
)

// stage finds the number of a key of some digits; from the second stage on, the first digit is the number that the stage before found.
type stage struct {
	digits []Digit
	first  bool
	table  *table // nil: the key itself is the number
}

// Index finds rows by key.
type Index struct {
	stages []stage
	head   []uint32 // of each number, the first row + 1
	next   []uint32 // of each row, the next one + 1 with its key; nil if keys are unique
	from   []uint32 // of each row, how many rows there are of its key from this one on; nil if keys are unique
}

// NewIndex returns an index of n rows. Their columns, for which digits stand, say which rows have a null: those are never found.
func NewIndex(p par.Pool, digits []Digit, n int) (*Index, error) {
	g, stages, err := group(p, digits, n, true)
	if err != nil {
		return nil, err
	}
	x := &Index{stages: stages, head: make([]uint32, g.Slots)}
	var twice atomic.Bool
	own := max(1, min(p.Workers, g.Slots/1024))
	span := func(k int) (uint32, uint32) {
		return uint32(k * g.Slots / own), uint32((k+1)*g.Slots/own - k*g.Slots/own)
	}
	err = p.Items(own, func(_, k int) error { // each worker has a range of keys
		base, size := span(k)
		head := x.head[base : base+size]
		for row, id := range g.IDs {
			if j := id - base; j < uint32(len(head)) {
				if head[j] != 0 {
					twice.Store(true)
					return nil
				}
				head[j] = uint32(row + 1)
			}
			if row&0xfffff == 0xfffff && twice.Load() {
				return nil
			}
		}
		return nil
	})
	if err != nil || !twice.Load() {
		return x, err
	}
	clear(x.head)
	x.next, x.from = make([]uint32, n), make([]uint32, n)
	return x, p.Items(own, func(_, k int) error {
		base, size := span(k)
		head := x.head[base : base+size]
		for row := n - 1; row >= 0; row-- {
			if j := g.IDs[row] - base; j < uint32(len(head)) {
				x.from[row] = 1
				if next := head[j]; next != 0 {
					x.next[row], x.from[row] = next, x.from[next-1]+1
				}
				head[j] = uint32(row + 1)
			}
		}
		return nil
	})
}

// Unique reports whether no key has two rows.
func (x *Index) Unique() bool { return x.next == nil }

// Count returns how many rows have the key of the first row of a key.
func (x *Index) Count(first uint32) int64 {
	if x.from == nil {
		return 1
	}
	return int64(x.from[first])
}

// Next returns the row + 1 that follows a row with the same key, 0 for none.
func (x *Index) Next(row uint32) uint32 {
	if x.next == nil {
		return 0
	}
	return x.next[row]
}

// Find returns for each of n rows the first row + 1 of the index with the same key, or 0. The columns have the types of the index's.
// It is safe for concurrent use.
func (x *Index) Find(p par.Pool, cols []*column.Column, n int) ([]uint32, error) {
	found := make([]uint32, n)
	type prepared struct {
		probes []prober
		cards  []uint64
	}
	stages := make([]prepared, len(x.stages))
	// A column may have two digits, which its first digit's column says.
	at := 0
	for k, s := range x.stages {
		for i, d := range s.digits {
			if !s.first && i == 0 {
				stages[k].probes = append(stages[k].probes, nil)
			} else {
				stages[k].probes = append(stages[k].probes, d.probe(cols[at]))
				at++
			}
			stages[k].cards = append(stages[k].cards, d.Card)
		}
	}
	return found, p.Morsels(n, func(_, lo, hi int) error {
		keys, miss := make([]uint64, packed), make([]bool, packed)
		for ; lo < hi; lo += packed {
			part, bad := keys[:min(packed, hi-lo)], miss[:min(packed, hi-lo)]
			clear(part)
			clear(bad)
			for k, s := range stages {
				for i, probe := range s.probes {
					if probe != nil {
						mul := s.cards[i]
						if i == 0 {
							mul = 0
						}
						probe(part, bad, lo, mul)
					}
				}
				if t := x.stages[k].table; t != nil {
					t.find(part, bad)
				}
			}
			for i, key := range part {
				if !bad[i] {
					found[lo+i] = x.head[key]
				}
			}
		}
		return nil
	})
}

// table finds the numbers of distinct keys. Regions of it belong to partitions of hashes, so that several goroutines fill it.
type table struct {
	seen   []uint64 // a bit for each possible key, where these are not many times as many as keys; nil elsewhere
	slots  []keySlot
	region int // bits of a hash that choose the region
	size   int // bits of a region
}

func tableOf(p par.Pool, keys []uint64, first []uint32, card uint64) (*table, error) {
	distinct := make([]uint64, len(first))
	for id, row := range first {
		distinct[id] = keys[row]
	}
	region := 0
	for len(distinct)>>region > 16<<10 && region < 12 {
		region++
	}
	pk, ids, bounds, err := partition(p, distinct, region)
	if err != nil {
		return nil, err
	}
	most := 1
	for k := range 1 << region {
		most = max(most, bounds[k+1]-bounds[k])
	}
	t := &table{region: region, size: 1}
	for 1<<t.size < most+most/2 {
		t.size++
	}
	t.slots = make([]keySlot, 1<<(region+t.size))
	if card > 0 && card <= 64*uint64(len(distinct)) {
		t.seen = make([]uint64, (card+63)/64)
		for _, key := range distinct {
			t.seen[key>>6] |= 1 << (key & 63)
		}
	}
	return t, p.Items(1<<region, func(_, k int) error {
		part := t.slots[k<<t.size : (k+1)<<t.size]
		for i, key := range pk[bounds[k]:bounds[k+1]] {
			j := t.slot(hash64(key))
			for part[j].id != 0 {
				j = (j + 1) & (len(part) - 1)
			}
			part[j] = keySlot{key, ids[bounds[k]+i] + 1}
		}
		return nil
	})
}

func (t *table) slot(h uint64) int { return int(h << t.region >> (64 - t.size)) }

// find replaces keys by their numbers, and sets miss for those without.
func (t *table) find(keys []uint64, miss []bool) {
	for i, key := range keys {
		if miss[i] {
			keys[i] = 0
			continue
		}
		// most have no partner, and the bits are in a nearer cache
		if t.seen != nil && (key>>6 >= uint64(len(t.seen)) || t.seen[key>>6]>>(key&63)&1 == 0) {
			miss[i], keys[i] = true, 0
			continue
		}
		h := hash64(key)
		k := int(h >> (64 - t.region))
		part := t.slots[k<<t.size : (k+1)<<t.size]
		j := t.slot(h)
		for part[j].id != 0 && part[j].key != key {
			j = (j + 1) & (len(part) - 1)
		}
		if part[j].id == 0 {
			miss[i] = true
		}
		keys[i] = uint64(part[j].id - 1)
	}
}

// Package perfecthash makes hash tables of integers in which every key has a slot of its own, for look-ups without a branch.
// Source: Belazzougui, Botelho and Dietzfelbinger, Hash, Displace, and Compress (2009).
package perfecthash

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// Table puts every key in a slot of its own. Keys are spread over buckets
// of two on average; each bucket has a number by which its keys are displaced
// to slots that are free, found when the table is made, largest bucket first.
// An empty slot holds a key that belongs elsewhere: a search for that key does not come here.
type Table struct {
	Seed         int64
	BucketBits   int
	SlotMask     int64
	Displace     []int64
	Keys, Values []int64 // of each slot
}

// Constants of the hash.
const (
	Mul1  = -0x61c8864680b583eb // odd; 2^64 divided by the golden ratio
	Mul2  = -0x40a7b892e31b1a47
	Low32 = 1<<32 - 1
)

// New makes the table of keys with their values, nil for none. Errors: of different lengths; a key twice.
func New(keys, values []int64) (*Table, error) {
	if len(keys) != len(values) {
		return nil, fmt.Errorf("%d keys and %d values", len(keys), len(values))
	}
	if len(keys) == 0 {
		return nil, nil
	}
	sorted := slices.Sorted(slices.Values(keys))
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return nil, fmt.Errorf("the key %d is there twice", sorted[i])
		}
	}
	slots := 1 << bits.Len(uint(len(keys)+len(keys)/4))
	for seed := range int64(64) {
		h := &Table{
			Seed: int64(Scramble(uint64(seed))), SlotMask: int64(slots - 1),
			BucketBits: max(1, bits.Len(uint(len(keys)/2))), Keys: make([]int64, slots), Values: make([]int64, slots),
		}
		if h.fill(keys, values) {
			return h, nil
		}
	}
	return nil, errors.New("no hash tells the keys apart")
}

// fill finds the displacements. It reports false where a bucket fits nowhere.
func (h *Table) fill(keys, values []int64) bool {
	buckets := make([][]int, 1<<h.BucketBits)
	for i, k := range keys {
		b := h.bucket(h.mix(k))
		buckets[b] = append(buckets[b], i)
	}
	order := make([]int, len(buckets))
	for b := range order {
		order[b] = b
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(buckets[b]), len(buckets[a])) })
	h.Displace = make([]int64, len(buckets))
	used := make([]bool, len(h.Keys))
	for i := range h.Keys {
		h.Keys[i], h.Values[i] = keys[0], values[0]
	}
	var taken []int64
	for _, b := range order {
		for d := int64(0); len(buckets[b]) > 0; d++ {
			if d > 4*h.SlotMask+64 {
				return false
			}
			taken = taken[:0]
			for _, i := range buckets[b] {
				s := h.slot(h.mix(keys[i]), d)
				if used[s] {
					break
				}
				used[s] = true
				taken = append(taken, s)
			}
			if len(taken) == len(buckets[b]) {
				h.Displace[b] = d
				for j, i := range buckets[b] {
					h.Keys[taken[j]], h.Values[taken[j]] = keys[i], values[i]
				}
				break
			}
			for _, s := range taken {
				used[s] = false
			}
		}
	}
	return true
}

// mix, bucket and slot compute the numbers that graphs compute, too.
func (h *Table) mix(k int64) int64 {
	x := (k ^ h.Seed) * Mul1
	x ^= x >> 32 & Low32
	return x * Mul2
}

func (h *Table) bucket(x int64) int64 { return x >> (64 - h.BucketBits) & (1<<h.BucketBits - 1) }

func (h *Table) slot(x, d int64) int64 { return (x + d*(x>>20|1)) & h.SlotMask }

// Scramble makes a number of random bits of x. Source: Steele, Lea and Flood, Fast
// Splittable Pseudorandom Number Generators (2014).
func Scramble(x uint64) uint64 {
	x = (x + 0x9e3779b97f4a7c15)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

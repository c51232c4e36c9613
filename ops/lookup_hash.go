package ops

import (
	"cmp"
	"errors"
	"fmt"
	mathbits "math/bits"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// perfectHash puts every key in a slot of its own. Keys are spread over buckets
// of two on average; each bucket has a number by which its keys are displaced
// to slots that are free, found when the table is made, largest bucket first.
// An empty slot holds a key that belongs elsewhere: a search for that key does not come here.
type perfectHash struct {
	seed         int64
	bucketBits   int
	slotMask     int64
	displace     []int64
	keys, values []int64 // of each slot
}

const (
	hashMul1 = -0x61c8864680b583eb // odd; 2^64 divided by the golden ratio
	hashMul2 = -0x40a7b892e31b1a47
	low32    = 1<<32 - 1
)

// newPerfectHash is nil for no keys.
func newPerfectHash(keys, values []int64) (*perfectHash, error) {
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
	slots := 1 << mathbits.Len(uint(len(keys)+len(keys)/4))
	for seed := range int64(64) {
		h := &perfectHash{
			seed: int64(scramble(uint64(seed))), slotMask: int64(slots - 1),
			bucketBits: max(1, mathbits.Len(uint(len(keys)/2))), keys: make([]int64, slots), values: make([]int64, slots),
		}
		if h.fill(keys, values) {
			return h, nil
		}
	}
	return nil, errors.New("no hash tells the keys apart")
}

// fill finds the displacements. It reports false where a bucket fits nowhere.
func (h *perfectHash) fill(keys, values []int64) bool {
	buckets := make([][]int, 1<<h.bucketBits)
	for i, k := range keys {
		b := h.bucket(h.mix(k))
		buckets[b] = append(buckets[b], i)
	}
	order := make([]int, len(buckets))
	for b := range order {
		order[b] = b
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(buckets[b]), len(buckets[a])) })
	h.displace = make([]int64, len(buckets))
	used := make([]bool, len(h.keys))
	for i := range h.keys {
		h.keys[i], h.values[i] = keys[0], values[0]
	}
	var taken []int64
	for _, b := range order {
		for d := int64(0); len(buckets[b]) > 0; d++ {
			if d > 4*h.slotMask+64 {
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
				h.displace[b] = d
				for j, i := range buckets[b] {
					h.keys[taken[j]], h.values[taken[j]] = keys[i], values[i]
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

// mix, bucket and slot compute the same numbers that slotOf computes in a graph.
func (h *perfectHash) mix(k int64) int64 {
	x := (k ^ h.seed) * hashMul1
	x ^= x >> 32 & low32
	return x * hashMul2
}

func (h *perfectHash) bucket(x int64) int64 { return x >> (64 - h.bucketBits) & (1<<h.bucketBits - 1) }

func (h *perfectHash) slot(x, d int64) int64 { return (x + d*(x>>20|1)) & h.slotMask }

// slotOf is the slot in which each integer of k is, if it is in any.
func (h *perfectHash) slotOf(k *Node) *Node {
	g := k.graph
	x := Mul(Xor(k, g.int(h.seed)), g.int(hashMul1))
	x = Mul(Xor(x, And(ShiftRight(x, g.int(32)), g.int(low32))), g.int(hashMul2))
	bucket := And(ShiftRight(x, g.int(int64(64-h.bucketBits))), g.int(1<<h.bucketBits-1))
	step := Or(ShiftRight(x, g.int(20)), g.int(1))
	return And(Add(x, Mul(h.gather(bucket, h.displace), step)), g.int(h.slotMask))
}

func (h *perfectHash) gather(at *Node, from []int64) *Node {
	return Gather(at.graph.Const(tensor.Must(tensor.FromSlice(from))), 0, at)
}

// int is an int64 constant, exactly.
func (g *Graph) int(v int64) *Node { return g.Const(tensor.Scalar(v)) }

func (g *Graph) fullInt(v int64, shape []int) *Node { return BroadcastTo(g.int(v), shape...) }

// scramble makes a number of random bits of x. Source: Steele, Lea and Flood, Fast
// Splittable Pseudorandom Number Generators (2014).
func scramble(x uint64) uint64 {
	x = (x + 0x9e3779b97f4a7c15)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

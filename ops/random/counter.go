package random

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Counter-based generators are functions of a key and a counter. They are for programs that need the numbers of another library, or
// streams of their own: [ops.Graph.Uniform] and the distributions computed from it take Philox4x32 with a counter of their own.

// Threefry2x32 encrypts counters of two words by keys of two, with 20 rounds of Threefish's additions, rotations and exclusive ors. All
// words are uint32 and broadcast to the shape of the results. JAX's random bits are those of counters 0, 1, 2, ... under its keys.
// Errors: a word is not uint32; shapes.
// Source: Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3 (2011), section 4.2; rotations of Random123.
func Threefry2x32(counter, key [2]*ops.Node) [2]*ops.Node {
	turns := [...][1]uint32{{13}, {15}, {26}, {6}, {17}, {29}, {16}, {24}}
	out := words("random.Threefry2x32", 2, counter[:], key[:], func(x, k []*ops.Node) {
		threefry(x, k, func(round int) []uint32 { return turns[round%8][:] })
	})
	return [2]*ops.Node(out)
}

// Threefry4x32 is [Threefry2x32] of counters and keys of four words.
func Threefry4x32(counter, key [4]*ops.Node) [4]*ops.Node {
	turns := [...][2]uint32{{10, 26}, {11, 21}, {13, 27}, {23, 5}, {6, 20}, {17, 11}, {25, 10}, {18, 20}}
	out := words("random.Threefry4x32", 4, counter[:], key[:], func(x, k []*ops.Node) {
		threefry(x, k, func(round int) []uint32 { return turns[round%8][:] })
	})
	return [4]*ops.Node(out)
}

// Philox4x32 encrypts counters of four words by keys of two, with 10 rounds of multiplications. All words are uint32 and broadcast to the
// shape of the results. Errors: a word is not uint32; shapes.
// Source: Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3 (2011), section 4.3.
func Philox4x32(counter [4]*ops.Node, key [2]*ops.Node) [4]*ops.Node {
	out := words("random.Philox4x32", 4, counter[:], key[:], func(x, k []*ops.Node) {
		const rounds = 10
		for round := range rounds {
			if round > 0 {
				k[0], k[1] = ops.Add(k[0], uint32(0x9E3779B9)), ops.Add(k[1], uint32(0xBB67AE85))
			}
			high0, low0 := product(x[0], 0xD2511F53)
			high1, low1 := product(x[2], 0xCD9E8D57)
			x[0], x[1], x[2], x[3] = ops.Xor(ops.Xor(high1, x[1]), k[0]), low1, ops.Xor(ops.Xor(high0, x[3]), k[1]), low0
		}
	})
	return [4]*ops.Node(out)
}

// words are the results of f, which replaces the words of a counter, of the shape that all words broadcast to.
func words(name string, n int, counter, key []*ops.Node, f func(x, k []*ops.Node)) []*ops.Node {
	all := append(append([]*ops.Node(nil), counter...), key...)
	wide, bad := broadcast(name, all, func(i int, dt tensor.DType) error {
		if dt != tensor.Uint32 {
			return fmt.Errorf("word %d is %v, not uint32", i, dt)
		}
		return nil
	})
	if bad != nil {
		return slices.Repeat([]*ops.Node{bad}, n)
	}
	all[0].Graph().Named(name, func() { f(wide[:n], wide[n:]) })
	return wide[:n]
}

// threefry encrypts x, two words or four, in place. turns are the rotations of a round, one for each pair.
func threefry(x, key []*ops.Node, turns func(round int) []uint32) {
	const (
		rounds = 20
		parity = uint32(0x1BD11BDA)
	)
	n := len(x)
	last := ops.Xor(key[0], parity)
	for _, k := range key[1:] {
		last = ops.Xor(last, k)
	}
	keys := append(append([]*ops.Node(nil), key...), last)
	inject := func(s int) {
		for i := range x {
			x[i] = ops.Add(x[i], keys[(s+i)%(n+1)])
		}
		if s > 0 {
			x[n-1] = ops.Add(x[n-1], uint32(s))
		}
	}
	inject(0)
	for round := range rounds {
		for i, by := range turns(round) {
			a, b := 2*i, 2*i+1
			if n == 4 && round%2 == 1 { // the second words change places
				b = 3 - 2*i
			}
			x[a] = ops.Add(x[a], x[b])
			x[b] = ops.Xor(ops.Or(ops.ShiftLeft(x[b], by), ops.ShiftRight(x[b], 32-by)), x[a])
		}
		if round%4 == 3 {
			inject(round/4 + 1)
		}
	}
}

// product is x times by, in words of 32 bits.
func product(x *ops.Node, by uint32) (high, low *ops.Node) {
	p := ops.Mul(ops.Cast(x, tensor.Uint64), uint64(by))
	return ops.Cast(ops.ShiftRight(p, uint64(32)), tensor.Uint32), ops.Mul(x, by)
}

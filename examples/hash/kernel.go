package main

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

//go:embed hash.cl
var source string

// width is how many messages a work-item has on a device: see hash.cl.
func width(rt *ops.Runtime) int {
	lanes := rt.Device().Lanes()
	if lanes < 16 { // vectors of 64 bytes come with 32 registers, shorter ones of most processors with 16
		return lanes
	}
	return 2 * lanes
}

// call adds a kernel of hash.cl to a graph. On a CPU each work-item is a group, so that its variables stay in registers.
func call(g *ops.Graph, width int, o ops.KernelOptions, ins ...*ops.Node) *ops.Node {
	o.Source, o.Options = source, fmt.Sprintf("-D WIDTH=%d %s", width, o.Options)
	if width > 1 {
		o.Local = [3]int{1, 1}
	}
	return ops.Kernel(g, o, ins...)[0]
}

// none is found where no candidate has a digest.
const none = math.MaxInt32

// search adds the search for digests to the graph: int32 [len(wanted)], the number of the first candidate with it, or none.
func search(g *ops.Graph, list [][]byte, wanted [][32]byte, width int) *ops.Node {
	blocks, digits, targets := make([]uint32, 16*len(list)), make([]uint32, (beginnings+width-1)/width*width), make([]uint32, 8*len(wanted))
	for i, w := range list { // as FIPS 180-4, section 5.1.1 pads it: the bit 1, zeros, the length in bits
		bigEndian(blocks[16*i+1:], append(slices.Clone(w), 0x80))
		blocks[16*i+15] = uint32(8 * (4 + len(w)))
	}
	for i := range digits {
		bigEndian(digits[i:], fmt.Appendf(nil, "%04d", min(i, beginnings-1)))
	}
	for t, w := range wanted {
		bigEndian(targets[8*t:], w[:])
	}
	parts := 1
	if width == 1 { // more work-items for a GPU
		parts = 100
	}
	constant := func(s []uint32) *ops.Node { return g.Const(tensor.Must(tensor.FromSlice(s))) }
	return ops.Min(call(g, width, ops.KernelOptions{
		Entry: "search", Options: fmt.Sprintf("-D TARGETS=%d", len(wanted)),
		Results: []ops.Result{{DType: tensor.Int32, Shape: []int{len(wanted), parts * len(list)}}},
		Args:    []any{uint32(beginnings / parts)}, Global: [3]int{len(list), parts},
		Host: func(outs, _ []*tensor.Tensor) error {
			found := tensor.MustSlice[int32](outs[0])
			for i := range found {
				found[i] = none
			}
			fallback.Parallel(len(list), func(from, to int) {
				message := make([]byte, 0, 64)
				for i := from * beginnings; i < to*beginnings; i++ {
					message = append(message[:0], byte('0'+i/1000%10), byte('0'+i/100%10), byte('0'+i/10%10), byte('0'+i%10))
					message = append(message, list[i/beginnings]...)
					if t := slices.Index(wanted, sha256.Sum256(message)); t >= 0 {
						at := &found[t*parts*len(list)+i/beginnings]
						*at = min(*at, int32(i))
					}
				}
			})
			return nil
		},
	}, constant(blocks), constant(digits), constant(targets)), 1)
}

// digests adds those of messages that pack has laid out to the graph: uint32 [n/32, 8, 32].
func digests(words, lengths *ops.Node, blocks, width int) *ops.Node {
	groups, rows := words.Shape()[0], words.Shape()[1]
	n, repeat := groups*group, min(width, 16)
	return call(words.Graph(), width, ops.KernelOptions{
		Entry:   "sha256",
		Results: []ops.Result{{DType: tensor.Uint32, Shape: []int{groups, 8, group}}},
		Args:    []any{uint32(n), uint32(rows), uint32(blocks), uint32(repeat)},
		Global:  [3]int{(n/width + repeat - 1) / repeat},
		Host: func(outs, ins []*tensor.Tensor) error { // Go's own, which uses a processor's instructions for SHA
			words, lengths, digests := tensor.MustSlice[uint32](ins[0]), tensor.MustSlice[uint32](ins[1]), tensor.MustSlice[uint32](outs[0])
			fallback.Parallel(n, func(from, to int) {
				for i := from; i < to; i++ {
					sum := sha256.Sum256(read(words, rows, i)[:lengths[i]])
					write(digests, 8, i, sum[:])
				}
			})
			return nil
		},
	}, words, lengths)
}

package main

import (
	"context"
	"crypto/pbkdf2"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"errors"
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

// derive compiles keys of size bytes, a multiple of 32, from passwords of at most 64 bytes: uint32 [size/32, n/32, 8, 32].
func derive(ctx context.Context, rt *ops.Runtime, place ops.Place, passwords [][]byte, salt []byte, rounds, size int) (func(context.Context) ([]uint32, error), error) {
	b, g := pack(passwords, 16, 0), ops.NewGraph("pbkdf2")
	in := g.Input("passwords", tensor.Uint32, b.words.Shape()...)
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{keys(in, salt, rounds, size, width(rt))}, Place: place})
	return func(ctx context.Context) ([]uint32, error) {
		out, err := exe.Run(ctx, ops.Feeds{in: b.words})
		if err != nil {
			return nil, err
		}
		return tensor.ToSlice[uint32](out[0])
	}, err
}

// keys adds them to the graph.
func keys(passwords *ops.Node, salt []byte, rounds, size, width int) *ops.Node {
	g, groups, parts := passwords.Graph(), passwords.Shape()[0], size/32
	first := make([]uint32, 16*parts) // what HMAC hashes first for each part: salt, number of the part, padding
	for p := range parts {
		block := make([]byte, 64)
		end := copy(block, binary.BigEndian.AppendUint32(salt[:len(salt):len(salt)], uint32(p+1)))
		block[end] = 0x80
		binary.BigEndian.PutUint32(block[60:], uint32(8*(64+end)))
		bigEndian(first[16*p:], block)
	}
	n := groups * group
	return call(g, width, ops.KernelOptions{
		Entry:   "pbkdf2",
		Results: []ops.Result{{DType: tensor.Uint32, Shape: []int{parts, groups, 8, group}}},
		Args:    []any{uint32(n), uint32(rounds)}, Global: [3]int{n / width, parts},
		Host: func(outs, ins []*tensor.Tensor) error {
			passwords, keys, errs := tensor.MustSlice[uint32](ins[0]), tensor.MustSlice[uint32](outs[0]), make([]error, n)
			fallback.Parallel(n, func(from, to int) {
				for i := from; i < to; i++ { // HMAC fills a password up with zeros too: 64 bytes are as good as those that were packed
					key, err := pbkdf2.Key(sha256.New, string(read(passwords, 16, i)), salt, rounds, size)
					for p := range len(key) / 32 {
						write(keys[8*p*n:], 8, i, key[32*p:][:32])
					}
					errs[i] = err
				}
			})
			return errors.Join(errs...)
		},
	}, passwords, g.Const(tensor.Must(tensor.FromSlice(first, parts, 16))))
}

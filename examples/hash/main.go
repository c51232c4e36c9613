// Hash finds passwords by their SHA-256 digests, hashes a million messages, and makes keys of passwords by PBKDF2-HMAC-SHA256, with
// kernels of its own (hash.cl); on the CPU path, Go's crypto packages do the same.
//
//	go run ./examples/hash [-words 1600] [-n 1048576] [-passwords 8192] [-rounds 999] [-peer] [-out hash.png]
//	go run ./examples/fetch hash             # a list of words; without it there are 36
//
// The search tries the words of a list behind all numbers of four digits. The device makes these candidates, hashes and compares them;
// only the matches come back. PBKDF2 is meant to make such a search slow: the program says by how much. The picture is the bits of the
// first 128 digests: those of words that are alike look like chance, too. All digests, and some keys, must be Go's. With -peer it
// times hashcat on the same device.
package main

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

type options struct{ words, messages, passwords, rounds int }

func main() {
	var o options
	gallery.Int(&o.words, "words", 1600, 1, 200000, "words of the list to try in the search, each behind 10,000 numbers")
	gallery.Int(&o.messages, "n", 1<<20, 8, 1<<26, "messages to hash whose digests are all wanted")
	gallery.Int(&o.passwords, "passwords", 8192, 8, 1<<22, "passwords to make keys of, at most -n")
	gallery.Int(&o.rounds, "rounds", 999, 1, 1e7, "iterations of PBKDF2; hashcat's benchmark has 999")
	gallery.Main("hash", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	if o.passwords > o.messages {
		return fmt.Errorf("-passwords must be at most -n, %d", o.messages)
	}
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	words, err := readWords(p)
	if err != nil {
		return err
	}
	tried := spread(words, o.words)
	searched, err := findPasswords(ctx, p, rt, tried)
	if err != nil {
		return err
	}
	messages := numbered(words, o.messages)
	digests, err := hashAll(ctx, p, rt, messages)
	if err != nil {
		return err
	}
	if err := p.WritePNG(bits(digests)); err != nil {
		return err
	}
	made, err := makeKeys(ctx, p, rt, messages[:o.passwords], o.rounds)
	if err != nil {
		return err
	}
	const rounds = 600000 // OWASP Password Storage Cheat Sheet, 2023
	n := len(tried) * beginnings
	whole := made.Seconds() / float64(o.passwords) * float64(n) * rounds / float64(o.rounds)
	p.Printf("Searching %d candidates took %s; if keys of %d rounds were stored instead, it would take %v.\n",
		n, gallery.Seconds(searched.Seconds()), rounds, time.Duration(whole*float64(time.Second)).Round(time.Second))
	return nil
}

//go:embed hash.cl
var source string

// call adds a kernel of hash.cl to a graph. On a CPU each work-item is a group, so that its variables stay in registers.
func call(g *ops.Graph, width int, o ops.KernelOptions, ins ...*ops.Node) *ops.Node {
	o.Source, o.Options = source, fmt.Sprintf("-D WIDTH=%d %s", width, o.Options)
	o.CPU = &ops.KernelForm{Local: [3]int{1, 1}}
	return ops.Kernel(g, o, ins...)[0]
}

// width is how many messages a work-item has on a device: see hash.cl.
func width(rt *ops.Runtime) int {
	lanes := rt.Device().Lanes()
	if lanes < 16 { // vectors of 64 bytes come with 32 registers, shorter ones of most processors with 16
		return lanes
	}
	return 2 * lanes
}

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
		Host: func(outs, _ []*tensor.Tensor) error { return searchHost(outs[0], list, wanted, parts) },
	}, constant(blocks), constant(digits), constant(targets)), 1)
}

// none is found where no candidate has a digest.
const none = math.MaxInt32

// digests adds those of messages that pack has laid out to the graph: uint32 [n/32, 8, 32].
func digests(words, lengths *ops.Node, blocks, width int) *ops.Node {
	groups, rows := words.Shape()[0], words.Shape()[1]
	n, repeat := groups*group, min(width, 16)
	return call(words.Graph(), width, ops.KernelOptions{
		Entry:   "sha256",
		Results: []ops.Result{{DType: tensor.Uint32, Shape: []int{groups, 8, group}}},
		Args:    []any{uint32(n), uint32(rows), uint32(blocks), uint32(repeat)},
		Global:  [3]int{(n/width + repeat - 1) / repeat},
		Host:    func(outs, ins []*tensor.Tensor) error { return digestsHost(outs[0], ins[0], ins[1]) },
	}, words, lengths)
}

// keys adds keys of size bytes, a multiple of 32, of passwords of at most 64 bytes to the graph: uint32 [size/32, n/32, 8, 32].
func keys(passwords *ops.Node, salt []byte, rounds, size, width int) *ops.Node {
	g, groups, parts := passwords.Graph(), passwords.Shape()[0], size/32
	first := make([]uint32, 16*parts) // the first input of HMAC for each part: salt, number of the part, padding
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
		Host: func(outs, ins []*tensor.Tensor) error { return keysHost(outs[0], ins[0], salt, rounds, size) },
	}, passwords, g.Const(tensor.Must(tensor.FromSlice(first, parts, 16))))
}

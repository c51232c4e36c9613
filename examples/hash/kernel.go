package main

import (
	"crypto/pbkdf2"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

//go:embed hash.cl
var source string

// group is how many messages lie together in a batch, as many as the longest vector of a CPU holds.
const group = 32

// geometry is how messages are divided among the work-items of a device.
type geometry struct{ width, count, repeat int }

// geometryOf takes a vector of messages at a time on a CPU device, and one for each of many work-items elsewhere.
func geometryOf(rt *ops.Runtime) geometry {
	if d := rt.Device(); d != nil && d.Class == platform.CPU {
		return geometry{max(4, min(d.VectorWidth, 16)), 2, 16}
	}
	return geometry{1, 1, 1}
}

// batch is messages as the kernels read them.
type batch struct {
	words, lengths *tensor.Tensor // uint32 [n/16, rows, 16], [n/16, 16]
	blocks         int            // of 64 bytes that the longest message has with its padding
}

// pack lays messages out in groups, the last of them filled up with empty ones. Mark is put behind each: the padding of
// SHA-256 begins with the bit 1, which is 0x80.
func pack(messages [][]byte, rows int, mark byte) batch {
	b := batch{blocks: 1}
	for _, m := range messages {
		rows, b.blocks = max(rows, len(m)/4+1), max(b.blocks, (len(m)+8)/64+1)
	}
	groups := (len(messages) + group - 1) / group
	b.words = tensor.Must(tensor.New(tensor.Uint32, groups, rows, group))
	b.lengths = tensor.Must(tensor.New(tensor.Uint32, groups, group))
	words, lengths := uints(b.words), uints(b.lengths)
	each(groups*group, func(i int) {
		var m []byte
		if i < len(messages) {
			m = messages[i]
		}
		lengths[i] = uint32(len(m))
		whole := make([]byte, 4*rows)
		if end := copy(whole, m); end < len(whole) {
			whole[end] = mark
		}
		write(words, rows, i, whole)
	})
	return b
}

// sha256Of adds the digests of messages to the graph: uint32 [n/16, 8, 16].
func sha256Of(words, lengths *ops.Node, blocks int, geo geometry) *ops.Node {
	groups, rows := words.Shape()[0], words.Shape()[1]
	n, items := groups*group, (groups*group/geo.width/geo.count+geo.repeat-1)/geo.repeat
	return ops.Kernel(words.Graph(), ops.KernelOptions{
		Source: source, Entry: "sha256", Options: fmt.Sprintf("-D WIDTH=%d -D COUNT=%d", geo.width, geo.count),
		Results: []ops.Result{{DType: tensor.Uint32, Shape: []int{groups, 8, group}}},
		Args:    []any{uint32(n), uint32(rows), uint32(blocks), uint32(geo.repeat)},
		Global:  [3]int{items}, Local: geo.local(),
		Host: func(outs, ins []*tensor.Tensor) error { // Go's own, which uses a processor's instructions for SHA
			words, lengths, digests := uints(ins[0]), uints(ins[1]), uints(outs[0])
			each(n, func(i int) {
				sum := sha256.Sum256(read(words, rows, i)[:lengths[i]])
				write(digests, 8, i, sum[:])
			})
			return nil
		},
	}, words, lengths)[0]
}

// local is the work-group: on a CPU an item alone, whose variables stay in registers; elsewhere the driver chooses.
func (geo geometry) local() [3]int {
	if geo.width > 1 {
		return [3]int{1, 1}
	}
	return [3]int{}
}

// pbkdf2Of adds keys of size bytes, a multiple of 32, from passwords in 16 rows to the graph: uint32 [size/32, n/16, 8, 16].
func pbkdf2Of(passwords *ops.Node, salt []byte, count, size int, geo geometry) *ops.Node {
	g, groups, parts := passwords.Graph(), passwords.Shape()[0], size/32
	first := tensor.Must(tensor.New(tensor.Uint32, parts, 16)) // what HMAC hashes first for each part: salt, number of the part, padding
	for p := range parts {
		block := make([]byte, 64)
		end := copy(block, binary.BigEndian.AppendUint32(salt[:len(salt):len(salt)], uint32(p+1)))
		block[end] = 0x80
		binary.BigEndian.PutUint32(block[60:], uint32(8*(64+end)))
		for w := range 16 {
			uints(first)[16*p+w] = binary.BigEndian.Uint32(block[4*w:])
		}
	}
	n := groups * group
	return ops.Kernel(g, ops.KernelOptions{
		Source: source, Entry: "pbkdf2", Options: fmt.Sprintf("-D WIDTH=%d -D COUNT=%d", geo.width, geo.count),
		Results: []ops.Result{{DType: tensor.Uint32, Shape: []int{parts, groups, 8, group}}},
		Args:    []any{uint32(n), uint32(count)},
		Global:  [3]int{n / geo.width / geo.count, parts}, Local: geo.local(),
		Host: func(outs, ins []*tensor.Tensor) error {
			passwords, keys, errs := uints(ins[0]), uints(outs[0]), make([]error, n)
			each(n, func(i int) { // HMAC fills a password up with zeros too: 64 bytes are as good as those that were packed
				key, err := pbkdf2.Key(sha256.New, string(read(passwords, 16, i)), salt, count, size)
				for p := range len(key) / 32 {
					write(keys[8*p*n:], 8, i, key[32*p:][:32])
				}
				errs[i] = err
			})
			return errors.Join(errs...)
		},
	}, passwords, g.Const(first))[0]
}

// uints is the memory of a contiguous tensor.
func uints(t *tensor.Tensor) []uint32 { return tensor.Must(tensor.ToSlice[uint32](t)) }

// read is message i of a batch with so many rows, with what stands behind it.
func read(words []uint32, rows, i int) []byte {
	m := make([]byte, 4*rows)
	at := words[i/group*rows*group+i%group:]
	for w := range rows {
		binary.BigEndian.PutUint32(m[4*w:], at[w*group])
	}
	return m
}

// write puts a message of so many rows into a batch.
func write(words []uint32, rows, i int, m []byte) {
	at := words[i/group*rows*group+i%group:]
	for w := range rows {
		at[w*group] = binary.BigEndian.Uint32(m[4*w:])
	}
}

// each calls f for 0 to n-1, neighbours on the same processor.
func each(n int, f func(i int)) {
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for k := range workers {
		wg.Go(func() {
			for i := k * n / workers; i < (k+1)*n/workers; i++ {
				f(i)
			}
		})
	}
	wg.Wait()
}

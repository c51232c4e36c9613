package main

import (
	"bytes"
	"context"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// makeKeys makes keys of passwords, compares some with Go's, and returns how long all of them take.
func makeKeys(ctx context.Context, p *gallery.Program, rt *ops.Runtime, passwords [][]byte, rounds int) (time.Duration, error) {
	const share = 8
	salt := []byte("NaCl")
	work := gallery.Work{Name: "PBKDF2-HMAC-SHA256", Amount: float64(len(passwords)) / 1e3, Unit: "k keys", CPUShare: 1. / share}
	results, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (func(context.Context) ([]uint32, error), error) {
		some := passwords
		if place == ops.OnCPU {
			some = passwords[:len(passwords)/share]
		}
		return derive(ctx, rt, place, some, salt, rounds, 32)
	})
	if err != nil {
		return 0, err
	}
	some := min(32, len(passwords)/share)
	for _, r := range results {
		same := count(some, func(i int) bool {
			want, err := pbkdf2.Key(sha256.New, string(passwords[i]), salt, rounds, 32)
			return err == nil && bytes.Equal(want, read(r.Value, 8, i))
		})
		p.Check(same == some, "%d keys of %s are those of crypto/pbkdf2", same, r.Where)
	}
	all := results[0].Time
	if results[0].Place == ops.OnCPU {
		all *= share
	}
	return all, hashcat(ctx, p, rt, "10900", float64(len(passwords)*rounds)/999)
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

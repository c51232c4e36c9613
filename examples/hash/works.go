package main

import (
	"bytes"
	"context"
	"crypto/pbkdf2"
	"crypto/sha256"
	"image"
	"image/color"
	"time"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// findPasswords searches for three candidates by their digests, and returns how long it took.
func findPasswords(ctx context.Context, p *gallery.Program, rt *ops.Runtime, words [][]byte) (time.Duration, error) {
	const share = 16 // of the words, one part is tried on the CPU path
	few := words[:max(1, len(words)/share)]
	var stolen [][32]byte
	wanted := []int{len(few)*beginnings - 1, len(words) / 3 * beginnings, len(words)*beginnings - 1983}
	for _, i := range wanted {
		stolen = append(stolen, sha256.Sum256(candidate(words, i)))
	}
	work := gallery.Work{Name: "search by SHA-256", Amount: float64(len(words)*beginnings) / 1e6, Unit: "M candidates",
		CPUShare: float64(len(few)) / float64(len(words))}
	results, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (gallery.Run[[]int32], error) {
		list := words
		if place == ops.OnCPU {
			list = few
		}
		g := ops.NewGraph("search")
		exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{search(g, list, stolen, width(rt))}, Place: place})
		return func(ctx context.Context) ([]int32, error) {
			out, err := exe.Run(ctx, nil)
			if err != nil {
				return nil, err
			}
			return tensor.ToSlice[int32](out[0])
		}, err
	})
	if err != nil {
		return 0, err
	}
	for _, r := range results {
		n := len(words)
		if r.Place == ops.OnCPU {
			n = len(few)
		}
		right := count(len(wanted), func(t int) bool {
			want := int32(none)
			if wanted[t] < n*beginnings {
				want = int32(wanted[t])
			}
			return r.Value[t] == want
		})
		p.Check(right == len(wanted), "%s finds the passwords of %d digests, where they are among its %d candidates", r.Where, right,
			n*beginnings)
	}
	for t, i := range results[0].Value {
		if i != none {
			p.Printf("%x... is the digest of %q\n", stolen[t][:12], candidate(words, int(i)))
		}
	}
	return results[0].Time, hashcat(ctx, p, rt, "1400", float64(len(words)*beginnings))
}

// hashAll hashes messages and compares all digests with Go's.
func hashAll(ctx context.Context, p *gallery.Program, rt *ops.Runtime, messages [][]byte) ([]uint32, error) {
	b, g := pack(messages, 1, 0x80), ops.NewGraph("sha256")
	words, lengths := g.Input("words", tensor.Uint32, b.words.Shape()...), g.Input("lengths", tensor.Uint32, b.lengths.Shape()...)
	work := gallery.Work{Name: "SHA-256 of messages", Amount: float64(len(messages)) / 1e6, Unit: "M digests"}
	results, err := gallery.Graph(ctx, p, rt, work, ops.Feeds{words: b.words, lengths: b.lengths},
		digests(words, lengths, b.blocks, width(rt)))
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		all := tensor.MustSlice[uint32](r.Value[0])
		same := count(len(messages), func(i int) bool { return [32]byte(read(all, 8, i)) == sha256.Sum256(messages[i]) })
		p.Check(same == len(messages), "%d of %d digests of %s are those of crypto/sha256", same, len(messages), r.Where)
	}
	return tensor.MustSlice[uint32](results[0].Value[0]), nil
}

// makeKeys makes keys of passwords, compares some with Go's, and returns how long all of them take.
func makeKeys(ctx context.Context, p *gallery.Program, rt *ops.Runtime, passwords [][]byte, rounds int) (time.Duration, error) {
	const share = 8
	salt := []byte("NaCl")
	work := gallery.Work{Name: "PBKDF2-HMAC-SHA256", Amount: float64(len(passwords)) / 1e3, Unit: "k keys", CPUShare: 1. / share}
	results, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (gallery.Run[[]uint32], error) {
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
func derive(ctx context.Context, rt *ops.Runtime, place ops.Place, passwords [][]byte, salt []byte, rounds,
	size int) (gallery.Run[[]uint32], error) {
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

// bits shows the first 128 digests, each a row of 256 squares.
func bits(digests []uint32) image.Image {
	const side = 3
	return gallery.Paint(256*side, min(128, len(digests)/8)*side, func(x, y int) color.RGBA {
		return gallery.Grey(float64(read(digests, 8, y/side)[x/side/8] >> (7 - x/side%8) & 1))
	})
}

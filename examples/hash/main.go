// Hash finds passwords by their SHA-256 digests, hashes a million messages, and makes keys of passwords by PBKDF2-HMAC-SHA256, with
// kernels of its own; on the CPU path, Go's crypto packages do the same.
//
//	go run ./examples/hash [-words 1600] [-n 1048576] [-passwords 8192] [-rounds 999] [-peer] [-out hash.png]
//	go run ./examples/fetch hash             # a list of words; without it there are 36
//
// The search tries the words of a list behind all numbers of four digits. The device makes these candidates, hashes and compares them;
// only what was found comes back. PBKDF2 is meant to make such a search slow: the program says by how much. The picture is the bits of
// the first 128 digests: those of words that are alike look like chance, too. All digests, and some keys, must be Go's. With -peer it
// times hashcat on the same device.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"image"
	"image/color"
	"time"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

type options struct{ words, messages, passwords, rounds int }

func main() {
	var o options
	flag.IntVar(&o.words, "words", 1600, "words of the list to try in the search, each behind 10,000 numbers")
	flag.IntVar(&o.messages, "n", 1<<20, "messages to hash whose digests are all wanted")
	flag.IntVar(&o.passwords, "passwords", 8192, "passwords to make keys of")
	flag.IntVar(&o.rounds, "rounds", 999, "iterations of PBKDF2; hashcat's benchmark has 999")
	gallery.Main("hash", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	if err := errors.Join(
		gallery.Within("words", o.words, 1, 200000),
		gallery.Within("passwords", o.passwords, 8, 1<<22),
		gallery.Within("n", o.messages, o.passwords, 1<<26),
		gallery.Within("rounds", o.rounds, 1, 1e7),
	); err != nil {
		return err
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
	keys, err := makeKeys(ctx, p, rt, messages[:o.passwords], o.rounds)
	if err != nil {
		return err
	}
	const rounds = 600000 // OWASP Password Storage Cheat Sheet, 2023
	n := len(tried) * beginnings
	whole := keys.Seconds() / float64(o.passwords) * float64(n) * rounds / float64(o.rounds)
	p.Printf("Searching %d candidates took %s; if keys of %d rounds were stored instead, it would take %v.\n",
		n, gallery.Seconds(searched.Seconds()), rounds, time.Duration(whole*float64(time.Second)).Round(time.Second))
	return p.WritePNG(bits(digests))
}

// findPasswords searches for three candidates by their digests, and returns how long it took.
func findPasswords(ctx context.Context, p *gallery.Program, rt *ops.Runtime, words [][]byte) (time.Duration, error) {
	const share = 16 // of the words, one part is tried on the CPU path
	few := words[:max(1, len(words)/share)]
	var stolen [][32]byte
	wanted := []int{len(few)*beginnings - 1, len(words) / 3 * beginnings, len(words)*beginnings - 1983}
	for _, i := range wanted {
		stolen = append(stolen, sha256.Sum256(candidate(words, i)))
	}
	work := gallery.Work{Name: "search by SHA-256", Amount: float64(len(words)*beginnings) / 1e6, Unit: "M candidates", CPUShare: float64(len(few)) / float64(len(words))}
	results, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (func(context.Context) ([]int32, error), error) {
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
		p.Check(right == len(wanted), "%s finds the passwords of %d digests, where they are among its %d candidates", r.Where, right, n*beginnings)
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
	results, err := gallery.Graph(ctx, p, rt, work, ops.Feeds{words: b.words, lengths: b.lengths}, digests(words, lengths, b.blocks, width(rt)))
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

// bits shows the first 128 digests, each a row of 256 squares.
func bits(digests []uint32) image.Image {
	const side = 3
	return gallery.Paint(256*side, min(128, len(digests)/8)*side, func(x, y int) color.RGBA {
		return gallery.Grey(float64(read(digests, 8, y/side)[x/side/8] >> (7 - x/side%8) & 1))
	})
}

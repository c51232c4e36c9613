// Hash computes SHA-256 of a million messages, and keys from passwords by PBKDF2-HMAC-SHA256, with kernels of its own, on an
// OpenCL device and on the CPU path, where Go's crypto packages do it.
//
//	go run ./examples/hash [-n 1048576] [-passwords 8192] [-rounds 999] [-peer] [-out hash.png]
//
// The messages are guesses of passwords: the words of a list with a number behind each. The program finds the passwords of
// some digests among them, and says how much longer the search takes where passwords are stored as keys of PBKDF2 instead,
// which is what PBKDF2 is for. The picture is the bits of the first 128 digests: of words that are alike, too, they look like
// chance. With -peer it times hashcat on the same device.
package main

import (
	"bytes"
	"context"
	"crypto/pbkdf2"
	"crypto/sha256"
	"errors"
	"flag"
	"time"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
)

type options struct{ messages, passwords, rounds int }

func main() {
	var o options
	flag.IntVar(&o.messages, "n", 1<<20, "how many messages are hashed")
	flag.IntVar(&o.passwords, "passwords", 8192, "how many keys are made")
	flag.IntVar(&o.rounds, "rounds", 999, "HMACs for a key; 999 are those of hashcat's benchmark")
	gallery.Main("hash", "hash.png", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	if o.passwords < 8 || o.messages < o.passwords || o.rounds < 1 {
		return errors.New("-passwords must be at least 8, -n at least -passwords, and -rounds at least 1")
	}
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	guesses, err := guess(p, o.messages)
	if err != nil {
		return err
	}
	work := gallery.Work{Name: "SHA-256", Amount: float64(o.messages) / 1e6, Unit: "M digests"}
	digests, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (func(context.Context) ([]uint32, error), error) {
		return digest(ctx, rt, place, guesses)
	})
	if err != nil {
		return err
	}
	for _, r := range digests {
		same := count(o.messages, func(i int) bool { return [32]byte(read(r.Value, 8, i)) == sha256.Sum256(guesses[i]) })
		p.Check(same == o.messages, "%d of %d digests of %s are those of crypto/sha256", same, o.messages, r.Where)
	}
	if err := hashcat(ctx, p, rt, "1400", 1e6, 1); err != nil {
		return err
	}

	salt := []byte("NaCl")
	work = gallery.Work{Name: "PBKDF2-HMAC-SHA256", Amount: float64(o.passwords) / 1e3, Unit: "k keys", CPUShare: 1. / 8}
	keys, err := gallery.Both(ctx, p, rt, work, func(place ops.Place) (func(context.Context) ([]uint32, error), error) {
		passwords := guesses[:o.passwords]
		if place == ops.OnCPU {
			passwords = passwords[:o.passwords/8]
		}
		return derive(ctx, rt, place, passwords, salt, o.rounds, 32)
	})
	if err != nil {
		return err
	}
	for _, r := range keys {
		same := count(min(32, o.passwords/8), func(i int) bool {
			want, err := pbkdf2.Key(sha256.New, string(guesses[i]), salt, o.rounds, 32)
			return err == nil && bytes.Equal(want, read(r.Value, 8, i))
		})
		p.Check(same == min(32, o.passwords/8), "%d keys of %s are those of crypto/pbkdf2", same, r.Where)
	}
	if err := hashcat(ctx, p, rt, "10900", 1e3, 999/float64(o.rounds)); err != nil {
		return err
	}
	search(p, guesses, digests[0], keys[0], o)
	return p.WritePNG(bits(digests[0].Value))
}

// search looks for some digests among those that were made, and says how long that takes with keys instead.
func search(p *gallery.Program, guesses [][]byte, digests, keys gallery.Result[[]uint32], o options) {
	p.Printf("\n")
	for _, at := range []int{len(guesses) / 7, len(guesses) / 3, len(guesses) - 1} {
		stolen := sha256.Sum256(guesses[at])
		for i := range guesses {
			if bytes.Equal(read(digests.Value, 8, i), stolen[:]) {
				p.Printf("%x... is the digest of %q\n", stolen[:12], guesses[i])
				break
			}
		}
	}
	const rounds = 600000 // OWASP Password Storage Cheat Sheet, 2023
	n := o.passwords
	if keys.Place == ops.OnCPU {
		n /= 8
	}
	whole := keys.Time * time.Duration(len(guesses)/n) * time.Duration(rounds/o.rounds)
	p.Printf("All %d guesses took %s as digests; as keys of %d rounds they would take %v.\n",
		len(guesses), gallery.Seconds(digests.Time.Seconds()), rounds, whole.Round(time.Second))
}

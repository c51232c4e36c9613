package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestTheProgramsChecksHoldOnEveryEngine(t *testing.T) {
	o := options{words: 3, messages: 5000, passwords: 70, rounds: 3}
	out := gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
	assert.Contains(t, out, "is the digest of")
	assert.Contains(t, out, "5000 of 5000 digests")
}

// everywhere calls f for the CPU path and for a device, if there is one.
func everywhere(t *testing.T, f func(t *testing.T, rt *ops.Runtime, place ops.Place)) {
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer rt.Close()
	t.Run("cpu path", func(t *testing.T) { f(t, rt, ops.OnCPU) })
	if rt.Device() != nil {
		t.Run("device", func(t *testing.T) { f(t, rt, ops.OnDevice) })
	}
}

// Messages of one block and of several are in the same vectors.
func TestDigestsAreThoseOfFIPS180(t *testing.T) {
	vectors := [][2]string{
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
		{"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
			"cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
		{strings.Repeat("a", 1000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"}, // of Python's hashlib
	}
	everywhere(t, func(t *testing.T, rt *ops.Runtime, place ops.Place) {
		var messages [][]byte
		for _, v := range vectors {
			messages = append(messages, []byte(v[0]))
		}
		for _, width := range widths(rt) {
			all := digestsOf(t, rt, place, messages, width)
			for i, v := range vectors {
				require.Equal(t, v[1], hex.EncodeToString(read(all, 8, i)), "%q", v[0])
			}
		}
	})
}

// The examples of RFC 7914, section 11, whose keys have two parts.
func TestKeysAreThoseOfRFC7914(t *testing.T) {
	everywhere(t, func(t *testing.T, rt *ops.Runtime, place ops.Place) {
		for _, v := range []struct {
			password, salt, key string
			rounds              int
		}{
			{"passwd", "salt", "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783", 1},
			{"Password", "NaCl", "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d", 80000},
		} {
			for _, width := range widths(rt) {
				b, g := pack([][]byte{[]byte(v.password)}, 16, 0), ops.NewGraph("pbkdf2")
				in := g.Input("passwords", tensor.Uint32, b.words.Shape()...)
				out := gallerytest.Compute(t, rt, place, ops.Feeds{in: b.words}, keys(in, []byte(v.salt), v.rounds, 64, width))
				all := tensor.MustSlice[uint32](out[0])
				require.Equal(t, v.key, hex.EncodeToString(append(read(all, 8, 0), read(all[len(all)/2:], 8, 0)...)))
			}
		}
	})
}

// widths are the width of the device, and 1, the width of GPUs.
func widths(rt *ops.Runtime) []int { return slices.Compact([]int{width(rt), 1}) }

func digestsOf(t *testing.T, rt *ops.Runtime, place ops.Place, messages [][]byte, width int) []uint32 {
	b, g := pack(messages, 1, 0x80), ops.NewGraph("sha256")
	words, lengths := g.Input("words", tensor.Uint32, b.words.Shape()...), g.Input("lengths", tensor.Uint32, b.lengths.Shape()...)
	out := gallerytest.Compute(t, rt, place, ops.Feeds{words: b.words, lengths: b.lengths}, digests(words, lengths, b.blocks, width))
	return tensor.MustSlice[uint32](out[0])
}

// A word occurs twice, one is empty, and the longest fills the block.
func TestTheSearchFindsTheFirstCandidateOrNone(t *testing.T) {
	everywhere(t, func(t *testing.T, rt *ops.Runtime, place ops.Place) {
		words := [][]byte{[]byte("a"), {}, []byte("ab"), []byte("abc"), []byte("abcd"), []byte("ab"), []byte(strings.Repeat("z", 51))}
		numbers := []int{0, 19999, 21234, 30007, 40000, 69999}
		var wanted [][32]byte
		for _, i := range numbers {
			wanted = append(wanted, sha256.Sum256(candidate(words, i)))
		}
		wanted, numbers = append(wanted, sha256.Sum256([]byte("12345a"))), append(numbers, none)
		for _, width := range widths(rt) {
			g := ops.NewGraph("search")
			out := gallerytest.Compute(t, rt, place, nil, search(g, words, wanted, width))
			for k, n := range tensor.MustSlice[int32](out[0]) {
				require.EqualValues(t, numbers[k], n)
			}
		}
	})
}

func TestWhatCannotBeAskedForIsAnError(t *testing.T) {
	require.ErrorContains(t, run(t.Context(), &gallery.Program{}, options{words: 1, messages: 8, passwords: 9, rounds: 1}), "-passwords")
}

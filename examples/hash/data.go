package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// common begins many lists of passwords that were stolen.
const common = "password qwerty iloveyou princess sunshine dragon monkey football master shadow superman batman letmein welcome ninja " +
	"michael jessica ashley charlie daniel jordan hunter ranger harley thomas robert soccer hockey killer george summer ginger cookie cheese"

// guess makes n guesses: the words of a list with 0, 1, 2 and so on behind them.
func guess(p *gallery.Program, n int) ([][]byte, error) {
	text, err := dataset.Words.Read()
	if errors.Is(err, fs.ErrNotExist) {
		p.Printf("a few words that are built in: %v\n", err)
		text, err = []byte(common), nil
	}
	words, guesses := bytes.Fields(text), make([][]byte, n)
	for i := range guesses {
		guesses[i] = strconv.AppendInt(slices.Clone(words[i%len(words)]), int64(i/len(words)), 10)
	}
	return guesses, err
}

// digest compiles SHA-256 for messages. What it returns feeds them, and gives the digests.
func digest(ctx context.Context, rt *ops.Runtime, place ops.Place, messages [][]byte) (func(context.Context) ([]uint32, error), error) {
	b, g := pack(messages, 1, 0x80), ops.NewGraph("sha256")
	words := g.Input("words", tensor.Uint32, b.words.Shape()...)
	lengths := g.Input("lengths", tensor.Uint32, b.lengths.Shape()...)
	return runner(ctx, rt, place, sha256Of(words, lengths, b.blocks, geometryOf(rt)), ops.Feeds{words: b.words, lengths: b.lengths})
}

// derive does so for PBKDF2.
func derive(ctx context.Context, rt *ops.Runtime, place ops.Place, passwords [][]byte, salt []byte, rounds, size int) (func(context.Context) ([]uint32, error), error) {
	b, g := pack(passwords, 16, 0), ops.NewGraph("pbkdf2")
	words := g.Input("passwords", tensor.Uint32, b.words.Shape()...)
	return runner(ctx, rt, place, pbkdf2Of(words, salt, rounds, size, geometryOf(rt)), ops.Feeds{words: b.words})
}

// runner compiles a graph with one result, and runs it into the same memory each time.
func runner(ctx context.Context, rt *ops.Runtime, place ops.Place, y *ops.Node, feeds ops.Feeds) (func(context.Context) ([]uint32, error), error) {
	exe, err := y.Graph().Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{y}, Place: place})
	out := []*tensor.Tensor{tensor.Must(tensor.New(tensor.Uint32, y.Shape()...))}
	return func(ctx context.Context) ([]uint32, error) { return uints(out[0]), exe.RunInto(ctx, feeds, out) }, err
}

// bits shows the first 128 digests, each a row of 256 squares.
func bits(digests []uint32) image.Image {
	const side = 3
	img := image.NewGray(image.Rect(0, 0, 256*side, min(128, len(digests)/8)*side))
	for i := range img.Rect.Dx() * img.Rect.Dy() {
		x, y := i%img.Rect.Dx()/side, i/img.Rect.Dx()/side
		if read(digests, 8, y)[x/8]>>(7-x%8)&1 == 1 {
			img.Pix[i] = 255
		}
	}
	return img
}

// count is for how many of 0 to n-1 something holds.
func count(n int, holds func(i int) bool) (sum int) {
	for i := range n {
		if holds(i) {
			sum++
		}
	}
	return sum
}

// hashcat times a mode of hashcat's benchmark on devices of the kind that rt uses. Its speed is in hashes a second, scale of which
// are one of the unit of the work before; ours does part as much for each.
func hashcat(ctx context.Context, p *gallery.Program, rt *ops.Runtime, mode string, scale, part float64) error {
	kind := "1" // CPU
	if d := rt.Device(); d != nil && d.Class == platform.GPU {
		kind = "2"
	}
	_, err := p.Beside(ctx, gallery.Peer{
		Name: "hashcat", Amount: part / scale,
		Command: []string{"hashcat", "-b", "-m", mode, "-D", kind, "--machine-readable", "--quiet", "--force"},
		Parse: func(output []byte) (r gallery.PeerResult, err error) { // device:mode:clocks:clocks:ms:speed
			var sum float64
			for _, line := range bytes.Fields(output) {
				if columns := strings.Split(string(line), ":"); len(columns) == 6 && columns[1] == mode {
					speed, err := strconv.ParseFloat(columns[5], 64)
					if err != nil {
						return r, err
					}
					sum += speed
				}
			}
			if sum == 0 {
				return r, fmt.Errorf("no speed in what it wrote: %s", output)
			}
			r.Seconds, r.Version = 1/sum, "-b"
			return r, nil
		},
	}, nil)
	return err
}

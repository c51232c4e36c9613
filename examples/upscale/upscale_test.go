package main

import (
	"context"
	"image"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
	"github.com/anycl/anycl/examples/internal/photos"
	"github.com/anycl/anycl/tensor"
)

func TestTheProgramChecksItself(t *testing.T) {
	gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		return run(ctx, p, options{epochs: 3, stride: 48, seed: 1, rate: 0.002})
	})
}

// A training that was saved and is resumed at its end has nothing left to learn, and enlarges as before.
func TestATrainingIsSavedAndReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.safetensors")
	printed := func(o options) string {
		return gallerytest.RunOn(t, "none", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
	}
	whole := printed(options{epochs: 2, stride: 64, seed: 3, rate: 0.002, save: file})
	require.FileExists(t, file)
	again := printed(options{epochs: 2, stride: 64, seed: 3, rate: 0.002, resume: file})
	require.Equal(t, checks(whole), checks(again))
}

// checks are the lines of an output that start with "check".
func checks(text string) string {
	var lines string
	for len(text) > 0 {
		n := 0
		for n < len(text) && text[n] != '\n' {
			n++
		}
		if n > 5 && text[:5] == "check" {
			lines += text[:n] + "\n"
		}
		text = text[min(n+1, len(text)):]
	}
	return lines
}

func TestWhatIsKeptOutIsInNoPiece(t *testing.T) {
	learned, kept, err := pieces(48)
	require.NoError(t, err)
	require.Equal(t, []int{2 * (13*8 + 3*8 + 6*8), 1, side, side}, learned.Shape())
	require.Equal(t, []int{1, 1, 426, width}, kept.Shape())
	china, err := photos.China()
	require.NoError(t, err)
	require.Equal(t, photos.Grey(china, image.Rect(left, 0, left+width, 1)), tensor.MustSlice[float32](kept)[:width])
	all := tensor.MustSlice[float32](learned)
	first := all[:side*side]
	turned := all[side*side : 2*side*side]
	for i := range first {
		require.Equal(t, first[i], turned[i%side*side+i/side])
	}
}

func TestDecibels(t *testing.T) {
	require.InDelta(t, 20, decibels([]float32{0, 0.5}, []float32{0.1, 0.4}), 1e-5)
}

package main

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
	"github.com/anycl/anycl/tensor"
)

func TestTheProgramChecksItself(t *testing.T) {
	if _, err := dataset.Lines.Find(); errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	printed := gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, options{threshold: 0.2}) })
	require.Contains(t, printed, "lines are found")
}

// The best of places side by side is a line, with ends where the offsets say.
func TestLinesAreThePeaksOfScores(t *testing.T) {
	t.Parallel()
	scores, offsets := tensor.Must(tensor.New(tensor.Float32, 1, 160, 160, 1)), tensor.Must(tensor.New(tensor.Float32, 1, 160, 160, 4))
	for at, s := range map[int]float64{10*160 + 20: 0.9, 10*160 + 21: 0.5, 50*160 + 5: 0.3, 80 * 160: 0.1} {
		scores.SetFloat64(at, s)
	}
	for i, v := range []float64{-3, 0, 3, 1} {
		offsets.SetFloat64(4*(10*160+20)+i, v)
	}
	lines := found(scores, offsets, 0.2)
	require.Len(t, lines, 2)
	require.InDeltaSlice(t, []float64{34, 20, 46, 22}, []float64{lines[0].x0, lines[0].y0, lines[0].x1, lines[0].y1}, 1e-6)
	require.True(t, alike(lines, lines))
	require.False(t, alike(lines, lines[:0]))
}

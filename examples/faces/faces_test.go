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
	for _, f := range []dataset.File{dataset.Faces, dataset.Astronaut} {
		if _, err := f.Find(); errors.Is(err, fs.ErrNotExist) {
			t.Skip(err)
		}
	}
	printed := gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, options{threshold: 0.6}) })
	require.Contains(t, printed, "one face is found")
}

// Anchors that overlap are one face, the mean of them by their scores; one that lies elsewhere is another.
func TestFacesAreMeansOfAnchors(t *testing.T) {
	t.Parallel()
	out := map[string]*tensor.Tensor{}
	for name, shape := range map[string][]int{"Identity:0": {1, 512, 1}, "Identity_1:0": {1, 384, 1}, "Identity_2:0": {1, 512, 16}, "Identity_3:0": {1, 384, 16}} {
		out[name] = tensor.Must(tensor.New(tensor.Float32, shape...))
	}
	for i := range 512 {
		out["Identity:0"].SetFloat64(i, -50)
	}
	for i := range 384 {
		out["Identity_1:0"].SetFloat64(i, -50)
	}
	anchor := func(i int, score, x, side float64) {
		out["Identity:0"].SetFloat64(i, score)
		for k, v := range []float64{x, 0, side, side, x, x} {
			out["Identity_2:0"].SetFloat64(16*i+k, v)
		}
	}
	anchor(2*17, 40, 0, 64)   // the middle of the place 1, 1: 24 pixels of 256
	anchor(2*17+1, 40, 8, 64) // 8 pixels to the right of it
	anchor(2*200, 2, 0, 32)   // 8, 12
	faces := found(out, 0.6)
	require.Len(t, faces, 2)
	require.InDelta(t, (24.0+4-32)/256, faces[0].x0, 1e-9)
	require.InDelta(t, (24.0+4+32)/256, faces[0].x1, 1e-9)
	require.InDelta(t, (24.0-32)/256, faces[0].y0, 1e-9)
	require.InDelta(t, (24.0+4)/256, faces[0].points[0][0], 1e-9)
	require.InDelta(t, 136.0/256, (faces[1].x0+faces[1].x1)/2, 1e-9)
	require.True(t, alike(faces, faces))
	require.False(t, alike(faces, faces[:1]))

	anchor(2*90, 40, 0, 0) // without an area
	require.Len(t, found(out, 0.6), 2)
	require.Empty(t, found(out, 1.5))
}

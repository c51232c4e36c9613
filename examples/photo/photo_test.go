package main

import (
	"bytes"
	"context"
	"image"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
	"github.com/anycl/anycl/tensor"
)

// part is a small part of the photograph, with sky and roof.
func part(t *testing.T, x, y, w, h int) planes {
	img, _, err := image.Decode(bytes.NewReader(china))
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, 640, 427), img.Bounds())
	whole := planesOf(img)
	p := planes{w, h, nil}
	for i := range 3 * w * h {
		p.values = append(p.values, whole.at(i/w/h, x+i%w, y+i/w%h))
	}
	return p
}

func TestTheProgramsChecksHoldOnEveryEngine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "clip.y4m")
	out := gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		return run(ctx, p, part(t, 300, 100, 52, 41), options{frames: 3, clip: file})
	})
	assert.Contains(t, out, "palette of cpu path")
	clip, err := os.ReadFile(file)
	require.NoError(t, err)
	head := "YUV4MPEG2 W38 H30 F25:1 Ip A1:1 C444\n"
	require.Equal(t, head, string(clip[:len(head)]))
	require.Zero(t, (len(clip)-len(head))%(len("FRAME\n")+3*38*30), "whole frames")
	luma := clip[len(head)+len("FRAME\n"):][:38*30]
	require.Less(t, bytes.Count(luma, luma[:1]), len(luma)/2, "there is something to see")
}

func TestAPanGoesFromCornerToCorner(t *testing.T) {
	p := part(t, 200, 200, 40, 30)
	first, last := p.pan(0, 5, 30, 20), p.pan(4, 5, 30, 20)
	require.Equal(t, p.at(2, 0, 0), first.at(2, 0, 0))
	require.Equal(t, p.at(1, 39, 29), last.at(1, 29, 19))
	require.Equal(t, first, p.pan(0, 1, 30, 20), "a single frame")
	bytes := tensor.Must(tensor.ToSlice[uint8](first.tensor()))
	require.Equal(t, uint8(p.at(0, 0, 0)), bytes[0])
}

func TestTheBorderIsWhatIsOutside(t *testing.T) {
	p := planes{2, 2, []float32{1, 2, 3, 4}}
	require.Equal(t, []float32{1, 2, 3, 4}, []float32{p.at(0, -5, -1), p.at(2, 7, 0), p.at(1, 0, 9), p.at(0, 2, 2)})
}

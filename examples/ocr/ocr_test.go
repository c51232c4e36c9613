package main

import (
	"context"
	"errors"
	"image"
	"image/color"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/dataset"
	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
	"github.com/anycl/anycl/tensor"
)

// The page is read. It takes half a minute on the CPU path: ANYCL_OCR=1 asks for it.
func TestTheProgramChecksItself(t *testing.T) {
	if os.Getenv("ANYCL_OCR") == "" {
		t.Skip("ANYCL_OCR is not set")
	}
	for _, f := range []dataset.File{dataset.TextDetector, dataset.TextReader, dataset.TextSigns, dataset.Page} {
		if _, err := f.Find(); errors.Is(err, fs.ErrNotExist) {
			t.Skip(err)
		}
	}
	printed := gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, "") })
	require.Contains(t, printed, "Let us first determine markers of the coins and the")
}

// Two slanted bars of probable text are two lines, from the top, with their slope; a speck is none.
func TestLinesAreRegionsOfText(t *testing.T) {
	t.Parallel()
	const h, w = 96, 128
	x := tensor.Must(tensor.New(tensor.Float32, 1, 1, h, w))
	for _, top := range []int{60, 10} {
		for c := 20; c < 100; c++ {
			for r := range 8 {
				x.SetFloat64((top+r+c/8)*w+c, 0.9)
			}
		}
	}
	x.SetFloat64(5*w+5, 1)
	found := lines(x, image.Rect(0, 0, 2*w, 2*h))
	require.Len(t, found, 2)
	require.Less(t, found[0].y0, found[1].y0)
	for _, l := range found {
		require.InDelta(t, 1.0/8, l.slope, 0.01)
		require.InDelta(t, 40, l.x0, 16)
		require.InDelta(t, 200, l.x1, 16)
		require.True(t, l.box().In(image.Rect(0, 0, 2*w, 2*h)))
	}
	for i := range x.Len() {
		x.SetFloat64(i, 0)
	}
	require.Empty(t, lines(x, image.Rect(0, 0, w, h)))
}

// A slanted line is cut straight: points on it are in one row.
func TestASlantedLineIsCutStraight(t *testing.T) {
	t.Parallel()
	img := image.NewRGBA(image.Rect(0, 0, 200, 100))
	for x := range 200 {
		for d := -3; d <= 3; d++ {
			img.Set(x, 40+x/4+d, color.White)
		}
	}
	x := cut(img, []line{{x0: 10, x1: 190, y0: 25, y1: 55, slope: 0.25}})
	require.Equal(t, []int{1, 3, height, 288}, x.Shape())
	for u := range 288 {
		require.Greater(t, x.Float64At(24*288+u), 0.9, u)
		require.Less(t, x.Float64At(2*288+u), -0.9, u)
	}
}

func TestSignsAreReadOnce(t *testing.T) {
	t.Parallel()
	signs := []string{"", "a", "b", " "}
	x := tensor.Must(tensor.New(tensor.Float32, 1, 9, 4))
	for slice, sign := range []int{1, 1, 0, 1, 3, 2, 2, 0, 0} {
		x.SetFloat64(slice*4+sign, 1)
	}
	require.Equal(t, []string{"aa b"}, read(x, signs))
}

func TestDistance(t *testing.T) {
	t.Parallel()
	require.Equal(t, 0, distance("", ""))
	require.Equal(t, 3, distance("kitten", "sitting"))
	require.Equal(t, 2, distance("", "äb"))
	require.Equal(t, "ab", letters(" a\nb "))
}

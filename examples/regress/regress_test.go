package main

import (
	"context"
	"image/png"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Unoptimize, testdevices.Hold)) }

func TestTheWholeProgramHoldsItsChecksOnEveryEngine(t *testing.T) {
	gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		if err := run(ctx, p, options{steps: 60, copies: 2}); err != nil {
			return err
		}
		assert.GreaterOrEqual(t, len(p.Checks()), 12)
		f, err := os.Open(p.Out)
		require.NoError(t, err)
		defer f.Close()
		_, err = png.Decode(f)
		return err
	})
}

func TestFilesOfNISTAreReadWhole(t *testing.T) {
	for name, want := range map[string][3]int{"Longley": {16, 6, 7}, "Filip": {82, 1, 11}, "ENSO": {168, 1, 0}, "Norris": {36, 1, 2}} {
		d, err := load(name)
		require.NoError(t, err)
		require.Equal(t, want, [3]int{len(d.y), len(d.x[0]), len(d.value)}, name)
	}
	d, err := load("Longley")
	require.NoError(t, err)
	require.InDelta(t, -3482258.63459582, d.value[0], 1e-8)
	require.InDelta(t, 304.854073561965, d.residual, 1e-12)
	_, err = load("nothing")
	require.Error(t, err)
}

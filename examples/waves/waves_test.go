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

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Hold)) }

func TestTheWholeProgramHoldsItsChecksOnEveryEngine(t *testing.T) {
	gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		if err := run(ctx, p, options{points: 64}); err != nil {
			return err
		}
		assert.GreaterOrEqual(t, len(p.Checks()), 4)
		f, err := os.Open(p.Out)
		require.NoError(t, err)
		defer f.Close()
		picture, err := png.Decode(f)
		assert.Equal(t, 3*(64+8)-8, picture.Bounds().Dx())
		return err
	})
}

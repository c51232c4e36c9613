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
	"github.com/anycl/anycl/internal/corpus"
	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Hold)) }

func TestTheWholeProgramHoldsItsChecksOnEveryEngine(t *testing.T) {
	gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		if err := run(ctx, p, options{cells: 47, steps: 12}); err != nil {
			return err
		}
		assert.GreaterOrEqual(t, len(p.Checks()), 5)
		f, err := os.Open(p.Out)
		require.NoError(t, err)
		defer f.Close()
		picture, err := png.Decode(f)
		assert.Equal(t, 2*47+8, picture.Bounds().Dx())
		return err
	})
}

// Heat that leaves a point away from the edges goes to another one: rows of the matrix add up to 1 but beside edges.
func TestHeatIsKeptInside(t *testing.T) {
	w := ringed(15)
	a := w.matrix(0.5)
	sums, err := a.Sum(1)
	require.NoError(t, err)
	for r, s := range sums {
		if x, y := r%15, r/15; x > 0 && x < 14 && y > 0 && y < 14 {
			assert.InDelta(t, 1, s, 1e-5)
		} else {
			assert.Greater(t, s, float32(1))
		}
	}
	both, err := a.Plus(-1, a.Transpose())
	require.NoError(t, err)
	for _, v := range both.Value {
		assert.Zero(t, v)
	}
}

// The programs that other devices would compile for this example are planned, and kept where ANYCL_CORPUS says.
func TestCorpusOfTheExample(t *testing.T) {
	corpora, err := corpus.Graphs("heat", func(rt *ops.Runtime) error {
		w := ringed(15)
		_, err := w.start(t.Context(), rt, ops.Auto, w.points(waves(0)), 2)
		return err
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.NotZero(t, c.Len(), class)
	}
}

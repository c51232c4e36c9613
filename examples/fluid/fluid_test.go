package main

import (
	"context"
	"errors"
	"image/png"
	"math"
	"os"
	"slices"
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
	o := options{reynolds: 100, cells: 48, stream: 72, diameter: 6, time: 20, large: 64}
	gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		if err := run(ctx, p, o); err != nil {
			return err
		}
		assert.GreaterOrEqual(t, len(p.Checks()), 3)
		f, err := os.Open(p.Out)
		if err != nil {
			return err
		}
		picture, err := png.Decode(f)
		if err != nil {
			return errors.Join(err, f.Close())
		}
		assert.Equal(t, 2*144, picture.Bounds().Dx())
		return f.Close()
	})
}

// All kinds of cells are in the stream past a disc.
func TestEnginesMakeTheSameSteps(t *testing.T) {
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer rt.Close()
	w := disc(rt, 6, 100)
	require.ElementsMatch(t, []uint8{fluid, wall, lid, inflow}, slices.Compact(slices.Sorted(slices.Values(w.kind))))
	var first []float32
	for _, place := range gallerytest.Places(rt) {
		s, err := w.start(t.Context(), rt, place, "flow", 50)
		require.NoError(t, err)
		f, err := s.after(t.Context())
		require.NoError(t, err)
		if first == nil {
			first = f
		}
		for i := range f {
			require.InDelta(t, first[i], f[i], 1e-5, i) // 50 steps of a dozen roundings of numbers below 0.1
		}
	}
	x, y := 6*6, w.height/2
	ux, uy := w.velocity(first, x+4, y)
	require.Less(t, math.Hypot(ux, uy), 0.9*w.speed, "it is slower behind the disc")
	ux, _ = w.velocity(first, x, y+5)
	require.Greater(t, ux, w.speed, "and faster beside it")
}

func TestAFrequencyIsFoundBetweenSamples(t *testing.T) {
	var list []float64
	for i := range 500 {
		list = append(list, math.Sin(2*math.Pi*(0.013*float64(i)+0.2)))
	}
	assert.InDelta(t, 0.013, frequency(list), 1e-5)
	assert.Zero(t, frequency(list[:20]))
}

func TestAProfileIsReadBetweenTheMiddlesOfCells(t *testing.T) {
	values := []float64{1, 3, 5, 7} // 8 s
	for _, s := range []float64{0, 0.125, 0.3, 0.875, 1} {
		assert.InDelta(t, 8*s, profile(values, s), 1e-12)
	}
}

// The programs that other devices would compile for this example are planned, and kept where ANYCL_CORPUS says.
func TestCorpusOfTheExample(t *testing.T) {
	corpora, err := corpus.Graphs("fluid", func(rt *ops.Runtime) error {
		_, err := cavity(rt, 16, 100).start(t.Context(), rt, ops.Auto, "flow", 2)
		return err
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.NotZero(t, c.Len(), class)
	}
}

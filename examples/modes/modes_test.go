package main

import (
	"context"
	"image/png"
	"math"
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
		if err := run(ctx, p, options{points: 31, figures: 7}); err != nil {
			return err
		}
		assert.GreaterOrEqual(t, len(p.Checks()), 2)
		f, err := os.Open(p.Out)
		require.NoError(t, err)
		defer f.Close()
		picture, err := png.Decode(f)
		assert.Equal(t, 6*158-8, picture.Bounds().Dx())
		return err
	})
}

// A plate that is moved or turned is not bent: linear deflections cost nothing, and a parabola costs its bending energy.
func TestTheEnergyOfSimpleDeflections(t *testing.T) {
	w := plate{17}
	a := w.matrix()
	energy := func(f func(x, y float64) float64) (e float64) {
		u := make([]float64, a.Cols)
		for i := range u {
			y, x := i/w.n, i%w.n
			u[i] = f(float64(x)/16, float64(y)/16) * math.Sqrt(w.mass(y, x))
		}
		v, err := a.Mul(u)
		require.NoError(t, err)
		for i := range v {
			e += u[i] * v[i]
		}
		return e
	}
	assert.InDelta(t, 0, energy(func(x, y float64) float64 { return 1 + 2*x - 3*y }), 1e-9)
	assert.InDelta(t, 2*(1-poisson), energy(func(x, y float64) float64 { return x * y }), 1e-9)
	// Bent to one side alone, the plate would curl the other way along its edges, and the energy assumes so.
	assert.InDelta(t, 4, energy(func(x, y float64) float64 { return x * x }), 0.6)
}

func TestTheFactorIsThatOfTheMatrix(t *testing.T) {
	w := plate{9}
	a := w.matrix()
	l, err := w.factor(a)
	require.NoError(t, err)
	p, err := l.Product(l.Transpose())
	require.NoError(t, err)
	for r := range a.Rows {
		for c := range a.Cols {
			want := a.At(r, c)
			if r == c {
				want += shift
			}
			assert.InDelta(t, want, p.At(r, c), 1e-6)
		}
	}
}

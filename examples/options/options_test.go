package main

import (
	"context"
	"math"
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

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Unoptimize, testdevices.Hold)) }

var usual = market{100, 0.2, 0.05, 1}

func TestTheWholeProgramHoldsItsChecksOnEveryEngine(t *testing.T) {
	o := options{contract: contract{strike: 100, barrier: 85, paths: 1024, steps: 16}, market: usual, batches: 16}
	gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		err := run(ctx, p, o)
		assert.GreaterOrEqual(t, len(p.Checks()), 5)
		return err
	})
}

// Hull, Options, Futures, and Other Derivatives, example 15.6: a call at 42, strike 40, 10 %, 20 %, half a year is worth 4.76.
func TestClosedFormsAreThoseOfTextbooks(t *testing.T) {
	m := market{42, 0.2, 0.1, 0.5}
	assert.InDelta(t, 4.76, contract{strike: 40}.european(m), 0.005)
	c := contract{strike: 100, barrier: 1e-9, steps: 1}
	assert.InDelta(t, c.european(usual), c.knockOut(usual), 1e-9, "a barrier that is never reached")
	assert.InDelta(t, c.european(usual), c.geometric(usual), 1e-9, "the mean of one point")
	c.barrier = 100
	assert.InDelta(t, 0, c.knockOut(usual), 1e-9, "a barrier where the share is")
	t0 := contract{strike: 100, barrier: 85, steps: 4}.exact(usual)
	assert.InDelta(t, 0.636831, t0[0][1], 1e-5, "delta: the normal distribution at 0.35")
	assert.InDelta(t, 100*math.Exp(-0.35*0.35/2)/math.Sqrt(2*math.Pi), t0[0][2], 1e-3, "vega")
	assert.InDelta(t, 46.0172, c.exact(market{100, 0.2, 0, 1})[0][3], 1e-3, "rho without interest: the strike times the normal distribution at -0.1")
}

// Both engines draw the same numbers, so that prices and Greeks of a batch are the same but for rounding.
func TestEnginesPriceABatchAlike(t *testing.T) {
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer rt.Close()
	if rt.Device() == nil {
		t.Skip("there is no device")
	}
	c := contract{strike: 100, barrier: 85, paths: 1024, steps: 16}
	var tables []*table
	for _, place := range []ops.Place{ops.OnCPU, ops.OnDevice} {
		next, err := c.batch(t.Context(), rt, place, usual)
		require.NoError(t, err)
		b, err := next(t.Context())
		require.NoError(t, err)
		tables = append(tables, b)
	}
	for i := range tables[0] {
		for k, v := range tables[0][i] {
			require.InDelta(t, v, tables[1][i][k], 1e-4*(1+math.Abs(v)), "%s, column %d", products[i], k)
		}
	}
}

// The programs that other devices would compile for this example are planned, and kept where ANYCL_CORPUS says.
func TestCorpusOfTheExample(t *testing.T) {
	corpora, err := corpus.Graphs("options", func(rt *ops.Runtime) error {
		y := risk([]float32{0.1, -0.1, 0.2})
		if _, err := y.Graph().Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{y}}); err != nil {
			return err
		}
		_, err := contract{strike: 100, barrier: 85, paths: 256, steps: 4}.batch(t.Context(), rt, ops.Auto, usual)
		return err
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.NotZero(t, c.Len(), class)
	}
}

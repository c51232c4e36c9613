package main

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
)

func TestTheProgramsChecksHoldOnEveryEngine(t *testing.T) {
	out := gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		return run(ctx, p, options{width: 64, samples: 16})
	})
	assert.Contains(t, out, "a white furnace is white")
}

func TestRootsAreAsGoodAsFloats(t *testing.T) {
	for x := float32(1e-12); x < 1e12; x *= 1.37 {
		assert.InEpsilon(t, 1/math.Sqrt(float64(x)), rsqrt(x), 4e-7)
		assert.InEpsilon(t, -1/float64(x), inverse(-x), 8e-7)
	}
}

// Snell's law, and total reflection where there is no angle that it allows.
func TestGlassBendsLight(t *testing.T) {
	n := vec{0, 1, 0}
	for _, angle := range []float64{0.1, 0.5, 1.2} {
		in := vec{float32(math.Sin(angle)), -float32(math.Cos(angle)), 0}
		state, out := uint32(1), in
		for out.y >= in.y && out.y >= 0 || out == in { // some paths are reflected
			out = bend(in, n, glass, &state)
		}
		assert.InDelta(t, math.Sin(angle)/1.5, float64(out.x), 1e-6)
		inside := vec{in.x, -in.y, 0} // from below, as in glass
		out = bend(inside, n, glass, &state)
		if math.Sin(angle)*1.5 > 1 {
			assert.InDelta(t, -inside.y, out.y, 1e-6)
		}
	}
}

// The sum over a hemisphere of the light that a lamp sends to a floor has a closed form: albedo * emitted * (r/d)^2
// where it stands overhead.
func TestALightOverheadSendsWhatItShould(t *testing.T) {
	const d, r, emitted = 5, 1.5, 2
	s := &scene{light: 0, emitted: emitted, spheres: []sphere{{centre: vec{0, d, 0}, square: r * r, kind: lamp}}}
	state, sum, n := uint32(7), 0.0, 20000
	for range n {
		sum += float64(s.sample(vec{}, vec{0, 1, 0}, &state))
	}
	assert.InEpsilon(t, emitted*r*r/(d*d), sum/float64(n), 0.02) // the deviation of a sample is about its mean: 3 deviations of 20,000
}

func TestSpheresDoNotOverlap(t *testing.T) {
	s := studio()
	require.Len(t, s.spheres, 48)
	for i, a := range s.spheres {
		for _, b := range s.spheres[:i] {
			d := a.centre.sub(b.centre)
			require.Greater(t, math.Sqrt(float64(d.dot(d)))+1e-3, math.Sqrt(float64(a.square))+math.Sqrt(float64(b.square)))
		}
	}
}

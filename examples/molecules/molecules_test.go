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

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Hold)) }

func TestTheWholeProgramHoldsItsChecksOnEveryEngine(t *testing.T) {
	gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		err := run(ctx, p, options{cells: 6, steps: 200})
		assert.Len(t, p.Checks(), 4)
		assert.FileExists(t, p.Out)
		return err
	})
}

// every is the potential of an atom and the pressure without the motion, by all pairs in float64.
func (l *liquid) every(p []float32) (potential, pressure float64) {
	for i := range l.n {
		for j := range i {
			var r2 float64
			for d := range 3 {
				s := float64(p[d*l.n+i]-p[d*l.n+j]) / l.box
				s = (s - math.Round(s)) * l.box
				r2 += s * s
			}
			if r2 < cut*cut {
				r6 := 1 / (r2 * r2 * r2)
				potential += 4 * (r6 - 1) * r6 / float64(l.n)
				pressure += (48*r6 - 24) * r6 / 3 * density / float64(l.n)
			}
		}
	}
	return potential, pressure
}

// Both forms of the kernels on the device, and Go, find the same as all pairs, after atoms have moved through sides of the box.
func TestListsMissNobody(t *testing.T) {
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer rt.Close()
	places := []ops.Place{ops.OnCPU}
	if rt.Device() != nil {
		places = append(places, ops.OnDevice)
	}
	for _, place := range places {
		for _, vector := range []int{16, 1} {
			l := lattice(rt, 6)
			l.vector = vector
			next, err := l.melt(t.Context(), rt, place, 5)
			require.NoError(t, err)
			var s *state
			for range 12 {
				s, err = next(t.Context())
				require.NoError(t, err)
			}
			potential, pressure := l.every(s.p)
			assert.InDelta(t, potential, s.Potential, 2e-5, "%d atoms of a work-item", vector)
			assert.InDelta(t, pressure, s.Pressure-density*s.Temperature*float64(l.n-1)/float64(l.n), 1e-3, "%d atoms of a work-item", vector)
		}
	}
}

func TestTheLatticeIsOneOfNearestNeighbours(t *testing.T) {
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	l := lattice(rt, 6)
	var mean [3]float64
	for i := range l.n {
		for d := range mean {
			mean[d] += float64(l.v[d*l.n+i])
		}
	}
	assert.InDelta(t, 0, math.Abs(mean[0])+math.Abs(mean[1])+math.Abs(mean[2]), 1e-3)
	g := l.radial(l.p)
	for b, v := range g {
		if far*float64(b+1)/bins < math.Pow(4/density, 1./3)/math.Sqrt2-1e-6 {
			require.Zero(t, v, "nobody is nearer than the nearest of a face-centred cubic lattice")
		}
	}
}

func TestTheTimeIsReadFromTheOutputOfLAMMPS(t *testing.T) {
	r, err := loopTime([]byte("LAMMPS (29 Sep 2021)\n...\nLoop time of 1.25 on 2 procs for 100 steps with 32000 atoms\n"))
	require.NoError(t, err)
	require.Equal(t, 1.25, r.Seconds)
	require.Equal(t, "29 Sep 2021", r.Version)
	_, err = loopTime([]byte("LAMMPS (29 Sep 2021)\nERROR"))
	require.Error(t, err)
}

// The programs that other devices would compile for this example are planned, and kept where ANYCL_CORPUS says.
func TestCorpusOfTheExample(t *testing.T) {
	corpora, err := corpus.Graphs("molecules", func(rt *ops.Runtime) error {
		_, err := lattice(rt, 6).melt(t.Context(), rt, ops.Auto, 2)
		return err
	})
	require.NoError(t, err)
	for class, c := range corpora {
		require.NotZero(t, c.Len(), class)
	}
}

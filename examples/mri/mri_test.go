package main

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
)

func TestTheProgramsChecksHoldOnEveryEngine(t *testing.T) {
	out := gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		return run(ctx, p, phantom(30), options{sigma: 0.7, size: 24})
	})
	assert.Contains(t, out, "white matter")
}

func TestAFileOfTheFormatIsRead(t *testing.T) {
	b := make([]byte, 352+24)
	binary.LittleEndian.PutUint32(b, 348)
	for i, n := range []uint16{3, 2, 3, 4} {
		binary.LittleEndian.PutUint16(b[40+2*i:], n)
	}
	binary.LittleEndian.PutUint16(b[70:], 2)
	binary.LittleEndian.PutUint32(b[108:], math.Float32bits(352))
	b[352+23] = 7
	v, err := nifti(b)
	require.NoError(t, err)
	require.Equal(t, []int{2, 3, 4, 7}, []int{v.nx, v.ny, v.nz, int(v.values[23])})
	_, err = nifti(b[:370])
	require.ErrorContains(t, err, "370 bytes for 2 x 3 x 4 points")
	_, err = nifti(b[:100])
	require.Error(t, err)
	b[70] = 16
	_, err = nifti(b)
	require.ErrorContains(t, err, "type 16")
}

// A value between grid points of a linear function is that of the function.
func TestValuesAreInterpolated(t *testing.T) {
	g := grid{nx: 3, ny: 4, nz: 5}
	for i := range 60 {
		g.at = append(g.at, float32(i%3)+10*float32(i/3%4)+100*float32(i/12))
	}
	for _, p := range []vec{{0, 0, 0}, {0.5, 1.25, 3.75}, {1.9, 2.9, 0.1}} {
		assert.InDelta(t, p[0]+10*p[1]+100*p[2], g.value(p), 1e-4)
	}
	assert.InDelta(t, 432, g.value(vec{9, 9, 9}), 0.2, "outside is the border, nearly")
}

// A ball's surface is a disc of its radius, brightest where it faces the light; the projection shows its largest value.
func TestABallIsSeenAsADisc(t *testing.T) {
	const n, r, size = 41, 12, 40
	g := grid{nx: n, ny: n, nz: n}
	for i := range n * n * n {
		x, y, z := float64(i%n-n/2), float64(i/n%n-n/2), float64(i/n/n-n/2)
		g.at = append(g.at, float32(100-4*math.Sqrt(x*x+y*y+z*z))) // 52 at the radius
	}
	shaded, projected := make([]float32, 3*size*size), make([]float32, size*size)
	view := []float32{0, 1, 0, 1, 0, 0, 0, 0, 1} // from behind, where nothing is cut away
	for row := range size {
		g.row([]float32{52, 200, 200, 200}, view, shaded[3*row*size:], projected[row*size:], size, row, 1)
	}
	area := 0
	for i := range size * size {
		if shaded[3*i] > 0 {
			area++
		}
	}
	assert.InEpsilon(t, math.Pi*r*r, area, 0.03)
	assert.InDelta(t, 100, projected[size/2*size+size/2], 4)
	assert.Greater(t, shaded[3*(14*size+23)], shaded[3*(29*size+16)], "light comes from above and the right")
}

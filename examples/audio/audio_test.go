package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/gallery/gallerytest"
	"github.com/anycl/anycl/examples/internal/wav"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func TestTheProgramChecksItself(t *testing.T) {
	file := filepath.Join(t.TempDir(), "left.wav")
	printed := gallerytest.Run(t, func(ctx context.Context, p *gallery.Program) error {
		return run(ctx, p, options{snr: 5, seconds: 2.5, save: file})
	})
	require.Contains(t, printed, "5.0 dB before")
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	left, rate, err := wav.Decode(content)
	require.NoError(t, err)
	require.Equal(t, 16000, rate)
	require.Len(t, left, 40000)
}

// A frame's spectrum is the sum that defines it, and its power that of the window times the signal (Parseval).
func TestTheTransformIsFouriers(t *testing.T) {
	signal, _, err := recording("", 0.1)
	require.NoError(t, err)
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer rt.Close()
	g := ops.NewGraph("test")
	x := g.Input("x", tensor.Float32, len(signal))
	spectra := tensor.MustSlice[float32](gallerytest.Compute(t, rt, ops.Auto, ops.Feeds{x: tensor.Must(tensor.FromSlice(signal))}, transform(x))[0])
	require.Len(t, spectra, frames(len(signal))*2*bins)
	for _, frame := range []int{0, 3, 9, frames(len(signal)) - 1} {
		var inTime, inFrequency float64
		for f := range bins {
			var re, im float64
			for i := range length {
				at := (frame-3)*hop + i
				if at < 0 || at >= len(signal) {
					continue
				}
				v := float64(signal[at]) * window(i)
				sin, cos := math.Sincos(2 * math.Pi * float64(i*f) / length)
				re, im = re+v*cos, im-v*sin
				if f == 0 {
					inTime += v * v
				}
			}
			got := [2]float64{float64(spectra[2*(f*frames(len(signal))+frame)]), float64(spectra[2*(f*frames(len(signal))+frame)+1])}
			require.InDelta(t, re, got[0], 1e-5, "frame %d, frequency %d", frame, f)
			require.InDelta(t, im, got[1], 1e-5, "frame %d, frequency %d", frame, f)
			weight := 2.0
			if f == 0 || f == bins-1 {
				weight = 1
			}
			inFrequency += weight * (got[0]*got[0] + got[1]*got[1]) / length
		}
		require.InDelta(t, inTime, inFrequency, 1e-4*inTime+1e-9)
	}
}

func TestARecordingThatIsNotThereIsAnError(t *testing.T) {
	_, _, err := recording(filepath.Join(t.TempDir(), "none.wav"), 1)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestNoiseHasThePowerThatIsAsked(t *testing.T) {
	signal, rate, err := recording("", 3)
	require.NoError(t, err)
	for _, snr := range []float64{-5, 0, 20} {
		require.InDelta(t, snr, ratio(signal, withNoise(signal, rate, snr)), 0.05)
	}
}

package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/examples/internal/wav"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// speech is 5.3 s of LibriVox; see data/LICENSE.
//
//go:embed data/speech.wav
var speech []byte

// recording is a WAV file, or the one that comes with the program, repeated, from -1 to 1.
func recording(file string, seconds float64) (signal []float32, rate int, err error) {
	content := speech
	if file != "" {
		if content, err = os.ReadFile(file); err != nil {
			return nil, 0, err
		}
	}
	once, rate, err := wav.Decode(content)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", file, err)
	}
	signal = make([]float32, max(length, int(seconds*float64(rate))))
	for i := range signal {
		signal[i] = once[i%len(once)]
	}
	return signal, rate, nil
}

// withNoise adds white noise and whistles at 1 and 3 kHz, so that speech has snr decibels more power than both together.
func withNoise(speech []float32, rate int, snr float64) []float32 {
	random := rand.New(rand.NewPCG(1, 2))
	noise, noisy := make([]float32, len(speech)), make([]float32, len(speech))
	for i := range noise {
		t := 2 * math.Pi * float64(i) / float64(rate)
		noise[i] = float32(random.NormFloat64() + 0.7*math.Sin(1000*t) + 0.7*math.Sin(3000*t))
	}
	var s, n float64
	for i := range noise {
		s, n = s+math.Pow(float64(speech[i]), 2), n+math.Pow(float64(noise[i]), 2)
	}
	scale := math.Sqrt(s / n * math.Pow(10, -snr/10))
	for i := range noisy {
		noisy[i] = speech[i] + float32(scale)*noise[i]
	}
	return noisy
}

// writeWAVs writes the cleaned signal to a file, and the noisy recording beside it.
func writeWAVs(p *gallery.Program, file string, rate int, noisy, cleaned []float32) error {
	before := strings.TrimSuffix(file, ".wav") + "-noisy.wav"
	if err := errors.Join(gallery.WriteFile(before, wav.Encode(noisy, rate)), gallery.WriteFile(file, wav.Encode(cleaned, rate))); err != nil {
		return err
	}
	p.Printf("written to %s and %s\n", before, file)
	return nil
}

// draw paints the spectrograms of the first seconds of both signals, one above the other: 60 dB from black to white.
func draw(ctx context.Context, p *gallery.Program, rt *ops.Runtime, rate int, signals ...[]float32) error {
	const gap = 8
	samples := min(len(signals[0]), rate*53/10)
	g := ops.NewGraph("spectrogram")
	x := g.Input("x", tensor.Float32, samples)
	decibels := ops.Mul(ops.Log(ops.Add(power(transform(x)), 1e-9)), 10/math.Ln10)
	n := decibels.Dim(1)
	img := image.NewRGBA(image.Rect(0, 0, n, len(signals)*(bins+gap)-gap))
	for i, signal := range signals {
		out, err := gallery.AtOnce(ctx, rt, ops.Feeds{x: tensor.Must(tensor.FromSlice(signal[:samples]))}, decibels)
		if err != nil {
			return err
		}
		level := tensor.MustSlice[float32](out[0])
		for t := range n {
			for f := range bins {
				img.SetRGBA(t, i*(bins+gap)+bins-1-f, heat((float64(level[f*n+t])+30)/60))
			}
		}
	}
	return p.WritePNG(img)
}

// heat is a colour from black over violet and orange to white, for 0 to 1.
func heat(t float64) color.RGBA {
	t = min(max(t, 0), 1)
	return color.RGBA{R: uint8(255 * min(1, 1.6*t)), G: uint8(255 * math.Pow(t, 1.8)),
		B: uint8(255 * max(0.5*math.Sin(math.Pi*min(1, 1.7*t)), 4*t-3)), A: 255}
}

func window(t int) float64 { return 0.5 - 0.5*math.Cos(2*math.Pi*float64(t)/length) }

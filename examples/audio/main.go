// Audio takes the noise out of a recording of speech: it looks at its spectrogram, learns from the quiet moments how much
// noise each frequency has, and lets pass only sound that rises above it.
//
//	go run ./examples/audio [-device gpu] [-snr 5] [-wav speech.wav] [-out audio.png] [-save cleaned.wav] [-peer]
//
// The recording is a sentence of Jane Austen's read for LibriVox, which comes with the program, with noise and two whistles
// added, so that the expected result is known. It prints by how many decibels the noise has fallen, draws the spectrograms
// before and after, and writes both as files to listen to.
package main

import (
	"context"
	"errors"
	"flag"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/fft"
	"github.com/anycl/anycl/tensor"
)

// options are the settings of the command line.
type options struct {
	wav, save string
	snr       float64 // of speech to the noise that is added, in decibels
	seconds   float64 // the recording is repeated until it is so long
}

func main() {
	var o options
	flag.StringVar(&o.wav, "wav", "", "recording to add noise to: PCM of 16 bits, one channel (default the one that comes with the program)")
	flag.StringVar(&o.save, "save", "", "write what is left to this WAV `file`, and the noisy recording beside it")
	gallery.Float(&o.snr, "snr", 5, -20, 60, "power of speech over that of the noise, in decibels")
	gallery.Float(&o.seconds, "seconds", 60, 1, 3600, "how long the recording is, repeated, with ever new noise")
	gallery.Main("audio", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

func run(ctx context.Context, p *gallery.Program, o options) error {
	speech, rate, err := recording(o.wav, o.seconds)
	if err := errors.Join(err, gallery.Writable("save", o.save)); err != nil {
		return err
	}
	noisy := withNoise(speech, rate, o.snr)
	rt, err := p.Open(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	seconds := float64(len(speech)) / float64(rate)
	p.Printf("%.1f s of speech at %d Hz: %d frames of %d samples\n", seconds, rate, frames(len(speech)), length)

	g := ops.NewGraph("audio")
	x := g.Input("x", tensor.Float32, len(noisy))
	feeds := ops.Feeds{x: tensor.Must(tensor.FromSlice(noisy))}
	work := gallery.Work{Name: "noise reduction", Amount: seconds, Unit: "s of sound"}
	results, err := gallery.Graph(ctx, p, rt, work, feeds, inverse(clean(transform(x)), len(noisy)))
	if err != nil {
		return err
	}
	cleaned := tensor.MustSlice[float32](results[0].Value[0])
	if err := beside(ctx, p, noisy, speech, cleaned); err != nil {
		return err
	}
	work.Name = "round trip"
	same, err := gallery.Graph(ctx, p, rt, work, feeds, inverse(transform(x), len(noisy)))
	if err != nil {
		return err
	}
	check(p, o, speech, noisy, results, same)
	if o.save != "" {
		if err := writeWAVs(p, o.save, rate, noisy, cleaned); err != nil {
			return err
		}
	}
	return draw(ctx, p, rt, rate, noisy, cleaned)
}

// A spectrogram of frames of 512 samples, a new one every 128: 32 ms and 8 ms at 16 kHz.
const (
	length = 512
	hop    = length / 4
	bins   = length/2 + 1 // frequencies, from 0 to half the rate
)

// frames is how many frames a signal has: every sample is in four of them.
func frames(samples int) int { return (samples+hop-1)/hop + 3 }

// hann is Hann's window.
func hann(g *ops.Graph) *ops.Node {
	w := make([]float32, length)
	for t := range w {
		w[t] = float32(window(t))
	}
	return g.Const(tensor.Must(tensor.FromSlice(w)))
}

// spectrogram says how a signal is cut into frames: as it is, with zeros before and after it.
func spectrogram(g *ops.Graph) *fft.STFTOptions {
	return &fft.STFTOptions{Hop: hop, Window: hann(g), Uncentered: true}
}

// transform returns the spectra [257, frames, 2] of a signal, the last axis of which has the real part and the imaginary one.
func transform(x *ops.Node) *ops.Node {
	n := frames(x.Dim(0))
	padded := ops.Pad(x, 0, ops.Padding{Axis: 0, Before: 3 * hop, After: n*hop - x.Dim(0)})
	return fft.STFT(padded, length, spectrogram(x.Graph()))
}

// inverse returns the signal whose spectra these are: transformed back, under the window once more, added where frames overlap, and
// divided by the sum of the squares of the window.
func inverse(spectra *ops.Node, samples int) *ops.Node {
	return ops.Slice(fft.ISTFT(spectra, length, spectrogram(spectra.Graph())), ops.Between(0, 3*hop, 3*hop+samples))
}

// power returns |X|², [257, frames].
func power(spectra *ops.Node) *ops.Node { return ops.Sum(ops.Square(spectra), 2) }

// clean returns the spectra without their noise. Of N, the power of the noise at a frequency, each frame is multiplied by
//
//	G = max(s / (1 + s), 0.1),   s = max(P/N - 1.5, 0)
//
// where P is the power around it, a mean of 5 frames and 3 frequencies. s/(1+s) is Wiener's filter for speech with s times the power of
// the noise; 1.5 in place of 1 keeps its fluctuations out, and 0.1 leaves a little of it, which sounds better than gaps (Berouti,
// Schwartz and Makhoul, Enhancement of Speech Corrupted by Acoustic Noise, 1979).
//
// In a fifth of all frames nobody speaks much, and the power of noise is exponentially distributed: a fifth of it lies below
// -ln(1 - 0.2) of its mean. So N is found from the lowest fifth, of every eighth frame, for neighbours know little more.
func clean(spectra *ops.Node) *ops.Node {
	const quiet = 0.2
	p := power(spectra)
	noise := ops.Div(ops.Quantile(ops.Slice(p, ops.Range{Axis: 1, Step: 8}), quiet, nil, 1), -math.Log(1-quiet))
	n := p.Dim(1)
	smooth := ops.AvgPool(ops.Reshape(p, 1, 1, bins, n), ops.PoolingOptions{Size: []int{3, 5}, Stride: []int{1, 1}, Pad: []int{1, 2}})
	s := ops.Maximum(ops.Sub(ops.Div(ops.Reshape(smooth, bins, n), ops.ExpandDims(noise, 1)), 1.5), 0)
	gain := ops.Maximum(ops.Div(s, ops.Add(s, 1)), 0.1)
	return ops.Mul(spectra, ops.ExpandDims(gain, 2))
}

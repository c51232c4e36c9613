// Audio takes the noise out of a recording of speech: it looks at its spectrogram, learns from the quiet moments how much
// noise each frequency has, and lets pass only what rises above it.
//
//	go run ./examples/audio [-device gpu] [-snr 5] [-wav speech.wav] [-out audio.png] [-save cleaned.wav] [-peer]
//
// The recording is a sentence of Jane Austen's read for LibriVox, which comes with the program, with noise and two whistles
// added, so that it is known what should be left. It prints by how many decibels the noise has fallen, draws the
// spectrograms before and after, and writes both as files to listen to.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// options are what the command line says.
type options struct {
	wav, save string
	snr       float64 // of speech to the noise that is added, in decibels
	seconds   float64 // the recording is repeated until it is so long
}

func main() {
	o := options{}
	flag.StringVar(&o.wav, "wav", "", "recording to add noise to: PCM of 16 bits, one channel (default the one that comes with the program)")
	flag.StringVar(&o.save, "save", "", "write what is left to this WAV `file`, and the noisy recording beside it")
	flag.Float64Var(&o.snr, "snr", 5, "power of speech over that of the noise, in decibels")
	flag.Float64Var(&o.seconds, "seconds", 60, "how long the recording is, repeated, with ever new noise")
	gallery.Main("audio", func(ctx context.Context, p *gallery.Program) error { return run(ctx, p, o) })
}

//go:embed peer.py
var peer string

func run(ctx context.Context, p *gallery.Program, o options) error {
	if err := errors.Join(
		gallery.Within("seconds", o.seconds, 1, 3600),
		gallery.Within("snr", o.snr, -20, 60),
	); err != nil {
		return err
	}
	speech, rate, err := recording(o.wav, o.seconds)
	if err != nil {
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
	var theirs struct {
		SNR    float64
		Sample []float64
	}
	ok, err := p.Beside(ctx, gallery.Peer{Name: "SciPy", Python: peer, Files: map[string]any{"noisy.f32": noisy, "speech.f32": speech}}, &theirs)
	if err != nil {
		return err
	}

	work.Name = "round trip"
	same, err := gallery.Graph(ctx, p, rt, work, feeds, inverse(transform(x), len(noisy)))
	if err != nil {
		return err
	}
	for _, r := range same {
		worst := gallery.Farthest(tensor.MustSlice[float32](r.Value[0]), noisy)
		p.Check(worst < 1e-5, "the transform and its inverse on %s give the signal back: %.1e of full scale apart", r.Where, worst)
	}
	before, after := ratio(speech, noisy), ratio(speech, cleaned)
	p.Check(after > before+6 || o.snr > 10, "speech over noise: %.1f dB before, %.1f dB after", before, after)
	if len(results) == 2 {
		worst := gallery.Farthest(cleaned, tensor.MustSlice[float32](results[1].Value[0]))
		p.Check(worst < 1e-4, "%s and the CPU path leave the same: %.1e of full scale apart", results[0].Where, worst)
	}
	if ok {
		worst := 0.0
		for i, v := range theirs.Sample {
			worst = max(worst, math.Abs(v-float64(cleaned[1009*i])))
		}
		p.Check(worst < 1e-4, "SciPy leaves the same: %.1e of full scale apart, %.1f dB", worst, theirs.SNR)
	}
	if o.save != "" {
		if err := writeWAVs(p, o.save, rate, noisy, cleaned); err != nil {
			return err
		}
	}
	return draw(ctx, p, rt, rate, noisy, cleaned)
}

// ratio is the power of a signal over that of what another has beside it, in decibels.
func ratio(signal, other []float32) float64 {
	var power, error float64
	for i, v := range signal {
		power += float64(v) * float64(v)
		error += math.Pow(float64(other[i])-float64(v), 2)
	}
	return 10 * math.Log10(power/error)
}

package main

import (
	"math"

	"github.com/anycl/anycl/examples/internal/gallery"
	"github.com/anycl/anycl/tensor"
)

// check says whether the round trip gives the signal back, and whether the noise has fallen, by as much on both engines.
func check(p *gallery.Program, o options, speech, noisy []float32, results, same gallery.Tensors) {
	for _, r := range same {
		worst := gallery.Farthest(tensor.MustSlice[float32](r.Value[0]), noisy)
		p.Check(worst < 1e-5, "the transform and its inverse on %s give the signal back: %.1e of full scale apart", r.Where, worst)
	}
	cleaned := tensor.MustSlice[float32](results[0].Value[0])
	before, after := ratio(speech, noisy), ratio(speech, cleaned)
	p.Check(after > before+6 || o.snr > 10, "speech over noise: %.1f dB before, %.1f dB after", before, after)
	if len(results) == 2 {
		worst := gallery.Farthest(cleaned, tensor.MustSlice[float32](results[1].Value[0]))
		p.Check(worst < 1e-4, "%s and the CPU path leave the same: %.1e of full scale apart", results[0].Where, worst)
	}
}

// ratio is the power of a signal over that of another's difference from it, in decibels.
func ratio(signal, other []float32) float64 {
	var power, error float64
	for i, v := range signal {
		power += float64(v) * float64(v)
		error += math.Pow(float64(other[i])-float64(v), 2)
	}
	return 10 * math.Log10(power/error)
}

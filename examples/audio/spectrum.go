package main

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// A spectrogram of frames of 512 samples, a new one every 128: 32 ms and 8 ms at 16 kHz.
const (
	length = 512
	hop    = length / 4
	bins   = length/2 + 1 // frequencies, from 0 to half the rate
)

// frames is how many frames a signal has: every sample is in four of them.
func frames(samples int) int { return (samples+hop-1)/hop + 3 }

// basis is the matrix [512, 514] of the Fourier transform of a frame under Hann's window w, real parts and then imaginary ones:
//
//	X[f] = Σ w[t] x[t] cos(2π f t / 512),   X[257 + f] = -Σ w[t] x[t] sin(2π f t / 512)
func basis() *tensor.Tensor {
	m := make([]float32, length*2*bins)
	for t := range length {
		for f := range bins {
			sin, cos := math.Sincos(2 * math.Pi * float64(f*t%length) / length)
			m[t*2*bins+f], m[t*2*bins+bins+f] = float32(window(t)*cos), float32(-window(t)*sin)
		}
	}
	return tensor.Must(tensor.FromSlice(m, length, 2*bins))
}

func window(t int) float64 { return 0.5 - 0.5*math.Cos(2*math.Pi*float64(t)/length) }

// transform returns the spectra [frames, 514] of a signal: the short-time Fourier transform as one matrix product.
//
// fft.STFT does a tenth of the arithmetic, on the CPU; a product of matrices is what devices do best, and the window is part of it.
// There and back, a minute of sound takes a tenth of the time on two cores under PoCL.
func transform(x *ops.Node) *ops.Node {
	g := x.Graph()
	n := frames(x.Shape()[0])
	padded := ops.Pad(x, 0, ops.Padding{Axis: 0, Before: 3 * hop, After: (n+3)*hop - 3*hop - x.Shape()[0]})
	blocks := ops.Reshape(padded, n+3, hop)
	var parts []*ops.Node // a frame is four blocks
	for q := range length / hop {
		parts = append(parts, ops.Slice(blocks, ops.Between(0, q, q+n)))
	}
	return ops.MatMul(ops.Concat(1, parts...), g.Const(basis()))
}

// inverse returns the signal whose spectra these are: transformed back, under the window once more, added where frames overlap.
// There the squares of the window add up to 3/2 (Griffin and Lim, Signal Estimation from Modified Short-Time Fourier Transform, 1984).
func inverse(spectra *ops.Node, samples int) *ops.Node {
	g := spectra.Graph()
	n := spectra.Shape()[0]
	weights := make([]float32, 2*bins) // of a real signal, the frequencies between 0 and the last one count twice
	for i := range weights {
		weights[i] = 2.0 / length / 1.5
		if f := i % bins; f == 0 || f == bins-1 {
			weights[i] /= 2
		}
	}
	back := ops.MatMul(ops.Mul(spectra, g.Const(tensor.Must(tensor.FromSlice(weights)))), ops.Transpose(g.Const(basis())))
	var sum *ops.Node
	for q := range length / hop {
		part := ops.Pad(ops.Slice(back, ops.Between(1, q*hop, (q+1)*hop)), 0, ops.Padding{Axis: 0, Before: q, After: 3 - q})
		if sum == nil {
			sum = part
		} else {
			sum = ops.Add(sum, part)
		}
	}
	return ops.Slice(ops.Reshape(sum, (n+3)*hop), ops.Between(0, 3*hop, 3*hop+samples))
}

// power returns |X|², [frames, 257].
func power(spectra *ops.Node) *ops.Node {
	real, imaginary := ops.Slice(spectra, ops.Between(1, 0, bins)), ops.Slice(spectra, ops.Between(1, bins, 2*bins))
	return ops.Add(ops.Mul(real, real), ops.Mul(imaginary, imaginary))
}

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
	noise := ops.Div(ops.Quantile(ops.Slice(p, ops.Range{Axis: 0, Step: 8}), quiet, nil, 0), -math.Log(1-quiet))
	n := p.Shape()[0]
	smooth := ops.AvgPool(ops.Reshape(p, 1, 1, n, bins), ops.PoolingOptions{Size: []int{5, 3}, Stride: []int{1, 1}, Pad: []int{2, 1}})
	s := ops.Maximum(ops.Sub(ops.Div(ops.Reshape(smooth, n, bins), noise), 1.5), 0)
	gain := ops.Maximum(ops.Div(s, ops.Add(s, 1)), 0.1)
	return ops.Mul(spectra, ops.Concat(1, gain, gain))
}

// Package fft is Fourier transforms in graphs: discrete ones along one axis or several, those of real numbers, cosine and sine
// transforms, short-time ones, and convolutions, as in numpy.fft, scipy.fft, torch.fft and torch.stft.
//
// Operands are complex64 or complex128, or pairs along a last axis of extent 2, the real part and the imaginary one, as which
// transforms of real numbers give their results: ops.ViewAsComplex makes complex numbers of them. Parts are float32 or
// float64, and transforms are computed in that, on every engine and for every length: in a step for each of a few factors of the length, up to
// 256, and as a convolution where a prime is longer than 127. The error of an element is below 5·log2(n) units in the last place of a
// typical one. All have derivatives. In the table of ops names begin with "fft.".
package fft

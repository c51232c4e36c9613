// Package fft is Fourier transforms in graphs: discrete ones along one axis or several, those of real numbers, and
// short-time ones, as in numpy.fft, torch.fft and torch.stft.
//
// Complex numbers are pairs along a last axis of extent 2, the real part and the imaginary one. Operands are float32 or
// float64; transforms are computed in float64, on the CPU. All have derivatives. In the table of ops names begin with "fft.".
package fft

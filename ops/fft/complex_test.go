package fft_test

import (
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/fft"
	"github.com/anycl/anycl/tensor"
)

func TestComplexNumbersAreTransformedAsSuch(t *testing.T) {
	t.Parallel()
	e := fallback.New(nil)
	defer e.Close()
	rt := ops.NewRuntime(e)
	defer rt.Close()
	g := ops.NewGraph("complex")
	x := g.Input("x", tensor.Complex128, 6)
	y := fft.FFT(x, nil)
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{y, fft.IFFT(y, nil), fft.IRFFT(ops.ViewAsComplex(fft.RFFT(ops.Real(x), nil)), nil)}})
	require.NoError(t, err)
	defer exe.Close()
	in := []complex128{1 + 2i, -1, 3i, 0.5 - 1i, 2, -4 + 1i}
	out, err := exe.Run(t.Context(), ops.Feeds{x: tensor.Must(tensor.FromSlice(in))})
	require.NoError(t, err)
	for k := range in {
		sum := 0i
		for j, v := range in {
			sum += v * cmplx.Rect(1, -2*3.141592653589793*float64(j*k)/6)
		}
		require.InDelta(t, 0, cmplx.Abs(sum-out[0].Complex128At(k)), 1e-12)
		require.InDelta(t, 0, cmplx.Abs(in[k]-out[1].Complex128At(k)), 1e-14)
		require.InDelta(t, real(in[k]), out[2].Float64At(k), 1e-14)
	}
	bad := fft.FFT(g.Input("h", tensor.Float32, 3), nil)
	require.Equal(t, tensor.Invalid, bad.DType())
}

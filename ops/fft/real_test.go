package fft_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/fft"
	"github.com/anycl/anycl/tensor"
)

// A transform of real numbers is linear: its derivative is the sum that its definition has with the roles of both sides changed.
func TestDerivativesOfRealTransforms(t *testing.T) {
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	for _, n := range []int{1, 2, 7, 8} {
		for sign, call := range map[float64]func(x *ops.Node, o *fft.Options) *ops.Node{-1: fft.RFFT, 1: fft.IHFFT} {
			t.Run(fmt.Sprint(n, sign), func(t *testing.T) {
				g, half := ops.NewGraph("real"), n/2+1
				x, w := g.Input("x", tensor.Float64, 2, n), g.Input("w", tensor.Float64, 2, half, 2)
				norm := fft.Norm(fft.Backward)
				if sign > 0 {
					norm = fft.Forward // neither scales
				}
				y := call(x, &fft.Options{Norm: norm})
				exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: ops.Gradients(ops.Sum(ops.Mul(y, w)), x)})
				require.NoError(t, err)
				defer exe.Close()
				weights := tensor.Must(tensor.New(tensor.Float64, 2, half, 2))
				for i := range weights.Len() {
					weights.SetFloat64(i, math.Sin(float64(3*i+1)))
				}
				out, err := exe.Run(t.Context(), ops.Feeds{x: tensor.Must(tensor.New(tensor.Float64, 2, n)), w: weights})
				require.NoError(t, err)
				for row := range 2 {
					for j := range n {
						want := 0.0
						for k := range half {
							s, c := math.Sincos(sign * 2 * math.Pi * float64(j*k) / float64(n))
							want += c*weights.Float64At((row*half+k)*2) + s*weights.Float64At((row*half+k)*2+1)
						}
						require.InDelta(t, want, out[0].Float64At(row*n+j), 1e-12)
					}
				}
			})
		}
	}
}

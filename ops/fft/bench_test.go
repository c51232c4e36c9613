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

// BenchmarkFFT reports billions of operations a second, counted as 5 n log2(n), of transforms that stay on the device, if there is one.
//
//	go test ./ops/fft -run '^$' -bench FFT/float32/64x4096
func BenchmarkFFT(b *testing.B) {
	rt, err := ops.Open(b.Context(), nil)
	require.NoError(b, err)
	defer rt.Close()
	place := ops.OnCPU
	if rt.Device() != nil {
		place = ops.OnDevice
	}
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
		for _, s := range [][2]int{{4096, 64}, {1024, 256}, {64, 4096}, {1024, 1000}, {1, 1 << 20}, {512, 1009}, {64, 10007}} {
			b.Run(fmt.Sprintf("%v/%dx%d", dt, s[0], s[1]), func(b *testing.B) {
				g := ops.NewGraph("fft")
				values := tensor.Must(tensor.New(dt, s[0], s[1], 2))
				for i := range values.Len() {
					values.SetFloat64(i, math.Sin(float64(i)))
				}
				x, y := g.Variable("x", values), g.Variable("y", tensor.Must(tensor.New(dt, s[0], s[1], 2)))
				exe, err := g.Compile(b.Context(), rt, ops.Target{Updates: []*ops.Node{ops.Assign(y, fft.FFT(x, nil))}, Place: place})
				require.NoError(b, err)
				defer exe.Close()
				for b.Loop() {
					_, err := exe.Run(b.Context(), nil)
					require.NoError(b, err)
				}
				n := float64(s[0]) * float64(s[1])
				b.ReportMetric(5*n*math.Log2(float64(s[1]))*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOPS")
			})
		}
	}
}

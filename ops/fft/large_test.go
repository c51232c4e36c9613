package fft_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/fft"
	"github.com/anycl/anycl/tensor"
)

// Kernels store data that no cache holds in another way, by whole lines of the cache: rows and columns that are such lines, that are
// not, and rows that are multiplied and cut have the results of the CPU path.
func TestTransformsOfDataLargerThanCaches(t *testing.T) {
	for _, c := range []struct {
		shape []int
		axis  int
	}{
		{[]int{700, 1000, 2}, 1}, {[]int{600, 1001, 2}, 1}, {[]int{2, 500, 608, 2}, 1}, {[]int{2, 500, 605, 2}, 1},
		{[]int{10, 1 << 16, 2}, 1}, {[]int{300, 1009, 2}, 1},
	} {
		t.Run(fmt.Sprint(c.shape, c.axis), func(t *testing.T) {
			values := tensor.Must(tensor.New(tensor.Float32, c.shape...))
			numbers, r := tensor.MustSlice[float32](values), rand.New(rand.NewPCG(3, 4))
			for i := range numbers {
				numbers[i] = float32(r.NormFloat64())
			}
			transform := func(device string) []float32 {
				rt, err := ops.Open(t.Context(), &ops.Options{Device: device})
				require.NoError(t, err)
				defer rt.Close()
				g, target := ops.NewGraph("large"), ops.Target{}
				if device == "" && rt.Device() != nil {
					target.Place = ops.OnDevice
				}
				x := g.Input("x", tensor.Float32, c.shape...)
				target.Outputs = []*ops.Node{fft.FFT(x, &fft.Options{Axes: []int{c.axis}})}
				exe, err := g.Compile(t.Context(), rt, target)
				require.NoError(t, err)
				defer exe.Close()
				outs, err := exe.Run(t.Context(), ops.Feeds{x: values})
				require.NoError(t, err)
				return tensor.MustSlice[float32](outs[0])
			}
			want, got := transform("none"), transform("")
			require.Len(t, got, len(want))
			n := float64(c.shape[c.axis])
			allowed := 2 * 5 * math.Log2(n) * 0x1p-24 * math.Sqrt(n) * 4 // of two results, each within it
			for i, v := range want {
				if math.Abs(float64(v)-float64(got[i])) > allowed {
					require.InDelta(t, v, got[i], allowed, "element %d", i)
				}
			}
		})
	}
}

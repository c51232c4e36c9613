package gradients_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// attended is an attention with itself of n positions of d features, and its gradients, in float32: mask is added, [n, n] or nil.
func attended(t *testing.T, rt *Runtime, x [3][]float32, n, d int, causal bool, mask []float32) (y []float32, ds [3][]float32) {
	g := NewGraph("attention")
	var in []*Node
	feeds := Feeds{}
	for i, v := range x {
		q := g.Input(fmt.Sprint(i), tensor.Float32, n, d)
		in, feeds[q] = append(in, q), tensor.Must(tensor.FromSlice(v, n, d))
	}
	o := &AttentionOptions{Causal: causal}
	if mask != nil {
		o.Mask = g.Input("mask", tensor.Float32, n, n)
		feeds[o.Mask] = tensor.Must(tensor.FromSlice(mask, n, n))
	}
	a := Attention(in[0], in[1], in[2], o)
	outputs := append([]*Node{a}, Gradients(Sum(Square(a)), in...)...)
	exe, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{Outputs: outputs}))
	require.NoError(t, err)
	out, err := exe.Run(t.Context(), feeds)
	require.NoError(t, err)
	for i := range ds {
		ds[i] = tensor.MustSlice[float32](out[1+i])
	}
	return tensor.MustSlice[float32](out[0]), ds
}

func normals(n int, size float64) [3][]float32 {
	r := rand.New(rand.NewPCG(7, 8))
	var all [3][]float32
	for i := range all {
		all[i] = make([]float32, n)
		for j := range all[i] {
			all[i][j] = float32(size * r.NormFloat64())
		}
	}
	return all
}

// What is added to all keys that a query sees changes nothing, however large it is.
func TestQueriesMaskedFromAllKeysByNumbersWeighThemByTheirScores(t *testing.T) {
	t.Parallel()
	const n, d = 9, 4
	x := normals(n*d, 1)
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		for _, causal := range []bool{false, true} {
			mask := make([]float32, n*n)
			for i := range n {
				for j := range n {
					if i%3 != 0 && j < 4 { // some keys, which with causal are all that the first queries see
						mask[i*n+j] = -100
					}
				}
			}
			want, dWant := attended(t, rt, x, n, d, causal, mask)
			for _, least := range []float32{-1e4, -1e9, -math.MaxFloat32} {
				masked := make([]float32, n*n)
				for i, v := range mask {
					if v != 0 || i/n%3 == 0 { // or a row of one number in place of none
						masked[i] = least
					}
				}
				got, dGot := attended(t, rt, x, n, d, causal, masked)
				require.InDeltaSlice(t, want, got, 1e-5, "%v causal %v", least, causal)
				for i := range dWant {
					require.InDeltaSlice(t, dWant[i], dGot[i], 1e-4, "gradient %d, %v causal %v", i, least, causal)
				}
			}
		}
	})
}

// Where scores are so large that they round otherwise in the gradient than before, a weight is still at most 1.
func TestGradientsOfAttentionWithLargeScoresAreNumbers(t *testing.T) {
	t.Parallel()
	const n, d = 21, 8
	x := normals(n*d, 1e5)
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		y, ds := attended(t, rt, x, n, d, true, nil)
		for i := range n { // each query sees one key
			best, score := 0, math.Inf(-1)
			for j := range i + 1 {
				s := 0.0
				for k := range d {
					s += float64(x[0][i*d+k]) * float64(x[1][j*d+k])
				}
				if s > score {
					best, score = j, s
				}
			}
			require.Equal(t, x[2][best*d:][:d], y[i*d:][:d], "row %d", i)
		}
		for i := range ds {
			for _, v := range ds[i] {
				require.False(t, math.IsNaN(float64(v)) || math.IsInf(float64(v), 0), "gradient %d: %v", i, ds[i])
			}
		}
	})
}

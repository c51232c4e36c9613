package numerics_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// Steps of training find the largest of the known singular values of a matrix, and evaluation uses the vectors that they found.
func TestSpectralNormFindsTheLargestSingularValue(t *testing.T) {
	g := NewGraph("spectral")
	// U diag(3, 1) Vᵀ with rotations U and V by 0.5 and 0.3, as a tensor whose axis 1 is that of the rows.
	c, s, d, e := math.Cos(0.5), math.Sin(0.5), math.Cos(0.3), math.Sin(0.3)
	m := [2][2]float64{{3*c*d + s*e, 3*c*e - s*d}, {3*s*d - c*e, 3*s*e + c*d}}
	w := g.Input("w", tensor.Float64, 2, 2, 1)
	feeds := Feeds{w: opstest.TensorOf(t, tensor.Float64, []int{2, 2, 1}, m[0][0], m[1][0], m[0][1], m[1][1])}
	u := g.Variable("u", opstest.TensorOf(t, tensor.Float64, []int{2}, 0.6, -0.8))
	y, next := SpectralNorm(w, u, 1, 1)
	step, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{y}, Updates: []*Node{Assign(u, next)}})
	require.NoError(t, err)
	defer step.Close()
	for range 30 {
		_, err := step.Run(t.Context(), feeds)
		require.NoError(t, err)
	}
	still, same := SpectralNorm(w, u, 1, 0)
	_, several := SpectralNorm(w, g.Full(tensor.Float64, 1, 2), -2, 40)
	weights := opstest.TensorOf(t, tensor.Float64, []int{2, 2, 1}, 1, 2, 3, 4)
	dw := Gradients(Sum(Mul(still, g.Const(weights))), w)[0]
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{still, same, several, dw}})
	require.NoError(t, err)
	defer exe.Close()
	outs, err := exe.Run(t.Context(), feeds)
	require.NoError(t, err)
	x := opstest.NumbersOf(feeds[w])
	norm, inner := opstest.NumbersOf(outs[0]), 0.0
	for i := range x {
		require.InDelta(t, x[i]/3, norm[i], 1e-12)
		inner += opstest.NumbersOf(weights)[i] * x[i]
	}
	first := opstest.NumbersOf(outs[1])
	require.InDelta(t, 1, math.Abs(first[0]*c+first[1]*s), 1e-12, "the first left singular vector")
	require.InDelta(t, 1, math.Abs(opstest.NumbersOf(outs[2])[0]*c+opstest.NumbersOf(outs[2])[1]*s), 1e-12)
	// With u and v held, σ = Σ u[r] v[k] w[k,r], so ∂/∂w of Σ c·w/σ is c/σ - Σ(c·w)/σ² · v uᵀ.
	left, right := []float64{c, s}, []float64{d, e}
	for k := range 2 {
		for r := range 2 {
			i := 2*k + r
			require.InDelta(t, opstest.NumbersOf(weights)[i]/3-inner/9*right[k]*left[r], opstest.NumbersOf(outs[3])[i], 1e-11)
		}
	}
}

func TestMistakesInSpectralNorm(t *testing.T) {
	t.Parallel()
	for says, call := range map[string]func(w, u *Node) (y, next *Node){
		"u is [3], not [4]":   func(w, u *Node) (y, next *Node) { return SpectralNorm(w, u, 1, 1) },
		"axis 2":              func(w, u *Node) (y, next *Node) { return SpectralNorm(w, u, 2, 1) },
		"is negative":         func(w, u *Node) (y, next *Node) { return SpectralNorm(w, u, 0, -1) },
		"u is int32":          func(w, u *Node) (y, next *Node) { return SpectralNorm(w, Cast(u, tensor.Int32), 0, 1) },
		"an operand is nil":   func(w, _ *Node) (y, next *Node) { return SpectralNorm(w, nil, 0, 1) },
		"shapes do not broad": func(w, u *Node) (y, next *Node) { return SpectralNorm(w, Add(u, g2(u)), 0, 1) },
	} {
		g := NewGraph("mistakes")
		y, next := call(g.Input("w", tensor.Float32, 3, 4), g.Input("u", tensor.Float32, 3))
		_, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{y, next}})
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, "numerics/norm_spectral_test.go:")
		require.ErrorContains(t, err, "1 error\n")
	}
}

// g2 is two elements in the graph of x.
func g2(x *Node) *Node { return x.Graph().Full(tensor.Float32, 1, 2) }

package linalg_test

import (
	"math"
	"testing"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/tensor"
)

// A spectral norm of zeros is a maximum of singular values that are all 0: each has its share of the derivative, as in PyTorch.
func TestSpectralNormOfZeros(t *testing.T) {
	const n = 4
	g := ops.NewGraph("spectral")
	a := g.Input("a", tensor.Float64, n, n)
	norm := linalg.MatrixNorm(a, linalg.Spectral)
	got := onHost(t, g, ops.Feeds{a: tensor.Must(tensor.New(tensor.Float64, n, n))}, norm, ops.Gradients(norm, a)[0])
	if v := got[0].Float64At(0); v != 0 {
		t.Errorf("the norm is %v, not 0", v)
	}
	for i := range n * n {
		want := 0.0
		if i%(n+1) == 0 {
			want = 1.0 / n
		}
		if v := got[1].Float64At(i); math.Abs(v-want) > 1e-12 {
			t.Errorf("derivative %d is %v, not %v", i, v, want)
		}
	}
}

// The norms of matrices without rows or columns are 0.
func TestNormsOfNothing(t *testing.T) {
	for _, shape := range [][]int{{0, 3}, {3, 0}, {0, 0}} {
		for _, order := range []linalg.MatrixOrder{linalg.Spectral, linalg.OneNorm, linalg.InfNorm} {
			g := ops.NewGraph("empty")
			a := g.Input("a", tensor.Float32, shape...)
			got := onHost(t, g, ops.Feeds{a: tensor.Must(tensor.New(tensor.Float32, shape...))}, linalg.MatrixNorm(a, order))
			if v := got[0].Float64At(0); v != 0 {
				t.Errorf("norm %q of %v is %v, not 0", order, shape, v)
			}
		}
	}
}

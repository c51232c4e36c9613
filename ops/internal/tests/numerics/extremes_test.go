package numerics_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

func TestFarStepsAndWideWindowsDoNotOverflow(t *testing.T) {
	t.Parallel()
	g := NewGraph("far")
	x := g.Iota(tensor.Float32, 0, 5)
	got := opstest.Evaluate(t,
		Slice(x, Range{Step: math.MaxInt}),
		Slice(x, Range{Start: -1, Step: math.MinInt}),
		Slice(x, Range{Start: math.MinInt, Stop: math.MaxInt}),
		Sum(Windows(x, Window{Size: 5, Dilation: 1 << 62})),
		Windows(x, Window{Size: 2, Stride: math.MaxInt}),
	)
	require.Equal(t, [][]float64{{0}, {4}, {0, 1, 2, 3, 4}, {0}, {0, 1}}, got)
}

func TestMeansOf16BitsCountInFloat32(t *testing.T) {
	t.Parallel()
	g := NewGraph("means")
	many, image := g.Full(tensor.Float16, 1, 100_000), g.Full(tensor.Float16, 1, 1, 1, 300, 300)
	odd := g.Full(tensor.BFloat16, 1, 257) // not a bfloat16
	got := opstest.Evaluate(t, Mean(many), Variance(many), Mean(odd), Mean(Mul(many, g.Full(tensor.Float16, 2))),
		AvgPool2D(image, PoolOptions{Size: [2]int{300, 300}}))
	require.Equal(t, [][]float64{{1}, {0}, {1}, {2}, {1}}, got)
}

func TestAddingZeroKeepsIEEESigns(t *testing.T) {
	t.Parallel()
	g := NewGraph("zeros")
	minus := math.Copysign(0, -1)
	z := opstest.Number(t, g, tensor.Float32, []int{2}, minus, 0)
	got := opstest.Evaluate(t,
		Reciprocal(Add(z, ScalarLike(z, 0))), Reciprocal(Add(z, ScalarLike(z, minus))),
		Reciprocal(Sub(z, ScalarLike(z, 0))), Reciprocal(Sub(z, ScalarLike(z, minus))),
	)
	inf := math.Inf(1)
	require.Equal(t, [][]float64{{inf, inf}, {-inf, inf}, {-inf, inf}, {inf, inf}}, got)
}

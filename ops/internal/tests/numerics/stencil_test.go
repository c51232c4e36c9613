package numerics_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// borders give the index inside of 0 to n-1 for one that may be outside, -1 where there is a zero.
var borders = map[string]func(i, n int) int{
	"":     func(i, n int) int { return min(max(i, 0), n-1) },
	"edge": func(i, n int) int { return min(max(i, 0), n-1) },
	"wrap": func(i, n int) int { return (i%n + n) % n },
	"zero": func(i, n int) int {
		if i < 0 || i >= n {
			return -1
		}
		return i
	},
	"symmetric": func(i, n int) int {
		i = (i%(2*n) + 2*n) % (2 * n)
		return min(i, 2*n-1-i)
	},
	"reflect": func(i, n int) int {
		m := 2*n - 2
		i = (i%m + m) % m
		return min(i, m-i)
	},
}

func TestAStencilIsThePlainSumWithEachBorder(t *testing.T) {
	t.Parallel()
	const rows, columns = 5, 7
	values := make([]float32, 2*rows*columns)
	for i := range values {
		values[i] = float32(i*i%23) - 9
	}
	for border, inside := range borders {
		for _, o := range []StencilOptions{
			{Axes: []int{1, 2}, Size: []int{3, 3}, Weights: []float64{-1, -2, -1, 0, 0, 0, 1, 2, 1}},
			{Axes: []int{-1, 1}, Size: []int{2, 5}, Weights: []float64{1, 0.5, 3, -0.5, 0, 2, 2, -2, 1, 7}},
			{Axes: []int{2}, Size: []int{1}, Weights: []float64{0}},
		} {
			o.Border = border
			g := NewGraph("stencil")
			x := g.Input("x", tensor.Float32, 2, rows, columns)
			exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{Stencil(x, o)}})
			require.NoError(t, err)
			out, err := exe.Run(t.Context(), Feeds{x: tensor.Must(tensor.FromSlice(values, 2, rows, columns))})
			require.NoError(t, err)
			for at, v := range tensor.MustSlice[float32](out[0]) {
				place := []int{at / rows / columns, at / columns % rows, at % columns}
				want := 0.0
				for k, w := range o.Weights {
					p := append([]int{}, place...)
					zero := false
					for i := len(o.Axes) - 1; i >= 0; i-- {
						axis := (o.Axes[i] + 3) % 3
						p[axis] = inside(p[axis]+k%o.Size[i]-o.Size[i]/2, []int{2, rows, columns}[axis])
						zero = zero || p[axis] < 0
						k /= o.Size[i]
					}
					if !zero {
						want += w * float64(values[(p[0]*rows+p[1])*columns+p[2]])
					}
				}
				require.InDelta(t, want, v, 1e-4, "border %q, stencil %v at %v", border, o.Size, place)
			}
		}
	}
}

// The derivative of the sum is how much of each element there is in all: 1 inside where weights add up to 1, and more at the
// border, whose elements stand for those outside.
func TestAStencilHasADerivative(t *testing.T) {
	t.Parallel()
	g := NewGraph("gradient")
	x := g.Input("x", tensor.Float32, 6)
	y := Stencil(x, StencilOptions{Axes: []int{0}, Size: []int{3}, Weights: []float64{0.25, 0.5, 0.25}})
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: Gradients(Sum(Mul(y, g.Iota(tensor.Float32, 0, 6))), x)})
	require.NoError(t, err)
	out, err := exe.Run(t.Context(), Feeds{x: tensor.Must(tensor.New(tensor.Float32, 6))})
	require.NoError(t, err)
	require.Equal(t, []float32{0.25, 1, 2, 3, 4, 4.75}, tensor.MustSlice[float32](out[0]))
}

func TestAStencilThatDoesNotFitIsAnError(t *testing.T) {
	t.Parallel()
	for message, o := range map[string]StencilOptions{
		"0 sizes for 0 axes":             {},
		"1 weights for a stencil of [3]": {Axes: []int{0}, Size: []int{3}, Weights: []float64{1}},
		"axis 2":                         {Axes: []int{2}, Size: []int{1}, Weights: []float64{1}},
		"below 1":                        {Axes: []int{0}, Size: []int{0}},
		"not finite":                     {Axes: []int{0}, Size: []int{1}, Weights: []float64{math.NaN()}},
		"unknown":                        {Axes: []int{0}, Size: []int{1}, Weights: []float64{1}, Border: "unknown"},
		"named twice":                    {Axes: []int{0, 0}, Size: []int{1, 1}, Weights: []float64{1}},
		"3 weights":                      {Axes: []int{0}, Size: []int{2}, Weights: []float64{1, 2, 3}},
	} {
		g := NewGraph("mistakes")
		y := Stencil(g.Input("x", tensor.Float32, 4, 4), o)
		_, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{y}})
		require.ErrorContains(t, err, message)
	}
	g := NewGraph("dtype")
	y := Stencil(g.Input("x", tensor.Int32, 4), StencilOptions{Axes: []int{0}, Size: []int{1}, Weights: []float64{1}})
	_, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{y}})
	require.ErrorContains(t, err, "not a float")
}

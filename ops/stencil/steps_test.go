package stencil_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/ops/stencil"
	"github.com/anycl/anycl/tensor"
)

var borders = []string{"edge", "reflect", "symmetric", "wrap", "zero", "constant"}

// one is a stencil and its operand.
type one struct {
	shape []int
	o     ops.StencilOptions
	steps int
}

// random is a case whose tiles have ends in its midst, or none, or do not fit.
func random(r *rand.Rand) one {
	rank := 1 + r.IntN(3)
	shape := make([]int, rank)
	most := []int{9000, 220, 40}[rank-1]
	for i := range shape {
		shape[i] = 1 + r.IntN(most)
		if r.IntN(4) == 0 {
			shape[i] = 1 + r.IntN(5)
		}
	}
	c := one{shape: shape, steps: 2 + r.IntN(40)}
	c.o.Border, c.o.Value = borders[r.IntN(len(borders))], 0.5
	count, axes := 1, r.Perm(rank)[:1+r.IntN(rank)]
	for _, axis := range axes {
		if r.IntN(2) == 0 {
			axis -= rank
		}
		c.o.Axes, c.o.Size = append(c.o.Axes, axis), append(c.o.Size, 1+r.IntN(4))
		count *= c.o.Size[len(c.o.Size)-1]
	}
	for range count {
		c.o.Weights = append(c.o.Weights, float64(r.IntN(7)-3)/3/float64(count)) // several are the same, or 0; results do not grow
	}
	if r.IntN(3) == 0 {
		c.shape = append([]int{1 + r.IntN(3)}, c.shape...)
		for i, axis := range c.o.Axes {
			if axis >= 0 {
				c.o.Axes[i]++
			}
		}
	}
	return c
}

// Many steps in a launch are as many stencils, whatever the tiles are.
func TestStepsAreRepeatedStencils(t *testing.T) {
	t.Parallel()
	opstest.Everywhere(t, func(t *testing.T, rt *ops.Runtime) {
		count := 40
		if rt.Device() != nil {
			count = 8 // programs
		}
		r := rand.New(rand.NewPCG(7, 11))
		g := ops.NewGraph("steps")
		var want, got []*ops.Node
		var cases []one
		feeds := ops.Feeds{}
		for i := range count {
			c := random(r)
			size := 1
			for _, n := range c.shape {
				size *= n
			}
			values := make([]float64, size)
			for i := range values {
				values[i] = r.NormFloat64()
			}
			x := g.Input(fmt.Sprint("x", i), tensor.Float64, c.shape...)
			feeds[x] = tensor.Must(tensor.FromSlice(values, c.shape...))
			y := x
			for range c.steps {
				y = ops.Stencil(y, c.o)
			}
			want, got, cases = append(want, y), append(got, stencil.Steps(x, c.o, c.steps)), append(cases, c)
			if i%4 == 0 {
				got[i] = ops.Cast(stencil.Steps(ops.Cast(x, tensor.Float32), c.o, c.steps), tensor.Float64)
			}
		}
		exe, err := g.Compile(t.Context(), rt, opstest.Whole(rt, ops.Target{Outputs: got}))
		require.NoError(t, err)
		out, err := exe.Run(t.Context(), feeds)
		require.NoError(t, err)
		plain, err := g.Compile(t.Context(), opstest.CPUOnly(t), ops.Target{Outputs: want})
		require.NoError(t, err)
		expected, err := plain.Run(t.Context(), feeds)
		require.NoError(t, err)
		for i, c := range cases {
			w, y := tensor.MustSlice[float64](expected[i]), tensor.MustSlice[float64](out[i])
			bound := 1e-12
			if i%4 == 0 {
				bound = 3e-5
			}
			for k := range w {
				if !assert.InDelta(t, w[k], y[k], bound, "case %d, element %d of %+v", i, k, c) {
					break
				}
			}
		}
	})
}

// The kernel for GPUs, which drivers for CPUs can run as well.
func TestTilesOfGroupsAreRepeatedStencils(t *testing.T) {
	t.Parallel()
	rt := opstest.Device(t)
	r := rand.New(rand.NewPCG(3, 5))
	g := ops.NewGraph("tiles")
	var want, got []*ops.Node
	feeds := ops.Feeds{}
	for i, c := range []one{
		{[]int{3, 9000}, ops.StencilOptions{Axes: []int{1}, Size: []int{4}, Weights: []float64{0.25, -0.5, 0.125, 0.25}, Border: "symmetric"}, 9},
		{[]int{2, 77, 131}, ops.StencilOptions{Axes: []int{2, 1}, Size: []int{3, 2}, Weights: []float64{0.25, 0.125, 0.25, -0.125, 0.5, 0}, Border: "reflect"}, 5},
		{[]int{75, 190}, ops.StencilOptions{Axes: []int{0, 1}, Size: []int{1, 3}, Weights: []float64{0.25, 0.5, 0.25}, Border: "constant", Value: 3}, 6},
		{[]int{19, 33, 40}, ops.StencilOptions{Axes: []int{0, 1, 2}, Size: []int{3, 1, 3}, Weights: []float64{0, 0.25, 0, 0.25, 0, 0.25, 0, 0.25, 0}, Border: "wrap"}, 3},
	} {
		size := 1
		for _, n := range c.shape {
			size *= n
		}
		values := make([]float32, size)
		for i := range values {
			values[i] = float32(r.NormFloat64())
		}
		x := g.Input(fmt.Sprint("x", i), tensor.Float32, c.shape...)
		feeds[x] = tensor.Must(tensor.FromSlice(values, c.shape...))
		y := x
		for range c.steps {
			y = ops.Stencil(y, c.o)
		}
		want = append(want, y)
		tiles, err := stencil.Tiles(x, c.o, c.steps)
		require.NoError(t, err)
		got = append(got, tiles)
	}
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: got, Place: ops.OnDevice})
	require.NoError(t, err)
	out, err := exe.Run(t.Context(), feeds)
	require.NoError(t, err)
	plain, err := g.Compile(t.Context(), opstest.CPUOnly(t), ops.Target{Outputs: want})
	require.NoError(t, err)
	expected, err := plain.Run(t.Context(), feeds)
	require.NoError(t, err)
	for i := range want {
		require.InDeltaSlice(t, tensor.MustSlice[float32](expected[i]), tensor.MustSlice[float32](out[i]), 2e-6, "case %d", i)
	}
}

func TestStepsHaveDerivatives(t *testing.T) {
	t.Parallel()
	for _, border := range borders {
		o := ops.StencilOptions{Axes: []int{0, 1}, Size: []int{2, 3}, Weights: []float64{0.5, -0.25, 0, 0.125, 0.25, -0.5}, Border: border, Value: 1}
		g := ops.NewGraph("derivatives")
		x := g.Input("x", tensor.Float64, 6, 5)
		weights := g.Normal(tensor.Float64, 6, 5)
		y := x
		for range 4 {
			y = ops.Stencil(y, o)
		}
		gradient := func(y *ops.Node) *ops.Node { return ops.Gradients(ops.Sum(ops.Mul(ops.Square(y), weights)), x)[0] }
		exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), ops.Target{Outputs: []*ops.Node{gradient(y), gradient(stencil.Steps(x, o, 4))}})
		require.NoError(t, err)
		values := make([]float64, 30)
		for i := range values {
			values[i] = math.Sin(float64(3 * i))
		}
		out, err := exe.Run(t.Context(), ops.Feeds{x: tensor.Must(tensor.FromSlice(values, 6, 5))})
		require.NoError(t, err)
		require.InDeltaSlice(t, tensor.MustSlice[float64](out[0]), tensor.MustSlice[float64](out[1]), 1e-12, border)
	}
}

func TestMistakesOfStepsNameTheCaller(t *testing.T) {
	t.Parallel()
	plain := ops.StencilOptions{Axes: []int{0}, Size: []int{3}, Weights: []float64{1, 2, 1}}
	for want, f := range map[string]func(x *ops.Node) *ops.Node{
		"-1 steps":                       func(x *ops.Node) *ops.Node { return stencil.Steps(x, plain, -1) },
		"axis 2 is outside":              func(x *ops.Node) *ops.Node { o := plain; o.Axes = []int{2}; return stencil.Steps(x, o, 2) },
		"2 weights for a stencil of [3]": func(x *ops.Node) *ops.Node { o := plain; o.Weights = o.Weights[:2]; return stencil.Steps(x, o, 2) },
		`there is no border "none"`:      func(x *ops.Node) *ops.Node { o := plain; o.Border = "none"; return stencil.Steps(x, o, 2) },
		"a weight is not finite": func(x *ops.Node) *ops.Node {
			o := plain
			o.Weights = []float64{1, math.NaN(), 1}
			return stencil.Steps(x, o, 2)
		},
		"the value outside is not finite": func(x *ops.Node) *ops.Node { o := plain; o.Value = math.Inf(1); return stencil.Steps(x, o, 2) },
		"0 sizes for 1 axes":              func(x *ops.Node) *ops.Node { o := plain; o.Size = nil; return stencil.Steps(x, o, 2) },
		"size [0] has an extent below 1":  func(x *ops.Node) *ops.Node { o := plain; o.Size = []int{0}; return stencil.Steps(x, o, 2) },
		"dtype int32 is not a float":      func(x *ops.Node) *ops.Node { return stencil.Steps(ops.Cast(x, tensor.Int32), plain, 2) },
		"there are 4, and 3 are the most": func(x *ops.Node) *ops.Node { return stencil.Steps(ops.Reshape(x, 1, 4, 1, 5), plain, 2) },
		"axis -2 is named twice": func(x *ops.Node) *ops.Node {
			o := plain
			o.Axes, o.Size = []int{0, -2}, []int{3, 1}
			return stencil.Steps(x, o, 2)
		},
	} {
		g := ops.NewGraph("mistakes")
		f(g.Input("x", tensor.Float32, 4, 5))
		require.ErrorContains(t, g.Err(), want)
		require.ErrorContains(t, g.Err(), "steps_test.go")
	}
	g := ops.NewGraph("none")
	x := g.Input("x", tensor.Float32, 4, 5)
	require.Equal(t, []int{4, 5}, stencil.Steps(x, plain, 0).Shape())
	require.Error(t, stencil.Steps(nil, plain, 2).Graph().Err())
}

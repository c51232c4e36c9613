package numerics_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/fallback"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

const manyDraws = 20_000

// drawnBy are draws of every distribution, with their expectation and variance.
func drawnBy(g *Graph) (names []string, outs []*Node, moments [][2]float64) {
	add := func(name string, n *Node, mean, variance float64) {
		names, outs, moments = append(names, name), append(outs, Cast(n, tensor.Float32)), append(moments, [2]float64{mean, variance})
	}
	full := func(v float64) *Node { return g.Full(tensor.Float32, v, manyDraws) }
	add("bernoulli", Bernoulli(full(0.3)), 0.3, 0.21)
	add("exponential", g.Exponential(tensor.Float32, 2, manyDraws), 0.5, 0.25)
	add("gumbel", g.Gumbel(tensor.Float32, manyDraws), 0.5772156649, math.Pi*math.Pi/6)
	add("log-normal", g.LogNormal(tensor.Float32, 0.5, 0.25, manyDraws), math.Exp(0.5+0.03125), (math.Exp(0.0625)-1)*math.Exp(1+0.0625))
	add("gamma 0.3", Gamma(full(0.3)), 0.3, 0.3)
	add("gamma 7", Gamma(full(7)), 7, 7)
	add("beta", Beta(full(2), full(0.5)), 0.8, 2*0.5/(2.5*2.5*3.5))
	add("dirichlet", Slice(Dirichlet(BroadcastTo(g.Const(tensor.Must(tensor.FromSlice([]float32{1, 2, 5}, 3))), manyDraws, 3)), Between(1, 1, 2)), 0.25, 0.25*0.75/9)
	add("poisson 0.7", Poisson(full(0.7)), 0.7, 0.7)
	add("poisson 9", Poisson(full(9)), 9, 9)
	add("poisson 11", Poisson(full(11)), 11, 11)
	add("poisson 3000", Poisson(full(3000)), 3000, 3000)
	add("integers", g.RandomInts(tensor.Int32, -3, 7, manyDraws), 1.5, 99.0/12)
	add("categorical", Categorical(g.Const(tensor.Must(tensor.FromSlice([]float32{float32(math.Log(2)), 0, float32(math.Inf(-1)), 0}, 4))), manyDraws), 1, 1.5)
	return names, outs, moments
}

func TestDrawsHaveTheMomentsOfTheirDistributions(t *testing.T) {
	t.Parallel()
	e := fallback.New(nil)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	g := NewGraph("draws")
	g.Seed(7)
	names, outs, moments := drawnBy(g)
	exe, err := g.Compile(t.Context(), NewRuntime(e), Target{Outputs: outs})
	require.NoError(t, err)
	got, err := exe.Run(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, exe.Close())
	for i, x := range got {
		mean, variance, n := 0.0, 0.0, float64(x.Len())
		for _, v := range x.All() {
			mean += v / n
		}
		for _, v := range x.All() {
			variance += (v - mean) * (v - mean) / n
		}
		// Five deviations of a mean; variances within a tenth.
		require.InDelta(t, moments[i][0], mean, 5*math.Sqrt(moments[i][1]/n), names[i])
		require.InDelta(t, moments[i][1], variance, 0.1*moments[i][1], names[i])
	}
}

// Poisson counts are compared with their probabilities by the chi-square statistic, on both sides of the change of methods.
func TestPoissonCountsHaveTheirProbabilities(t *testing.T) {
	t.Parallel()
	e := fallback.New(nil)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	for _, rate := range []float64{3, 9.5, 10.5, 40} {
		g := NewGraph("poisson")
		exe, err := g.Compile(t.Context(), NewRuntime(e), Target{Outputs: []*Node{Poisson(g.Full(tensor.Float64, rate, manyDraws))}})
		require.NoError(t, err)
		got, err := exe.Run(t.Context(), nil)
		require.NoError(t, err)
		require.NoError(t, exe.Close())
		counts := map[int]float64{}
		for _, v := range got[0].All() {
			counts[int(v)]++
		}
		chi, bins := 0.0, 0.0
		for k := range 200 {
			lg, _ := math.Lgamma(float64(k) + 1)
			want := manyDraws * math.Exp(float64(k)*math.Log(rate)-rate-lg)
			if want < 10 {
				continue
			}
			chi += (counts[k] - want) * (counts[k] - want) / want
			bins++
		}
		require.Less(t, chi, bins+5*math.Sqrt(2*bins), "rate %v", rate)
	}
}

func TestOrdersAreDrawnWhole(t *testing.T) {
	t.Parallel()
	e := fallback.New(nil)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	g := NewGraph("orders")
	distinct := CategoricalDistinct(g.Zeros(tensor.Float32, 50, 9), 9)
	exe, err := g.Compile(t.Context(), NewRuntime(e), Target{Outputs: []*Node{g.Permutation(1000), Shuffle(g.Iota(tensor.Int64, 0, 100), 0), distinct}})
	require.NoError(t, err)
	got, err := exe.Run(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, exe.Close())
	for i, n := range []int{1000, 100, 9} {
		all, err := tensor.ToSlice[int64](got[i])
		require.NoError(t, err)
		for from := 0; from < len(all); from += n {
			row := slices.Clone(all[from : from+n])
			require.False(t, n > 9 && slices.IsSorted(row))
			slices.Sort(row)
			for k, v := range row {
				require.EqualValues(t, k, v)
			}
		}
	}
}

// A device draws what the CPU path draws; rounding may decide of a trial in a million otherwise.
func TestDevicesDrawTheSame(t *testing.T) {
	opstest.NumbersOnly(t)
	t.Parallel()
	rt := opstest.Device(t)
	g := NewGraph("draws")
	names, outs, _ := drawnBy(g)
	run := func(p Place) []*tensor.Tensor {
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: outs, Place: p})
		require.NoError(t, err)
		got, err := exe.Run(t.Context(), nil)
		require.NoError(t, err)
		require.NoError(t, exe.Close())
		return got
	}
	a, b := run(OnDevice), run(OnCPU)
	for i := range a {
		differ := 0
		for j, v := range a[i].All() {
			if w := b[i].Float64At(j); math.Abs(v-w) > 1e-4*(math.Abs(w)+1e-3) {
				differ++
			}
		}
		require.LessOrEqual(t, differ, 2, names[i])
	}
}

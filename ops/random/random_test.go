package random_test

import (
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/random"
	"github.com/anycl/anycl/tensor"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Hold)) }

const many = 20_000

// drawn is a distribution, with its properties by gonum.
type drawn struct {
	name     string
	node     *ops.Node
	cdf      func(x float64) float64 // nil where there is none
	mean     float64
	variance float64 // NaN where there is none
}

func all(g *ops.Graph, dt tensor.DType) []drawn {
	c := func(v float64) *ops.Node { return g.Full(dt, v, many) }
	s := func(v float64) *ops.Node { return g.Full(dt, v) }
	of := func(name string, n *ops.Node, d interface {
		CDF(float64) float64
		Mean() float64
		Variance() float64
	}) drawn {
		return drawn{name, n, d.CDF, d.Mean(), d.Variance()}
	}
	return []drawn{
		of("laplace", random.Laplace(c(1), s(2)), distuv.Laplace{Mu: 1, Scale: 2}),
		of("logistic", random.Logistic(c(-1), s(0.5)), distuv.Logistic{Mu: -1, S: 0.5}),
		{"cauchy", random.Cauchy(c(1), s(2)), func(x float64) float64 { return 0.5 + math.Atan((x-1)/2)/math.Pi }, math.NaN(), math.NaN()},
		of("weibull", random.Weibull(c(1.7)), distuv.Weibull{K: 1.7, Lambda: 1}),
		{"pareto", random.Pareto(c(5)), func(x float64) float64 { return 1 - math.Pow(1+x, -5) }, 1.0 / 4, 5.0 / 16 / 3},
		of("power", random.Power(c(3)), distuv.Beta{Alpha: 3, Beta: 1}),
		{"rayleigh", random.Rayleigh(c(2)), func(x float64) float64 { return 1 - math.Exp(-x*x/8) }, 2 * math.Sqrt(math.Pi/2), (4 - math.Pi) / 2 * 4},
		of("triangular", random.Triangular(c(-1), s(0.5), s(2)), distuv.NewTriangle(-1, 2, 0.5, nil)),
		of("chi-square", random.ChiSquare(c(3)), distuv.ChiSquared{K: 3}),
		{"noncentral chi-square", random.NoncentralChiSquare(c(3), s(4)), nil, 7, 2 * (3 + 8)},
		of("F", random.F(c(5), s(12)), distuv.F{D1: 5, D2: 12}),
		{"noncentral F", random.NoncentralF(c(5), s(12), s(3)), nil, 12.0 * 8 / (5 * 10), 2 * (144.0 / 25) * (64 + 11*10) / (100 * 8)},
		of("Student's t", random.StudentT(c(6)), distuv.StudentsT{Sigma: 1, Nu: 6}),
		{"wald", random.Wald(c(2), s(3)), func(x float64) float64 {
			n := distuv.UnitNormal
			r := math.Sqrt(3 / x)
			return n.CDF(r*(x/2-1)) + math.Exp(3)*n.CDF(-r*(x/2+1))
		}, 2, 8.0 / 3},
		{"geometric", random.Geometric(c(0.3)), nil, 1 / 0.3, 0.7 / 0.09},
		{"geometric, always", random.Geometric(c(1)), nil, 1, 0},
		{"negative binomial", random.NegativeBinomial(c(2.5), s(0.4)), nil, 2.5 * 0.6 / 0.4, 2.5 * 0.6 / 0.16},
		{"log series", random.LogSeries(c(0.7)), nil, 0.7 / 0.3 / -math.Log(0.3), -0.7 * (0.7 + math.Log(0.3)) / (0.09 * math.Log(0.3) * math.Log(0.3))},
		of("binomial, few", random.Binomial(5, c(0.3)), distuv.Binomial{N: 5, P: 0.3}),
		of("binomial, many", random.Binomial(1000, c(0.37)), distuv.Binomial{N: 1000, P: 0.37}),
		{"binomial, none", random.Binomial(100, c(0)), nil, 0, 0},
		{"binomial, all", random.Binomial(100, c(1)), nil, 100, 0},
	}
}

// Kolmogorov's and Smirnov's distance of continuous distributions from gonum's, and the moments of all. The seed is fixed.
func TestDrawsAreOfTheirDistributions(t *testing.T) {
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
		g := ops.NewGraph("draws")
		g.Seed(11)
		list := all(g, dt)
		got := run(t, rt, ops.OnCPU, list)
		for i, d := range list {
			x := got[i]
			mean, variance := 0.0, 0.0
			for _, v := range x {
				require.False(t, math.IsNaN(v) || math.IsInf(v, 0), d.name)
				mean += v / many
			}
			for _, v := range x {
				variance += (v - mean) * (v - mean) / many
			}
			if !math.IsNaN(d.mean) {
				assert.InDelta(t, d.mean, mean, 4.5*math.Sqrt(d.variance/many)+1e-9, "mean of %s", d.name)
				assert.InDelta(t, d.variance, variance, 0.15*d.variance+1e-12, "variance of %s", d.name)
			}
			if d.cdf == nil || d.name[0] == 'b' {
				for _, v := range x {
					if d.cdf != nil || d.variance == 0 {
						require.Equal(t, math.Floor(v), v, d.name)
					}
				}
				continue
			}
			slices.Sort(x)
			worst := 0.0
			for k, v := range x {
				worst = max(worst, math.Abs(d.cdf(v)-float64(k)/many), math.Abs(d.cdf(v)-float64(k+1)/many))
			}
			assert.Less(t, worst*math.Sqrt(many), 1.9, "%s: the distance has the probability 0.0015 to be above", d.name)
		}
	}
}

func run(t *testing.T, rt *ops.Runtime, place ops.Place, list []drawn) (got [][]float64) {
	var outs []*ops.Node
	for _, d := range list {
		outs = append(outs, d.node)
	}
	return values(t, rt, place, outs...)
}

func values(t *testing.T, rt *ops.Runtime, place ops.Place, outs ...*ops.Node) (got [][]float64) {
	t.Helper()
	g := outs[0].Graph()
	require.NoError(t, g.Err())
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: outs, Place: place})
	require.NoError(t, err)
	defer exe.Close()
	all, err := exe.Run(t.Context(), nil)
	require.NoError(t, err)
	for _, x := range all {
		var list []float64
		for _, v := range x.All() {
			list = append(list, v)
		}
		got = append(got, list)
	}
	return got
}

func TestDevicesDrawTheSame(t *testing.T) {
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer rt.Close()
	if rt.Device() == nil {
		t.Skip("there is no device")
	}
	draws := func() []*ops.Node {
		g := ops.NewGraph("draws")
		g.Seed(3)
		c := func(v float64) *ops.Node { return g.Full(tensor.Float32, v, 500) }
		return []*ops.Node{
			random.Laplace(c(1), c(2)), random.Wald(c(1), c(2)), random.Triangular(c(0), c(1), c(3)), random.Geometric(c(0.2)),
			random.Binomial(40, c(0.3)), random.StudentT(c(4)),
			random.Sobol(g, tensor.Float32, 100, 9, &random.Quasi{Shift: true}), random.Halton(g, tensor.Float32, 100, 5, nil),
		}
	}
	device, host := values(t, rt, ops.OnDevice, draws()...), values(t, rt, ops.OnCPU, draws()...)
	for i := range host {
		apart := 0
		for k, v := range host[i] {
			if math.Abs(v-device[i][k]) > 1e-4*(1+math.Abs(v)) {
				apart++
			}
		}
		assert.LessOrEqual(t, apart, 1, "draw %d", i) // of a trial that rounding decides
	}
}

func TestCountsOfClassesAddUp(t *testing.T) {
	t.Parallel()
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	g := ops.NewGraph("counts")
	p := []float64{0.2, 0, 0.5, 0.3}
	n := ops.BroadcastTo(g.Const(tensor.Must(tensor.FromSlice(p, 4))), 2000, 4)
	x := g.Iota(tensor.Int32, 0, 10)
	got := values(t, rt, ops.OnCPU, random.MultinomialCounts(100, n), random.Choice(x, 0, 10, false), random.Choice(x, 0, 1000, true), random.Choice(x, 0, 0, false))
	var mean [4]float64
	for r := range 2000 {
		sum := 0.0
		for c, v := range got[0][r*4 : r*4+4] {
			sum += v
			mean[c] += v / 2000
		}
		require.Equal(t, 100.0, sum)
	}
	for c := range mean {
		assert.InDelta(t, 100*p[c], mean[c], 4.5*math.Sqrt(100*p[c]*(1-p[c])/2000)+1e-9)
	}
	slices.Sort(got[1])
	assert.Equal(t, []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, got[1])
	slices.Sort(got[2])
	assert.Len(t, slices.Compact(got[2]), 10)
	assert.Empty(t, got[3])
}

// Points of SciPy 1.10.1, scipy.stats.qmc, without scrambling.
func TestSequencesAreThoseOfSciPy(t *testing.T) {
	t.Parallel()
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	g := ops.NewGraph("sequences")
	n, skip := 64, 30
	got := values(t, rt, ops.OnCPU, random.Sobol(g, tensor.Float64, n, 64, nil), random.Halton(g, tensor.Float64, 50, 6, nil),
		random.Sobol(g, tensor.Float64, n-skip, 64, &random.Quasi{Skip: skip}), random.Sobol(g, tensor.Float32, n, 64, nil),
		random.Sobol(g, tensor.Float32, 1<<12, 3, &random.Quasi{Shift: true}), random.Halton(g, tensor.Float64, 20, 6, &random.Quasi{Skip: 30}))
	at := []int{0, 1, 2, 5, 17, 40, 63}
	for row, want := range map[int][]float64{
		37: {0.921875, 0.640625, 0.578125, 0.296875, 0.421875, 0.078125, 0.828125},
		63: {0.015625, 0.796875, 0.359375, 0.140625, 0.390625, 0.671875, 0.734375},
	} {
		for k, c := range at {
			assert.Equal(t, want[k], got[0][row*64+c])
		}
	}
	assert.Equal(t, got[0][skip*64:], got[2])
	assert.Equal(t, got[0], got[3])
	assert.InDeltaSlice(t, []float64{0.546875, 0.5308641975308641, 0.968, 0.0029154518950437317, 0.487603305785124, 0.7869822485207101}, got[1][49*6:], 1e-15)
	assert.InDeltaSlice(t, []float64{0.875, 0.5555555555555556, 0.44, 0.02040816326530612, 0.6363636363636364, 0.5384615384615385}, got[1][7*6:8*6], 1e-15)
	assert.Equal(t, got[1][30*6:], got[5])
	// Each of the 2^12 boxes of 1/16 in every coordinate has one point, shifted or not.
	seen := map[[3]int]bool{}
	for i := range 1 << 12 {
		seen[[3]int{int(got[4][3*i] * 16), int(got[4][3*i+1] * 16), int(got[4][3*i+2] * 16)}] = true
	}
	assert.Greater(t, len(seen), 3000)
}

func TestMistakesAndParametersOutsideOfTheirRange(t *testing.T) {
	t.Parallel()
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	defer rt.Close()
	for what, build := range map[string]func(g *ops.Graph) *ops.Node{
		"int32":         func(g *ops.Graph) *ops.Node { return random.Laplace(g.Ones(tensor.Int32, 2), g.Ones(tensor.Int32, 2)) },
		"float64":       func(g *ops.Graph) *ops.Node { return random.Wald(g.Ones(tensor.Float32, 2), g.Ones(tensor.Float64, 2)) },
		"broadcast":     func(g *ops.Graph) *ops.Node { return random.F(g.Ones(tensor.Float32, 2), g.Ones(tensor.Float32, 3)) },
		"-1 trials":     func(g *ops.Graph) *ops.Node { return random.Binomial(-1, g.Ones(tensor.Float32, 2)) },
		"11 of 10":      func(g *ops.Graph) *ops.Node { return random.Choice(g.Ones(tensor.Float32, 10), 0, 11, false) },
		"nothing":       func(g *ops.Graph) *ops.Node { return random.Choice(g.Ones(tensor.Float32, 0), 0, 1, true) },
		"65 dimensions": func(g *ops.Graph) *ops.Node { return random.Sobol(g, tensor.Float32, 5, 65, nil) },
		"int8":          func(g *ops.Graph) *ops.Node { return random.Halton(g, tensor.Int8, 5, 5, nil) },
		"-5 points":     func(g *ops.Graph) *ops.Node { return random.Halton(g, tensor.Float32, -5, 5, nil) },
	} {
		g := ops.NewGraph("mistakes")
		build(g)
		assert.ErrorContains(t, g.Err(), what)
	}
	g := ops.NewGraph("ranges")
	c := func(v float64) *ops.Node { return g.Full(tensor.Float32, v, 3) }
	for _, list := range values(t, rt, ops.OnCPU, random.Laplace(c(0), c(-1)), random.Weibull(c(0)), random.Triangular(c(1), c(0), c(2)),
		random.Geometric(c(1.5)), random.Binomial(5, c(-0.5)), random.StudentT(c(math.NaN())), random.LogSeries(c(1))) {
		for _, v := range list {
			assert.True(t, math.IsNaN(v))
		}
	}
	assert.Empty(t, values(t, rt, ops.OnCPU, random.Sobol(g, tensor.Float32, 0, 5, nil))[0])
}

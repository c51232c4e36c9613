package nn_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// cpu is a runtime of the CPU path alone.
func cpu(t *testing.T) *ops.Runtime {
	t.Helper()
	rt, err := ops.Open(t.Context(), &ops.Options{Device: "none"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	return rt
}

// run computes outputs once.
func run(t *testing.T, rt *ops.Runtime, feeds ops.Feeds, target ops.Target) []*tensor.Tensor {
	t.Helper()
	nodes := append(slices.Clone(target.Outputs), target.Updates...)
	exe, err := nodes[0].Graph().Compile(t.Context(), rt, target)
	require.NoError(t, err)
	out, err := exe.Run(t.Context(), feeds)
	require.NoError(t, err)
	return out
}

func floats(x *tensor.Tensor) []float64 {
	var all []float64
	for i := range x.Len() {
		all = append(all, x.Float64At(i))
	}
	return all
}

func valueOf(t *testing.T, v *ops.Node) []float64 {
	t.Helper()
	x, err := ops.Value(t.Context(), v)
	require.NoError(t, err)
	return floats(x)
}

type block struct {
	First  *nn.Linear `nn:"linear1"`
	FCBias *nn.Linear
	Norm   nn.LayerNorm
	hidden *nn.Linear
	Left   *nn.Linear `nn:"-"`
	Size   int
}

func (b *block) Apply(p *nn.Pass, x *ops.Node) *ops.Node {
	return b.Norm.Apply(p, b.FCBias.Apply(p, b.First.Apply(p, x)))
}

func newBlock() *block {
	l := func() *nn.Linear { return &nn.Linear{In: 2, Out: 2, NoBias: true} }
	return &block{First: l(), FCBias: l(), Norm: nn.LayerNorm{Shape: []int{2}}, hidden: l(), Left: l()}
}

func TestParametersAreNamedByFields(t *testing.T) {
	shared := &nn.Linear{In: 2, Out: 2}
	root := &struct {
		Blocks []*block
		Head   nn.Module
		Tail   nn.Sequential
		None   *nn.Linear
		Plain  struct{ Out *nn.Linear } `nn:"plain"`
	}{
		Blocks: []*block{newBlock(), newBlock()},
		Head:   shared,
		Tail:   nn.Sequential{nn.ReLU, shared, &nn.Residual{Body: nn.Sequential{nn.ReLU, &nn.BatchNorm{Channels: 2}}, Skip: &nn.Linear{In: 2, Out: 2, NoBias: true}}},
		Plain:  struct{ Out *nn.Linear }{&nn.Linear{In: 2, Out: 1, NoBias: true}},
	}
	m := nn.New(ops.NewGraph("names"), root, nn.Options{})
	require.NoError(t, m.Graph().Err())
	var names []string
	for name, n := range m.Named() {
		names = append(names, name)
		require.Same(t, n, m.Lookup(name))
		require.Equal(t, name, n.Name())
	}
	require.Equal(t, []string{
		"blocks.0.linear1.weight", "blocks.0.fc_bias.weight", "blocks.0.norm.weight", "blocks.0.norm.bias",
		"blocks.1.linear1.weight", "blocks.1.fc_bias.weight", "blocks.1.norm.weight", "blocks.1.norm.bias",
		"head.weight", "head.bias", "tail.2.1.weight", "tail.2.1.bias", "tail.2.1.running_mean", "tail.2.1.running_var", "tail.2.skip.weight",
		"plain.out.weight",
	}, names)
	require.Len(t, m.Params(), 14)
	require.Len(t, m.Buffers(), 2)
	require.Equal(t, 2*(4+4+2+2)+4+2+2+2+4+2, m.Size())
	require.Nil(t, m.Lookup("head"))
	require.Len(t, m.Select(func(name string, p *ops.Node) bool { return p.Rank() > 1 }), 7)
}

// A parameter depends on the seed and its name: not on the dtype, nor on other parameters.
func TestInitialWeightsDependOnSeedAndNameAlone(t *testing.T) {
	weight := func(seed uint64, body ...nn.Module) []float64 {
		return valueOf(t, nn.New(ops.NewGraph("seed"), nn.Sequential(body), nn.Options{Seed: seed}).Lookup("0.weight"))
	}
	l := func() *nn.Linear { return &nn.Linear{In: 3, Out: 2} }
	first := weight(7, l())
	require.Equal(t, first, weight(7, l(), nn.Tanh, l()))
	require.NotEqual(t, first, weight(8, l()))
	for _, v := range first {
		require.LessOrEqual(t, math.Abs(v), 1/math.Sqrt(3))
	}
}

// moments of the numbers that an initialiser draws.
func moments(init nn.Init, shape ...int) (mean, deviation, least, most float64) {
	m := nn.New(ops.NewGraph("init"), &drawn{init: init, shape: shape}, nn.Options{Params: tensor.Float64})
	w, err := ops.Value(context.Background(), m.Lookup("w"))
	if err != nil {
		return math.NaN(), 0, 0, 0
	}
	all := floats(w)
	least, most = slices.Min(all), slices.Max(all)
	for _, v := range all {
		mean += v / float64(len(all))
	}
	for _, v := range all {
		deviation += (v - mean) * (v - mean) / float64(len(all))
	}
	return mean, math.Sqrt(deviation), least, most
}

type drawn struct {
	init  nn.Init
	shape []int
}

func (d *drawn) Build(s *nn.Scope) { s.Param("w", d.init, d.shape...) }

func TestInitialisersDrawWhatTheySay(t *testing.T) {
	near := func(want, got float64, what string) { require.InEpsilon(t, want, got, 0.05, what) }
	shape := []int{40, 10, 5} // 50 inputs, 200 outputs
	_, d, lo, hi := moments(nn.XavierUniform(2), shape...)
	near(2*math.Sqrt(6./250)/math.Sqrt(3), d, "xavier")
	near(-2*math.Sqrt(6./250), lo, "xavier")
	near(2*math.Sqrt(6./250), hi, "xavier")
	_, d, _, _ = moments(nn.XavierNormal(1), shape...)
	near(math.Sqrt(2./250), d, "xavier normal")
	_, d, lo, _ = moments(nn.KaimingUniform(math.Sqrt2), shape...)
	near(math.Sqrt(2./50), d, "kaiming")
	near(-math.Sqrt(6./50), lo, "kaiming")
	_, d, _, _ = moments(nn.KaimingNormal(math.Sqrt2), shape...)
	near(math.Sqrt(2./50), d, "kaiming normal")
	mean, d, _, hi := moments(nn.Normal(3, 0.5), shape...)
	near(3, mean, "normal")
	near(0.5, d, "normal")
	require.Greater(t, hi, 4.0)
	mean, d, lo, hi = moments(nn.TruncatedNormal(1, 2, -1, 3), shape...)
	near(1, mean, "truncated")
	near(2*0.5396, d, "truncated") // √(1 - 2φ(1)/(2Φ(1) - 1))
	require.GreaterOrEqual(t, lo, -1.0)
	require.LessOrEqual(t, hi, 3.0)
	mean, _, lo, hi = moments(nn.Uniform(2, 4), shape...)
	near(3, mean, "uniform")
	require.True(t, lo >= 2 && hi < 4)
	_, _, lo, hi = moments(nn.Constant(2), 3)
	require.Equal(t, []float64{2, 2}, []float64{lo, hi})
}

func TestOrthogonalWeightsAreOrthogonal(t *testing.T) {
	for _, shape := range [][]int{{3, 5}, {5, 3}, {2, 2, 2}} {
		m := nn.New(ops.NewGraph("orthogonal"), &drawn{nn.Orthogonal(2), shape}, nn.Options{Params: tensor.Float64})
		w := valueOf(t, m.Lookup("w"))
		rows, cols := shape[0], len(w)/shape[0]
		short, a, b := rows, cols, 1 // strides of vectors and of their elements
		if rows > cols {
			short, a, b = cols, 1, cols
		}
		for i := range short {
			for j := range short {
				dot := 0.0
				for k := range len(w) / short {
					dot += w[i*a+k*b] * w[j*a+k*b]
				}
				want := 0.0
				if i == j {
					want = 4
				}
				require.InDelta(t, want, dot, 1e-12, "%v: %d, %d", shape, i, j)
			}
		}
	}
}

func TestGivenWeightsTakeThePlaceOfDrawnOnes(t *testing.T) {
	g := ops.NewGraph("given")
	m := nn.New(g, &nn.Linear{In: 2, Out: 1}, nn.Options{Weights: map[string]*tensor.Tensor{
		"weight": tensor.Must(tensor.FromSlice([]float64{3, 4}, 1, 2)), "other": tensor.Scalar(1.0),
	}})
	require.Equal(t, []float64{3, 4}, valueOf(t, m.Lookup("weight")))
	require.Equal(t, tensor.Float32, m.Lookup("weight").DType())
	nn.New(g, &nn.Linear{In: 2, Out: 1}, nn.Options{Weights: map[string]*tensor.Tensor{"weight": tensor.Scalar(1.0)}})
	require.ErrorContains(t, g.Err(), "the weights of weight are [], not [1 2]")
}

// One graph trains and infers: dropout and statistics of the batch in one pass, running ones in the other.
func TestPassesOfTrainingAndInferenceDiffer(t *testing.T) {
	rt, g := cpu(t), ops.NewGraph("passes")
	x := g.Input("x", tensor.Float32, ops.Dim("batch"), 2)
	norm := &nn.BatchNorm{Channels: 2, NoAffine: true, Momentum: 0.5}
	m := nn.New(g, nn.Sequential{norm, norm, &nn.Dropout{Rate: 0.5}}, nn.Options{})
	train, eval := m.Train(), m.Eval()
	require.True(t, train.Training())
	require.False(t, eval.Training())
	in := tensor.Must(tensor.FromSlice([]float32{1, 0, 3, 4}, 2, 2))
	out := run(t, rt, ops.Feeds{x: in}, ops.Target{Outputs: []*ops.Node{train.Apply(x)}, Updates: train.Updates()})
	for _, v := range floats(out[0]) {
		require.True(t, v == 0 || math.Abs(math.Abs(v)-2) < 1e-4, "%v is neither dropped nor scaled", v)
	}
	// The second application goes on with the values that the first has written: (1 + mean/2)/2 with a mean of 0.
	require.InDeltaSlice(t, []float64{0.5, 0.5}, valueOf(t, norm.Mean), 1e-6)
	// Variances 2 and 8 of the first batch, then 2 of the second, which is normalised.
	require.InDeltaSlice(t, []float64{1.75, 3.25}, valueOf(t, norm.Var), 1e-4)
	require.Empty(t, eval.Updates())
	y := floats(run(t, rt, ops.Feeds{x: in}, ops.Target{Outputs: []*ops.Node{eval.Apply(x)}})[0])
	f := func(v, mean, variance float64) float64 {
		for range 2 {
			v = (v - mean) / math.Sqrt(variance+1e-5)
		}
		return v
	}
	require.InDeltaSlice(t, []float64{f(1, 0.5, 1.75), f(0, 0.5, 3.25), f(3, 0.5, 1.75), f(4, 0.5, 3.25)}, y, 1e-4)
}

// With 16 bits, products are computed in them, while parameters, gradients, statistics and the result are float32.
func TestMixedPrecisionKeepsParametersInFloat32(t *testing.T) {
	rt, g := cpu(t), ops.NewGraph("mixed")
	body := func() nn.Module {
		return nn.Sequential{
			&nn.Conv{In: 1, Out: 2, Kernel: []int{3}, Pad: []int{1}}, &nn.BatchNorm{Channels: 2}, nn.GELU, &nn.Flatten{}, &nn.Linear{In: 8, Out: 4},
			&nn.LayerNorm{Shape: []int{4}}, &nn.Linear{In: 4, Out: 3},
		}
	}
	x := g.Input("x", tensor.Float32, 5, 1, 4)
	in := ops.Feeds{x: numbers(3, 1, 5, 1, 4)}
	full := nn.New(g, body(), nn.Options{Seed: 1})
	want := floats(run(t, rt, in, ops.Target{Outputs: []*ops.Node{full.Train().Apply(x)}})[0])
	for _, dt := range []tensor.DType{tensor.BFloat16, tensor.Float16} {
		m := nn.New(g, body(), nn.Options{Seed: 1, Compute: dt})
		before := len(slices.Collect(g.Nodes()))
		p := m.Train()
		y := p.Apply(x)
		require.Equal(t, tensor.Float32, y.DType())
		seen := map[string]int{}
		for _, n := range slices.Collect(g.Nodes())[before:] {
			op := n.Op().Name
			seen[op]++
			switch op {
			case "matmul", "conv", "gelu":
				require.Equal(t, dt, n.DType(), op)
			case "layer_norm":
				require.Equal(t, tensor.Float32, n.DType(), op)
			}
		}
		require.Equal(t, []int{2, 1, 1, 1}, []int{seen["matmul"], seen["conv"], seen["gelu"], seen["layer_norm"]})
		for _, d := range append(ops.Gradients(ops.Sum(y), m.Params()...), p.Updates()...) {
			require.Equal(t, tensor.Float32, d.DType())
		}
		got := floats(run(t, rt, in, ops.Target{Outputs: []*ops.Node{y}, Updates: p.Updates()})[0])
		for i := range want {
			require.InDelta(t, want[i], got[i], 0.05)
		}
		require.NotEqual(t, want, got)
	}
}

// Layers take batches of any size, and sequences of any length.
func TestSizesMayBeOpen(t *testing.T) {
	rt, g := cpu(t), ops.NewGraph("open")
	x := g.Input("x", tensor.Float32, ops.Dim("batch"), ops.Dim("length"), 4)
	m := nn.New(g, nn.Sequential{
		&nn.Sinusoidal{Length: 8, Dim: 4}, &nn.LearnedPosition{Length: 8, Dim: 4},
		&nn.Encoder{TransformerOptions: nn.TransformerOptions{Embed: 4, Heads: 2, KeyHeads: 1, Rotary: &nn.Rotary{}, RMS: true, NormFirst: true}, Layers: 1, Norm: true},
		&nn.GRU{In: 4, Hidden: 3, BatchFirst: true}, &nn.Linear{In: 3, Out: 2},
	}, nn.Options{})
	y := m.Eval().Apply(x)
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{y}})
	require.NoError(t, err)
	all := numbers(5, 1, 3, 6, 4)
	out, err := exe.Run(t.Context(), ops.Feeds{x: all})
	require.NoError(t, err)
	require.Equal(t, []int{3, 6, 2}, out[0].Shape())
	one := tensor.Must(all.Slice(0, 1, 2, 1))
	again, err := exe.Run(t.Context(), ops.Feeds{x: one})
	require.NoError(t, err)
	require.InDeltaSlice(t, floats(out[0])[12:24], floats(again[0]), 1e-5)
	short, err := exe.Run(t.Context(), ops.Feeds{x: tensor.Must(one.Slice(1, 0, 2, 1))})
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 2}, short[0].Shape())
}

func TestWeightsAreTied(t *testing.T) {
	g := ops.NewGraph("tied")
	embed := &nn.Embedding{Num: 5, Dim: 3}
	m := nn.New(g, nn.Sequential{embed, &nn.Linear{In: 3, Out: 5, NoBias: true, Tie: &embed.Weight}}, nn.Options{})
	require.Len(t, m.Params(), 1)
	y := m.Eval().Apply(g.Input("ids", tensor.Int32, 2))
	require.Equal(t, []int{2, 5}, y.Shape())
	require.NoError(t, g.Err())
}

func TestASummaryNamesLayersShapesAndParameters(t *testing.T) {
	g := ops.NewGraph("summary")
	x := g.Input("x", tensor.Float32, ops.Dim("batch"), 1, 4, 4)
	m := nn.New(g, nn.Sequential{nn.Conv2D(1, 2, 3), &nn.BatchNorm{Channels: 2}, nn.ReLU, &nn.Flatten{}, &nn.Linear{In: 8, Out: 3}}, nn.Options{})
	p := m.Eval()
	p.Apply(x)
	var b strings.Builder
	require.NoError(t, p.Summary(&b))
	require.Equal(t, strings.TrimLeft(`
layer  kind       output         parameters
0      Conv       [batch 2 2 2]  20
1      BatchNorm  [batch 2 2 2]  4
3      Flatten    [batch 8]      0
4      Linear     [batch 3]      27
51 parameters in 6 variables, 4 numbers in buffers
`, "\n"), b.String())
}

func TestMistakesInModulesAreErrorsOfTheGraph(t *testing.T) {
	x := func(g *ops.Graph) *ops.Node { return g.Input("x", tensor.Float32, 2, 3) }
	for want, build := range map[string]func(g *ops.Graph){
		"weight is [2 0]: sizes must be given": func(g *ops.Graph) { nn.New(g, &nn.Linear{Out: 2}, nn.Options{}) },
		"inner sizes differ":                   func(g *ops.Graph) { nn.New(g, &nn.Linear{In: 4, Out: 2}, nn.Options{}).Eval().Apply(x(g)) },
		"the module was not built":             func(g *ops.Graph) { (&nn.Linear{In: 3, Out: 2}).Apply(nn.New(g, nn.ReLU, nn.Options{}).Eval(), x(g)) },
		"module 1 is nil":                      func(g *ops.Graph) { nn.New(g, nn.Sequential{nn.ReLU, nil}, nn.Options{}) },
		"the module is nil":                    func(g *ops.Graph) { nn.New(g, nil, nn.Options{}) },
		"parameters are int32, not floats":     func(g *ops.Graph) { nn.New(g, nn.ReLU, nn.Options{Params: tensor.Int32}) },
		"has no method Apply":                  func(g *ops.Graph) { nn.New(g, &nn.Bilinear{In1: 1, In2: 1, Out: 1}, nn.Options{}).Eval().Apply(x(g)) },
		"heads must divide features":           func(g *ops.Graph) { nn.New(g, &nn.MultiheadAttention{Embed: 5, Heads: 2}, nn.Options{}) },
		"one to three spatial axes":            func(g *ops.Graph) { nn.New(g, &nn.Conv{In: 1, Out: 1}, nn.Options{}) },
		"2 groups do not divide":               func(g *ops.Graph) { nn.New(g, &nn.Conv{In: 3, Out: 2, Kernel: []int{1}, Groups: 2}, nn.Options{}) },
		"only an LSTM has a projection":        func(g *ops.Graph) { nn.New(g, &nn.GRU{In: 1, Hidden: 2, Projection: 1}, nn.Options{}) },
		"w is declared twice":                  func(g *ops.Graph) { nn.New(g, twice{}, nn.Options{}) },
		"is not a pointer":                     func(g *ops.Graph) { nn.New(g, struct{ A *nn.Linear }{}, nn.Options{}) },
		"queries, keys and values must be": func(g *ops.Graph) {
			nn.New(g, &nn.MultiheadAttention{Embed: 4, Heads: 2}, nn.Options{}).Eval().Apply(x(g))
		},
	} {
		g := ops.NewGraph("mistake")
		build(g)
		require.ErrorContains(t, g.Err(), want)
		require.ErrorContains(t, g.Err(), "nn/model_test.go:", want)
	}
}

type twice struct{}

func (twice) Build(s *nn.Scope) {
	s.Param("w", nn.Zeros, 1)
	s.Param("w", nn.Zeros, 1)
}

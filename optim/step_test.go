package optim_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
)

// quadratic is ½·|p - x|², of a parameter that begins as zeros: its gradient is p - x.
func quadratic(g *ops.Graph, n int) (p, x, loss *ops.Node) {
	x = g.Input("x", tensor.Float32, n)
	p = g.Variable("p", tensor.Must(tensor.New(tensor.Float32, n)))
	return p, x, ops.Mul(ops.Sum(ops.Square(ops.Sub(p, x))), 0.5)
}

func TestMicroBatchesMakeOneStepOfTheirMean(t *testing.T) {
	rt, g := cpu(t), ops.NewGraph("accumulate")
	p, x, loss := quadratic(g, 2)
	opt := optim.New(optim.SGD{LearningRate: 0.5}, []*ops.Node{p}, optim.Options{Accumulate: 3})
	exe := compile(t, rt, g, opt.Minimize(loss))
	for i, want := range []float64{0, 0, 1, 1, 1, 1.5} { // means of 1, 2, 3 and of 0, 2, 4: 2, and 2 again
		in := vector([]float32{1, 2, 3, 0, 2, 4}[i], 0)
		_, err := exe.Run(t.Context(), ops.Feeds{x: in})
		require.NoError(t, err)
		require.Equal(t, []float64{want, 0}, floats(t, p), "micro-batch %d", i)
	}
	require.Equal(t, []float64{2}, floats(t, opt.Steps()))
}

func TestAStepThatIsNotFiniteIsLeftOutAndTheScaleFalls(t *testing.T) {
	rt, g := cpu(t), ops.NewGraph("scale")
	p, x, loss := quadratic(g, 1)
	scale := &optim.LossScale{Start: 8, Interval: 2}
	opt := optim.New(optim.SGD{LearningRate: 0.5, Momentum: 0.5}, []*ops.Node{p}, optim.Options{Scale: scale})
	exe := compile(t, rt, g, opt.Minimize(loss), opt.GlobalNorm())
	inf := float32(math.Inf(1))
	for i, c := range []struct {
		x                  float32
		p, scale, momentum float64
		steps, norm        float64
	}{
		{x: 2, p: 1, scale: 8, momentum: -2, steps: 1, norm: 2},
		{x: inf, p: 1, scale: 4, momentum: -2, steps: 1, norm: math.Inf(1)},
		{x: 2, p: 2, scale: 4, momentum: -2, steps: 2, norm: 1},
		{x: 2, p: 2.5, scale: 8, momentum: -1, steps: 3, norm: 0},
		{x: float32(math.NaN()), p: 2.5, scale: 4, momentum: -1, steps: 3, norm: math.NaN()},
	} {
		out, err := exe.Run(t.Context(), ops.Feeds{x: vector(c.x)})
		require.NoError(t, err)
		require.Equal(t, []float64{c.p}, floats(t, p), "step %d", i)
		require.Equal(t, []float64{c.scale}, floats(t, scale.Value()), "step %d", i)
		require.Equal(t, []float64{c.momentum}, floats(t, opt.Variables()[3]), "step %d", i)
		require.Equal(t, []float64{c.steps}, floats(t, opt.Steps()), "step %d", i)
		require.InDelta(t, c.norm, out[0].Float64At(0), 1e-6, "step %d", i)
	}
}

// In float16 a gradient of 2⁻²⁷ is 0 where it lies between two layers: with a scaled loss the first one learns, and without it stays.
func TestAScaledLossKeepsSmallGradientsOfFloat16(t *testing.T) {
	rt := cpu(t)
	half := func(v float32, shape ...int) *tensor.Tensor {
		x := tensor.Must(tensor.New(tensor.Float16, shape...))
		for i := range x.Len() {
			x.SetFloat64(i, float64(v))
		}
		return x
	}
	learn := func(scale *optim.LossScale) []float64 {
		g := ops.NewGraph("small")
		p := g.Variable("p", tensor.Must(tensor.FromSlice([]float32{1, 1, 1, 1}, 2, 2)))
		x := g.Input("x", tensor.Float16, 2, 2)
		y := ops.MatMul(ops.MatMul(x, ops.Cast(p, tensor.Float16)), g.Const(half(0x1p-13, 2, 1)))
		loss := ops.Mul(ops.Sum(ops.Cast(y, tensor.Float32)), 0x1p-14)
		opt := optim.New(optim.SGD{LearningRate: 0x1p25}, []*ops.Node{p}, optim.Options{Scale: scale})
		exe := compile(t, rt, g, opt.Minimize(loss))
		_, err := exe.Run(t.Context(), ops.Feeds{x: half(1, 2, 2)})
		require.NoError(t, err)
		return floats(t, p)
	}
	require.Equal(t, []float64{1, 1, 1, 1}, learn(nil))
	require.Equal(t, []float64{0.5, 0.5, 0.5, 0.5}, learn(&optim.LossScale{}))
}

func TestAveragesFollowTheParameters(t *testing.T) {
	rt, g := cpu(t), ops.NewGraph("average")
	p, x, loss := quadratic(g, 1)
	swa := &optim.Average{Start: 1, Every: 2}
	opt := optim.New(optim.SGD{LearningRate: 1}, []*ops.Node{p}, optim.Options{Average: swa})
	exe := compile(t, rt, g, opt.Minimize(loss))
	q := g.Variable("q", vector(0))
	ema := &optim.Average{Decay: 0.75}
	other := optim.New(optim.SGD{LearningRate: 1}, []*ops.Node{q}, optim.Options{Average: ema})
	exe2 := compile(t, rt, g, other.Minimize(ops.Mul(ops.Sum(ops.Square(ops.Sub(q, x))), 0.5)))
	mean, decayed := []float64{0, 4, 4, 6}, []float64{2, 2.5, 1.875, 3.40625}
	for i, v := range []float32{2, 4, 0, 8} { // the parameter becomes what it is fed
		for _, e := range []*ops.Executable{exe, exe2} {
			_, err := e.Run(t.Context(), ops.Feeds{x: vector(v)})
			require.NoError(t, err)
		}
		require.Equal(t, []float64{mean[i]}, floats(t, swa.Values()[0]), "step %d", i)
		require.Equal(t, []float64{decayed[i]}, floats(t, ema.Values()[0]), "step %d", i)
	}
	require.NoError(t, swa.Swap(t.Context()))
	require.Equal(t, []float64{6}, floats(t, p))
	require.NoError(t, swa.Swap(t.Context()))
	require.Equal(t, []float64{8}, floats(t, p))
}

// ending is a context that ends after some looks at it.
type ending struct {
	context.Context
	looks int
}

func (e *ending) Err() error {
	if e.looks--; e.looks < 0 {
		return context.Canceled
	}
	return nil
}

func TestParametersAndAveragesAreExchangedAllOrNotAtAll(t *testing.T) {
	for looks := range 20 {
		g := ops.NewGraph("average")
		p, q := g.Variable("p", vector(1)), g.Variable("q", vector(2))
		a := &optim.Average{}
		optim.New(optim.SGD{}, []*ops.Node{p, q}, optim.Options{Average: a})
		want := []float64{0, 0}
		if err := a.Swap(&ending{t.Context(), looks}); err != nil {
			require.ErrorIs(t, err, context.Canceled)
			want = []float64{1, 2}
		}
		require.Equal(t, want, append(floats(t, p), floats(t, q)...), "after %d looks", looks)
	}
}

func TestAnAverageIsOfTheOptimizerThatHadItLast(t *testing.T) {
	rt, g := cpu(t), ops.NewGraph("again")
	p, _, loss := quadratic(g, 1)
	a := &optim.Average{}
	var opt *optim.Optimizer
	for range 2 {
		opt = optim.New(optim.SGD{}, []*ops.Node{p}, optim.Options{Average: a})
	}
	require.Len(t, a.Values(), 1)
	compile(t, rt, g, opt.Minimize(loss))
}

func TestGroupsHaveRulesOfTheirOwn(t *testing.T) {
	rt, g := cpu(t), ops.NewGraph("groups")
	x := g.Input("x", tensor.Float32, 1)
	var params []*ops.Node
	var sum *ops.Node
	for _, name := range []string{"a", "b", "c"} {
		p := g.Variable(name, vector(1))
		params = append(params, p)
		if y := ops.Sum(ops.Mul(p, x)); sum == nil {
			sum = y
		} else {
			sum = ops.Add(sum, y)
		}
	}
	factor := g.Input("factor", tensor.Float32)
	opt := optim.New(optim.SGD{LearningRate: 0.5}, params, optim.Options{Factor: factor, Groups: []optim.Group{
		{Params: params[1:2], Rule: optim.SGD{LearningRate: 0.25, WeightDecay: 1}},
		{Params: params[2:], Rule: optim.Adam{LearningRate: 1}},
	}})
	exe := compile(t, rt, g, opt.Minimize(sum), opt.Rate())
	out, err := exe.Run(t.Context(), ops.Feeds{x: vector(1), factor: tensor.Scalar(float32(0.5))})
	require.NoError(t, err)
	require.Equal(t, 0.25, out[0].Float64At(0))
	require.Equal(t, []float64{0.75}, floats(t, params[0]))
	require.Equal(t, []float64{0.75}, floats(t, params[1])) // 1 - 0.125·(1 + 1)
	require.InDelta(t, 0.5, floats(t, params[2])[0], 1e-6)
	var names []string
	for _, v := range opt.Variables() {
		names = append(names, v.Name())
	}
	require.Equal(t, []string{"optim.step", "adam.m.c", "adam.v.c"}, names)
}

// The gradient of each parameter is shortened to the norm, and what is shorter stays.
func TestNormsOfSingleParametersAreClipped(t *testing.T) {
	rt, g := cpu(t), ops.NewGraph("clip")
	p, x, loss := quadratic(g, 2)
	opt := optim.New(optim.SGD{LearningRate: 1}, []*ops.Node{p}, optim.Options{ClipNorm: 1})
	exe := compile(t, rt, g, opt.Minimize(loss))
	_, err := exe.Run(t.Context(), ops.Feeds{x: vector(3, 4)})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{0.6, 0.8}, floats(t, p), 1e-5)
	_, err = exe.Run(t.Context(), ops.Feeds{x: vector(0.5, 0.8)})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{0.5, 0.8}, floats(t, p), 1e-5)
}

// State of 16-bit parameters is float32, so that small steps add up in it.
func TestParametersOf16BitsKeepTheirStateInFloat32(t *testing.T) {
	rt, g := cpu(t), ops.NewGraph("half")
	p := g.Variable("p", tensor.Must(tensor.FromSlice([]tensor.Half{tensor.HalfFrom(1)})))
	opt := optim.New(optim.Adam{LearningRate: 0.125}, []*ops.Node{p}, optim.Options{})
	exe := compile(t, rt, g, opt.Minimize(ops.Sum(p)))
	for _, v := range opt.Variables()[1:] {
		require.Equal(t, tensor.Float32, v.DType())
	}
	_, err := exe.Run(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, []float64{0.875}, floats(t, p))
	require.InDelta(t, 0.1, floats(t, opt.Variables()[1])[0], 1e-7)
}

func TestWarmUpsAndSequencesGoFromOneScheduleToTheNext(t *testing.T) {
	rt, g := cpu(t), ops.NewGraph("schedules")
	step := g.Input("step", tensor.Int64)
	exe := compile(t, rt, g, nil,
		optim.WarmUp(4, optim.Polynomial(4, 1))(step),
		optim.WarmUp(4, nil)(step),
		optim.Sequence([]optim.Schedule{optim.Constant(0.5), optim.Exponential(0.5)}, 2)(step),
		optim.CosineRestarts(2, 3, 0.5)(step),
	)
	for i, want := range [][]float64{
		{0.25, 0.25, 0.5, 1}, {0.5, 0.5, 0.5, 0.75}, {0.75, 0.75, 1, 1}, {1, 1, 0.5, 0.966506}, {1, 1, 0.25, 0.875}, {0.75, 1, 0.125, 0.75},
	} {
		out, err := exe.Run(t.Context(), ops.Feeds{step: tensor.Scalar(int64(i))})
		require.NoError(t, err)
		for k, v := range want {
			require.InDelta(t, v, out[k].Float64At(0), 1e-6, "schedule %d, step %d", k, i)
		}
	}
}

func TestAPlateauReducesTheRate(t *testing.T) {
	g := ops.NewGraph("plateau")
	p := optim.NewPlateau(g, optim.PlateauOptions{By: 0.5, Patience: 1, Cooldown: 1, Least: 0.2})
	factor := 1.0
	for i, c := range []struct {
		metric float64
		want   float64
	}{{3, 1}, {2, 1}, {2, 1}, {math.NaN(), 0.5}, {5, 0.5}, {5, 0.5}, {5, 0.25}, {1, 0.25}, {1, 0.25}, {1, 0.2}, {1, 0.2}, {1, 0.2}, {1, 0.2}} {
		reduced, err := p.Observe(t.Context(), c.metric)
		require.NoError(t, err)
		require.Equal(t, c.want != factor, reduced, "value %d", i)
		factor = c.want
		require.InDelta(t, c.want, floats(t, p.Factor())[0], 1e-7, "value %d", i)
	}
	again := optim.NewPlateau(ops.NewGraph("again"), optim.PlateauOptions{})
	require.NoError(t, again.Restore(t.Context(), p.State()))
	require.Equal(t, p.State(), again.State())
	require.InDelta(t, 0.2, floats(t, again.Factor())[0], 1e-7)
}

func TestMistakesInTrainingAreErrorsOfTheGraph(t *testing.T) {
	rt := cpu(t)
	for want, build := range map[string]func(g *ops.Graph, p, x *ops.Node) []*ops.Node{
		"there are no parameters": func(_ *ops.Graph, p, _ *ops.Node) []*ops.Node {
			return optim.New(optim.SGD{}, nil, optim.Options{}).Minimize(ops.Sum(p))
		},
		"parameter 0 is x float32[1] at": func(_ *ops.Graph, p, x *ops.Node) []*ops.Node {
			return optim.New(optim.SGD{}, []*ops.Node{x}, optim.Options{}).Minimize(ops.Sum(p))
		},
		"is given twice": func(_ *ops.Graph, p, _ *ops.Node) []*ops.Node {
			return optim.New(optim.SGD{}, []*ops.Node{p, p}, optim.Options{}).Minimize(ops.Sum(p))
		},
		"parameter 0 is nil": func(_ *ops.Graph, p, _ *ops.Node) []*ops.Node {
			return optim.New(optim.SGD{}, []*ops.Node{nil}, optim.Options{}).Minimize(ops.Sum(p))
		},
		"adam: beta1 1 is outside [0, 1)": func(_ *ops.Graph, p, _ *ops.Node) []*ops.Node {
			return optim.New(optim.Adam{Beta1: 1}, []*ops.Node{p}, optim.Options{}).Minimize(ops.Sum(p))
		},
		"learning rate -1 is negative or not finite": func(_ *ops.Graph, p, _ *ops.Node) []*ops.Node {
			return optim.New(optim.Lion{LearningRate: -1}, []*ops.Node{p}, optim.Options{}).Minimize(ops.Sum(p))
		},
		"it looks ahead along a momentum": func(_ *ops.Graph, p, _ *ops.Node) []*ops.Node {
			return optim.New(optim.SGD{Nesterov: true}, []*ops.Node{p}, optim.Options{}).Minimize(ops.Sum(p))
		},
		"group 0 has no rule": func(_ *ops.Graph, p, _ *ops.Node) []*ops.Node {
			return optim.New(nil, []*ops.Node{p}, optim.Options{}).Minimize(ops.Sum(p))
		},
		"y must be a scalar float": func(_ *ops.Graph, p, _ *ops.Node) []*ops.Node {
			return optim.New(optim.SGD{}, []*ops.Node{p}, optim.Options{}).Minimize(p)
		},
		"the loss is nil": func(_ *ops.Graph, p, _ *ops.Node) []*ops.Node {
			return optim.New(optim.SGD{}, []*ops.Node{p}, optim.Options{}).Minimize(nil)
		},
		"2 gradients for 1 parameters": func(_ *ops.Graph, p, _ *ops.Node) []*ops.Node {
			return optim.New(optim.SGD{}, []*ops.Node{p}, optim.Options{}).Apply([]*ops.Node{p, p})
		},
		"loss scale: growth 0.5 is below 1": func(_ *ops.Graph, p, _ *ops.Node) []*ops.Node {
			return optim.New(optim.SGD{}, []*ops.Node{p}, optim.Options{Scale: &optim.LossScale{Growth: 0.5}}).Minimize(ops.Sum(p))
		},
	} {
		g := ops.NewGraph("mistake")
		p, x := g.Variable("p", vector(1)), g.Input("x", tensor.Float32, 1)
		_, err := g.Compile(t.Context(), rt, ops.Target{Updates: build(g, p, x)})
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "optim/step_test.go:", want)
	}
}

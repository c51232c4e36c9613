package ops

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/tensor"
)

// bowl is a graph with a variable p, starting at start, and the loss
// Σ c·(p - 1)², whose derivative is 2c·(p - 1).
func bowl(t *testing.T, dt tensor.DType, c float64, start ...float64) (g *Graph, p, loss *Node) {
	t.Helper()
	g = NewGraph("bowl")
	init := tensor.Must(tensor.Cast(tensor.Must(tensor.FromSlice(start)), dt))
	p = g.Variable("p", init)
	d := Sub(p, ScalarLike(p, 1))
	return g, p, Sum(Mul(ScalarLike(p, c), Square(d)))
}

// steps runs the updates n times and returns the variable.
func steps(t *testing.T, g *Graph, p *Node, updates []*Node, feeds ...Feeds) []float64 {
	t.Helper()
	exe, err := g.Compile(t.Context(), cpuOnly(t), Target{Updates: updates})
	require.NoError(t, err)
	for _, f := range feeds {
		_, err = exe.Run(t.Context(), f)
		require.NoError(t, err)
	}
	require.NoError(t, exe.Close())
	v, err := Value(t.Context(), p)
	require.NoError(t, err)
	out := make([]float64, v.Len())
	for i := range out {
		out[i] = v.Float64At(i)
	}
	return out
}

func TestSGDFollowsItsFormula(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]SGDOptions{
		"plain":    {LearningRate: 0.1},
		"default":  {},
		"decay":    {LearningRate: 0.1, WeightDecay: 0.3},
		"momentum": {LearningRate: 0.05, Momentum: 0.9, WeightDecay: 0.1},
		"nesterov": {LearningRate: 0.05, Momentum: 0.9, Nesterov: true},
	} {
		g, p, loss := bowl(t, tensor.Float64, 0.5, 3, -2, 0)
		got := steps(t, g, p, SGD(loss, []*Node{p}, o), make([]Feeds, 5)...)
		rate := o.LearningRate
		if rate == 0 {
			rate = 0.01
		}
		for i, x := range []float64{3, -2, 0} {
			v := 0.0
			for range 5 {
				d := x - 1 + o.WeightDecay*x
				v = o.Momentum*v + d
				if o.Nesterov {
					x -= rate * (d + o.Momentum*v)
				} else {
					x -= rate * v
				}
			}
			assert.InDelta(t, x, got[i], 1e-14, "%s: element %d", name, i)
		}
	}
}

func TestAdamFollowsItsFormula(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]AdamOptions{
		"default": {},
		"options": {LearningRate: 0.1, Beta1: 0.8, Beta2: 0.95, Epsilon: 1e-3, WeightDecay: 0.2},
	} {
		g, p, loss := bowl(t, tensor.Float64, 0.5, 3, -2, 0)
		got := steps(t, g, p, Adam(loss, []*Node{p}, o), make([]Feeds, 7)...)
		rate, b1, b2, eps := 0.001, 0.9, 0.999, 1e-8
		if name == "options" {
			rate, b1, b2, eps = o.LearningRate, o.Beta1, o.Beta2, o.Epsilon
		}
		for i, x := range []float64{3, -2, 0} {
			m, v := 0.0, 0.0
			for n := range 7 {
				d := x - 1
				m, v = b1*m+(1-b1)*d, b2*v+(1-b2)*d*d
				t := float64(n + 1)
				x -= rate * (m/(1-math.Pow(b1, t))/(math.Sqrt(v/(1-math.Pow(b2, t)))+eps) + o.WeightDecay*x)
			}
			assert.InDelta(t, x, got[i], 1e-12, "%s: element %d", name, i)
		}
	}
}

func TestAScheduleTakesThePlaceOfTheLearningRate(t *testing.T) {
	t.Parallel()
	g, p, loss := bowl(t, tensor.Float64, 0.5, 3)
	rate := g.Input("rate", tensor.Float32)
	updates := SGD(loss, []*Node{p}, SGDOptions{LearningRate: 99, Schedule: rate})
	feed := func(v float32) Feeds { return Feeds{rate: tensor.Scalar(v)} }
	got := steps(t, g, p, updates, feed(0.5), feed(0.25), feed(0))
	require.Equal(t, []float64{1.75}, got) // 3 → 3 - 2·0.5 → 2 - 1·0.25
}

func TestParametersOf16BitsKeepTheirStateInFloat32(t *testing.T) {
	t.Parallel()
	for _, dt := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		g, p, loss := bowl(t, dt, 0.5, 3, -2)
		updates := Adam(loss, []*Node{p}, AdamOptions{LearningRate: 0.125})
		require.NoError(t, g.Err())
		names := map[string]tensor.DType{}
		for _, u := range updates {
			names[u.in[0].label()] = u.in[0].dtype
		}
		require.Equal(t, map[string]tensor.DType{"adam.step": tensor.Int64, "p.m": tensor.Float32, "p.v": tensor.Float32, "p": dt}, names)
		got := steps(t, g, p, updates, nil)
		require.Equal(t, []float64{2.875, -1.875}, got) // the first step of Adam is the rate
	}
}

func TestWrongTrainingNamesTheOptimiserAndTheLine(t *testing.T) {
	t.Parallel()
	for want, call := range map[string]func(g *Graph, p, loss *Node){
		"there are no parameters": func(g *Graph, _, loss *Node) { SGD(loss, nil, SGDOptions{}) },
		"not a variable":          func(g *Graph, p, loss *Node) { SGD(loss, []*Node{Square(p)}, SGDOptions{}) },
		"is given twice":          func(g *Graph, p, loss *Node) { SGD(loss, []*Node{p, p}, SGDOptions{}) },
		"learning rate -1":        func(g *Graph, p, loss *Node) { SGD(loss, []*Node{p}, SGDOptions{LearningRate: -1}) },
		"momentum 1 is outside [0, 1)": func(g *Graph, p, loss *Node) {
			SGD(loss, []*Node{p}, SGDOptions{Momentum: 1})
		},
		"momentum is 0, and Nesterov": func(g *Graph, p, loss *Node) { SGD(loss, []*Node{p}, SGDOptions{Nesterov: true}) },
		"y must be a scalar float":    func(g *Graph, p, loss *Node) { SGD(p, []*Node{p}, SGDOptions{}) },
		"the schedule is float32[2]": func(g *Graph, p, loss *Node) {
			SGD(loss, []*Node{p}, SGDOptions{Schedule: g.Input("rate", tensor.Float32, 2)})
		},
		"operands belong to two graphs": func(g *Graph, p, loss *Node) {
			SGD(loss, []*Node{p, NewGraph("other").Variable("q", tensor.Scalar[float32](1))}, SGDOptions{})
		},
		"only floats have derivatives": func(g *Graph, p, loss *Node) {
			SGD(loss, []*Node{g.Variable("k", tensor.Scalar[int32](1))}, SGDOptions{})
		},
	} {
		g, p, loss := bowl(t, tensor.Float32, 1, 2, 3)
		call(g, p, loss)
		require.Error(t, g.Err(), want)
		assert.Contains(t, g.Err().Error(), "\n  sgd at ops/optimizer_test.go:")
		assert.Contains(t, g.Err().Error(), want)
	}
	for want, o := range map[string]AdamOptions{
		"beta1 1 is outside":                         {Beta1: 1},
		"beta2 -0.5 is outside":                      {Beta2: -0.5},
		"epsilon -1 is negative or not finite":       {Epsilon: -1},
		"weight decay NaN is negative or not finite": {WeightDecay: math.NaN()},
		"learning rate +Inf":                         {LearningRate: math.Inf(1)},
	} {
		g, p, loss := bowl(t, tensor.Float32, 1, 2, 3)
		Adam(loss, []*Node{p}, o)
		require.Error(t, g.Err(), want)
		assert.Contains(t, g.Err().Error(), "\n  adam at ops/optimizer_test.go:")
		assert.Contains(t, g.Err().Error(), want)
	}
}

package optim_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
)

// number is element i of tensor k, in [-1, 1), as in nn/testdata/generate.py.
func number(k, i int) float64 {
	s := math.Sin(float64(i+1)*12.9898+float64(k+1)*78.233) * 43758.5453
	return 2*(s-math.Floor(s)) - 1
}

func numbers(k int, scale float64, shape ...int) *tensor.Tensor {
	t := tensor.Must(tensor.New(tensor.Float32, shape...))
	for i := range t.Len() {
		t.SetFloat64(i, scale*number(k, i))
	}
	return t
}

func labels() *tensor.Tensor {
	t := tensor.Must(tensor.New(tensor.Int32, 16))
	for i := range t.Len() {
		t.SetFloat64(i, math.Floor((number(120, i)+1)/2*3))
	}
	return t
}

// network is the small network of testdata/rules.json.
func network(g *ops.Graph, x, label *ops.Node, prefix string) (*nn.Model, *ops.Node) {
	w := map[string]*tensor.Tensor{}
	for k, shape := range [][]int{{8, 4}, {8}, {3, 8}, {3}} {
		w[prefix+[]string{"0.weight", "0.bias", "2.weight", "2.bias"}[k]] = numbers(k, 0.4, shape...)
	}
	body := nn.Sequential{&nn.Linear{In: 4, Out: 8}, nn.Tanh, &nn.Linear{In: 8, Out: 3}}
	m := nn.New(g, &named{prefix, body}, nn.Options{Weights: w})
	return m, ops.CrossEntropy(m.Train().Apply(x), label)
}

// named has the parameters of its body behind a prefix that ends with a dot.
type named struct {
	prefix string
	nn.Module
}

func (n *named) Build(s *nn.Scope) {
	if n.prefix == "" {
		n.Module.(nn.Builder).Build(s)
		return
	}
	s.Child(n.prefix[:len(n.prefix)-1], n.Module)
}

type trial struct {
	rule    optim.Rule
	options optim.Options
}

// trials are the trainings of testdata/rules.json.
func trials() map[string]trial {
	sgd := optim.SGD{LearningRate: 0.1}
	scheduled := func(s optim.Schedule) trial { return trial{sgd, optim.Options{Schedule: s}} }
	rule := func(r optim.Rule) trial { return trial{r, optim.Options{}} }
	return map[string]trial{
		"sgd":                    rule(sgd),
		"sgd momentum dampening": rule(optim.SGD{LearningRate: 0.1, Momentum: 0.9, Dampening: 0.5, WeightDecay: 0.01}),
		"sgd nesterov":           rule(optim.SGD{LearningRate: 0.05, Momentum: 0.9, Nesterov: true}),
		"adam":                   rule(optim.Adam{}),
		"adam decay":             rule(optim.Adam{LearningRate: 0.01, Beta1: 0.8, Beta2: 0.99, Epsilon: 1e-6, WeightDecay: 0.01}),
		"adam amsgrad":           rule(optim.Adam{LearningRate: 0.01, AMSGrad: true}),
		"adamw":                  rule(optim.AdamW{LearningRate: 0.01}),
		"adamw amsgrad":          rule(optim.AdamW{LearningRate: 0.01, WeightDecay: 0.1, AMSGrad: true}),
		"adamax":                 rule(optim.Adamax{}),
		"nadam":                  rule(optim.NAdam{WeightDecay: 0.01}),
		"radam":                  rule(optim.RAdam{LearningRate: 0.01}),
		"rmsprop":                rule(optim.RMSProp{LearningRate: 0.001}),
		"rmsprop centered":       rule(optim.RMSProp{LearningRate: 0.001, Momentum: 0.5, Centered: true, WeightDecay: 0.01}),
		"adagrad":                rule(optim.Adagrad{LearningRate: 0.05, RateDecay: 0.01, Start: 0.1}),
		"adadelta":               rule(optim.Adadelta{WeightDecay: 0.01}),
		"lamb":                   rule(optim.LAMB{LearningRate: 0.005, WeightDecay: 0.01}),
		"lion":                   rule(optim.Lion{LearningRate: 0.001, WeightDecay: 0.1}),
		"adafactor":              rule(optim.Adafactor{WeightDecay: 0.01}),
		"step":                   scheduled(optim.Steps(30, 0.5)),
		"multistep":              scheduled(optim.MultiStep(0.3, 20, 50)),
		"exponential":            scheduled(optim.Exponential(0.98)),
		"cosine":                 scheduled(optim.Cosine(100, 0.1)),
		"cosine restarts":        scheduled(optim.CosineRestarts(20, 2, 0)),
		"one cycle":              scheduled(optim.OneCycle(101, 0, 0, 0)),
		"linear":                 scheduled(optim.Linear(40, 0.25, 1)),
		"polynomial":             scheduled(optim.Polynomial(80, 2)),
		"clip global norm":       {sgd, optim.Options{ClipGlobalNorm: 0.05}},
		"clip value":             {sgd, optim.Options{ClipValue: 0.01}},
	}
}

// All rules, schedules and clips give the losses that PyTorch's give, all in one graph.
func TestRulesFollowPyTorch(t *testing.T) {
	data, err := os.ReadFile("testdata/rules.json")
	require.NoError(t, err)
	var want map[string][]float64
	require.NoError(t, json.Unmarshal(data, &want))
	all := trials()
	names := slices.Sorted(maps.Keys(all))
	require.Equal(t, slices.Sorted(maps.Keys(want)), names)
	for _, device := range []string{"none", ""} {
		t.Run(fmt.Sprintf("device %q", device), func(t *testing.T) {
			rt, err := ops.Open(t.Context(), &ops.Options{Device: device})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, rt.Close()) })
			if device == "" && rt.Device() == nil {
				t.Skip("no OpenCL device: " + rt.Why())
			}
			g := ops.NewGraph("rules")
			x, label := g.Input("x", tensor.Float32, 16, 4), g.Input("label", tensor.Int32, 16)
			var target ops.Target
			for i, name := range names {
				m, loss := network(g, x, label, fmt.Sprint("net", i, "."))
				opt := optim.New(all[name].rule, m.Params(), all[name].options)
				target.Outputs = append(target.Outputs, loss)
				target.Updates = append(target.Updates, opt.Minimize(loss)...)
			}
			exe, err := g.Compile(t.Context(), rt, target)
			require.NoError(t, err)
			for step := range 101 {
				out, err := exe.Run(t.Context(), ops.Feeds{x: numbers(121, 1, 16, 4), label: labels()})
				require.NoError(t, err)
				for i, name := range names {
					if step%20 == 0 {
						require.InEpsilon(t, want[name][step/20], out[i].Float64At(0), 1e-4, "%s, step %d", name, step)
					}
				}
			}
		})
	}
}

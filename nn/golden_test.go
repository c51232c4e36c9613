package nn_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
)

// number is element i of tensor k, in [-1, 1), as in testdata/generate.py.
func number(k, i int) float64 {
	s := math.Sin(float64(i+1)*12.9898+float64(k+1)*78.233) * 43758.5453
	return 2*(s-math.Floor(s)) - 1
}

// numbers is tensor k.
func numbers(k int, scale float64, shape ...int) *tensor.Tensor {
	t := tensor.Must(tensor.New(tensor.Float32, shape...))
	for i := range t.Len() {
		t.SetFloat64(i, scale*number(k, i))
	}
	return t
}

// labels are integers below most.
func labels(k, most int, shape ...int) *tensor.Tensor {
	t := tensor.Must(tensor.New(tensor.Int32, shape...))
	for i := range t.Len() {
		t.SetFloat64(i, math.Floor((number(k, i)+1)/2*float64(most)))
	}
	return t
}

// weights are the parameters of names and shapes, below prefix.
func weights(t *testing.T, prefix string, params [][2]any, scale float64) map[string]*tensor.Tensor {
	t.Helper()
	all := map[string]*tensor.Tensor{}
	for k, p := range params {
		name := p[0].(string)
		var shape []int
		for _, d := range p[1].([]any) {
			shape = append(shape, int(d.(float64)))
		}
		w := numbers(k, scale, shape...)
		if strings.HasSuffix(name, "weight") && len(shape) == 1 {
			for i := range w.Len() {
				w.SetFloat64(i, 1+scale*number(k, i))
			}
		}
		all[prefix+name] = w
	}
	return all
}

// golden reads the results of PyTorch.
func golden[T any](t *testing.T, path string) map[string]T {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var all map[string]T
	require.NoError(t, json.Unmarshal(data, &all))
	return all
}

// onEngines runs f on the CPU path and on the best device.
func onEngines(t *testing.T, f func(t *testing.T, rt *ops.Runtime)) {
	for _, device := range []string{"none", ""} {
		name := "device"
		if device != "" {
			name = "cpu path"
		}
		t.Run(name, func(t *testing.T) {
			rt, err := ops.Open(t.Context(), &ops.Options{Device: device})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, rt.Close()) })
			if device == "" && rt.Device() == nil {
				t.Skip("no OpenCL device: " + rt.Why())
			}
			f(t, rt)
		})
	}
}

// sameParams checks that the model has the parameters of PyTorch's module, in its order.
func sameParams(t *testing.T, m *nn.Model, params [][2]any) {
	t.Helper()
	var want, got []string
	for _, p := range params {
		shape, _ := json.Marshal(p[1])
		want = append(want, p[0].(string)+" "+string(shape))
	}
	for _, p := range m.Params() {
		shape, _ := json.Marshal(p.Shape())
		if p.Rank() == 0 {
			shape = []byte("[]")
		}
		got = append(got, p.Name()+" "+string(shape))
	}
	require.Equal(t, want, got)
}

type lstmClassifier struct {
	LSTM *nn.LSTM
	Head *nn.Linear
}

func (c *lstmClassifier) Apply(p *nn.Pass, x *ops.Node) *ops.Node {
	return c.Head.Apply(p, ops.Mean(c.LSTM.Apply(p, x), 1))
}

type transformerClassifier struct {
	Embed   nn.Linear
	Encoder *nn.Encoder
	Head    *nn.Linear
}

func (c *transformerClassifier) Apply(p *nn.Pass, x *ops.Node) *ops.Node {
	return c.Head.Apply(p, ops.Mean(c.Encoder.Apply(p, c.Embed.Apply(p, x)), 1))
}

// Networks learn the same as PyTorch's, from the same weights: losses of 100 steps of Adam, and in inference behind them.
func TestTrainingFollowsPyTorch(t *testing.T) {
	type result struct {
		Params [][2]any
		Losses []float64
	}
	all := golden[result](t, "testdata/training.json")
	y := labels(120, 3, 16)
	onEngines(t, func(t *testing.T, rt *ops.Runtime) {
		for name, c := range map[string]struct {
			module nn.Module
			x      *tensor.Tensor
		}{
			"mlp": {nn.Sequential{&nn.Linear{In: 4, Out: 8}, nn.Tanh, &nn.Linear{In: 8, Out: 3}}, numbers(121, 1, 16, 4)},
			"cnn": {nn.Sequential{
				&nn.Conv{In: 1, Out: 3, Kernel: []int{3, 3}, Pad: []int{1}, NoBias: true}, &nn.BatchNorm{Channels: 3}, nn.ReLU,
				&nn.MaxPool{Size: []int{2, 2}}, &nn.Flatten{}, &nn.Linear{In: 12, Out: 3},
			}, numbers(122, 1, 16, 1, 4, 4)},
			"lstm": {&lstmClassifier{&nn.LSTM{In: 4, Hidden: 6, BatchFirst: true}, &nn.Linear{In: 6, Out: 3}}, numbers(123, 1, 16, 5, 4)},
			"transformer": {&transformerClassifier{
				nn.Linear{In: 4, Out: 8},
				&nn.Encoder{TransformerOptions: nn.TransformerOptions{Embed: 8, Heads: 2, Hidden: 16}, Layers: 2},
				&nn.Linear{In: 8, Out: 3},
			}, numbers(123, 1, 16, 5, 4)},
		} {
			t.Run(name, func(t *testing.T) {
				want := all[name]
				g := ops.NewGraph(name)
				shape := c.x.Shape()
				x, label := g.Input("x", tensor.Float32, shape...), g.Input("label", tensor.Int32, 16)
				m := nn.New(g, c.module, nn.Options{Weights: weights(t, "", want.Params, 0.4)})
				sameParams(t, m, want.Params)
				train := m.Train()
				loss := ops.CrossEntropy(train.Apply(x), label)
				opt := optim.New(optim.Adam{LearningRate: 0.003}, m.Params(), optim.Options{})
				step, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{loss}, Updates: append(opt.Minimize(loss), train.Updates()...)})
				require.NoError(t, err)
				eval, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{ops.CrossEntropy(m.Eval().Apply(x), label)}})
				require.NoError(t, err)
				feeds := ops.Feeds{x: c.x, label: y}
				for i := range 101 {
					exe := step
					if i == 100 {
						exe = eval
					}
					out, err := exe.Run(t.Context(), feeds)
					require.NoError(t, err)
					if i%20 == 0 {
						require.InEpsilon(t, want.Losses[i/20], out[0].Float64At(0), 1e-4, "step %d", i)
					}
				}
			})
		}
	})
}

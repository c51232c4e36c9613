package optim_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/nn"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
)

// deep is a network of 20 linear layers.
func deep(g *ops.Graph) (*nn.Model, *ops.Node) {
	x := g.Input("x", tensor.Float32, 8, 16)
	var body nn.Sequential
	for range 20 {
		body = append(body, &nn.Linear{In: 16, Out: 16}, nn.Tanh)
	}
	m := nn.New(g, body, nn.Options{Seed: 3})
	return m, ops.Mean(ops.Square(m.Train().Apply(x)))
}

var tasks = regexp.MustCompile(`(\d+) tasks`)

// The update of a parameter, with all of its state, is one task, and what all parameters share is but a few.
func TestAStepIsOneTaskForEachParameter(t *testing.T) {
	rt := cpu(t)
	count := func(o *optim.Options) int {
		g := ops.NewGraph("deep")
		m, loss := deep(g)
		target := ops.Target{Outputs: append(ops.Gradients(loss, m.Params()...), loss)}
		if o != nil {
			target = ops.Target{Outputs: []*ops.Node{loss}, Updates: optim.New(optim.AdamW{}, m.Params(), *o).Minimize(loss)}
		}
		exe, err := g.Compile(t.Context(), rt, target)
		require.NoError(t, err)
		n, err := strconv.Atoi(tasks.FindStringSubmatch(exe.Explain())[1])
		require.NoError(t, err)
		return n
	}
	gradients := count(nil)
	for _, c := range []struct {
		name string
		o    optim.Options
		most int // tasks for each parameter
	}{
		{"plain", optim.Options{}, 1},
		{"scheduled", optim.Options{Schedule: optim.WarmUp(10, optim.Cosine(100, 0))}, 1},
		{"average", optim.Options{Average: &optim.Average{Decay: 0.99}}, 1},
		{"clip", optim.Options{ClipGlobalNorm: 1}, 2},
		{"scale", optim.Options{Scale: &optim.LossScale{}}, 2},
	} {
		n := count(&c.o) - gradients
		require.LessOrEqual(t, n, 40*c.most+8, c.name)
	}
}

// A step of training allocates nothing once it is under way, whatever the optimiser does beside.
func TestAStepAllocatesNothing(t *testing.T) {
	rt := cpu(t)
	g := ops.NewGraph("steady")
	x, label := g.Input("x", tensor.Float32, 16, 4), g.Input("label", tensor.Int32, 16)
	m, loss := network(g, x, label, "")
	opt := optim.New(optim.AdamW{}, m.Params(), optim.Options{
		Schedule: optim.WarmUp(10, optim.Cosine(100, 0)), ClipGlobalNorm: 1, Accumulate: 2, Scale: &optim.LossScale{}, Average: &optim.Average{Decay: 0.9},
	})
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{loss}, Updates: opt.Minimize(loss), Fixed: true})
	require.NoError(t, err)
	feeds, out := ops.Feeds{x: numbers(121, 1, 16, 4), label: labels()}, []*tensor.Tensor{tensor.Scalar(float32(0))}
	step := func() { require.NoError(t, exe.RunInto(t.Context(), feeds, out)) }
	for range 5 {
		step()
	}
	require.Zero(t, testing.AllocsPerRun(50, step))
}

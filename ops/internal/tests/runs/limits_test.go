package runs_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/optim"
	"github.com/anycl/anycl/tensor"
)

// narrow is the CPU path with the limits of a device whose kernels take few arguments.
type narrow struct {
	*fallback.Engine
	buffers int
}

func (n narrow) Name() string { return "narrow" }
func (n narrow) Traits() engine.Traits {
	t := n.Engine.Traits()
	t.Buffers = n.buffers
	return t
}
func (n narrow) Check(t *engine.Task) error {
	if k := len(t.Ins) + len(t.Outs); k > n.buffers && t.Kind != engine.Routine {
		return &engine.UnsupportedError{Engine: "narrow", Task: t.String(), Why: fmt.Sprintf("%d buffers, not %d", k, n.buffers), Limit: true}
	}
	return n.Engine.Check(t)
}

func newNarrow(t *testing.T, buffers int) narrow {
	e := fallback.New(nil)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return narrow{e, buffers}
}

// The tasks of any graph fit an engine that takes few buffers, and compute the same.
func TestTasksKeepToTheBuffersOfAnEngine(t *testing.T) {
	t.Parallel()
	input := func(g *Graph, f Feeds, shape ...int) *Node {
		x, v := g.Input(fmt.Sprint("x", len(f)), tensor.Float32, shape...), tensor.Must(tensor.New(tensor.Float32, shape...))
		for k := range v.Len() {
			v.SetFloat64(k, float64(1+(len(f)*7+k*3)%11)/8)
		}
		f[x] = v
		return x
	}
	inputs := func(g *Graph, f Feeds, n int, shape ...int) (xs []*Node) {
		for range n {
			xs = append(xs, input(g, f, shape...))
		}
		return xs
	}
	sum := func(xs []*Node) *Node {
		y := xs[0]
		for _, x := range xs[1:] {
			y = Add(y, x)
		}
		return y
	}
	graphs := map[string]func(g *Graph, f Feeds) ([]*Node, []*Node){
		"derivative of a long chain": func(g *Graph, f Feeds) ([]*Node, []*Node) {
			x := input(g, f, 20)
			y := x
			for i := 70; i >= 1; i-- { // x + 1/(x + 2/(x + ...
				y = Add(x, Div(ScalarLike(x, float64(i)), y))
			}
			return []*Node{y, Gradients(Sum(y), x)[0]}, nil
		},
		"sum of many": func(g *Graph, f Feeds) ([]*Node, []*Node) { return []*Node{sum(inputs(g, f, 200, 7))}, nil },
		"many results of one operand": func(g *Graph, f Feeds) (ys, _ []*Node) {
			x := input(g, f, 6, 5)
			for i := range 40 {
				ys = append(ys, Tanh(Mul(x, ScalarLike(x, float64(i)))), Sum(Mul(x, ScalarLike(x, float64(i))), 1))
			}
			return ys, nil
		},
		"rows of many operands": func(g *Graph, f Feeds) ([]*Node, []*Node) {
			var ys []*Node
			for _, x := range inputs(g, f, 20, 4, 30) {
				ys = append(ys, Softmax(x, 1))
			}
			return []*Node{Softmax(sum(ys), 1), sum(ys)}, nil
		},
		"product with a long epilogue": func(g *Graph, f Feeds) ([]*Node, []*Node) {
			xs := inputs(g, f, 60, 6, 6)
			y := MatMul(xs[0], xs[1])
			for i := 2; i < 58; i += 4 {
				y = Add(Tanh(y), Mul(Exp(xs[i]), Add(Sin(xs[i+1]), Mul(xs[i+2], Cos(xs[i+3])))))
			}
			return []*Node{y}, nil
		},
		"product of sums": func(g *Graph, f Feeds) ([]*Node, []*Node) {
			xs := inputs(g, f, 40, 6, 6)
			return []*Node{MatMul(sum(xs[:20]), sum(xs[20:]))}, nil
		},
		"training of many parameters": func(g *Graph, f Feeds) ([]*Node, []*Node) {
			y := input(g, f, 3, 4)
			var params []*Node
			for i := range 15 {
				w := g.Variable(fmt.Sprint("w", i), tensor.Must(tensor.FromSlice([]float32{.1, .2, .3, .4}, 4)))
				params, y = append(params, w), Add(Tanh(Mul(y, w)), w)
			}
			loss := Mean(Square(y))
			return []*Node{loss}, optim.New(optim.Adam{}, params, optim.Options{}).Minimize(loss)
		},
		"loop of many values": func(g *Graph, f Feeds) ([]*Node, []*Node) {
			xs := inputs(g, f, 20, 5)
			last, _ := Scan(xs, nil, func(_ *Node, s, _ []*Node) (next, _ []*Node) {
				for i := range s {
					next = append(next, Tanh(Add(s[i], Mul(s[(i+1)%len(s)], s[(i+7)%len(s)]))))
				}
				return next, nil
			}, &ScanOptions{Trips: 3})
			return last, nil
		},
		"concatenation of many": func(g *Graph, f Feeds) ([]*Node, []*Node) {
			xs := inputs(g, f, 40, 3, 2)
			y := Concat(1, xs...)
			return append(Gradients(Sum(Square(y)), xs[:30]...), Exp(y), Stack(1, xs...)), nil
		},
	}
	for name, build := range graphs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(e engine.Engine) (all []*tensor.Tensor) {
				rt := NewRuntime(e)
				defer func() { require.NoError(t, rt.Close()) }()
				g := NewGraph(name)
				feeds := Feeds{}
				outs, updates := build(g, feeds)
				exe, err := g.Compile(t.Context(), rt, Target{Outputs: outs, Updates: updates})
				require.NoError(t, err)
				for range 2 {
					out, err := exe.Run(t.Context(), feeds)
					require.NoError(t, err)
					all = append(all, out...)
				}
				return all
			}
			want := run(newNarrow(t, 1000).Engine)
			for _, buffers := range []int{5, 8, 12, 60} {
				got := run(newNarrow(t, buffers))
				for i := range want {
					for k := range want[i].Len() {
						require.InEpsilon(t, 1+want[i].Float64At(k), 1+got[i].Float64At(k), 1e-5, "result %d with %d buffers", i, buffers)
					}
				}
			}
		})
	}
}

func TestRandomGraphsKeepToTheBuffersOfAnEngine(t *testing.T) {
	t.Parallel()
	for _, buffers := range []int{5, 7, 12} {
		optest.TestGraphs(t, newNarrow(t, buffers), 60)
	}
	cpu := fallback.New(nil)
	t.Cleanup(func() { require.NoError(t, cpu.Close()) })
	optest.TestGraphGradients(t, newNarrow(t, 9), cpu, 20)
}

// A user's kernel cannot be cut. That it leaves the device is in the log and in the head of Explain.
func TestATaskThatADeviceCannotTakeIsTold(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	e, cpu := newNarrow(t, 4), fallback.New(nil)
	rt := NewRuntime(e, cpu)
	inside.Machine(rt).Log = slog.New(slog.NewTextHandler(&log, nil))
	t.Cleanup(func() { require.NoError(t, errors.Join(rt.Close(), cpu.Close())) })
	g := NewGraph("own")
	var xs []*Node
	for i := range 6 {
		xs = append(xs, g.Input(fmt.Sprint("x", i), tensor.Float32, 2))
	}
	y := Kernel(g, KernelOptions{
		Name: "six", Entry: "six", Source: "kernel void six() {}", Results: []Result{{DType: tensor.Float32, Shape: []int{2}}}, Global: [3]int{2},
		Host: func(outs, ins []*tensor.Tensor) error { return nil },
	}, xs...)[0]
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{y}})
	require.NoError(t, err)
	r := exe.Report()
	require.Equal(t, "cpu", r.Tasks[0].Where)
	require.Equal(t, []Refusal{{Engine: "narrow", Task: "six", Caller: r.Tasks[0].Caller, Why: "7 buffers, not 4", Limit: true}}, r.Refused)
	require.Contains(t, exe.Explain(), "narrow cannot run six at "+r.Tasks[0].Caller+": 7 buffers, not 4\ntask ")
	require.Contains(t, log.String(), "level=WARN")
	require.Contains(t, log.String(), "7 buffers, not 4")
	log.Reset()
	exe, err = g.Compile(t.Context(), rt, Target{Outputs: []*Node{y}, Place: OnCPU})
	require.NoError(t, err)
	require.Empty(t, exe.Report().Refused, "it was not meant for the device")
	require.NotContains(t, log.String(), "WARN")
	_, err = g.Compile(t.Context(), rt, Target{Outputs: []*Node{y}, Place: OnDevice})
	var refused *engine.UnsupportedError
	require.ErrorAs(t, err, &refused)
	require.True(t, refused.Limit)
}

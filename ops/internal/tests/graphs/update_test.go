package graphs_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// Every update reads the variables as they were before the run, whatever the
// order in which updates are named and however they hang together.
func TestUpdatesReadTheValuesFromBeforeTheRun(t *testing.T) {
	type updates = map[string]*Node
	cases := map[string]struct {
		order string
		build func(a, b, c *Node) updates
	}{
		"swap":                 {"ab", func(a, b, c *Node) updates { return updates{"a": b, "b": a} }},
		"rotate":               {"abc", func(a, b, c *Node) updates { return updates{"a": b, "b": c, "c": a} }},
		"rotate the other way": {"cba", func(a, b, c *Node) updates { return updates{"c": a, "b": c, "a": b} }},
		"swap transposed":      {"ab", func(a, b, c *Node) updates { return updates{"a": Transpose(b), "b": Transpose(a)} }},
		"swap computed":        {"abc", func(a, b, c *Node) updates { return updates{"a": Add(a, b), "b": Sub(a, b), "c": a} }},
		"copy what is overwritten in place": {"ba", func(a, b, c *Node) updates {
			return updates{"b": Mul(c, c), "a": b}
		}},
		"copy after a product of copies": {"abc", func(a, b, c *Node) updates {
			return updates{"a": Add(MatMul(b, c), a), "b": a, "c": Transpose(b)}
		}},
		"one value for two": {"abc", func(a, b, c *Node) updates { x := Tanh(c); return updates{"a": x, "b": x, "c": a} }},
		"scattered": {"ab", func(a, b, c *Node) updates {
			idx := a.Graph().Iota(tensor.Int32, 0, 3)
			return updates{"a": ScatterAdd(a, 1, idx, b), "b": a}
		}},
		"to itself":               {"a", func(a, b, c *Node) updates { return updates{"a": a} }},
		"transposed":              {"ab", func(a, b, c *Node) updates { x := Transpose(a); return updates{"a": x, "b": x} }},
		"through its own product": {"a", func(a, b, c *Node) updates { return updates{"a": Add(MatMul(a, a), a)} }},
		"by its own extremes": {"ab", func(a, b, c *Node) updates {
			return updates{"a": Sub(a, ExpandDims(Max(a, 1), 1)), "b": BroadcastTo(Max(a, 0), 3, 3)}
		}},
		"the result of an update": {"cab", func(a, b, c *Node) updates {
			x := Assign(a, Tanh(b))
			return updates{"a": Tanh(b), "b": Add(x, a), "c": x}
		}},
	}
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				g := NewGraph(name)
				vars, start := map[string]*Node{}, opstest.Random(t, 3, 3, 3)
				for i, v := range []string{"a", "b", "c"} {
					x, err := start.Index(0, i)
					require.NoError(t, err)
					vars[v] = g.Variable(v, x)
				}
				target := Target{}
				values := c.build(vars["a"], vars["b"], vars["c"])
				for _, v := range c.order {
					target.Updates = append(target.Updates, Assign(vars[string(v)], values[string(v)]))
					target.Outputs = append(target.Outputs, values[string(v)])
				}
				run := func(target Target) []*tensor.Tensor {
					exe, err := g.Compile(t.Context(), rt, opstest.Whole(rt, target))
					require.NoError(t, err)
					defer func() { require.NoError(t, exe.Close()) }()
					out, err := exe.Run(t.Context(), nil)
					require.NoError(t, err)
					return out
				}
				want := run(Target{Outputs: target.Outputs}) // which changes no variable
				require.Empty(t, run(Target{Updates: target.Updates}))
				for i, v := range c.order {
					got, err := Value(t.Context(), vars[string(v)])
					require.NoError(t, err)
					require.Equal(t, opstest.FloatsOf(t, want[i]), opstest.FloatsOf(t, got), "variable %c", v)
				}
			})
		}
	})
}

func TestARunThatFailsLeavesAVariableThatItOnlyWrites(t *testing.T) {
	t.Parallel()
	g := NewGraph("failing")
	v := g.Variable("v", opstest.Vec(t, []int{2}, 5, 6))
	y := Kernel(g, KernelOptions{
		Source: "-", Entry: "failing", Results: []Result{{DType: tensor.Float32, Shape: []int{2}}},
		Host: func(_, _ []*tensor.Tensor) error { return errors.New("no luck") },
	})[0]
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Updates: []*Node{Assign(v, Neg(y))}})
	require.NoError(t, err)
	_, err = exe.Run(t.Context(), nil)
	require.ErrorContains(t, err, "no luck")
	got, err := Value(t.Context(), v)
	require.NoError(t, err)
	require.Equal(t, []float32{5, 6}, opstest.FloatsOf(t, got))
}

func TestWhatNoTaskTouchesStaysWhereItWasAskedFor(t *testing.T) {
	rt := opstest.Device(t)
	g := NewGraph("idle")
	x := g.Input("x", tensor.Float32, 2)
	v := g.Variable("v", opstest.Vec(t, []int{2}, 5, 6))
	for where, side := range map[Place]int{OnCPU: 1, OnDevice: 0} {
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{x, v, x}, Place: where})
		require.NoError(t, err)
		out, err := exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{2}, 1, 2)})
		require.NoError(t, err)
		require.Equal(t, []float32{1, 2}, opstest.FloatsOf(t, out[2]))
		require.Equal(t, []float32{5, 6}, opstest.FloatsOf(t, out[1]))
		require.Len(t, exe.Report().Memory, 1)
		require.Equal(t, rt.Engines()[side].Name(), exe.Report().Memory[0].Where)
		require.NoError(t, exe.Close())
	}
}

// reversed is x in the other order, by a kernel which is no function of each element.
func reversed(x *Node, infallible bool) *Node {
	return Kernel(x.Graph(), KernelOptions{
		Entry: "reversed", Results: []Result{{DType: x.DType(), Shape: x.Shape()}}, Infallible: infallible,
		Source: `kernel void reversed(global const float *x, global float *y) { y[get_global_id(0)] = x[get_global_size(0) - 1 - get_global_id(0)]; }`,
		Host: func(outs, ins []*tensor.Tensor) error {
			for i, v := range ins[0].All() {
				outs[0].SetFloat64(ins[0].Len()-1-i, v)
			}
			return nil
		},
	}, x)[0]
}

func TestKernelsThatCannotFailWriteStraightToVariables(t *testing.T) {
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		for _, c := range []struct {
			infallible, itself bool
			tasks              int
		}{{true, false, 1}, {false, false, 2}, {true, true, 2}} {
			g := NewGraph("reversed")
			v, w := g.Variable("v", opstest.Vec(t, []int{3}, 1, 2, 3)), g.Variable("w", opstest.Vec(t, []int{3}, 4, 5, 6))
			from, want := w, []float32{6, 5, 4}
			if c.itself {
				from, want = v, []float32{3, 2, 1}
			}
			exe, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{Updates: []*Node{Assign(v, reversed(from, c.infallible))}}))
			require.NoError(t, err)
			require.Len(t, exe.Report().Tasks, c.tasks, exe.Explain())
			_, err = exe.Run(t.Context(), nil)
			require.NoError(t, err)
			got, err := Value(t.Context(), v)
			require.NoError(t, err)
			require.Equal(t, want, opstest.FloatsOf(t, got), "%+v", c)
			require.NoError(t, exe.Close())
		}
	})
}

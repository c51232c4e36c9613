package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// A convolution keeps its weights in another layout between runs. Whoever gives
// the variable a new value, the next run must see it.
func TestKeptWeightsFollowTheirVariable(t *testing.T) {
	for name, groups := range map[string]int{"dense": 1, "depthwise": 16} {
		t.Run(name, func(t *testing.T) {
			for where, rt := range map[Place]*Runtime{OnDevice: opstest.Device(t), OnCPU: opstest.CPUOnly(t)} {
				g := NewGraph("kept")
				x := g.Input("x", tensor.Float32, 1, 16, 4, 4)
				w := g.Variable("w", opstest.Filled(t, 1, 16, 16/groups, 1, 1))
				exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Conv2D(x, w, Conv2DOptions{Groups: groups})}, Place: where})
				require.NoError(t, err)
				double, err := g.Compile(t.Context(), rt, Target{Updates: []*Node{Assign(w, Add(w, w))}, Place: where})
				require.NoError(t, err)
				requireAll := func(want float64) {
					t.Helper()
					for range 2 {
						out, err := exe.Run(t.Context(), Feeds{x: opstest.Filled(t, 1, 1, 16, 4, 4)})
						require.NoError(t, err)
						for i := range out[0].Len() {
							require.Equal(t, want*float64(16/groups), out[0].Float64At(i))
						}
					}
				}
				requireAll(1)
				require.NoError(t, Set(t.Context(), w, opstest.Filled(t, 3, w.Shape()...)))
				requireAll(3)
				_, err = double.Run(t.Context(), nil)
				require.NoError(t, err)
				requireAll(6)
				_, err = exe.Profile(t.Context(), Feeds{x: opstest.Filled(t, 1, 1, 16, 4, 4)}, ProfileOptions{})
				require.NoError(t, err)
				requireAll(6)
			}
		})
	}
}

// What a graph updates itself is not kept.
func TestWeightsThatAStepUpdatesAreReadAnew(t *testing.T) {
	rt := opstest.Device(t)
	g := NewGraph("step")
	x := g.Input("x", tensor.Float32, 1, 16, 4, 4)
	w := g.Variable("w", opstest.Filled(t, 1, 16, 16, 1, 1))
	y := Conv2D(x, w, Conv2DOptions{})
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{y}, Updates: []*Node{Assign(w, Add(w, w))}, Place: OnDevice})
	require.NoError(t, err)
	for _, want := range []float64{16, 32, 64} {
		out, err := exe.Run(t.Context(), Feeds{x: opstest.Filled(t, 1, 1, 16, 4, 4)})
		require.NoError(t, err)
		require.Equal(t, want, out[0].Float64At(0))
	}
}

// Engines keep nothing computed from variables that are set between runs: no input of a task is steady.
func TestOfVolatileVariablesNothingIsKept(t *testing.T) {
	for _, volatile := range []bool{false, true} {
		g := NewGraph("volatile")
		x := g.Input("x", tensor.Float32, 4, 16)
		w := g.Variable("w", opstest.Filled(t, 1, 16, 32))
		target := Target{Outputs: []*Node{MatMul(x, w)}, Place: OnCPU}
		if volatile {
			target.Volatile = []*Node{w}
		}
		exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), target)
		require.NoError(t, err)
		kept := 0
		for _, u := range inside.Executor(exe).Program().Instructions {
			for _, in := range u.Task.Ins {
				if in.Steady {
					kept++
				}
			}
		}
		require.Equal(t, volatile, kept == 0, "%d steady inputs", kept)
	}
}

// Sums of weights, with which zero points are multiplied, are taken again when the weights are set, and not in each run.
func TestSumsOfWeightsAreKept(t *testing.T) {
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		g := NewGraph("sums")
		x := g.Input("x", tensor.Float32, 4, 64)
		w := g.Variable("w", opstest.Filled(t, 1, 64, 32))
		exe, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{Outputs: []*Node{Sub(MatMul(x, w), Sum(w, 0))}}))
		require.NoError(t, err)
		kept := 0
		for _, u := range inside.Executor(exe).Program().Instructions {
			for _, out := range u.Task.Outs {
				if out.Steady {
					kept++
				}
			}
		}
		require.Equal(t, 1, kept)
		for _, v := range []float64{1, 3} {
			require.NoError(t, Set(t.Context(), w, opstest.Filled(t, v, 64, 32)))
			for range 2 {
				out, err := exe.Run(t.Context(), Feeds{x: opstest.Filled(t, 2, 4, 64)})
				require.NoError(t, err)
				require.Equal(t, 64*v, out[0].Float64At(5))
			}
		}
	})
}

// Zero points that a run finds are multiplied with them in the product's own task, or in one beside it.
func TestSumsOfConstantsAreKeptApartFromWhatARunFinds(t *testing.T) {
	g := NewGraph("zeros")
	x, w := g.Input("x", tensor.Uint8, 4, 64), g.Const(opstest.Filled(t, 1, 64, 32))
	y := MatMulInteger(x, Cast(w, tensor.Int8), g.Input("zero", tensor.Uint8), nil)
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{y}, Place: OnCPU})
	require.NoError(t, err)
	kept := 0
	for _, u := range inside.Executor(exe).Program().Instructions {
		if u.Task.Outs[0].Steady {
			kept++
		}
	}
	require.Equal(t, 1, kept)
}

func TestOnlyVariablesOfTheGraphAreVolatile(t *testing.T) {
	g, other := NewGraph("g"), NewGraph("other")
	x := g.Input("x", tensor.Float32, 2)
	for _, n := range []*Node{nil, x, other.Variable("v", opstest.Filled(t, 1, 2))} {
		_, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{Neg(x)}, Volatile: []*Node{n}})
		require.ErrorContains(t, err, "not a variable of graph")
	}
}

// A convolution whose result is read in row-major order stores it so: no task
// does nothing but copy.
func TestConvolutionsStoreWhatIsReadInRowMajorOrder(t *testing.T) {
	g := NewGraph("order")
	x := g.Input("x", tensor.Float32, 2, 16, 10, 10)
	y := Conv2D(x, g.Variable("w", opstest.Filled(t, 1, 32, 16, 3, 3)), Conv2DOptions{})
	exe, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{y}, Place: OnCPU})
	require.NoError(t, err)
	require.Len(t, inside.Executor(exe).Program().Instructions, 1)
}

// Weights that are put together from others, as the gates of a recurrent layer in another order, are put together again when one of them is
// set, and not in each run.
func TestJoinedWeightsAreKept(t *testing.T) {
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		g := NewGraph("joined")
		x := g.Input("x", tensor.Float32, 4, 64)
		w := g.Variable("w", opstest.Filled(t, 1, 32, 64))
		gates := Split(w, 0, 4)
		joined := Concat(0, gates[0], gates[2], gates[3], gates[1])
		exe, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{Outputs: []*Node{MatMul(x, Transpose(joined, 1, 0))}}))
		require.NoError(t, err)
		kept := 0
		for _, u := range inside.Executor(exe).Program().Instructions {
			for _, out := range u.Task.Outs {
				if out.Steady {
					kept++
				}
			}
		}
		require.Equal(t, 1, kept)
		for _, v := range []float64{1, 3} {
			require.NoError(t, Set(t.Context(), w, opstest.Filled(t, v, 32, 64)))
			for range 2 {
				out, err := exe.Run(t.Context(), Feeds{x: opstest.Filled(t, 2, 4, 64)})
				require.NoError(t, err)
				require.Equal(t, 128*v, out[0].Float64At(5))
			}
		}
	})
}

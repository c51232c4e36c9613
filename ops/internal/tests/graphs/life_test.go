package graphs_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// model is a small training step: loss and updated weights.
func model(t testing.TB, rt *Runtime) (exe *Executable, x *Node, w *Node) {
	t.Helper()
	g := NewGraph("model")
	x = g.Input("x", tensor.Float32, 8, 5)
	w = g.Variable("w", opstest.Vec(t, []int{5, 3}))
	y := Tanh(MatMul(x, Add(w, ScalarLike(w, 0.1))))
	loss := Mean(Mul(y, y))
	d := Gradients(loss, w)[0]
	exe, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{Outputs: []*Node{loss}, Updates: []*Node{Assign(w, Sub(w, Mul(d, ScalarLike(d, 0.1))))}}))
	require.NoError(t, err)
	return exe, x, w
}

func TestRunAgainAllocatesNothing(t *testing.T) {
	if opstest.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		exe, x, _ := model(t, rt)
		feeds := Feeds{x: opstest.Vec(t, []int{8, 5}, 1, 2, 3)}
		outs := []*tensor.Tensor{opstest.Vec(t, nil)}
		ctx := t.Context()
		for range 3 {
			require.NoError(t, exe.RunInto(ctx, feeds, outs))
		}
		allocs := opstest.Allocations(100, func() {
			if err := exe.RunInto(ctx, feeds, outs); err != nil {
				t.Error(err)
			}
		})
		require.Zero(t, allocs)
	})
}

func TestManyRunsLeaveNothingBehind(t *testing.T) {
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		exe, x, _ := model(t, rt)
		feeds := Feeds{x: opstest.Vec(t, []int{8, 5}, 1, 2, 3)}
		outs := []*tensor.Tensor{opstest.Vec(t, nil)}
		require.NoError(t, exe.RunInto(t.Context(), feeds, outs))
		e := rt.Engines()[0]
		before := e.Stats()
		var a, b runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&a)
		for range 2000 {
			require.NoError(t, exe.RunInto(t.Context(), feeds, outs))
		}
		runtime.GC()
		runtime.ReadMemStats(&b)
		after := e.Stats()
		require.Equal(t, before.Memories, after.Memories)
		require.Equal(t, before.Bytes, after.Bytes)
		require.Less(t, int64(b.HeapAlloc)-int64(a.HeapAlloc), int64(1<<20))
	})
}

func TestOneExecutableServesManyGoroutines(t *testing.T) {
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		g := NewGraph("shared")
		x := g.Input("x", tensor.Float32, 4)
		exe, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{Outputs: []*Node{Mul(x, x)}}))
		require.NoError(t, err)
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				v := float32(i)
				for range 20 {
					out, err := exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{4}, v, 0, 1, -v)})
					if err != nil {
						t.Error(err)
						return
					}
					if got := opstest.FloatsOf(t, out[0]); got[0] != v*v || got[3] != v*v {
						t.Errorf("run of %v gave %v", v, got)
					}
				}
			})
		}
		wg.Wait()
	})
}

func TestExecutablesThatShareVariablesTakeTurns(t *testing.T) {
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		g := NewGraph("counter")
		v := g.Variable("v", opstest.Vec(t, []int{3}))
		up, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{Updates: []*Node{Assign(v, Add(v, ScalarLike(v, 1)))}}))
		require.NoError(t, err)
		read, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{Outputs: []*Node{Sum(v)}}))
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 25 {
					if err := up.RunInto(t.Context(), nil, nil); err != nil {
						t.Error(err)
					}
					out, err := read.Run(t.Context(), nil)
					if err != nil {
						t.Error(err)
					} else if s := out[0].Float64At(0); int(s)%3 != 0 {
						t.Errorf("read a half-written variable: %v", s)
					}
				}
			})
		}
		wg.Wait()
		got, err := Value(t.Context(), v)
		require.NoError(t, err)
		require.Equal(t, []float32{100, 100, 100}, opstest.FloatsOf(t, got))
	})
}

func TestAVariableOutlivesItsExecutables(t *testing.T) {
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		g := NewGraph("state")
		v := g.Variable("v", opstest.Vec(t, []int{2}, 1, 2))
		double, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{Updates: []*Node{Assign(v, Add(v, v))}}))
		require.NoError(t, err)
		require.NoError(t, double.RunInto(t.Context(), nil, nil))
		require.NoError(t, double.Close())
		got, err := Value(t.Context(), v)
		require.NoError(t, err)
		require.Equal(t, []float32{2, 4}, opstest.FloatsOf(t, got))
		require.NoError(t, Set(t.Context(), v, opstest.Vec(t, []int{2}, 5, 6)))
		again, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{Outputs: []*Node{v}, Updates: []*Node{Assign(v, Neg(v))}}))
		require.NoError(t, err)
		out, err := again.Run(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, []float32{5, 6}, opstest.FloatsOf(t, out[0]), "an output that is a variable is its value from before the run")
	})
}

func TestOneVariableServesDeviceAndCPUPath(t *testing.T) {
	rt := opstest.Device(t)
	g := NewGraph("both")
	v := g.Variable("v", opstest.Vec(t, []int{2}, 1, 2))
	add := []*Node{Assign(v, Add(v, ScalarLike(v, 1)))}
	onDevice, err := g.Compile(t.Context(), rt, Target{Updates: add, Place: OnDevice})
	require.NoError(t, err)
	onCPU, err := g.Compile(t.Context(), rt, Target{Updates: add, Place: OnCPU})
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, onDevice.RunInto(t.Context(), nil, nil))
		require.NoError(t, onCPU.RunInto(t.Context(), nil, nil))
	}
	got, err := Value(t.Context(), v)
	require.NoError(t, err)
	require.Equal(t, []float32{7, 8}, opstest.FloatsOf(t, got))
}

func TestVariablesThatSwapReadTheOldValues(t *testing.T) {
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		g := NewGraph("swap")
		a, b := g.Variable("a", opstest.Vec(t, []int{2}, 1, 2)), g.Variable("b", opstest.Vec(t, []int{2}, 3, 4))
		c := g.Variable("c", opstest.Vec(t, []int{2, 2}, 1, 2, 3, 4))
		exe, err := g.Compile(t.Context(), rt, opstest.Whole(rt, Target{
			Outputs: []*Node{Add(a, b)},
			Updates: []*Node{Assign(a, b), Assign(b, Add(a, b)), Assign(c, Transpose(c))},
		}))
		require.NoError(t, err)
		out, err := exe.Run(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, []float32{4, 6}, opstest.FloatsOf(t, out[0]))
		for _, want := range []struct {
			v *Node
			x []float32
		}{{a, []float32{3, 4}}, {b, []float32{4, 6}}, {c, []float32{1, 3, 2, 4}}} {
			got, err := Value(t.Context(), want.v)
			require.NoError(t, err)
			require.Equal(t, want.x, opstest.FloatsOf(t, got))
		}
	})
}

func TestACancelledContextStopsARun(t *testing.T) {
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		exe, x, w := model(t, rt)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := exe.Run(ctx, Feeds{x: opstest.Vec(t, []int{8, 5})})
		require.ErrorIs(t, err, context.Canceled)
		_, err = Value(ctx, w)
		require.ErrorIs(t, err, context.Canceled)
		_, err = exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{8, 5})})
		require.NoError(t, err, "the next run works")
	})
}

// A fold reads what has no memory, and may take hours.
func TestAContextStopsAFoldOfATrillionElements(t *testing.T) {
	rt := opstest.CPUOnly(t)
	for name, axes := range map[string][]int{"all": nil, "columns": {0, 1}} {
		g := NewGraph("long")
		x := g.Input("x", tensor.Float32, 64)
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Sum(Exp(Expand(x, 1<<17, 1<<17, 64)), axes...)}})
		require.NoError(t, err, name)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		start := time.Now()
		_, err = exe.Run(ctx, Feeds{x: opstest.Vec(t, []int{64}, make([]float32, 64)...)})
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded, name)
		require.Less(t, time.Since(start), 15*time.Second, name)
		require.NoError(t, exe.Close())
	}
}

func TestUseAfterCloseIsAnError(t *testing.T) {
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		exe, x, _ := model(t, rt)
		require.NoError(t, exe.Close())
		require.NoError(t, exe.Close())
		_, err := exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{8, 5})})
		require.ErrorIs(t, err, ErrClosed)
		require.NoError(t, rt.Close())
		_, err = x.Graph().Compile(t.Context(), rt, Target{Outputs: []*Node{Neg(x)}})
		require.Error(t, err)
	})
}

func TestClosingTheRuntimeClosesItsExecutables(t *testing.T) {
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		exe, x, w := model(t, rt)
		_, err := exe.Run(t.Context(), Feeds{x: opstest.Vec(t, []int{8, 5}, 1)})
		require.NoError(t, err)
		require.NoError(t, rt.Close())
		for _, e := range rt.Engines() {
			require.Equal(t, engine.Stats{Launches: e.Stats().Launches}, e.Stats())
		}
		_, err = Value(t.Context(), w)
		require.NoError(t, err, "variables were brought home")
	})
}

func TestAReportMayBeAskedForWhileVariablesAreSet(t *testing.T) {
	exe, _, w := model(t, opstest.CPUOnly(t))
	value := opstest.Vec(t, []int{5, 3})
	var all sync.WaitGroup
	all.Go(func() {
		for range 100 {
			if err := Set(t.Context(), w, value); err != nil {
				t.Error(err)
			}
		}
	})
	for range 100 {
		require.EqualValues(t, 60, exe.Report().Memory[0].Variables)
	}
	all.Wait()
}

package graphs_test

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

func TestEveryCallOnAClosedRuntimeIsErrClosedAndNamesIt(t *testing.T) {
	ctx := context.Background()
	graph := func() (*Graph, *Node, *Node) {
		g := NewGraph("late")
		return g, g.Input("x", tensor.Float32, 2), g.Variable("w", opstest.Vec(t, []int{2}))
	}
	calls := map[string]func(rt *Runtime) error{
		"compile": func(rt *Runtime) error {
			g, x, _ := graph()
			_, err := g.Compile(ctx, rt, Target{Outputs: []*Node{Exp(x)}})
			return err
		},
		"compile for the CPU path": func(rt *Runtime) error {
			g, x, _ := graph()
			_, err := g.Compile(ctx, rt, Target{Outputs: []*Node{Exp(x)}, Place: OnCPU})
			return err
		},
		"compile without work": func(rt *Runtime) error {
			g, x, _ := graph()
			_, err := g.Compile(ctx, rt, Target{Outputs: []*Node{x}})
			return err
		},
		"data parallel": func(rt *Runtime) error {
			_, _, w := graph()
			_, err := NewDataParallel(ctx, []*Runtime{rt}, DataParallelOptions{
				Params: []*Node{w}, Share: func(int) Share { return Share{} }, Optimizer: func(*Node) []*Node { return nil },
			})
			return err
		},
		"settle":       func(rt *Runtime) error { return rt.Settle(ctx) },
		"calibrate":    func(rt *Runtime) error { _, err := rt.Calibrate(ctx); return err },
		"tune":         func(rt *Runtime) error { _, err := rt.Tune(ctx, nil); return err },
		"export":       func(rt *Runtime) error { return rt.ExportTuning(new(bytes.Buffer)) },
		"import":       func(rt *Runtime) error { _, err := rt.ImportTuning(new(bytes.Buffer)); return err },
		"reset tuning": func(rt *Runtime) error { return rt.ResetTuning() },
	}
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		require.NoError(t, rt.Close())
		for name, call := range calls {
			err := call(rt)
			require.ErrorIs(t, err, ErrClosed, name)
			require.ErrorContains(t, err, "ops: closed: the runtime on "+rt.Engines()[0].Name(), name)
		}
		require.NoError(t, rt.Close(), "a second Close")
		require.NotEmpty(t, rt.Why()+rt.Explain()+rt.String())
	})
}

func TestEveryCallOnAClosedExecutableIsErrClosedAndNamesIt(t *testing.T) {
	ctx := context.Background()
	first := func(s iter.Seq2[[]*tensor.Tensor, error]) (err error) {
		for _, e := range s {
			err = errors.Join(err, e)
		}
		return err
	}
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		for _, byRuntime := range []bool{false, true} {
			exe, x, w := model(t, rt)
			feeds := Feeds{x: opstest.Vec(t, []int{8, 5})}
			_, err := exe.Run(ctx, feeds)
			require.NoError(t, err)
			if byRuntime {
				require.NoError(t, rt.Close())
			} else {
				require.NoError(t, exe.Close())
			}
			for name, call := range map[string]func() error{
				"run":      func() error { _, err := exe.Run(ctx, feeds); return err },
				"run into": func() error { return exe.RunInto(ctx, feeds, []*tensor.Tensor{opstest.Vec(t, nil)}) },
				"profile":  func() error { _, err := exe.Profile(ctx, feeds, ProfileOptions{}); return err },
				"prepare":  func() error { return exe.Prepare(ctx) },
				"each": func() error {
					return first(exe.Each(ctx, func(yield func(Feeds, error) bool) { yield(feeds, nil) }, EachOptions{}))
				},
				"each of none": func() error { return first(exe.Each(ctx, func(func(Feeds, error) bool) {}, EachOptions{})) },
			} {
				err := call()
				require.ErrorIs(t, err, ErrClosed, name)
				require.ErrorContains(t, err, `ops: closed: executable "model"`, name)
			}
			require.NoError(t, exe.Close(), "a second Close")
			require.NotEmpty(t, exe.Explain()+exe.String())
			require.Len(t, exe.Inputs(), 1)
			_, err = Value(ctx, w)
			require.NoError(t, err, "variables outlive executables and runtimes")
			require.NoError(t, Set(ctx, w, opstest.Vec(t, []int{5, 3})))
		}
	})
}

func TestAnEngineThatItsOwnerClosedIsErrClosed(t *testing.T) {
	ctx := context.Background()
	cpu := fallback.New(nil)
	rt := NewRuntime(cpu)
	exe, x, w := model(t, rt)
	feeds := Feeds{x: opstest.Vec(t, []int{8, 5})}
	_, err := exe.Run(ctx, feeds)
	require.NoError(t, err)
	require.NoError(t, cpu.Close())
	_, err = exe.Run(ctx, feeds)
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, err, engine.ErrClosed)
	_, err = x.Graph().Compile(ctx, rt, Target{Outputs: []*Node{Exp(x)}})
	require.ErrorIs(t, err, ErrClosed)
	_, err = Value(ctx, w)
	require.ErrorIs(t, err, ErrClosed, "its newest value was lost with the engine")
}

func TestPrintingTellsWhatAValueIs(t *testing.T) {
	opstest.Everywhere(t, func(t *testing.T, rt *Runtime) {
		exe, x, w := model(t, rt)
		where := rt.Engines()[0].Name()
		require.Regexp(t, `^graph "model": \d+ nodes$`, x.Graph().String())
		require.Equal(t, "runtime on "+rt.Why(), rt.String())
		require.Regexp(t, `^executable "model": \d+ tasks on `+where, exe.String())
		require.Regexp(t, `^x float32\[8 5\] at graphs/life_test.go:\d+$`, x.String())
		require.Regexp(t, `^w float32\[5 3\] at graphs/life_test.go:\d+$`, w.String())
		require.NoError(t, exe.Close())
		require.Contains(t, exe.String(), "closed")
		require.NoError(t, rt.Close())
		require.Contains(t, rt.String(), "closed")
	})
	for _, nothing := range []interface{ String() string }{(*Graph)(nil), (*Runtime)(nil), (*Executable)(nil), (*DataParallel)(nil), (*Node)(nil)} {
		require.Regexp(t, "^<nil .*>$", nothing.String())
	}
}

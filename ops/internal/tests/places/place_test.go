package places_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/place"
	"github.com/anycl/anycl/internal/plan"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

func TestWhatIsPutSomewhereRunsThereAndNothingElse(t *testing.T) {
	t.Parallel()
	rt := opstest.BesideCPU(t, &opstest.Slowed{Time: func(*engine.Task) time.Duration { return 0 }})
	for name, c := range map[string]struct {
		build func(x *Node) *Node
		want  []string
	}{
		"an epilogue":   {func(x *Node) *Node { return Put(ReLU(MatMul(x, x)), OnCPU) }, []string{"matmul on slowed", "relu on cpu"}},
		"the product":   {func(x *Node) *Node { return ReLU(Put(MatMul(x, x), OnCPU)) }, []string{"matmul on cpu", "relu on slowed"}},
		"a composition": {func(x *Node) *Node { return Exp(Put(Softmax(Exp(x), -1), OnCPU)) }, []string{"exp on slowed", "softmax on cpu", "exp on slowed"}},
		"through views": {func(x *Node) *Node { return Exp(Transpose(Put(Neg(x), OnCPU))) }, []string{"neg on cpu", "exp on slowed"}},
		"taken back":    {func(x *Node) *Node { return Put(Put(Exp(x), OnCPU), Auto) }, []string{"exp on slowed"}},
		"both":          {func(x *Node) *Node { return Add(Put(Exp(x), OnCPU), Put(Exp(x), OnDevice)) }, []string{"exp on cpu", "exp on slowed", "add on slowed"}},
		"a group":       {func(x *Node) *Node { return Put(Sum(Put(Exp(x), OnDevice), -1), OnCPU) }, []string{"exp on slowed", "sum on cpu"}},
	} {
		t.Run(name, func(t *testing.T) {
			values, err := tensor.FromSlice([]float32{1, -2, 0.5, 3}, 2, 2)
			require.NoError(t, err)
			run := func(rt *Runtime, place Place) (*tensor.Tensor, *Executable) {
				g := NewGraph(name)
				x := g.Input("x", tensor.Float32, 2, 2)
				exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{c.build(x)}, Place: place})
				require.NoError(t, err)
				outs, err := exe.Run(t.Context(), Feeds{x: values})
				require.NoError(t, err)
				return outs[0], exe
			}
			got, exe := run(rt, OnDevice)
			require.Equal(t, c.want, opstest.Wheres(exe))
			want, _ := run(cpuOnlyIgnoringPut(t), OnDevice)
			require.True(t, tensor.Equal(want, got))
		})
	}
}

// cpuOnlyIgnoringPut has two places that are one.
func cpuOnlyIgnoringPut(t *testing.T) *Runtime {
	a, b := fallback.New(nil), fallback.New(nil)
	rt := NewRuntime(a, b)
	t.Cleanup(func() { require.NoError(t, errors.Join(rt.Close(), a.Close(), b.Close())) })
	return rt
}

func TestPutNeedsANodeAndAPlace(t *testing.T) {
	t.Parallel()
	g := NewGraph("wrong")
	x := g.Input("x", tensor.Float32, 2)
	y := Put(Exp(x), Device(-1))
	require.ErrorContains(t, g.Err(), "the place is -1")
	require.ErrorContains(t, g.Err(), "place_test.go")
	_, err := g.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{y}})
	require.ErrorContains(t, err, "the place is -1")
	_, err = NewGraph("nil").Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{Put(nil, OnCPU)}})
	require.Error(t, err)
	h := NewGraph("no device")
	_, err = h.Compile(t.Context(), opstest.CPUOnly(t), Target{Outputs: []*Node{Put(Exp(h.Input("x", tensor.Float32, 2)), OnDevice)}})
	require.ErrorContains(t, err, "the device was asked for")
	require.ErrorContains(t, err, "place_test.go")
}

func TestTheEnvironmentPlacesGraphsThatDoNotSay(t *testing.T) {
	rt := opstest.BesideCPU(t, &opstest.Slowed{Time: func(*engine.Task) time.Duration { return time.Hour }})
	compile := func(place Place) (*Executable, error) {
		g := NewGraph("env")
		return g.Compile(t.Context(), rt, Target{Outputs: []*Node{Exp(g.Input("x", tensor.Float32, 2))}, Place: place})
	}
	for env, want := range map[string]string{"": "cpu", "auto": "cpu", "cpu": "cpu", "device": "slowed"} {
		t.Setenv(EnvPlace, env)
		exe, err := compile(Auto)
		require.NoError(t, err)
		require.Equal(t, []string{"exp on " + want}, opstest.Wheres(exe), env)
		exe, err = compile(OnDevice)
		require.NoError(t, err)
		require.Equal(t, []string{"exp on slowed"}, opstest.Wheres(exe), env)
	}
	t.Setenv(EnvPlace, "gpu")
	_, err := compile(Auto)
	require.ErrorContains(t, err, "ANYCL_PLACE=gpu: must be auto, device, cpu, fixed or reproducible")
}

// A detector: what is slow on one engine, or cannot run there, runs on the other.
func TestAGraphIsSplitWhereThatIsFaster(t *testing.T) {
	product := func(t *engine.Task) time.Duration {
		switch t.Kind {
		case engine.Contract:
			return time.Nanosecond
		case engine.Row:
			return -1
		}
		return time.Hour
	}
	rt := opstest.BesideCPU(t, &opstest.Slowed{Time: product})
	g := NewGraph("split") // large, so that a split pays also beside many cores
	x := g.Input("x", tensor.Float32, 160, 160)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Softmax(Exp(Transpose(MatMul(Sin(x), x))), -1)}, Fixed: true}) // runs that others disturb are a reason to place a graph again
	require.NoError(t, err)
	require.Equal(t, []string{"sin on cpu", "matmul+exp on slowed", "softmax on cpu"}, opstest.Wheres(exe))
	require.Contains(t, exe.Explain(), "slowed cannot: not on this engine")
	require.Contains(t, exe.Explain(), "; all on cpu ")
	feed := Feeds{x: opstest.Vec(t, []int{160, 160})}
	got, err := exe.Run(t.Context(), feed)
	require.NoError(t, err)
	all, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Softmax(Exp(Transpose(MatMul(Sin(x), x))), -1)}, Place: OnCPU})
	require.NoError(t, err)
	want, err := all.Run(t.Context(), feed)
	require.NoError(t, err)
	require.True(t, tensor.Equal(want[0], got[0]))
	outs := []*tensor.Tensor{got[0]}
	// Not in every measurement: until every worker of the CPU path has had a piece and made its frames.
	require.Zero(t, opstest.Allocations(20, func() { _ = exe.RunInto(t.Context(), feed, outs) }))
}

// A variable that one side updates and the other reads is moved in every run, which the
// placement knows.
func TestAVariableIsResidentWhereItsReadersAre(t *testing.T) {
	t.Parallel()
	for move, want := range map[time.Duration]string{0: "slowed", time.Second: "cpu"} {
		rt := opstest.BesideCPU(t, &opstest.Slowed{Bytes: move, Time: func(t *engine.Task) time.Duration {
			if t.Kind == engine.Contract {
				return 0
			}
			return time.Hour // the update must be on the CPU path
		}})
		g := NewGraph("resident")
		w := g.Variable("w", opstest.Vec(t, []int{256, 256}))
		x := g.Input("x", tensor.Float32, 256, 256)
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{MatMul(x, w)}, Updates: []*Node{Assign(w, Exp(w))}})
		require.NoError(t, err)
		require.Contains(t, opstest.Wheres(exe), "matmul on "+want)
		require.Contains(t, opstest.Wheres(exe), "exp on cpu")
	}
}

// What is set between runs is moved by the run that finds it so, and by no other: a graph reckons
// with what its runs have met.
func TestAVariableIsChargedForAsOftenAsItIsSet(t *testing.T) {
	t.Parallel()
	for _, volatile := range []bool{false, true} {
		rt := opstest.BesideCPU(t, &opstest.Slowed{Bytes: 100, Time: func(*engine.Task) time.Duration { return 0 }})
		g := NewGraph("set")
		value := opstest.Vec(t, []int{256})
		w := g.Variable("w", value)
		target := Target{Outputs: []*Node{Exp(w)}}
		if volatile {
			target.Volatile = []*Node{w}
		}
		x, err := g.Compile(t.Context(), rt, target)
		require.NoError(t, err)
		predicted := func() (p *plan.Placement, moves float64) {
			m, rates := inside.Executor(x).Model()
			p, err := m.Decide(rates)
			require.NoError(t, err)
			for _, v := range m.Moved(p.Often, rates) {
				if v.Maker == place.Host {
					moves += v.Times
				}
			}
			return p, moves
		}
		result := []*tensor.Tensor{opstest.Vec(t, []int{256})}
		run := func(n, each int) {
			for i := range n {
				if each > 0 && i%each == 0 {
					require.NoError(t, Set(t.Context(), w, value))
				}
				require.NoError(t, x.RunInto(t.Context(), nil, result))
			}
		}
		_, moves := predicted()
		require.Zero(t, moves, "nothing has been set")
		run(20, 0)
		before, moves := predicted()
		require.Zero(t, moves)
		run(40, 1)
		always, moves := predicted()
		require.InDelta(t, 1, moves, 0.3)
		device := 0
		require.Greater(t, always.Pure[device].Total, before.Pure[device].Total+50*4*256, "most of 100 ns a byte")
		run(80, 4)
		_, moves = predicted()
		require.InDelta(t, 0.25, moves, 0.1)
		run(1000, 0)
		_, moves = predicted()
		require.InDelta(t, 0, moves, 0.002, "it has not been set for long")
		require.NoError(t, x.Close())
	}
}

// sleepy is a device that may become slower: its sequences sleep.
type sleepy struct {
	opstest.Slowed
	pause atomic.Int64
}

type sleepySequence struct {
	engine.Sequence
	*sleepy
}

func (s *sleepy) Prepare(ctx context.Context, tasks []engine.Bound) (engine.Sequence, error) {
	q, err := s.Slowed.Prepare(ctx, tasks)
	return &sleepySequence{q, s}, err
}

func (s *sleepySequence) Run(ctx context.Context, from, to int, run uint32) error {
	time.Sleep(time.Duration(s.pause.Load()))
	return s.Sequence.Run(ctx, from, to, run)
}

func TestADeviceThatBecomesSlowerLosesItsTasks(t *testing.T) {
	t.Parallel()
	// The times are so long that the rest of a run decides nothing, even with the race detector on a busy machine.
	const fast, other = 2 * time.Millisecond, 4 * time.Millisecond
	of := func(takes time.Duration) sleepy {
		return sleepy{Slowed: opstest.Slowed{Engine: fallback.New(nil), Time: func(*engine.Task) time.Duration { return takes }}}
	}
	device, cpu := new(of(fast)), &path{of(other)}
	device.pause.Store(int64(fast))
	cpu.pause.Store(int64(other))
	rt := NewRuntime(device, cpu)
	g := NewGraph("slower")
	w := g.Variable("w", tensor.Must(tensor.FromSlice([]float32{0, 0}, 2)))
	x := g.Input("x", tensor.Float32, 2)
	y := Add(w, Sum(Exp(x)))
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{y}, Updates: []*Node{Assign(w, Add(w, ScalarLike(w, 1)))}})
	require.NoError(t, err)
	only := Put(Exp(x), OnDevice)
	stays, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{only}, Place: OnDevice})
	require.NoError(t, err)
	on := func(x *Executable) string { return x.Report().Tasks[0].Where }
	feed := Feeds{x: tensor.Must(tensor.FromSlice([]float32{0, 0}, 2))}
	runs := 0
	run := func() {
		out, err := exe.Run(t.Context(), feed)
		require.NoError(t, err)
		require.EqualValues(t, 2+runs, out[0].Float64At(0), "run %d", runs)
		runs++
	}
	for range 5 {
		run()
		_, err := stays.Run(t.Context(), feed)
		require.NoError(t, err)
	}
	require.Equal(t, "slowed", on(exe))
	device.pause.Store(int64(10 * fast))
	for end := time.Now().Add(20 * time.Second); on(exe) == "slowed" && time.Now().Before(end); {
		run()
		_, err := stays.Run(t.Context(), feed)
		require.NoError(t, err)
	}
	require.Equal(t, "cpu", on(exe))
	require.Equal(t, "slowed", on(stays), "it was asked for")
	run()
	value, err := Value(t.Context(), w)
	require.NoError(t, err)
	require.EqualValues(t, runs, value.Float64At(0))
	next, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{y}})
	require.NoError(t, err)
	require.Equal(t, "cpu", on(next), "what was learned holds for the next graph")
	require.NoError(t, errors.Join(rt.Close(), cpu.Engine.Close()))
	require.Zero(t, device.Stats().Memories)
	require.NoError(t, device.Close())
}

func TestRunsGoOnWhileAGraphMoves(t *testing.T) {
	t.Parallel()
	device := &sleepy{Slowed: opstest.Slowed{Engine: fallback.New(nil), Time: func(*engine.Task) time.Duration { return 50 }}}
	device.pause.Store(int64(time.Millisecond))
	cpu := fallback.New(nil)
	rt := NewRuntime(device, cpu)
	for range 4 {
		g := NewGraph("moving")
		x := g.Input("x", tensor.Float32, 64, 64)
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Softmax(MatMul(x, x), -1)}})
		require.NoError(t, err)
		feed := Feeds{x: opstest.Vec(t, []int{64, 64})}
		want, err := exe.Run(t.Context(), feed)
		require.NoError(t, err)
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				for range 30 {
					out, err := exe.Run(t.Context(), feed)
					if err != nil || !tensor.Equal(want[0], out[0]) {
						t.Errorf("%v", err)
						return
					}
				}
			})
		}
		all.Wait()
		require.NoError(t, exe.Close())
		_, err = exe.Run(t.Context(), feed)
		require.ErrorIs(t, err, ErrClosed)
	}
	require.NoError(t, errors.Join(rt.Close(), device.Close(), cpu.Close()))
}

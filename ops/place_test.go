package ops

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
	"github.com/anycl/anycl/tensor"
)

// slowed is a CPU path under another name, with times and abilities of a test.
type slowed struct {
	engine.Engine
	time  func(t *engine.Task) time.Duration // negative: it cannot
	bytes time.Duration                      // to move one
}

var errNotHere = errors.New("not on this engine")

func (s *slowed) Name() string { return "slowed" }

func (s *slowed) Traits() engine.Traits { return engine.Traits{} }

func (s *slowed) Check(t *engine.Task) error {
	if s.time(t) < 0 {
		return errNotHere
	}
	return s.Engine.Check(t)
}

func (s *slowed) Estimate(t *engine.Task) time.Duration { return s.time(t) }

func (s *slowed) Transfer(n int64) time.Duration { return time.Duration(n) * s.bytes }

// besideCPU is a runtime on an engine like s and the CPU path.
func besideCPU(t *testing.T, s *slowed) *Runtime {
	t.Helper()
	cpu := fallback.New(nil)
	s.Engine = fallback.New(nil)
	rt := NewRuntime(s, cpu)
	t.Cleanup(func() {
		require.NoError(t, errors.Join(rt.Close(), s.Engine.Close(), cpu.Close()))
		require.Zero(t, s.Engine.Stats().Memories)
	})
	return rt
}

// wheres are the names of tasks and where they run.
func wheres(x *Executable) (out []string) {
	for _, t := range x.Report().Tasks {
		out = append(out, t.Name+" on "+t.Where)
	}
	return out
}

func TestWhatIsPutSomewhereRunsThereAndNothingElse(t *testing.T) {
	t.Parallel()
	rt := besideCPU(t, &slowed{time: func(*engine.Task) time.Duration { return 0 }})
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
			require.Equal(t, c.want, wheres(exe))
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
	_, err := g.Compile(t.Context(), cpuOnly(t), Target{Outputs: []*Node{y}})
	require.ErrorContains(t, err, "the place is -1")
	_, err = NewGraph("nil").Compile(t.Context(), cpuOnly(t), Target{Outputs: []*Node{Put(nil, OnCPU)}})
	require.Error(t, err)
	h := NewGraph("no device")
	_, err = h.Compile(t.Context(), cpuOnly(t), Target{Outputs: []*Node{Put(Exp(h.Input("x", tensor.Float32, 2)), OnDevice)}})
	require.ErrorContains(t, err, "the device was asked for")
	require.ErrorContains(t, err, "place_test.go")
}

func TestTheEnvironmentPlacesGraphsThatDoNotSay(t *testing.T) {
	rt := besideCPU(t, &slowed{time: func(*engine.Task) time.Duration { return time.Hour }})
	compile := func(place Place) (*Executable, error) {
		g := NewGraph("env")
		return g.Compile(t.Context(), rt, Target{Outputs: []*Node{Exp(g.Input("x", tensor.Float32, 2))}, Place: place})
	}
	for env, want := range map[string]string{"": "cpu", "auto": "cpu", "cpu": "cpu", "device": "slowed"} {
		t.Setenv(EnvPlace, env)
		exe, err := compile(Auto)
		require.NoError(t, err)
		require.Equal(t, []string{"exp on " + want}, wheres(exe), env)
		exe, err = compile(OnDevice)
		require.NoError(t, err)
		require.Equal(t, []string{"exp on slowed"}, wheres(exe), env)
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
	rt := besideCPU(t, &slowed{time: product})
	g := NewGraph("split") // large, so that a split pays also beside many cores
	x := g.Input("x", tensor.Float32, 160, 160)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Softmax(Exp(Transpose(MatMul(Sin(x), x))), -1)}})
	require.NoError(t, err)
	require.Equal(t, []string{"sin on cpu", "matmul+exp on slowed", "softmax on cpu"}, wheres(exe))
	require.Contains(t, exe.Explain(), "slowed cannot: not on this engine")
	require.Contains(t, exe.Explain(), "; all on cpu ")
	feed := Feeds{x: vec(t, []int{160, 160})}
	got, err := exe.Run(t.Context(), feed)
	require.NoError(t, err)
	all, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Softmax(Exp(Transpose(MatMul(Sin(x), x))), -1)}, Place: OnCPU})
	require.NoError(t, err)
	want, err := all.Run(t.Context(), feed)
	require.NoError(t, err)
	require.True(t, tensor.Equal(want[0], got[0]))
	outs := []*tensor.Tensor{got[0]}
	exe.alternativeCost.Store(0) // runs that others disturb are a reason to place the graph again
	exe.adaptive.done.Wait()
	allocs := 1.0
	for i := 0; i < 20 && allocs > 0; i++ { // until every worker of the CPU path has had a piece and made its frames
		allocs = min(allocs, testing.AllocsPerRun(20, func() { _ = exe.RunInto(t.Context(), feed, outs) }))
	}
	require.Zero(t, allocs)
}

// A variable that one side updates and the other reads is moved in every run, which the
// placement knows.
func TestAVariableIsResidentWhereItsReadersAre(t *testing.T) {
	t.Parallel()
	for move, want := range map[time.Duration]string{0: "slowed", time.Second: "cpu"} {
		rt := besideCPU(t, &slowed{bytes: move, time: func(t *engine.Task) time.Duration {
			if t.Kind == engine.Contract {
				return 0
			}
			return time.Hour // the update must be on the CPU path
		}})
		g := NewGraph("resident")
		w := g.Variable("w", vec(t, []int{256, 256}))
		x := g.Input("x", tensor.Float32, 256, 256)
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{MatMul(x, w)}, Updates: []*Node{Assign(w, Exp(w))}})
		require.NoError(t, err)
		require.Contains(t, wheres(exe), "matmul on "+want)
		require.Contains(t, wheres(exe), "exp on cpu")
	}
}

// What is set between runs is moved by the run that finds it so, and by no other: a graph reckons
// with what its runs have met.
func TestAVariableIsChargedForAsOftenAsItIsSet(t *testing.T) {
	t.Parallel()
	for _, volatile := range []bool{false, true} {
		rt := besideCPU(t, &slowed{bytes: 100, time: func(*engine.Task) time.Duration { return 0 }})
		g := NewGraph("set")
		value := vec(t, []int{256})
		w := g.Variable("w", value)
		target := Target{Outputs: []*Node{Exp(w)}}
		if volatile {
			target.Volatile = []*Node{w}
		}
		x, err := g.Compile(t.Context(), rt, target)
		require.NoError(t, err)
		predicted := func() (plan *place.Plan, moves float64) {
			plan, _, err := x.decide()
			require.NoError(t, err)
			for _, v := range x.moved([]float64{1}) {
				if v.Maker == place.Host {
					moves += v.Times
				}
			}
			return plan, moves
		}
		result := []*tensor.Tensor{vec(t, []int{256})}
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
	slowed
	pause atomic.Int64
}

type sleepySequence struct {
	engine.Sequence
	*sleepy
}

func (s *sleepy) Prepare(ctx context.Context, tasks []engine.Bound) (engine.Sequence, error) {
	q, err := s.slowed.Prepare(ctx, tasks)
	return &sleepySequence{q, s}, err
}

func (s *sleepySequence) Run(ctx context.Context, from, to int, run uint32) error {
	time.Sleep(time.Duration(s.pause.Load()))
	return s.Sequence.Run(ctx, from, to, run)
}

func TestADeviceThatBecomesSlowerLosesItsTasks(t *testing.T) {
	t.Parallel()
	// So long that what a run takes beside them, with the race detector on a busy machine, decides nothing.
	const fast, other = 2 * time.Millisecond, 4 * time.Millisecond
	of := func(takes time.Duration) sleepy {
		return sleepy{slowed: slowed{Engine: fallback.New(nil), time: func(*engine.Task) time.Duration { return takes }}}
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
	device := &sleepy{slowed: slowed{Engine: fallback.New(nil), time: func(*engine.Task) time.Duration { return 50 }}}
	device.pause.Store(int64(time.Millisecond))
	cpu := fallback.New(nil)
	rt := NewRuntime(device, cpu)
	for range 4 {
		g := NewGraph("moving")
		x := g.Input("x", tensor.Float32, 64, 64)
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{Softmax(MatMul(x, x), -1)}})
		require.NoError(t, err)
		feed := Feeds{x: vec(t, []int{64, 64})}
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

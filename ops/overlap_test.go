package ops

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testleak"
	"github.com/anycl/anycl/tensor"
)

// overlapped compiles a graph whose sides are predicted to work at the same time.
func (r *overlapRig) overlapped(t testing.TB, g *Graph, outs ...*Node) *Executable {
	t.Helper()
	x, err := g.Compile(t.Context(), r.Runtime, Target{Outputs: outs})
	require.NoError(t, err)
	require.NotNil(t, x.executor.Program().Placement.Order)
	return x
}

func pair(a, b float32) *tensor.Tensor { return tensor.Must(tensor.FromSlice([]float32{a, b}, 2)) }

// Each of two kernels waits for the other to begin.
func TestSidesWorkAtTheSameTime(t *testing.T) {
	t.Parallel()
	for _, devices := range [][]string{{"queue"}, {"caller"}, {"queue", "queue"}, {"caller", "queue"}} {
		t.Run(fmt.Sprint(devices), func(t *testing.T) {
			t.Parallel()
			r, m := newOverlapRig(t, devices...), newMeeting("a", "b")
			g := NewGraph("beside")
			x := g.Input("x", tensor.Float32, 2)
			b := r.kernel(g, "b", OnCPU, m.come("b", "a"), x)
			a := r.kernel(g, "a", OnDevice, m.come("a", "b"), x)
			exe := r.overlapped(t, g, r.kernel(g, "sum", OnCPU, nil, a, b))
			require.Less(t, exe.executor.Program().Placement.Total, exe.executor.Program().Placement.Serial)
			out, err := exe.Run(t.Context(), Feeds{x: pair(1, 2)})
			require.NoError(t, err)
			require.Equal(t, []float32{2, 4}, floatsOf(t, out[0]))
		})
	}
}

// A device goes on with its next task while the CPU path works with what the first has made.
func TestAValueIsTakenWithoutWaitingForWhatComesAfterIt(t *testing.T) {
	t.Parallel()
	for _, device := range []string{"queue", "caller"} {
		t.Run(device, func(t *testing.T) {
			t.Parallel()
			r, m := newOverlapRig(t, device), newMeeting("next", "reader")
			g := NewGraph("taken")
			x := g.Input("x", tensor.Float32, 2)
			first := r.kernel(g, "first", OnDevice, nil, x)
			next := r.kernel(g, "next", OnDevice, m.come("next", "reader"), first)
			exe := r.overlapped(t, g, r.kernel(g, "reader", OnCPU, m.come("reader", "next"), first), next)
			out, err := exe.Run(t.Context(), Feeds{x: pair(1, 2)})
			require.NoError(t, err)
			require.Equal(t, []float32{1, 2}, floatsOf(t, out[0]))
			require.Equal(t, []float32{1, 2}, floatsOf(t, out[1]))
		})
	}
}

// The CPU path goes on while what it has made for the device waits behind what is at work there.
func TestAValueIsSentAhead(t *testing.T) {
	t.Parallel()
	for _, device := range []string{"queue", "caller"} {
		t.Run(device, func(t *testing.T) {
			t.Parallel()
			r, m := newOverlapRig(t, device), newMeeting("busy", "more")
			g := NewGraph("sent")
			x := g.Input("x", tensor.Float32, 2)
			busy := r.kernel(g, "busy", OnDevice, m.come("busy", "more"), x)
			r.times["busy"] = 3 * time.Millisecond
			made := r.kernel(g, "made", OnCPU, nil, x)
			read := r.kernel(g, "read", OnDevice, nil, busy, made)
			more := r.kernel(g, "more", OnCPU, m.come("more", "busy"), made)
			exe := r.overlapped(t, g, read, more)
			out, err := exe.Run(t.Context(), Feeds{x: pair(1, 2)})
			require.NoError(t, err)
			require.Equal(t, []float32{2, 4}, floatsOf(t, out[0]))
			require.Equal(t, []float32{1, 2}, floatsOf(t, out[1]))
		})
	}
}

// What cannot overlap has no goroutine and no order of its own.
func TestAChainNeedsNoHands(t *testing.T) {
	t.Parallel()
	r := newOverlapRig(t, "caller")
	g := NewGraph("chain")
	x := g.Input("x", tensor.Float32, 2)
	y := r.kernel(g, "c", OnCPU, nil, r.kernel(g, "b", OnDevice, nil, r.kernel(g, "a", OnCPU, nil, x)))
	exe, err := g.Compile(t.Context(), r.Runtime, Target{Outputs: []*Node{y}})
	require.NoError(t, err)
	require.False(t, exe.executor.Program().Workers)
	require.Nil(t, exe.executor.Program().Placement.Order)
	r.times["short"] = 10 * time.Microsecond
	short := r.kernel(g, "short", OnCPU, nil, x)
	r.times["short"] = 10 * time.Microsecond
	exe, err = g.Compile(t.Context(), r.Runtime, Target{Outputs: []*Node{Put(Add(short, r.kernel(g, "d", OnDevice, nil, x)), OnCPU)}})
	require.NoError(t, err)
	require.False(t, exe.executor.Program().Workers, "waking a goroutine takes longer than it saves")
}

func TestAnOverlappedRunAllocatesNothing(t *testing.T) {
	for _, device := range []string{"queue", "caller"} {
		t.Run(device, func(t *testing.T) {
			r := newOverlapRig(t, device)
			g := NewGraph("again")
			x := g.Input("x", tensor.Float32, 2)
			a := r.kernel(g, "a", OnDevice, nil, x)
			b := r.kernel(g, "b", OnCPU, nil, x)
			c := r.kernel(g, "c", OnDevice, nil, a, b)
			d := r.kernel(g, "d", OnCPU, nil, a, b)
			v := g.Variable("v", pair(0, 0))
			exe, err := g.Compile(t.Context(), r.Runtime, Target{Updates: []*Node{Assign(v, Put(Add(c, d), OnCPU))}})
			require.NoError(t, err)
			require.NotNil(t, exe.executor.Program().Placement.Order)
			require.Equal(t, device == "caller", exe.executor.Program().Workers)
			feed := Feeds{x: pair(1, 2)}
			allocations := func() float64 {
				return testing.AllocsPerRun(50, func() { require.NoError(t, exe.RunInto(context.Background(), feed, nil)) })
			}
			together := allocations()
			r.exec.Overlapping.Store(true) // as if another run had the goroutines
			require.Equal(t, allocations(), together, "what the kernels and the simulated device allocate themselves")
			require.Less(t, together, 16.0)
		})
	}
}

func TestAnErrorOnOneSideEndsTheOthers(t *testing.T) {
	t.Parallel()
	errBroken := errors.New("broken")
	for _, device := range []string{"queue", "caller"} {
		for _, where := range []Place{OnDevice, OnCPU} {
			t.Run(fmt.Sprint(device, where), func(t *testing.T) {
				t.Parallel()
				r := newOverlapRig(t, device)
				broken := true
				g := NewGraph("fails")
				x := g.Input("x", tensor.Float32, 2)
				a := r.kernel(g, "a", where, func() error {
					if broken {
						return errBroken
					}
					return nil
				}, x)
				b := r.kernel(g, "b", OnDevice+OnCPU-where, nil, x)
				exe := r.overlapped(t, g, r.kernel(g, "sum", OnDevice+OnCPU-where, nil, a, b), r.kernel(g, "c", where, nil, a))
				for range 3 {
					broken = true
					_, err := exe.Run(t.Context(), Feeds{x: pair(1, 2)})
					require.ErrorIs(t, err, errBroken)
					_ = r.exec.Engines[0].Wait(t.Context()) // a queue keeps its error for whoever asks next
					broken = false
					out, err := exe.Run(t.Context(), Feeds{x: pair(1, 2)})
					require.NoError(t, err)
					require.Equal(t, []float32{2, 4}, floatsOf(t, out[0]))
				}
			})
		}
	}
}

func TestAContextEndsAnOverlappedRun(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, device := range []string{"queue", "caller"} {
		t.Run(device, func(t *testing.T) {
			r := newOverlapRig(t, device)
			ctx, cancel := context.WithCancel(t.Context())
			release := make(chan struct{})
			g := NewGraph("ended")
			x := g.Input("x", tensor.Float32, 2)
			slow := r.kernel(g, "slow", OnDevice, func() error {
				if ctx.Err() == nil {
					cancel()
				}
				<-release
				return nil
			}, x)
			other := r.kernel(g, "other", OnCPU, nil, x)
			exe := r.overlapped(t, g, r.kernel(g, "sum", OnCPU, nil, slow, other), slow)
			time.AfterFunc(50*time.Millisecond, func() { close(release) })
			_, err := exe.Run(ctx, Feeds{x: pair(1, 2)})
			require.ErrorIs(t, err, context.Canceled)
			require.NoError(t, r.exec.Engines[0].Wait(t.Context()))
			out, err := exe.Run(t.Context(), Feeds{x: pair(1, 2)})
			require.NoError(t, err)
			require.Equal(t, []float32{2, 4}, floatsOf(t, out[0]))
		})
	}
	testleak.RequireGoroutines(t, before)
}

// Random graphs with random places have the same results whatever runs at the same time.
func TestOverlapChangesNoResult(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			devices := [][]string{{"queue"}, {"caller"}, {"queue", "queue"}, {"caller", "queue"}, {"caller", "caller"}}
			var want []*tensor.Tensor
			for _, device := range [][]string{nil, devices[seed%5]} {
				r := newOverlapRig(t, device...)
				got := r.random(t, seed, device == nil)
				if want == nil {
					want = got
				}
				for i := range want {
					require.True(t, tensor.Equal(want[i], got[i]), "value %d is %v, not %v", i, floatsOf(t, got[i]), floatsOf(t, want[i]))
				}
			}
		})
	}
}

// random runs a random graph with random places, or none, and returns all that it makes.
func (r *overlapRig) random(t *testing.T, seed uint64, anywhere bool) (all []*tensor.Tensor) {
	rng := rand.New(rand.NewPCG(seed, 1))
	g := NewGraph("random")
	x := g.Input("x", tensor.Float32, 2)
	v := g.Variable("v", pair(1, 3))
	nodes := []*Node{x, v}
	for i := range 4 + rng.IntN(12) {
		a, b := nodes[rng.IntN(len(nodes))], nodes[rng.IntN(len(nodes))]
		place := []Place{Auto, OnDevice, OnCPU}[rng.IntN(3)]
		if anywhere {
			place = Auto
		}
		var y *Node
		switch rng.IntN(3) {
		case 0:
			y = Put(Add(ScalarLike(a, 0.5), Mul(a, ScalarLike(a, 0.25))), place)
		default:
			y = r.kernel(g, fmt.Sprintf("k%d", i), place, nil, a, b)
		}
		nodes = append(nodes, Mul(y, ScalarLike(y, 0.5)))
	}
	exe, err := g.Compile(t.Context(), r.Runtime, Target{
		Outputs: nodes[len(nodes)-3:], Updates: []*Node{Assign(v, Mul(Sin(nodes[len(nodes)-1]), v))},
	})
	require.NoError(t, err)
	for run := range 4 {
		outs, err := exe.Run(t.Context(), Feeds{x: pair(float32(run), 0.5)})
		require.NoError(t, err)
		value, err := Value(t.Context(), v)
		require.NoError(t, err)
		all = append(append(all, outs...), value)
	}
	return all
}

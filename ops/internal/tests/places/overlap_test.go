package places_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testleak"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

// Each of two kernels waits for the other to begin.
func TestSidesWorkAtTheSameTime(t *testing.T) {
	t.Parallel()
	for _, devices := range [][]string{{"queue"}, {"caller"}, {"queue", "queue"}, {"caller", "queue"}} {
		t.Run(fmt.Sprint(devices), func(t *testing.T) {
			t.Parallel()
			r, m := opstest.NewOverlapRig(t, devices...), newMeeting("a", "b")
			g := NewGraph("beside")
			x := g.Input("x", tensor.Float32, 2)
			b := r.Kernel(g, "b", OnCPU, m.come("b", "a"), x)
			a := r.Kernel(g, "a", OnDevice, m.come("a", "b"), x)
			exe := r.Overlapped(t, g, r.Kernel(g, "sum", OnCPU, nil, a, b))
			require.Less(t, inside.Executor(exe).Program().Placement.Total, inside.Executor(exe).Program().Placement.Serial)
			out, err := exe.Run(t.Context(), Feeds{x: opstest.Pair(1, 2)})
			require.NoError(t, err)
			require.Equal(t, []float32{2, 4}, opstest.FloatsOf(t, out[0]))
		})
	}
}

// A device goes on with its next task while the CPU path works with what the first has made.
func TestAValueIsTakenWithoutWaitingForWhatComesAfterIt(t *testing.T) {
	t.Parallel()
	for _, device := range []string{"queue", "caller"} {
		t.Run(device, func(t *testing.T) {
			t.Parallel()
			r, m := opstest.NewOverlapRig(t, device), newMeeting("next", "reader")
			g := NewGraph("taken")
			x := g.Input("x", tensor.Float32, 2)
			first := r.Kernel(g, "first", OnDevice, nil, x)
			next := r.Kernel(g, "next", OnDevice, m.come("next", "reader"), first)
			exe := r.Overlapped(t, g, r.Kernel(g, "reader", OnCPU, m.come("reader", "next"), first), next)
			out, err := exe.Run(t.Context(), Feeds{x: opstest.Pair(1, 2)})
			require.NoError(t, err)
			require.Equal(t, []float32{1, 2}, opstest.FloatsOf(t, out[0]))
			require.Equal(t, []float32{1, 2}, opstest.FloatsOf(t, out[1]))
		})
	}
}

// The CPU path goes on while what it has made for the device waits behind what is at work there.
func TestAValueIsSentAhead(t *testing.T) {
	t.Parallel()
	for _, device := range []string{"queue", "caller"} {
		t.Run(device, func(t *testing.T) {
			t.Parallel()
			r, m := opstest.NewOverlapRig(t, device), newMeeting("busy", "more")
			g := NewGraph("sent")
			x := g.Input("x", tensor.Float32, 2)
			busy := r.Kernel(g, "busy", OnDevice, m.come("busy", "more"), x)
			r.Times["busy"] = 3 * time.Millisecond
			made := r.Kernel(g, "made", OnCPU, nil, x)
			read := r.Kernel(g, "read", OnDevice, nil, busy, made)
			more := r.Kernel(g, "more", OnCPU, m.come("more", "busy"), made)
			exe := r.Overlapped(t, g, read, more)
			out, err := exe.Run(t.Context(), Feeds{x: opstest.Pair(1, 2)})
			require.NoError(t, err)
			require.Equal(t, []float32{2, 4}, opstest.FloatsOf(t, out[0]))
			require.Equal(t, []float32{1, 2}, opstest.FloatsOf(t, out[1]))
		})
	}
}

// What cannot overlap has no goroutine and no order of its own.
func TestAChainNeedsNoHands(t *testing.T) {
	t.Parallel()
	r := opstest.NewOverlapRig(t, "caller")
	g := NewGraph("chain")
	x := g.Input("x", tensor.Float32, 2)
	y := r.Kernel(g, "c", OnCPU, nil, r.Kernel(g, "b", OnDevice, nil, r.Kernel(g, "a", OnCPU, nil, x)))
	exe, err := g.Compile(t.Context(), r.Runtime, Target{Outputs: []*Node{y}})
	require.NoError(t, err)
	require.False(t, inside.Executor(exe).Program().Workers)
	require.Nil(t, inside.Executor(exe).Program().Placement.Order)
	r.Times["short"] = 10 * time.Microsecond
	short := r.Kernel(g, "short", OnCPU, nil, x)
	r.Times["short"] = 10 * time.Microsecond
	exe, err = g.Compile(t.Context(), r.Runtime, Target{Outputs: []*Node{Put(Add(short, r.Kernel(g, "d", OnDevice, nil, x)), OnCPU)}})
	require.NoError(t, err)
	require.False(t, inside.Executor(exe).Program().Workers, "waking a goroutine takes longer than it saves")
}

func TestAnOverlappedRunAllocatesNothing(t *testing.T) {
	for _, device := range []string{"queue", "caller"} {
		t.Run(device, func(t *testing.T) {
			r := opstest.NewOverlapRig(t, device)
			g := NewGraph("again")
			x := g.Input("x", tensor.Float32, 2)
			a := r.Kernel(g, "a", OnDevice, nil, x)
			b := r.Kernel(g, "b", OnCPU, nil, x)
			c := r.Kernel(g, "c", OnDevice, nil, a, b)
			d := r.Kernel(g, "d", OnCPU, nil, a, b)
			v := g.Variable("v", opstest.Pair(0, 0))
			exe, err := g.Compile(t.Context(), r.Runtime, Target{Updates: []*Node{Assign(v, Put(Add(c, d), OnCPU))}})
			require.NoError(t, err)
			require.NotNil(t, inside.Executor(exe).Program().Placement.Order)
			require.Equal(t, device == "caller", inside.Executor(exe).Program().Workers)
			feed := Feeds{x: opstest.Pair(1, 2)}
			allocations := func() float64 {
				return opstest.Allocations(50, func() { require.NoError(t, exe.RunInto(context.Background(), feed, nil)) })
			}
			together := allocations()
			inside.Machine(r.Runtime).Overlapping.Store(true) // as if another run had the goroutines
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
				r := opstest.NewOverlapRig(t, device)
				broken := true
				g := NewGraph("fails")
				x := g.Input("x", tensor.Float32, 2)
				a := r.Kernel(g, "a", where, func() error {
					if broken {
						return errBroken
					}
					return nil
				}, x)
				b := r.Kernel(g, "b", OnDevice+OnCPU-where, nil, x)
				exe := r.Overlapped(t, g, r.Kernel(g, "sum", OnDevice+OnCPU-where, nil, a, b), r.Kernel(g, "c", where, nil, a))
				for range 3 {
					broken = true
					_, err := exe.Run(t.Context(), Feeds{x: opstest.Pair(1, 2)})
					require.ErrorIs(t, err, errBroken)
					_ = inside.Machine(r.Runtime).Engines[0].Wait(t.Context()) // a queue keeps its error for whoever asks next
					broken = false
					out, err := exe.Run(t.Context(), Feeds{x: opstest.Pair(1, 2)})
					require.NoError(t, err)
					require.Equal(t, []float32{2, 4}, opstest.FloatsOf(t, out[0]))
				}
			})
		}
	}
}

func TestAContextEndsAnOverlappedRun(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, device := range []string{"queue", "caller"} {
		t.Run(device, func(t *testing.T) {
			r := opstest.NewOverlapRig(t, device)
			ctx, cancel := context.WithCancel(t.Context())
			release := make(chan struct{})
			g := NewGraph("ended")
			x := g.Input("x", tensor.Float32, 2)
			slow := r.Kernel(g, "slow", OnDevice, func() error {
				if ctx.Err() == nil {
					cancel()
				}
				<-release
				return nil
			}, x)
			other := r.Kernel(g, "other", OnCPU, nil, x)
			exe := r.Overlapped(t, g, r.Kernel(g, "sum", OnCPU, nil, slow, other), slow)
			time.AfterFunc(50*time.Millisecond, func() { close(release) })
			_, err := exe.Run(ctx, Feeds{x: opstest.Pair(1, 2)})
			require.ErrorIs(t, err, context.Canceled)
			require.NoError(t, inside.Machine(r.Runtime).Engines[0].Wait(t.Context()))
			out, err := exe.Run(t.Context(), Feeds{x: opstest.Pair(1, 2)})
			require.NoError(t, err)
			require.Equal(t, []float32{2, 4}, opstest.FloatsOf(t, out[0]))
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
				r := opstest.NewOverlapRig(t, device...)
				got := r.Random(t, seed, device == nil)
				if want == nil {
					want = got
				}
				for i := range want {
					require.True(t, tensor.Equal(want[i], got[i]), "value %d is %v, not %v", i, opstest.FloatsOf(t, got[i]), opstest.FloatsOf(t, want[i]))
				}
			}
		})
	}
}

package runs_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/tensor"
)

// lentRows and lentColumns make a tensor that is lent.
const lentRows, lentColumns = 64, 48

// ramp is lentRows x lentColumns values from v on.
func ramp(v float32) *tensor.Tensor {
	x := tensor.Must(tensor.New(tensor.Float32, lentRows, lentColumns))
	for i := range lentRows * lentColumns {
		x.SetFloat64(i, float64(v)+float64(i%17)/16)
	}
	return x
}

// lending compiles y = (x + z)·2 and its squares, whose tasks could write over x and z.
func lending(t *testing.T, rt *ops.Runtime, name string) (exe *ops.Executable, x, z *ops.Node) {
	t.Helper()
	g := ops.NewGraph(name)
	x, z = g.Input("x", tensor.Float32, lentRows, lentColumns), g.Input("z", tensor.Float32, lentRows, lentColumns)
	y := ops.Mul(ops.Add(x, z), ops.ScalarLike(x, 2))
	square := ops.Sub(y, ops.Reshape(ops.Mean(y, 1), lentRows, 1)) // of what the first task made
	exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: []*ops.Node{y, ops.Mul(square, square)}, Place: ops.OnDevice})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, exe.Close()) })
	return exe, x, z
}

func same(t *testing.T, want, got []*tensor.Tensor) {
	t.Helper()
	for i := range want {
		a, err := tensor.ToSlice[float32](want[i])
		require.NoError(t, err)
		b, err := tensor.ToSlice[float32](got[i])
		require.NoError(t, err)
		require.Equal(t, a, b, "output %d", i)
	}
}

// TestLentMemoryHoldsWhatCopiesWould runs feeds and outputs of all kinds where they lie, and copied: the results are the
// same bits, and no feed has changed.
func TestLentMemoryHoldsWhatCopiesWould(t *testing.T) {
	r := newRig(t)
	for _, thread := range []string{"caller", "pool"} {
		t.Run(thread, func(t *testing.T) {
			rt := r.onThread(t, thread)
			copies := func() (*ops.Executable, *ops.Node, *ops.Node) {
				defer opstest.LendFrom(1 << 40)()
				return lending(t, rt, "copied")
			}
			copied, cx, cz := copies()
			lent, x, z := lending(t, rt, "lent")
			require.Zero(t, copied.Report().Memory[0].Lent)
			require.Equal(t, int64(4*4*lentRows*lentColumns), lent.Report().Memory[0].Lent, "both feeds and both results")
			require.Zero(t, lent.Report().Memory[0].Peak(), "the device has none of its own: %s", lent.Explain())

			odd := func(v float32) *tensor.Tensor { // begins at no multiple of the alignment
				flat := tensor.Must(tensor.New(tensor.Float32, lentRows*lentColumns+1))
				for i := range lentRows*lentColumns + 1 {
					flat.SetFloat64(i, float64(v)+float64(i%7))
				}
				part, err := flat.Slice(0, 1, lentRows*lentColumns+1, 1)
				require.NoError(t, err)
				shaped, err := part.Reshape(lentRows, lentColumns)
				require.NoError(t, err)
				return shaped
			}
			turned := func(v float32) *tensor.Tensor { // not contiguous
				y := tensor.Must(tensor.New(tensor.Float32, lentColumns, lentRows))
				for i := range lentRows * lentColumns {
					y.SetFloat64(i, float64(v)+float64(i%11))
				}
				turned, err := y.Transpose()
				require.NoError(t, err)
				return turned
			}
			fresh := func() []*tensor.Tensor { return []*tensor.Tensor{ramp(-7), ramp(-8)} }
			for name, c := range map[string]struct{ x, z *tensor.Tensor }{
				"aligned": {ramp(1), ramp(2)}, "odd": {odd(1), ramp(3)}, "not contiguous": {turned(2), odd(5)}, "one for both": {ramp(4), nil},
			} {
				t.Run(name, func(t *testing.T) {
					if c.z == nil {
						c.z = c.x
					}
					before, beside := c.x.Clone(), c.z.Clone()
					want, got := fresh(), fresh()
					require.NoError(t, copied.RunInto(t.Context(), ops.Feeds{cx: c.x, cz: c.z}, want))
					for range 3 { // other outputs, and the same
						require.NoError(t, lent.RunInto(t.Context(), ops.Feeds{x: c.x, z: c.z}, got))
						same(t, want, got)
						got = []*tensor.Tensor{odd(9), got[1]}
					}
					same(t, []*tensor.Tensor{before, beside}, []*tensor.Tensor{c.x, c.z})

					a, b := c.x.Clone(), c.z.Clone() // fed, and written
					require.NoError(t, lent.RunInto(t.Context(), ops.Feeds{x: a, z: b}, []*tensor.Tensor{b, a}))
					same(t, want, []*tensor.Tensor{b, a})
					a = c.x.Clone() // the last output is what remains
					require.NoError(t, lent.RunInto(t.Context(), ops.Feeds{x: a, z: c.z}, []*tensor.Tensor{a, a}))
					same(t, want[1:], []*tensor.Tensor{a})
				})
			}
		})
	}
}

func TestLentRunsOverlap(t *testing.T) {
	rt := newRig(t).onThread(t, "caller")
	exe, x, z := lending(t, rt, "overlapping")
	var wants [8][]*tensor.Tensor
	for i := range wants {
		outs, err := exe.Run(t.Context(), ops.Feeds{x: ramp(float32(i)), z: ramp(1)})
		require.NoError(t, err)
		wants[i] = outs
	}
	var all sync.WaitGroup
	for i := range wants {
		all.Go(func() {
			outs := []*tensor.Tensor{ramp(0), ramp(0)}
			for range 20 {
				if err := exe.RunInto(t.Context(), ops.Feeds{x: ramp(float32(i)), z: ramp(1)}, outs); err != nil {
					t.Error(err)
					return
				}
				same(t, wants[i], outs)
			}
		})
	}
	all.Wait()
}

func TestLendingAllocatesNothing(t *testing.T) {
	if opstest.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	defer rt.Close()
	if rt.Device() == nil {
		t.Skip("no OpenCL device: " + rt.Why())
	}
	exe, x, z := lending(t, rt, "again")
	defer exe.Close()
	if exe.Report().Memory[0].Lent == 0 {
		t.Skip("nothing is lent here")
	}
	feeds := [2]ops.Feeds{{x: ramp(1), z: ramp(2)}, {x: ramp(3), z: ramp(4)}}
	outs, i := []*tensor.Tensor{ramp(0), ramp(0)}, 0
	run := func() {
		if err := exe.RunInto(t.Context(), feeds[i%2], outs); err != nil {
			t.Fatal(err)
		}
		i++
	}
	run()
	require.Zero(t, opstest.Allocations(100, run))
}

// TestARunThatFailsReturnsWhatWasLent fails each call of a run that sets arguments anew, one after the other. The feeds
// are as they were, and the next run is right.
func TestARunThatFailsReturnsWhatWasLent(t *testing.T) {
	r := newRig(t)
	exe, x, z := lending(t, r.onThread(t, "caller"), "failing")
	first := ops.Feeds{x: ramp(1), z: ramp(2)}
	want, err := exe.Run(t.Context(), first)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, exe.RunInto(ctx, first, []*tensor.Tensor{ramp(0), ramp(0)}), context.Canceled)
	failed := 0
	for at, fired := 1, 1; fired > 0; at++ {
		other, outs := ops.Feeds{x: ramp(1), z: ramp(2)}, []*tensor.Tensor{ramp(0), ramp(0)}
		r.faults.FailAt(at, cl.OutOfResources, "")
		err := exe.RunInto(t.Context(), other, outs)
		fired = r.faults.Fired()
		r.faults.Off()
		if fired > 0 {
			require.ErrorIs(t, err, cl.OutOfResources, "call %d", at)
			failed++
		}
		same(t, []*tensor.Tensor{ramp(1), ramp(2)}, []*tensor.Tensor{other[x], other[z]})
		got, err := exe.Run(t.Context(), other)
		require.NoError(t, err, "after call %d", at)
		same(t, want, got)
	}
	require.Greater(t, failed, 4, "both feeds, both results and a launch")
}

// TestRandomGraphsWithAllLentAgree lends what is of one byte and more.
func TestRandomGraphsWithAllLentAgree(t *testing.T) {
	if opstest.RaceEnabled && testing.Short() {
		t.Skip("results, without goroutines")
	}
	t.Cleanup(opstest.LendFrom(1))
	e, cpu := newRig(t).engines(t, "caller")
	n := 6
	switch {
	case testdevices.Full():
		n = 60
	case testing.Short():
		n = 3
	}
	optest.TestGraphs(t, e, n)
	optest.TestPlacements(t, e, cpu, n)
}

package ocl

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

func floats(v ...float32) (b []byte) {
	for _, f := range v {
		b = binary.NativeEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}

// chain is x -> 2x -> sum of rows -> plus run, in one arena.
func chain(t testing.TB, e *Engine, rows, cols int) (s engine.Sequence, arena engine.Memory, out int64) {
	t.Helper()
	n := int64(rows * cols)
	wide := (n*4 + 255) / 256 * 256
	arena, err := e.Alloc(3*wide + 1024)
	require.NoError(t, err)
	t.Cleanup(func() { _ = arena.Close() })
	at := func(i int64) engine.Slot { return engine.Slot{Mem: arena, Offset: i * wide} }
	in := engine.Operand{DType: tensor.Float32, Len: n}
	dom := engine.Domain{rows, cols}
	x := engine.Load(0, in.DType, sample.DenseAt(dom, 0, 1), nil)
	double := sample.Map(dom, engine.Apply(sample.Add, in.DType, x, x), in)
	sum := sample.Reduce(dom, 1, engine.Sum, x, in)
	row := engine.Operand{DType: tensor.Float32, Len: int64(rows)}
	y := engine.Load(0, in.DType, engine.AxisIndex(0), nil)
	plus := sample.Map(engine.Domain{rows}, engine.Apply(sample.Add, in.DType, y, engine.Apply(sample.Cast, in.DType, engine.Run())), row)
	plus.Alias = []int{0}
	s, err = e.Prepare(t.Context(), []engine.Bound{
		{Task: double, Ins: []engine.Slot{at(0)}, Outs: []engine.Slot{at(1)}},
		{Task: sum, Ins: []engine.Slot{at(1)}, Outs: []engine.Slot{at(2)}},
		{Task: plus, Ins: []engine.Slot{at(2)}, Outs: []engine.Slot{at(2)}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s, arena, 2 * wide
}

func TestTasksOfASequenceSeeEachOthersResults(t *testing.T) {
	e := device(t, "", nil)
	const rows, cols = 3, 9000
	s, arena, out := chain(t, e, rows, cols)
	ones := make([]float32, rows*cols)
	for i := range ones {
		ones[i] = 1
	}
	ctx := t.Context()
	require.NoError(t, e.Write(ctx, arena, 0, floats(ones...)))
	got := make([]byte, rows*4)
	for run := range uint32(3) {
		require.NoError(t, s.Run(ctx, 0, 3, run))
		require.NoError(t, e.Read(ctx, got, arena, out))
		require.Equal(t, floats(2*cols+float32(run), 2*cols+float32(run), 2*cols+float32(run)), got)
	}
	// A part of the sequence: the last task again, in place.
	require.NoError(t, s.Run(ctx, 2, 3, 10))
	require.NoError(t, e.Read(ctx, got, arena, out))
	require.Equal(t, floats(2*cols+12, 2*cols+12, 2*cols+12), got)
	require.Equal(t, int64(10), e.Stats().Launches)
}

func TestRunAgainAllocatesNothing(t *testing.T) {
	if ocltest.RaceEnabled {
		t.Skip("the race detector allocates")
	}
	e := device(t, "", nil)
	s, _, _ := chain(t, e, 4, 64)
	ctx := t.Context()
	run := uint32(0)
	require.Zero(t, testing.AllocsPerRun(200, func() {
		run++
		if err := s.Run(ctx, 0, 3, run); err != nil {
			t.Fatal(err)
		}
	}))
	require.NoError(t, e.Wait(ctx))
}

func TestCloseLeavesNoLiveObject(t *testing.T) {
	lib, err := cl.Open(nil)
	if err != nil {
		t.Skipf("no OpenCL library: %v", err)
	}
	o := ocltest.Options()
	o.Library = lib
	m, err := platform.Discover(t.Context(), o)
	require.NoError(t, err)
	d, err := m.Select("")
	if err != nil {
		t.Skipf("no OpenCL device: %v", err)
	}
	dev, err := d.Open(t.Context(), o)
	require.NoError(t, err)
	e := New(dev)
	s, arena, _ := chain(t, e, 4, 20000)
	require.NoError(t, s.Run(t.Context(), 0, 3, 0))
	task := saxpyTask(64)
	custom, err := e.Prepare(t.Context(), []engine.Bound{{
		Task: task, Ins: []engine.Slot{{Mem: arena, Offset: 4}, {Mem: arena, Offset: 512}}, Outs: []engine.Slot{{Mem: arena, Offset: 1024}},
	}})
	require.NoError(t, err)
	require.NoError(t, custom.Run(t.Context(), 0, 1, 0))
	require.Equal(t, engine.Stats{Memories: 1, Bytes: arena.Bytes(), Sequences: 2, Launches: 4}, e.Stats())
	require.NoError(t, custom.Close())
	require.NoError(t, custom.Close(), "again")
	require.Equal(t, 1, e.Stats().Sequences)

	require.NoError(t, e.Close(), "with a sequence and memory open")
	require.NoError(t, e.Close(), "again")
	require.ErrorIs(t, s.Run(t.Context(), 0, 3, 0), engine.ErrClosed)
	_, err = e.Alloc(1)
	require.ErrorIs(t, err, engine.ErrClosed)
	require.ErrorIs(t, e.Wait(t.Context()), engine.ErrClosed)
	require.ErrorIs(t, e.Write(t.Context(), arena, 0, nil), engine.ErrClosed)
	_, err = e.Prepare(t.Context(), nil)
	require.ErrorIs(t, err, engine.ErrClosed)
	require.Zero(t, e.Stats().Memories+e.Stats().Sequences)
	require.NoError(t, dev.Close())
	require.Zero(t, lib.Stats().Total(), "%+v", lib.Stats())
}

func TestFailedPrepareReleasesWhatItMade(t *testing.T) {
	e := device(t, "", nil)
	before := e.dev.Stats()
	s, arena, _ := chain(t, e, 2, 8192)
	require.NoError(t, s.Close())
	mid := e.dev.Stats().Live
	bad := saxpyTask(64)
	bad.Custom.Args = nil
	in := engine.Operand{DType: tensor.Float32, Len: 40000}
	sum := sample.Reduce(engine.Domain{40000}, 0, engine.Sum, engine.Load(0, in.DType, engine.AxisIndex(0), nil), in)
	arena2, err := e.Alloc(1 << 18)
	require.NoError(t, err)
	_, err = e.Prepare(t.Context(), []engine.Bound{
		{Task: sum, Ins: []engine.Slot{{Mem: arena2}}, Outs: []engine.Slot{{Mem: arena}}},
		{Task: bad, Ins: []engine.Slot{{Mem: arena}, {Mem: arena}}, Outs: []engine.Slot{{Mem: arena}}},
	})
	require.Error(t, err)
	require.NoError(t, arena2.Close())
	require.Equal(t, mid, e.dev.Stats().Live)
	require.GreaterOrEqual(t, mid, before.Live)
	require.Zero(t, e.Stats().Sequences)
}

func TestWrongBindingsAreErrors(t *testing.T) {
	e, other := device(t, "", nil), device(t, "", nil)
	in := engine.Operand{DType: tensor.Float32, Len: 64}
	task := sample.Map(engine.Domain{64}, engine.Load(0, in.DType, engine.AxisIndex(0), nil), in)
	m, err := e.Alloc(512)
	require.NoError(t, err)
	foreign, err := other.Alloc(512)
	require.NoError(t, err)
	closed, err := e.Alloc(512)
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	require.NoError(t, closed.Close(), "again")
	good := engine.Slot{Mem: m}
	aliased := *task
	aliased.Alias = []int{0}
	for _, c := range []struct {
		task *engine.Task
		in   engine.Slot
		out  engine.Slot
		want string
	}{
		{task, engine.Slot{Mem: m, Offset: 300}, good, "256 bytes at 300 of a memory of 512"},
		{task, engine.Slot{Mem: m, Offset: -4}, good, "at -4"},
		{task, engine.Slot{Mem: m, Offset: 2}, good, "not a multiple"},
		{task, engine.Slot{Mem: foreign}, good, "another engine"},
		{task, engine.Slot{}, good, "another engine"},
		{task, engine.Slot{Mem: closed}, good, "closed"},
		{&aliased, engine.Slot{Mem: m, Offset: 256}, good, "declared to be the memory of output 0"},
	} {
		_, err := e.Prepare(t.Context(), []engine.Bound{{Task: c.task, Ins: []engine.Slot{c.in}, Outs: []engine.Slot{c.out}}})
		require.ErrorContains(t, err, c.want)
	}
	_, err = e.Prepare(t.Context(), []engine.Bound{{Task: task, Outs: []engine.Slot{good}}})
	require.ErrorContains(t, err, "0 inputs and 1 outputs are bound, the task has 1 and 1")
	require.ErrorContains(t, e.Write(t.Context(), foreign, 0, nil), "another engine")
	require.Error(t, e.Write(t.Context(), m, 510, []byte{1, 2, 3}))

	s, err := e.Prepare(t.Context(), []engine.Bound{{Task: task, Ins: []engine.Slot{good}, Outs: []engine.Slot{{Mem: m, Offset: 256}}}})
	require.NoError(t, err)
	require.ErrorContains(t, s.Run(t.Context(), 0, 2, 0), "tasks [0, 2) of 1")
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.Run(stopped, 0, 1, 0), context.Canceled)
	require.ErrorIs(t, e.Wait(stopped), context.Canceled)
	_, err = e.Prepare(stopped, []engine.Bound{{Task: task, Ins: []engine.Slot{good}, Outs: []engine.Slot{good}}})
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, m.Close())
	require.ErrorIs(t, s.Run(t.Context(), 0, 1, 0), engine.ErrClosed, "its memory may belong to somebody else by now")
	require.NoError(t, s.Close())
	require.ErrorIs(t, s.Run(t.Context(), 0, 0, 0), engine.ErrClosed)
}

func TestEqualTasksShareOneProgramWhateverTheirSizes(t *testing.T) {
	f := ocltest.CPU(16)
	var sources []string
	for _, n := range []int{100, 5000, 777} {
		dom := engine.Domain{n, 33, n + 1}
		in := engine.Operand{DType: tensor.Float32, Len: dom.Size()}
		// A transpose with a margin: nothing collapses.
		x := engine.AxisIndex(2).Mul(int64(33 * n)).Add(engine.AxisIndex(0).Mul(33)).Add(engine.AxisIndex(1)).AddConst(-7)
		task := sample.Map(dom, engine.Load(0, in.DType, x, []engine.Cond{{X: x, Lo: 0, Hi: in.Len}}), in)
		p, err := variant.MakePlan(f, nil, task, "")
		require.NoError(t, err)
		sources = append(sources, p.Launches[0].Program.Text())
	}
	require.Equal(t, sources[0], sources[1])
	require.Equal(t, sources[0], sources[2])
}

func TestCheckSaysWhatTheDeviceLacks(t *testing.T) {
	f := ocltest.CPU(16)
	f.FP64, f.MaxAlloc, f.ArgBytes = false, 1<<20, 256
	in := engine.Operand{DType: tensor.Float32, Len: 8}
	x := engine.Load(0, in.DType, engine.AxisIndex(0), nil)
	dom := engine.Domain{8}
	require.NoError(t, variant.Check(f, sample.Map(dom, x, in)))
	for want, task := range map[string]*engine.Task{
		"float64":       sample.Map(dom, engine.Apply(sample.Cast, tensor.Float32, engine.Apply(sample.Cast, tensor.Float64, x)), in),
		"allocation":    sample.Map(engine.Domain{1 << 20}, sample.Constant(tensor.Int16, 1)),
		"arguments":     sample.Map(dom, x, in, in, in, in, in, in, in, in, in, in, in, in),
		"no OpenCL C":   sample.Map(dom, engine.Apply(&engine.Scalar{Name: "nop"}, tensor.Float32, x), in),
		"has no source": {Kind: engine.Custom, Custom: &engine.CustomKernel{}},
	} {
		err := variant.Check(f, task)
		require.ErrorIs(t, err, engine.ErrUnsupported)
		require.ErrorContains(t, err, want)
	}
}

func TestEstimatesGrowWithTheWork(t *testing.T) {
	e := device(t, "", nil)
	of := func(n int) *engine.Task {
		in := engine.Operand{DType: tensor.Float32, Len: int64(n)}
		return sample.Map(engine.Domain{n}, engine.Apply(sample.Exp, in.DType, engine.Load(0, in.DType, engine.AxisIndex(0), nil)), in)
	}
	require.Positive(t, e.Estimate(of(0)))
	require.Greater(t, e.Estimate(of(1<<22)), e.Estimate(of(1<<12)))
	require.Greater(t, e.Transfer(1<<30), e.Transfer(1<<20))
	require.Positive(t, e.Transfer(0))
	require.Positive(t, e.Estimate(of(math.MaxInt32)))
}

func TestForcedVariantsAreForcedWhereTheyCanRun(t *testing.T) {
	in := engine.Operand{DType: tensor.Float32, Len: 600}
	task := sample.Reduce(engine.Domain{2, 300}, 1, engine.Max, engine.Load(0, in.DType, sample.DenseAt(engine.Domain{2, 300}, 0, 1), nil), in)
	for _, name := range []string{"item", "group", "block", "column", "lanes"} {
		p, err := variant.MakePlan(ocltest.GPU(64), nil, task, "map=block, reduce="+name)
		require.NoError(t, err)
		require.Equal(t, name, p.Variant)
	}
	p, err := variant.MakePlan(ocltest.GPU(64), nil, task, "reduce=magic")
	require.NoError(t, err)
	require.Equal(t, "group", p.Variant)
	require.Contains(t, p.Why, "reduce=magic cannot run it")
}

func TestEmptyOutputsLaunchNothing(t *testing.T) {
	e := device(t, "", nil)
	_, p := ocltest.Execute(t, e, sample.Map(engine.Domain{3, 0}, sample.Constant(tensor.Int32, 1)), nil, 0)
	require.Empty(t, p.Launch)
}

func TestInPlaceMapsAreVectorLoopsWithoutFalseDependences(t *testing.T) {
	for _, variantName := range []string{"item", "block"} {
		dom := engine.Domain{37, 501}
		in := engine.Operand{DType: tensor.Float32, Len: dom.Size()}
		bias := engine.Operand{DType: tensor.Float32, Len: 501}
		x := engine.Load(1, in.DType, sample.DenseAt(dom, 0, 1), nil)
		task := sample.Map(dom, engine.Apply(sample.Sub, in.DType, x, engine.Load(0, bias.DType, engine.AxisIndex(1), nil)), bias, in)
		task.Alias = []int{1}
		r := rand.New(rand.NewPCG(2, 2))
		ocltest.Verify(t, device(t, "map="+variantName, nil), task, [][]byte{ocltest.RandomBytes(r, bias.DType, bias.Len),
			ocltest.RandomBytes(r, in.DType, in.Len)}, 0, 0)
	}
}

func TestTheLargestAllocationIsTheDevices(t *testing.T) {
	e := device(t, "", nil)
	limit := e.Traits().MaxAlloc
	require.Equal(t, e.dev.Device().MaxAlloc, limit)
	_, err := e.Alloc(limit + 1)
	oom, ok := errors.AsType[*platform.OutOfMemory](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, limit, oom.Limit)
}

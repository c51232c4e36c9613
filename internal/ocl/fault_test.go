package ocl

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/cldriver"
	"github.com/anycl/anycl/internal/clfault"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

// faulty is an engine on a device whose driver can be made to fail.
func faulty(t *testing.T) (*Engine, *cl.Library, *clfault.Injector) {
	faults := new(clfault.Injector)
	lib, err := cl.Open(&cl.Options{Wrap: faults.Wrap})
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
	t.Cleanup(func() {
		faults.Off()
		require.NoError(t, errors.Join(e.Close(), dev.Close()))
		require.Zero(t, lib.Stats().Total(), "%+v", lib.Stats())
	})
	return e, lib, faults
}

// The linked driver has none.
func TestCustomKernelsNeedNoSubBuffers(t *testing.T) {
	e, _, faults := faulty(t)
	faults.FailFrom(1, cl.Status(cldriver.Unsupported), "NewSubBuffer")
	apart := int(variant.RoundUp(256, int64(e.dev.Device().BaseAlign)))
	r := rand.New(rand.NewPCG(1, 9))
	task := saxpyTask(64)
	arena, err := e.Alloc(int64(4 * apart))
	require.NoError(t, err)
	defer func() { require.NoError(t, arena.Close()) }()
	at := func(i int) engine.Slot { return engine.Slot{Mem: arena, Offset: int64(i * apart)} }
	ins := [][]byte{ocltest.RandomBytes(r, tensor.Float32, 64), ocltest.RandomBytes(r, tensor.Float32, 64)}
	for i, b := range ins {
		require.NoError(t, e.Write(t.Context(), arena, at(i+1).Offset, b))
	}
	s, err := e.Prepare(t.Context(), []engine.Bound{{Task: task, Ins: []engine.Slot{at(1), at(2)}, Outs: []engine.Slot{at(3)}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.NoError(t, s.Run(t.Context(), 0, 1, 1))
	got := make([]byte, 256)
	require.NoError(t, e.Read(t.Context(), got, arena, at(3).Offset))
	require.NotZero(t, faults.Fired())
	want, err := taskref.Eval(task, ins)
	require.NoError(t, err)
	require.Equal(t, want[0], got)
}

func TestAFailureAnywhereInPrepareLeaksNothing(t *testing.T) {
	e, lib, faults := faulty(t)
	e.host = nil // where the tasks run depends on measurements, and each place has facts of its own
	m, err := e.Alloc(4 << 10)
	require.NoError(t, err)
	e.facts.ArgBytes, e.facts.ForceWide = 96, true // numbers go in a table: one more thing to release
	task := saxpyTask(8)
	dom := engine.Domain{2, 30000, 3}
	in := engine.Operand{DType: tensor.Float32, Len: dom.Size() * 3}
	strided := engine.AxisIndex(1).Mul(9).Add(engine.AxisIndex(2).Mul(2)).Add(engine.AxisIndex(0).Mul(7)).AddConst(5)
	sum := sample.Reduce(dom, 1, engine.Sum, engine.Load(0, in.DType, strided, nil), in)
	arena, err := e.Alloc(4 << 20)
	require.NoError(t, err)
	at := func(offset int64) engine.Slot { return engine.Slot{Mem: arena, Offset: offset} }
	bound := []engine.Bound{
		{Task: sum, Ins: []engine.Slot{at(0)}, Outs: []engine.Slot{at(3 << 20)}},
		{Task: task, Ins: []engine.Slot{{Mem: m, Offset: 4}, {Mem: m, Offset: 512}}, Outs: []engine.Slot{{Mem: m, Offset: 1024}}},
	}
	s, err := e.Prepare(t.Context(), bound) // objects that are made once exist: programs, pooled memory
	require.NoError(t, err)
	require.True(t, strings.Contains(s.Describe(0).Source, "n_[0]"), "numbers in a table")
	require.NotZero(t, s.Describe(0).Scratch)
	require.NoError(t, s.Close())
	before, held := lib.Stats(), e.dev.Stats().Live
	for n := 1; ; n++ {
		require.Less(t, n, 1000)
		faults.FailAt(n, cl.OutOfResources, "")
		s, err := e.Prepare(t.Context(), bound)
		fired := faults.Fired()
		faults.Off()
		if err == nil {
			require.NoError(t, s.Close())
			if fired == 0 {
				break
			}
			continue
		}
		require.ErrorIs(t, err, cl.OutOfResources, "call %d", n)
		require.Equal(t, held, e.dev.Stats().Live, "call %d", n)
		now := lib.Stats()
		require.Equal(t, before.Kernels, now.Kernels, "call %d", n)
		require.Zero(t, e.Stats().Sequences)
	}
}

func TestADeviceThatFailsNamesTheTask(t *testing.T) {
	e, _, faults := faulty(t)
	s, arena, _ := chain(t, e, 4, 64)
	faults.FailAt(2, cl.OutOfResources, "launch")
	err := s.Run(t.Context(), 0, 3, 0)
	faults.Off()
	var task *TaskError
	require.ErrorAs(t, err, &task)
	require.Contains(t, task.Task, "reduce test", "the second task")
	require.Equal(t, "launch", task.Op)
	require.ErrorIs(t, err, cl.OutOfResources)

	require.NoError(t, s.Run(t.Context(), 0, 3, 0))
	faults.FailFrom(1, cl.InvalidCommandQueue, "finish")
	err = e.Wait(t.Context())
	faults.Off()
	var dev *DeviceError
	require.ErrorAs(t, err, &dev)
	require.Contains(t, dev.Error(), "map test [4]", "what was submitted last")
	require.ErrorIs(t, err, cl.InvalidCommandQueue)
	_ = arena
}

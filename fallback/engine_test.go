package fallback

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback/internal/work"
	"github.com/anycl/anycl/internal/testleak"
	"github.com/anycl/anycl/tensor"
)

// oneOfEach is a task of every kind, of about n values.
func oneOfEach(n int) map[string]*engine.Task {
	const f32 = tensor.Float32
	x := engine.Load(0, f32, engine.AxisIndex(0), nil)
	side := 1
	for side*side < n {
		side++
	}
	at := engine.AxisIndex(0).Mul(int64(side)).Add(engine.AxisIndex(1))
	scatter := &engine.Task{
		Kind: engine.Scatter, Name: "scatter", Axes: engine.Domain{7, n}, Groups: []int{1, 1, 0},
		Ins:    []engine.Operand{{DType: f32, Len: 7}, {DType: tensor.Int32, Len: int64(n)}, {DType: f32, Len: int64(n)}},
		Outs:   []engine.Operand{{DType: f32, Len: 7}},
		Values: []*engine.Expr{x}, At: engine.Load(1, tensor.Int32, engine.AxisIndex(1), nil),
		Update: engine.Load(2, f32, engine.AxisIndex(1), nil),
	}
	custom := &engine.Task{
		Kind: engine.Custom, Name: "twice",
		Ins:  []engine.Operand{{DType: f32, Len: int64(n)}},
		Outs: []engine.Operand{{DType: f32, Len: int64(n)}},
		Custom: &engine.CustomKernel{Entry: "twice", InShapes: [][]int{{n}}, OutShapes: [][]int{{n}},
			Host: func(outs, ins []*tensor.Tensor) error {
				to, _ := outs[0].Bytes()
				from, _ := ins[0].Bytes()
				for i, v := range work.Typed[float32](from) {
					work.Typed[float32](to)[i] = 2 * v
				}
				return nil
			}},
	}
	return map[string]*engine.Task{
		"map": mapTaskOf(n, engine.Apply(fastAdd, f32, engine.Apply(fastMul, f32, x, engine.Constant(f32, engine.Const{Float: 2})), x),
			int64(n)),
		"strips": transposed(f32, 1, side, side),
		"rows":   reduceOf(engine.Sum, engine.Load(0, f32, at, nil), engine.Domain{side, side}, 1),
		"columns": reduceOf(engine.Sum, engine.Load(0, f32, engine.AxisIndex(1).Mul(int64(side)).Add(engine.AxisIndex(0)), nil),
			engine.Domain{side, side}, 1),
		"all":     reduceOf(engine.ArgMax, x, engine.Domain{n}, 0),
		"matmul":  matmul(f32, 1, side, side, side, false, false),
		"half":    matmul(tensor.Float16, 2, side/2+1, side/2, side, true, true),
		"long":    matmul(f32, 1, 3, 2, n, false, false),
		"conv":    conv(1, side/4+1, side/4+1, 4, 4),
		"scatter": scatter,
		"custom":  custom,
	}
}

func TestRunAgainAllocatesNothing(t *testing.T) {
	for _, n := range []int{16, 1 << 15} {
		for name, task := range oneOfEach(n) {
			for _, workers := range []int{1, 3} {
				e := New(&Options{Workers: workers})
				s := prepare(t, e, task)
				ctx, cancel := context.WithCancel(t.Context())
				run := func() { require.NoError(t, s.Run(ctx, 0, 1, 0)) }
				for range 20 { // until every worker has had a piece and made its frames
					run()
				}
				assert.Zero(t, testing.AllocsPerRun(20, run), "%s of %d with %d workers", name, n, workers)
				cancel()
				require.NoError(t, e.Close())
			}
		}
	}
}

func TestCloseEndsGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 5 {
		e := New(&Options{Workers: 4})
		s := prepare(t, e, oneOfEach(1 << 16)["map"])
		require.NoError(t, s.Run(t.Context(), 0, 1, 0))
		require.Greater(t, runtime.NumGoroutine(), before)
		require.NoError(t, e.Close())
		require.NoError(t, e.Close())
	}
	testleak.RequireGoroutines(t, before)
}

func TestForgottenEngineEndsItsGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	func() {
		s := prepare(t, New(&Options{Workers: 4}), oneOfEach(1 << 16)["map"])
		require.NoError(t, s.Run(t.Context(), 0, 1, 0))
	}()
	require.Eventually(t, func() bool {
		runtime.GC()
		return runtime.NumGoroutine() <= before+1 // one polls here
	}, 10*time.Second, 10*time.Millisecond)
}

func TestUseAfterCloseIsErrClosed(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	e := New(nil)
	m, err := e.Alloc(64)
	require.NoError(t, err)
	s := prepare(t, e, oneOfEach(16)["map"])
	require.NoError(t, e.Close())
	_, err = e.Alloc(1)
	require.ErrorIs(t, err, engine.ErrClosed)
	require.ErrorIs(t, e.Write(ctx, m, 0, []byte{1}), engine.ErrClosed)
	require.ErrorIs(t, e.Read(ctx, make([]byte, 1), m, 0), engine.ErrClosed)
	require.ErrorIs(t, e.Wait(ctx), engine.ErrClosed)
	require.ErrorIs(t, s.Run(ctx, 0, 1, 0), engine.ErrClosed)
	_, err = e.Prepare(ctx, nil)
	require.ErrorIs(t, err, engine.ErrClosed)

	e = New(nil)
	defer e.Close()
	task := oneOfEach(16)["map"]
	in, err := e.Alloc(64)
	require.NoError(t, err)
	out, err := e.Alloc(64)
	require.NoError(t, err)
	bound := engine.Bound{Task: task, Ins: []engine.Slot{{Mem: in}}, Outs: []engine.Slot{{Mem: out}}}
	s, err = e.Prepare(ctx, []engine.Bound{bound})
	require.NoError(t, err)
	require.NoError(t, in.Close())
	require.NoError(t, in.Close())
	require.ErrorIs(t, s.Run(ctx, 0, 1, 0), engine.ErrClosed)
	require.ErrorIs(t, e.Write(ctx, in, 0, []byte{1}), engine.ErrClosed)
	_, err = e.Prepare(ctx, []engine.Bound{bound})
	require.ErrorIs(t, err, engine.ErrClosed)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	require.Error(t, s.Run(ctx, 0, 1, 0))
	require.ErrorIs(t, s.Run(ctx, 0, 0, 0), engine.ErrClosed)
}

func TestStatsCountWhatIsAlive(t *testing.T) {
	t.Parallel()
	e := New(nil)
	defer e.Close()
	m, err := e.Alloc(1000)
	require.NoError(t, err)
	z, err := e.Alloc(0)
	require.NoError(t, err)
	s := prepare(t, e, oneOfEach(16)["map"])
	require.NoError(t, s.Run(t.Context(), 0, 1, 0))
	require.Equal(t, engine.Stats{Memories: 4, Bytes: 1128, Sequences: 1, Launches: 1}, e.Stats())
	require.NoError(t, errors.Join(m.Close(), z.Close(), s.Close(), m.Close(), s.Close()))
	require.Equal(t, engine.Stats{Memories: 2, Bytes: 128, Launches: 1}, e.Stats())
}

func TestMemoryIsCheckedBeforeItIsTouched(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	e, other := New(nil), New(nil)
	defer e.Close()
	defer other.Close()
	for _, n := range []int64{-1, 1 << 60} {
		_, err := e.Alloc(n)
		require.ErrorContains(t, err, "cannot allocate")
	}
	m, err := e.Alloc(8)
	require.NoError(t, err)
	require.ErrorContains(t, e.Write(ctx, m, 4, make([]byte, 5)), "not within")
	require.ErrorContains(t, e.Read(ctx, make([]byte, 5), m, -1), "not within")
	require.ErrorContains(t, e.Write(ctx, m, 1<<62, make([]byte, 5)), "not within")
	require.ErrorContains(t, other.Write(ctx, m, 0, nil), "another engine")
	require.ErrorContains(t, e.Write(ctx, nil, 0, nil), "another engine")
	require.NoError(t, e.Write(ctx, m, 8, nil))

	task := oneOfEach(2)["map"]
	bound := func(in, out engine.Slot) error {
		_, err := e.Prepare(ctx, []engine.Bound{{Task: task, Ins: []engine.Slot{in}, Outs: []engine.Slot{out}}})
		return err
	}
	ok := engine.Slot{Mem: m}
	require.NoError(t, bound(ok, ok))
	require.ErrorContains(t, bound(engine.Slot{Mem: m, Offset: 4}, ok), "not within")
	require.ErrorContains(t, bound(ok, engine.Slot{}), "another engine")
	big, err := e.Alloc(64)
	require.NoError(t, err)
	require.ErrorContains(t, bound(engine.Slot{Mem: big, Offset: 2}, ok), "not aligned")
	_, err = e.Prepare(ctx, []engine.Bound{{Task: task, Outs: []engine.Slot{ok}}})
	require.ErrorContains(t, err, "bound to 0 slots")
}

func TestACancelledContextStopsBetweenPieces(t *testing.T) {
	t.Parallel()
	const f32 = tensor.Float32
	for _, workers := range []int{1, 3} {
		e := New(&Options{Workers: workers})
		defer e.Close()
		ctx, cancel := context.WithCancel(t.Context())
		var blocks atomic.Int64
		stop := &engine.Scalar{Name: "stop", Arity: 1, Flops: 100, Host: func(_ tensor.DType, _ []tensor.DType, dst engine.Block,
			args []engine.Block) {
			copyBlock(dst, args[0])
			if blocks.Add(1) == 5 {
				cancel()
			}
		}}
		const n = 1 << 20
		task := mapTaskOf(n, engine.Apply(stop, f32, engine.Load(0, f32, engine.AxisIndex(0), nil)), n)
		s := prepare(t, e, task)
		require.ErrorIs(t, s.Run(ctx, 0, 1, 0), context.Canceled)
		require.Less(t, blocks.Load(), int64(100), "%d workers", workers)
		require.ErrorIs(t, s.Run(ctx, 0, 1, 0), context.Canceled)
		require.ErrorIs(t, e.Wait(ctx), context.Canceled)
		require.NoError(t, s.Run(t.Context(), 0, 1, 0), "the sequence can be run again")
	}
}

func TestAPanicInAScalarFunctionIsAnError(t *testing.T) {
	t.Parallel()
	const f32 = tensor.Float32
	for _, workers := range []int{1, 3} {
		e := New(&Options{Workers: workers})
		defer e.Close()
		var calm atomic.Bool
		boom := &engine.Scalar{Name: "boom", Arity: 1, Flops: 100, Host: func(_ tensor.DType, _ []tensor.DType, dst engine.Block,
			args []engine.Block) {
			if !calm.Load() {
				panic("boom")
			}
			copyBlock(dst, args[0])
		}}
		const n = 1 << 17
		task := mapTaskOf(n, engine.Apply(boom, f32, engine.Load(0, f32, engine.AxisIndex(0), nil)), n)
		s := prepare(t, e, task)
		require.ErrorContains(t, s.Run(t.Context(), 0, 1, 0), "run map: panic: boom")
		calm.Store(true)
		require.NoError(t, s.Run(t.Context(), 0, 1, 0))
	}
}

func TestAnAddressOutsideItsInputIsAnError(t *testing.T) {
	t.Parallel()
	e := New(nil)
	defer e.Close()
	s := prepare(t, e, mapTaskOf(9, engine.Load(0, tensor.Float32, engine.AxisIndex(0), nil), 8))
	require.ErrorContains(t, s.Run(t.Context(), 0, 1, 0), "out of range")
}

func TestCustomKernels(t *testing.T) {
	t.Parallel()
	e := New(nil)
	defer e.Close()
	task := oneOfEach(3)["custom"]
	in := bytesOf(tensor.Float32, 3, func(i int64) float64 { return float64(i) })
	out := runTask(t, e, task, 0, in)
	require.Equal(t, []float32{0, 2, 4}, work.Typed[float32](out))

	with := func(change func(k *engine.CustomKernel)) *engine.Task {
		u, k := *task, *task.Custom
		change(&k)
		u.Custom = &k
		return &u
	}
	_, err := tryTask(t, e, with(func(k *engine.CustomKernel) {
		k.Host = func(_, _ []*tensor.Tensor) error { return errors.ErrUnsupported }
	}), 0, in)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, `kernel "twice"`)
	_, err = tryTask(t, e, with(func(k *engine.CustomKernel) {
		k.Host = func(_, _ []*tensor.Tensor) error { panic("ouch") }
	}), 0, in)
	require.ErrorContains(t, err, `kernel "twice": panic: ouch`)
	_, err = tryTask(t, e, with(func(k *engine.CustomKernel) { k.Host = nil }), 0, in)
	require.ErrorIs(t, err, engine.ErrUnsupported)
	_, err = tryTask(t, e, with(func(k *engine.CustomKernel) { k.InShapes = [][]int{{4}} }), 0, in)
	require.ErrorContains(t, err, "input 0")
	_, err = tryTask(t, e, with(func(k *engine.CustomKernel) { k.OutShapes = nil }), 0, in)
	require.ErrorContains(t, err, "1 outputs with 0 shapes")
}

func TestResultsDoNotDependOnTheNumberOfWorkers(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	for name, task := range oneOfEach(1 << 16) {
		ins := make([][]byte, len(task.Ins))
		for i, in := range task.Ins {
			if in.DType == tensor.Int32 {
				ins[i] = bytesOf(in.DType, in.Len, func(int64) float64 { return float64(r.IntN(7)) })
			} else {
				ins[i] = bytesOf(in.DType, in.Len, func(int64) float64 { return r.NormFloat64() })
			}
		}
		var first []byte
		for _, workers := range []int{1, 2, 5} {
			e := New(&Options{Workers: workers})
			defer e.Close()
			for range 2 {
				out := runTask(t, e, task, 0, ins...)
				if first == nil {
					first = out
				}
				require.Equal(t, first, out, "%s with %d workers", name, workers)
			}
		}
	}
}

func TestSequencesRunSideBySide(t *testing.T) {
	t.Parallel()
	e := New(&Options{Workers: 3})
	defer e.Close()
	ctx := t.Context()
	var group sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		s := prepare(t, e, oneOfEach(1 << 15)["matmul"])
		group.Go(func() {
			for range 5 {
				errs[i] = errors.Join(errs[i], s.Run(ctx, 0, 1, 0))
			}
		})
	}
	group.Wait()
	require.NoError(t, errors.Join(errs...))
	require.Equal(t, int64(20), e.Stats().Launches)
}

func TestTasksOfASequenceRunInOrder(t *testing.T) {
	t.Parallel()
	const f32 = tensor.Float32
	e := New(nil)
	defer e.Close()
	m, err := e.Alloc(256 * 4)
	require.NoError(t, err)
	inc := mapTaskOf(1, engine.Apply(fastAdd, f32, engine.Load(0, f32, engine.ConstIndex(0), nil),
		engine.Constant(f32, engine.Const{Float: 1})), 1)
	var tasks []engine.Bound
	for i := range int64(3) {
		tasks = append(tasks, engine.Bound{Task: inc, Ins: []engine.Slot{{Mem: m, Offset: 256 * i}},
			Outs: []engine.Slot{{Mem: m, Offset: 256 * (i + 1)}}})
	}
	s, err := e.Prepare(t.Context(), tasks)
	require.NoError(t, err)
	require.NoError(t, s.Run(t.Context(), 1, 3, 0))
	at := func(i int64) float32 {
		b := tensor.AlignedBytes(4)
		require.NoError(t, e.Read(t.Context(), b, m, 256*i))
		return work.Typed[float32](b)[0]
	}
	require.Equal(t, []float32{0, 0, 1, 2}, []float32{at(0), at(1), at(2), at(3)})
	require.NoError(t, s.Run(t.Context(), 0, 3, 0))
	require.Equal(t, float32(3), at(3))
	for _, bad := range [][2]int{{-1, 1}, {0, 4}, {2, 1}} {
		require.Error(t, s.Run(t.Context(), bad[0], bad[1], 0))
	}
	for i := range 3 {
		require.Contains(t, s.Describe(i).Variant, "map")
	}
	require.Zero(t, s.Describe(3).Variant)
}

func TestEveryKindDescribesItself(t *testing.T) {
	t.Parallel()
	e := New(nil)
	defer e.Close()
	for name, task := range oneOfEach(1 << 12) {
		p := prepare(t, e, task).Describe(0)
		require.NotEmpty(t, p.Variant, name)
		require.NotEmpty(t, p.Why, name)
		require.NotEmpty(t, p.Launch, name)
	}
}

func TestEstimatesGrowWithTheWork(t *testing.T) {
	t.Parallel()
	e := New(nil)
	defer e.Close()
	require.Equal(t, "cpu", e.Name())
	small, big := oneOfEach(1<<8), oneOfEach(1<<18)
	for name, task := range small {
		require.Positive(t, e.Estimate(task), name)
		require.Greater(t, e.Estimate(big[name]), e.Estimate(task), name)
	}
	require.Greater(t, e.Transfer(1<<24), e.Transfer(1<<10))
	require.Greater(t, e.Transfer(1<<24), 10*time.Microsecond)
}

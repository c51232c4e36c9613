package optest

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// TestEngine runs the whole suite on the engine that open makes: the promises
// of the seam, every op, gradients, and random graphs. open is called several
// times; the engines it returns are closed by the suite.
func TestEngine(t *testing.T, open func(t testing.TB) engine.Engine) {
	t.Run("seam", func(t *testing.T) { TestSeam(t, open) })
	t.Run("ops", func(t *testing.T) { TestOps(t, closed(t, open), nil) })
	t.Run("gradients", func(t *testing.T) { TestGradients(t, closed(t, open), nil) })
	t.Run("graphs", func(t *testing.T) { TestGraphs(t, closed(t, open), 20) })
}

// closed is an engine that is closed at the end of the test.
func closed(t *testing.T, open func(t testing.TB) engine.Engine) engine.Engine {
	e := open(t)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("closing the engine: %v", err)
		}
	})
	return e
}

// TestSeam checks what package engine promises of memory, order, errors and
// lifetime.
func TestSeam(t *testing.T, open func(t testing.TB) engine.Engine) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, e engine.Engine)
	}{
		{"MemoryHoldsWhatWasWritten", memoryHolds},
		{"EmptyMemoryIsMemory", emptyMemory},
		{"AccessOutsideMemoryIsAnError", accessOutside},
		{"ClosedMemoryIsAnError", closedMemory},
		{"SourceMayBeReusedAfterWrite", sourceReused},
		{"TasksRunInOrder", tasksInOrder},
		{"PartsOfASequenceRun", partsOfSequence},
		{"TasksOverNothingRun", tasksOverNothing},
		{"RunNumberReachesTasks", runNumber},
		{"RunOutsideTheSequenceIsAnError", runOutside},
		{"ClosedSequenceIsAnError", closedSequence},
		{"MemoryTooSmallForATaskIsAnError", memoryTooSmall},
		{"TaskThatCannotRunIsAnError", impossibleTask},
		{"EveryTaskIsDescribed", described},
		{"RunAllocatesNothing", runAllocatesNothing},
		{"CancelledContextIsAnError", cancelledContext},
		{"UseByManyGoroutines", manyGoroutines},
		{"NothingIsLeftAlive", nothingLeft},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, closed(t, open)) })
	}
	t.Run("UseAfterCloseIsAnError", func(t *testing.T) { useAfterClose(t, open(t)) })
	t.Run("ForeignMemoryIsAnError", func(t *testing.T) { foreignMemory(t, closed(t, open), closed(t, open)) })
}

// must fails the test when err is not nil.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused fails the test when err is nil, or is none of what it should be.
func refused(t testing.TB, what string, err error, want ...error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s is not refused", what)
		return
	}
	for _, w := range want {
		if !errors.Is(err, w) {
			t.Errorf("%s: the error is %q, which is not %q", what, err, w)
		}
	}
}

// alloc is memory that is closed at the end of the test.
func alloc(t testing.TB, e engine.Engine, n int64) engine.Memory {
	t.Helper()
	m, err := e.Alloc(n)
	must(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

// read reads n bytes.
func read(t testing.TB, e engine.Engine, m engine.Memory, offset int64, n int) []byte {
	t.Helper()
	b := make([]byte, n)
	must(t, e.Read(t.Context(), b, m, offset))
	return b
}

func pattern(n int, seed byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)*31 + byte(i>>8) + seed
	}
	return b
}

func same(t testing.TB, what string, got, want []byte) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: byte %d of %d is %#x, want %#x", what, i, len(want), got[i], want[i])
		}
	}
}

func memoryHolds(t *testing.T, e engine.Engine) {
	for _, n := range []int{1, 3, 255, 256, 4097, 1 << 20} {
		m := alloc(t, e, int64(n))
		if m.Bytes() < int64(n) {
			t.Errorf("memory of %d bytes says that it has %d", n, m.Bytes())
		}
		want := pattern(n, 7)
		must(t, e.Write(t.Context(), m, 0, want))
		same(t, "the whole", read(t, e, m, 0, n), want)
		from, to := n/3, n-n/5
		part := pattern(to-from, 99)
		must(t, e.Write(t.Context(), m, int64(from), part))
		copy(want[from:to], part)
		same(t, "after a write in the middle", read(t, e, m, 0, n), want)
		same(t, "a part", read(t, e, m, int64(n/2), n-n/2), want[n/2:])
	}
}

func emptyMemory(t *testing.T, e engine.Engine) {
	m := alloc(t, e, 0)
	must(t, e.Write(t.Context(), m, 0, nil))
	must(t, e.Read(t.Context(), nil, m, 0))
	refused(t, "reading a byte of empty memory", e.Read(t.Context(), make([]byte, 1), m, 0))
	must(t, m.Close())
}

func accessOutside(t *testing.T, e engine.Engine) {
	_, err := e.Alloc(-1)
	refused(t, "allocating -1 bytes", err)
	m := alloc(t, e, 1000)
	b := make([]byte, 600)
	for _, offset := range []int64{-1, 401, 1000, 1 << 40, math.MaxInt64, math.MinInt64} {
		refused(t, "a read outside", e.Read(t.Context(), b, m, offset))
		refused(t, "a write outside", e.Write(t.Context(), m, offset, b))
	}
	must(t, e.Write(t.Context(), m, 400, b))
	must(t, e.Read(t.Context(), b, m, 400))
}

func closedMemory(t *testing.T, e engine.Engine) {
	m := alloc(t, e, 64)
	must(t, m.Close())
	must(t, m.Close())
	refused(t, "writing to closed memory", e.Write(t.Context(), m, 0, make([]byte, 4)), engine.ErrClosed)
	refused(t, "reading closed memory", e.Read(t.Context(), make([]byte, 4), m, 0), engine.ErrClosed)
	_, err := e.Prepare(t.Context(), []engine.Bound{{Task: increment(4), Ins: []engine.Slot{{Mem: m}}, Outs: []engine.Slot{{Mem: alloc(t, e, 16)}}}})
	refused(t, "preparing a task on closed memory", err, engine.ErrClosed)
}

func sourceReused(t *testing.T, e engine.Engine) {
	const n = 1 << 18
	m, src := alloc(t, e, n), pattern(n, 1)
	must(t, e.Write(t.Context(), m, 0, src))
	clear(src)
	same(t, "memory", read(t, e, m, 0, n), pattern(n, 1))
}

// plus adds two numbers: the scalar function of all tasks below.
var plus = &engine.Scalar{
	Name: "optest_plus", Arity: 2, C: "a + b", Flops: 1,
	Host: func(_ tensor.DType, _ []tensor.DType, dst engine.Block, args []engine.Block) {
		for i := range dst.F32 {
			dst.F32[i] = args[0].F32[i] + args[1].F32[i]
		}
		for i := range dst.U64 {
			dst.U64[i] = args[0].U64[i] + args[1].U64[i]
		}
	},
}

// increment is out[i] = in[i] + 1 over n float32.
func increment(n int) *engine.Task {
	x := engine.Load(0, tensor.Float32, engine.AxisIndex(0), nil)
	one := engine.Constant(tensor.Float32, engine.Const{Float: 1})
	operand := engine.Operand{DType: tensor.Float32, Len: int64(n)}
	return &engine.Task{
		Kind: engine.Map, Name: "increment", Axes: engine.Domain{n}, Groups: []int{1},
		Ins: []engine.Operand{operand}, Outs: []engine.Operand{operand}, Alias: -1,
		Value: engine.Apply(plus, tensor.Float32, x, one),
	}
}

// pingPong is a sequence of length tasks that add 1 to n numbers and pass them
// from one half of a memory to the other.
func pingPong(t testing.TB, e engine.Engine, n, length int) (engine.Sequence, func(i int) []float32, func(v float32)) {
	t.Helper()
	half := (int64(n)*4 + 255) / 256 * 256
	m := alloc(t, e, 2*half)
	slot := func(i int) engine.Slot { return engine.Slot{Mem: m, Offset: int64(i%2) * half} }
	var tasks []engine.Bound
	for i := range length {
		tasks = append(tasks, engine.Bound{Task: increment(n), Ins: []engine.Slot{slot(i)}, Outs: []engine.Slot{slot(i + 1)}})
	}
	s, err := e.Prepare(t.Context(), tasks)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	get := func(i int) []float32 {
		t.Helper()
		b := tensor.AlignedBytes(4 * n)
		must(t, e.Read(t.Context(), b, m, slot(i).Offset))
		return elements[float32](tensor.Must(tensor.FromBytes(tensor.Float32, b, n)))
	}
	set := func(v float32) {
		t.Helper()
		x := tensor.Must(tensor.New(tensor.Float32, n))
		for i := range elements[float32](x) {
			elements[float32](x)[i] = v + float32(i)
		}
		b, _ := x.Bytes()
		must(t, e.Write(t.Context(), m, 0, b))
	}
	return s, get, set
}

func expect(t testing.TB, got []float32, first float32) {
	t.Helper()
	for i, v := range got {
		if v != first+float32(i) {
			t.Fatalf("element %d is %v, want %v", i, v, first+float32(i))
		}
	}
}

func tasksInOrder(t *testing.T, e engine.Engine) {
	s, get, set := pingPong(t, e, 1031, 10)
	set(5)
	for run := range 20 {
		must(t, s.Run(t.Context(), 0, 10, uint32(run)))
	}
	expect(t, get(0), 5+200)
	set(-3) // after what was submitted, before what comes
	must(t, s.Run(t.Context(), 0, 10, 20))
	must(t, e.Wait(t.Context()))
	expect(t, get(0), 7)
}

func partsOfSequence(t *testing.T, e engine.Engine) {
	s, get, set := pingPong(t, e, 33, 6)
	set(0)
	must(t, s.Run(t.Context(), 0, 0, 0))
	must(t, s.Run(t.Context(), 0, 3, 0))
	expect(t, get(1), 3)
	must(t, s.Run(t.Context(), 3, 6, 0))
	expect(t, get(0), 6)
	must(t, s.Run(t.Context(), 6, 6, 0))
	expect(t, get(0), 6)
}

func tasksOverNothing(t *testing.T, e engine.Engine) {
	s, _, _ := pingPong(t, e, 0, 2)
	must(t, s.Run(t.Context(), 0, 2, 0))
	must(t, e.Wait(t.Context()))
	empty, err := e.Prepare(t.Context(), nil)
	must(t, err)
	must(t, empty.Run(t.Context(), 0, 0, 0))
	must(t, empty.Close())
}

func runNumber(t *testing.T, e engine.Engine) {
	task := &engine.Task{
		Kind: engine.Map, Name: "run", Axes: engine.Domain{3}, Groups: []int{1}, Alias: -1,
		Outs:  []engine.Operand{{DType: tensor.Uint32, Len: 3}},
		Value: engine.Run(),
	}
	m := alloc(t, e, 12)
	s, err := e.Prepare(t.Context(), []engine.Bound{{Task: task, Outs: []engine.Slot{{Mem: m}}}})
	must(t, err)
	defer s.Close()
	for _, run := range []uint32{0, 7, math.MaxUint32} {
		must(t, s.Run(t.Context(), 0, 1, run))
		b := tensor.AlignedBytes(12)
		must(t, e.Read(t.Context(), b, m, 0))
		for i, v := range elements[uint32](tensor.Must(tensor.FromBytes(tensor.Uint32, b, 3))) {
			if v != run {
				t.Errorf("element %d of run %d is %d", i, run, v)
			}
		}
	}
}

func runOutside(t *testing.T, e engine.Engine) {
	s, _, _ := pingPong(t, e, 8, 3)
	for _, r := range [][2]int{{-1, 2}, {0, 4}, {3, 2}, {4, 4}} {
		refused(t, "a range outside the sequence", s.Run(t.Context(), r[0], r[1], 0))
	}
}

func closedSequence(t *testing.T, e engine.Engine) {
	s, _, _ := pingPong(t, e, 8, 1)
	must(t, s.Run(t.Context(), 0, 1, 0))
	must(t, s.Close())
	must(t, s.Close())
	refused(t, "running a closed sequence", s.Run(t.Context(), 0, 1, 0), engine.ErrClosed)
}

func memoryTooSmall(t *testing.T, e engine.Engine) {
	small, large := alloc(t, e, 60), alloc(t, e, 1024)
	for what, b := range map[string]engine.Bound{
		"an input beyond its memory":   {Ins: []engine.Slot{{Mem: small}}, Outs: []engine.Slot{{Mem: large}}},
		"an output beyond its memory":  {Ins: []engine.Slot{{Mem: large}}, Outs: []engine.Slot{{Mem: small}}},
		"an offset beyond its memory":  {Ins: []engine.Slot{{Mem: large}}, Outs: []engine.Slot{{Mem: large, Offset: 1024}}},
		"a negative offset":            {Ins: []engine.Slot{{Mem: large, Offset: -256}}, Outs: []engine.Slot{{Mem: large}}},
		"a task without its input":     {Outs: []engine.Slot{{Mem: large}}},
		"a task without its output":    {Ins: []engine.Slot{{Mem: large}}},
		"a slot that has no memory":    {Ins: []engine.Slot{{}}, Outs: []engine.Slot{{Mem: large}}},
		"more inputs than a task has":  {Ins: []engine.Slot{{Mem: large}, {Mem: large}}, Outs: []engine.Slot{{Mem: large}}},
		"more outputs than a task has": {Ins: []engine.Slot{{Mem: large}}, Outs: []engine.Slot{{Mem: large}, {Mem: large}}},
	} {
		b.Task = increment(16)
		s, err := e.Prepare(t.Context(), []engine.Bound{b})
		refused(t, what, err)
		if s != nil {
			s.Close()
		}
	}
}

func impossibleTask(t *testing.T, e engine.Engine) {
	m := alloc(t, e, 64)
	task := &engine.Task{
		Kind: engine.Custom, Name: "broken", Alias: -1,
		Outs: []engine.Operand{{DType: tensor.Float32, Len: 16}},
		Custom: &engine.CustomKernel{
			Source: "kernel void broken(global float *y) { y[get_global_id(0)] = no_such_name; }", Entry: "broken",
			Global: [3]int{16}, OutShapes: [][]int{{16}},
		},
	}
	s, err := e.Prepare(t.Context(), []engine.Bound{{Task: task, Outs: []engine.Slot{{Mem: m}}}})
	refused(t, "a kernel that does not compile", err)
	if s != nil {
		s.Close()
	}
	if check := e.Check(task); check != nil && !errors.Is(check, engine.ErrUnsupported) {
		t.Errorf("Check gives %q, which is not engine.ErrUnsupported", check)
	}
	if err := e.Check(increment(16)); err != nil {
		t.Errorf("a float32 map is refused: %v", err)
	}
}

func described(t *testing.T, e engine.Engine) {
	s, _, _ := pingPong(t, e, 100, 2)
	for i := range 2 {
		if p := s.Describe(i); p.Variant == "" {
			t.Errorf("task %d has no variant: %+v", i, p)
		}
	}
	if d := e.Estimate(increment(100)); d < 0 {
		t.Errorf("the estimate of a task is %v", d)
	}
	if a, b := e.Transfer(0), e.Transfer(1<<30); a < 0 || b < a {
		t.Errorf("moving nothing takes %v, a GiB %v", a, b)
	}
}

func runAllocatesNothing(t *testing.T, e engine.Engine) {
	s, _, set := pingPong(t, e, 256, 4)
	set(0)
	ctx, run := t.Context(), uint32(0)
	must(t, s.Run(ctx, 0, 4, run))
	must(t, e.Wait(ctx))
	allocs := testing.AllocsPerRun(50, func() {
		run++
		if err := s.Run(ctx, 0, 4, run); err != nil {
			t.Error(err)
		}
	})
	must(t, e.Wait(ctx))
	if allocs > 0 {
		t.Errorf("a run of 4 tasks makes %v allocations", allocs)
	}
}

func cancelledContext(t *testing.T, e engine.Engine) {
	s, get, set := pingPong(t, e, 64, 2)
	set(1)
	m := alloc(t, e, 64)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	refused(t, "Run", s.Run(ctx, 0, 2, 0), context.Canceled)
	refused(t, "Write", e.Write(ctx, m, 0, make([]byte, 64)), context.Canceled)
	refused(t, "Read", e.Read(ctx, make([]byte, 64), m, 0), context.Canceled)
	refused(t, "Wait", e.Wait(ctx), context.Canceled)
	_, err := e.Prepare(ctx, []engine.Bound{{Task: increment(4), Ins: []engine.Slot{{Mem: m}}, Outs: []engine.Slot{{Mem: m}}}})
	refused(t, "Prepare", err, context.Canceled)
	must(t, s.Run(t.Context(), 0, 2, 0)) // the engine is none the worse
	expect(t, get(0), 3)
}

func manyGoroutines(t *testing.T, e engine.Engine) {
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for round := range 5 {
				if err := oneRound(t.Context(), e, float32(100*worker+round)); err != nil {
					t.Errorf("worker %d, round %d: %v", worker, round, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// oneRound allocates, writes, prepares, runs, reads and closes.
func oneRound(ctx context.Context, e engine.Engine, v float32) error {
	m, err := e.Alloc(512)
	if err != nil {
		return err
	}
	defer m.Close()
	x := tensor.Must(tensor.FromSlice([]float32{v, v, v, v}))
	b, _ := x.Bytes()
	if err := e.Write(ctx, m, 0, b); err != nil {
		return err
	}
	s, err := e.Prepare(ctx, []engine.Bound{{Task: increment(4), Ins: []engine.Slot{{Mem: m}}, Outs: []engine.Slot{{Mem: m, Offset: 256}}}})
	if err != nil {
		return err
	}
	defer s.Close()
	for range 3 {
		if err := s.Run(ctx, 0, 1, 0); err != nil {
			return err
		}
	}
	if err := e.Read(ctx, b, m, 256); err != nil {
		return err
	}
	for _, got := range elements[float32](x) {
		if got != v+1 {
			return errors.New("another worker's numbers")
		}
	}
	return nil
}

func nothingLeft(t *testing.T, e engine.Engine) {
	before := e.Stats()
	m, err := e.Alloc(1000)
	must(t, err)
	s, err := e.Prepare(t.Context(), []engine.Bound{{Task: increment(4), Ins: []engine.Slot{{Mem: m}}, Outs: []engine.Slot{{Mem: m, Offset: 256}}}})
	must(t, err)
	must(t, s.Run(t.Context(), 0, 1, 0))
	live := e.Stats()
	if live.Memories != before.Memories+1 || live.Bytes < before.Bytes+1000 || live.Sequences != before.Sequences+1 || live.Launches <= before.Launches {
		t.Errorf("one memory of 1000 bytes, one sequence and one launch more: %+v, before %+v", live, before)
	}
	must(t, s.Close())
	must(t, m.Close())
	after := e.Stats()
	if after.Memories != before.Memories || after.Bytes != before.Bytes || after.Sequences != before.Sequences {
		t.Errorf("after closing all: %+v, before %+v", after, before)
	}
}

func useAfterClose(t *testing.T, e engine.Engine) {
	m, err := e.Alloc(64)
	must(t, err)
	task := []engine.Bound{{Task: increment(4), Ins: []engine.Slot{{Mem: m}}, Outs: []engine.Slot{{Mem: m}}}}
	s, err := e.Prepare(t.Context(), task)
	must(t, err)
	must(t, e.Close())
	must(t, e.Close())
	_, err = e.Alloc(64)
	refused(t, "Alloc", err, engine.ErrClosed)
	refused(t, "Write", e.Write(t.Context(), m, 0, make([]byte, 4)), engine.ErrClosed)
	refused(t, "Read", e.Read(t.Context(), make([]byte, 4), m, 0), engine.ErrClosed)
	_, err = e.Prepare(t.Context(), task)
	refused(t, "Prepare", err, engine.ErrClosed)
	refused(t, "Run", s.Run(t.Context(), 0, 1, 0), engine.ErrClosed)
	refused(t, "Wait", e.Wait(t.Context()), engine.ErrClosed)
	must(t, s.Close())
	must(t, m.Close())
	if st := e.Stats(); st.Memories != 0 || st.Bytes != 0 || st.Sequences != 0 {
		t.Errorf("a closed engine holds %+v", st)
	}
}

func foreignMemory(t *testing.T, e, other engine.Engine) {
	m := alloc(t, other, 64)
	if e == other {
		t.Skip("open gives the same engine twice")
	}
	refused(t, "writing to another engine's memory", e.Write(t.Context(), m, 0, make([]byte, 4)))
	refused(t, "reading another engine's memory", e.Read(t.Context(), make([]byte, 4), m, 0))
	_, err := e.Prepare(t.Context(), []engine.Bound{{Task: increment(4), Ins: []engine.Slot{{Mem: m}}, Outs: []engine.Slot{{Mem: m}}}})
	refused(t, "preparing a task on another engine's memory", err)
}

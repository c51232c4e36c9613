package seam

import (
	"errors"
	"math"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Promises of the seam about tasks and their order.

// plus adds two numbers: the scalar function of all tasks below.
var plus = &engine.Scalar{
	Name: "optest_plus", Arity: 2, OpenCL: "a + b", Flops: 1,
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
		Ins: []engine.Operand{operand}, Outs: []engine.Operand{operand},
		Values: []*engine.Expr{engine.Apply(plus, tensor.Float32, x, one)},
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
		return spec.Elements[float32](tensor.Must(tensor.FromBytes(tensor.Float32, b, n)))
	}
	set := func(v float32) {
		t.Helper()
		x := tensor.Must(tensor.New(tensor.Float32, n))
		for i := range spec.Elements[float32](x) {
			spec.Elements[float32](x)[i] = v + float32(i)
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
	set(-3) // after the tasks submitted so far, before later ones
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
		Kind: engine.Map, Name: "run", Axes: engine.Domain{3}, Groups: []int{1},
		Outs:   []engine.Operand{{DType: tensor.Uint32, Len: 3}},
		Values: []*engine.Expr{engine.Run()},
	}
	m := alloc(t, e, 12)
	s, err := e.Prepare(t.Context(), []engine.Bound{{Task: task, Outs: []engine.Slot{{Mem: m}}}})
	must(t, err)
	defer s.Close()
	for _, run := range []uint32{0, 7, math.MaxUint32} {
		must(t, s.Run(t.Context(), 0, 1, run))
		b := tensor.AlignedBytes(12)
		must(t, e.Read(t.Context(), b, m, 0))
		for i, v := range spec.Elements[uint32](tensor.Must(tensor.FromBytes(tensor.Uint32, b, 3))) {
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
		Kind: engine.Custom, Name: "broken",
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

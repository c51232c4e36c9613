package ocl

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// routineTask is a task over whole buffers.
func routineTask(a engine.Algorithm, ins []engine.Operand, outs ...engine.Operand) *engine.Task {
	return &engine.Task{Kind: engine.Routine, Name: "test", Algorithm: a, Ins: ins, Outs: outs}
}

// onCPUPath computes t on the CPU path, where every algorithm is held by tests of its own.
func onCPUPath(t testing.TB, task *engine.Task, ins [][]byte) [][]byte {
	t.Helper()
	e := fallback.New(nil)
	defer e.Close()
	b := engine.Bound{Task: task}
	for _, in := range ins {
		m, err := e.Alloc(int64(len(in)))
		require.NoError(t, err)
		require.NoError(t, e.Write(t.Context(), m, 0, in))
		b.Ins = append(b.Ins, engine.Slot{Mem: m})
	}
	for _, o := range task.Outs {
		m, err := e.Alloc(o.Bytes())
		require.NoError(t, err)
		b.Outs = append(b.Outs, engine.Slot{Mem: m})
	}
	s, err := e.Prepare(t.Context(), []engine.Bound{b})
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Run(t.Context(), 0, 1, 0))
	var outs [][]byte
	for i, o := range task.Outs {
		out := make([]byte, o.Bytes())
		require.NoError(t, e.Read(t.Context(), out, b.Outs[i].Mem, 0))
		outs = append(outs, out)
	}
	return outs
}

// asOnCPUPath runs task on e and wants the very numbers of the CPU path, within tol.
func asOnCPUPath(t testing.TB, e *Engine, task *engine.Task, ins [][]byte, tol, scale float64) engine.Plan {
	t.Helper()
	want := onCPUPath(t, task, ins)
	got, plan := execute(t, e, task, ins, 0)
	for i, o := range task.Outs {
		if tol == 0 && o.DType != tensor.Float16 && o.DType != tensor.BFloat16 {
			sameNumbers(t, o.DType, want[i], got[i], plan)
			continue
		}
		same(t, o.DType, want[i], got[i], tol, scale, plan)
	}
	return plan
}

func sameNumbers(t testing.TB, dt tensor.DType, want, got []byte, plan engine.Plan) {
	t.Helper()
	require.Len(t, got, len(want))
	for j := range len(want) / dt.Size() {
		if w, g := numberAt(dt, want, j), numberAt(dt, got, j); w != g && (w == w || g == g) {
			require.Failf(t, "wrong value", "element %d is %v, not %v\n%s %v", j, g, w, plan.Variant, plan.Launch)
		}
	}
}

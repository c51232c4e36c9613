package ocltest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/tensor"
)

// OnCPUPath computes task on the CPU engine, whose algorithms have tests of their own.
func OnCPUPath(t testing.TB, task *engine.Task, ins [][]byte) [][]byte {
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

// VerifyByCPUPath runs task on e and compares with the CPU engine: equal numbers where tol is 0, else as RequireSame.
func VerifyByCPUPath(t testing.TB, e Engine, task *engine.Task, ins [][]byte, tol, scale float64) engine.Plan {
	t.Helper()
	want := OnCPUPath(t, task, ins)
	got, plan := Execute(t, e, task, ins, 0)
	for i, o := range task.Outs {
		if tol == 0 && o.DType != tensor.Float16 && o.DType != tensor.BFloat16 {
			RequireEqual(t, o.DType, want[i], got[i], plan)
			continue
		}
		RequireSame(t, o.DType, want[i], got[i], tol, scale, plan)
	}
	return plan
}

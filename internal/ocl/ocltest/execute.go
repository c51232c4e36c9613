package ocltest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/taskref"
)

// guardBytes is the number of bytes behind each operand that must not change.
const guardBytes = 64

// Execute runs task alone on e, as the given run of its sequence, and returns its outputs. Operands lie inside larger
// memories, whose rest must stay as it was.
func Execute(t testing.TB, e Engine, task *engine.Task, ins [][]byte, run uint32) ([][]byte, engine.Plan) {
	t.Helper()
	Needs(t, e.Opened(), task)
	ctx := t.Context()
	b := engine.Bound{Task: task}
	place := func(offset int64, n int64, content []byte) engine.Slot {
		m, err := e.Alloc(offset + n + guardBytes)
		require.NoError(t, err)
		t.Cleanup(func() { _ = m.Close() })
		fill := make([]byte, offset+n+guardBytes)
		for i := range fill {
			fill[i] = 0xA5
		}
		copy(fill[offset:], content)
		require.NoError(t, e.Write(ctx, m, 0, fill))
		return engine.Slot{Mem: m, Offset: offset}
	}
	for i, in := range ins {
		b.Ins = append(b.Ins, place(int64(256*i+8*(i%3)), int64(len(in)), in))
	}
	for i, o := range task.Outs {
		if a := task.AliasOf(i); a >= 0 {
			b.Outs = append(b.Outs, b.Ins[a])
			continue
		}
		b.Outs = append(b.Outs, place(int64(256*i), o.Bytes(), nil))
	}
	s, err := e.Prepare(ctx, []engine.Bound{b})
	require.NoError(t, err)
	require.NoError(t, s.Run(ctx, 0, 1, run))
	var outs [][]byte
	for i, o := range task.Outs {
		all := make([]byte, b.Outs[i].Mem.Bytes())
		require.NoError(t, e.Read(ctx, all, b.Outs[i].Mem, 0))
		from := b.Outs[i].Offset
		for j, c := range all {
			if int64(j) < from || int64(j) >= from+o.Bytes() {
				require.Equal(t, byte(0xA5), c, "byte %d, outside the output, was written by %s", j, task)
			}
		}
		outs = append(outs, all[from:from+o.Bytes()])
	}
	p := s.Describe(0)
	if name, _, _ := strings.Cut(p.Variant, " "); task.Kind != engine.Custom && name != "none" {
		require.Contains(t, variant.FamilyFor(task).Variants, name)
	}
	require.NoError(t, s.Close())
	return outs, p
}

// Verify runs task on e and compares the outputs with those of the reference in float64, package taskref. tol is relative to the
// larger of the value and scale.
func Verify(t testing.TB, e Engine, task *engine.Task, ins [][]byte, tol, scale float64) engine.Plan {
	t.Helper()
	want, err := taskref.EvalRun(task, ins, 3)
	require.NoError(t, err)
	got, plan := Execute(t, e, task, ins, 3)
	for i, o := range task.Outs {
		RequireSame(t, o.DType, want[i], got[i], tol, scale, plan)
	}
	return plan
}

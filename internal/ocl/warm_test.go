package ocl

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// Results of tasks that ran to be compiled are cleared, as another task may take the content of their memory for indices.
func TestWhatTasksWriteToBeCompiledIsCleared(t *testing.T) {
	for _, force := range []string{"thread=caller", "thread=workers"} {
		e := withInlineDevice(t, force)
		const n = 300
		mem, err := e.Alloc(4 * n)
		require.NoError(t, err)
		at := engine.Operand{DType: tensor.Float32, Len: n}
		y := engine.Load(0, at.DType, engine.AxisIndex(0), nil)
		for range 7 { // a kernel that nothing else has
			y = engine.Apply(sample.Add, at.DType, y, engine.Run())
		}
		task := sample.Map(engine.Domain{n}, engine.Apply(sample.Add, at.DType, y, y), at)
		s, err := e.Prepare(t.Context(), []engine.Bound{{Task: task, Ins: []engine.Slot{{Mem: mem}}, Outs: []engine.Slot{{Mem: mem}}}})
		require.NoError(t, err)
		w := s.Traits().Warmer
		require.True(t, w.Cold())
		require.NoError(t, e.Write(t.Context(), mem, 0, bytes.Repeat([]byte{0x5a}, 4*n)))
		require.NoError(t, w.Warm(t.Context()))
		require.False(t, w.Cold())
		got := make([]byte, 4*n)
		require.NoError(t, e.Read(t.Context(), got, mem, 0))
		require.Equal(t, make([]byte, 4*n), got)
		require.NoError(t, s.Close())
		require.NoError(t, mem.Close())
	}
}

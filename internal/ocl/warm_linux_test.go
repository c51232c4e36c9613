package ocl

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/tensor"
)

// sharedObjects are the files of compiled code that the process has in memory.
func sharedObjects(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	all := map[string]bool{}
	for _, f := range strings.Fields(string(text)) {
		if strings.HasSuffix(f, ".so") {
			all[f] = true
		}
	}
	return all
}

// Launching a single work-group compiles the kernel that runs need: PoCL stores each compiled kernel in a file of its
// own, and runs load no other.
func TestKernelsLaunchedForOneGroupAreThoseOfRuns(t *testing.T) {
	for _, force := range []string{"thread=caller", "thread=workers"} {
		e := withInlineDevice(t, force+","+testdevices.Unoptimized())
		task := sample.Matmul(tensor.Float32, 1, 130, 70, 90, false, false)
		slots := func(of []engine.Operand) (all []engine.Slot) {
			for _, o := range of {
				mem, err := e.Alloc(o.Bytes())
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, mem.Close()) })
				require.NoError(t, engine.Clear(t.Context(), e, mem, 0, o.Bytes()))
				all = append(all, engine.Slot{Mem: mem})
			}
			return all
		}
		s, err := e.Prepare(t.Context(), []engine.Bound{{Task: task, Ins: slots(task.Ins), Outs: slots(task.Outs)}})
		require.NoError(t, err)
		w := s.Traits().Warmer
		if w.Cold() {
			require.NoError(t, w.Warm(t.Context()))
		}
		warm := sharedObjects(t)
		require.NoError(t, s.Run(t.Context(), 0, 1, 0))
		require.NoError(t, e.Wait(t.Context()))
		require.Equal(t, warm, sharedObjects(t), force)
		require.NoError(t, s.Close())
	}
}

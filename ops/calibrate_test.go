package ops

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

func TestCalibrationCorrectsWhatEnginesSay(t *testing.T) {
	t.Parallel()
	rt := besideCPU(t, &slowed{time: func(*engine.Task) time.Duration { return time.Microsecond }})
	results, err := rt.Calibrate(t.Context())
	require.NoError(t, err)
	require.Len(t, results, 2*len(probes()))
	measured := map[string]time.Duration{}
	for _, r := range results {
		require.Positive(t, r.Measured, r.Name)
		measured[r.Name+" on "+r.Where] = r.Measured
	}
	predict := func() time.Duration {
		g := NewGraph("product")
		x := g.Input("x", tensor.Float32, 512, 512)
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{MatMul(x, x)}, Place: OnDevice})
		require.NoError(t, err)
		defer exe.Close()
		return exe.Report().Predicted
	}
	// All that it says is one microsecond, whatever the size: it is corrected to the
	// middle of what products take.
	require.Greater(t, predict(), measured["matmul 4 on slowed"])
	rt.pace.Forget()
	require.InDelta(t, time.Microsecond, predict(), 200)
}

func TestCalibrationEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := cpuOnly(t).Calibrate(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

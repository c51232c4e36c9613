package calibrate

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMeasurementsWaitUntilNobodyRunsOrCompiles(t *testing.T) {
	defer func(a, b, c time.Duration) { quietFor, quietFirst, quietLook = a, b, c }(quietFor, quietFirst, quietLook)
	quietFor, quietFirst, quietLook = 60*time.Millisecond, time.Hour, 5*time.Millisecond
	var now atomic.Pointer[func() Activity]
	look := func() Activity { return (*now.Load())() }
	set := func(f func() Activity) { now.Store(&f) }
	hurry := make(chan struct{})
	waits := func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 5*quietFor)
		defer cancel()
		return quiet(ctx, look, hurry) != nil
	}
	set(func() Activity { return Activity{} })
	require.True(t, waits(), "nothing has run yet")
	quietFirst = 0
	require.True(t, waits(), "nothing was compiled yet")
	quietFirst = time.Hour
	runs := uint64(0)
	set(func() Activity { runs++; return Activity{Runs: runs, Compiles: 1} })
	require.True(t, waits(), "runs go on")
	set(func() Activity { return Activity{Runs: 1, Compiles: 1, Busy: true} })
	require.True(t, waits(), "a graph is being compiled, or a run goes on")
	set(func() Activity { return Activity{Runs: 1, Compiles: 1} })
	require.False(t, waits())
	quietFor = time.Hour
	close(hurry)
	require.NoError(t, quiet(t.Context(), look, hurry), "somebody waits")
}

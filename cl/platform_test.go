package cl_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/internal/cldriver"
)

// A driver that is starting may hand a second thread devices that are not ready.
func TestOneThreadAtATimeAsksForDevices(t *testing.T) {
	var inside, most atomic.Int32
	wrap := func(d cldriver.Driver) cldriver.Driver {
		return cldriver.Intercept(d, func(call string, do func() cldriver.Status) cldriver.Status {
			if call == "Devices" {
				most.Store(max(most.Load(), inside.Add(1)))
				time.Sleep(time.Millisecond) // as a driver that starts
				defer inside.Add(-1)
			}
			return do()
		})
	}
	libs := []*cl.Library{openLibrary(t, &cl.Options{Wrap: wrap}), openLibrary(t, &cl.Options{Wrap: wrap})}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			platforms, err := libs[i%2].Platforms()
			if err != nil {
				t.Error(err)
			}
			for _, p := range platforms {
				if _, err := p.Devices(cl.DeviceAll); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if most.Load() == 0 {
		t.Skip("no OpenCL platform on this machine")
	}
	require.EqualValues(t, 1, most.Load())
}

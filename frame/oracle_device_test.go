package frame_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/ops"
)

// devicePlans is how many of the random plans run as graphs: on the CPU engine of ops, which compiles nothing, and on the device, where every other
// expression is another kernel.
var devicePlans = map[string]int{"none": 400, "": 10}

var manyPlans = flag.Int("deviceplans", 0, "random plans that run as graphs; 0: a few")

func openDevice(t *testing.T, name string, o frame.DeviceOptions) *frame.Device {
	t.Helper()
	rt, err := ops.Open(t.Context(), &ops.Options{Device: name})
	require.NoError(t, err)
	if name == "" && rt.Device() == nil {
		rt.Close()
		t.Skip("there is no OpenCL device: ", rt.Why())
	}
	d := frame.NewDevice(rt, o)
	t.Cleanup(func() {
		require.NoError(t, d.Close())
		require.NoError(t, rt.Close())
	})
	return d
}

func TestRandomPlansOnDevicesAgreeWithTheReference(t *testing.T) {
	t.Parallel()
	for name, count := range devicePlans {
		t.Run("device="+name, func(t *testing.T) {
			t.Parallel()
			switch {
			case *manyPlans > 0:
				count = *manyPlans
			case testing.Short():
				count /= 4
			}
			d := openDevice(t, name, frame.DeviceOptions{Place: ops.OnDevice, Compact: map[string]frame.Choice{"none": frame.No, "": frame.Yes}[name]})
			if *planSeed >= 0 {
				comparePlanOn(t, uint64(*planSeed), d)
				return
			}
			for part := range 2 {
				t.Run(fmt.Sprint(part), func(t *testing.T) {
					t.Parallel()
					for seed := part; seed < count && !t.Failed(); seed += 2 {
						comparePlanOn(t, uint64(seed), d)
					}
				})
			}
		})
	}
}

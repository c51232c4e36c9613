package frame_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/frame"
	"github.com/anycl/anycl/ops"
)

// devicePlans is how many of the random plans run as graphs: on the CPU engine of ops, which compiles nothing, and on the device, where
// every other expression is another kernel.
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
			d := openDevice(t, name,
				frame.DeviceOptions{Place: ops.OnDevice, Compact: map[string]frame.Choice{"none": frame.No, "": frame.Yes}[name]})
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

// Windows over tables and over rows that a filter keeps: on the device each costs some seconds of compiling.
func TestRandomWindowsOnDevicesAgreeWithTheReference(t *testing.T) {
	t.Parallel()
	for name, count := range map[string]int{"none": 300, "": 4} {
		t.Run("device="+name, func(t *testing.T) {
			t.Parallel()
			if *manyPlans > 0 {
				count = *manyPlans
			}
			d := openDevice(t, name, frame.DeviceOptions{Place: ops.OnDevice})
			first, ran := 0, 0
			if *planSeed >= 0 {
				first, count = *planSeed, 1
			}
			seeds := []int{}
			if name == "none" && *planSeed < 0 {
				seeds = append(seeds, 1806) // a sort by a value that shares a task with one that is read at the sort's positions
			}
			for seed := first; seed < first+count; seed++ {
				seeds = append(seeds, seed)
			}
			for _, seed := range seeds {
				got := comparePlanOf(t, uint64(seed), d, func(p *planGen) {
					if seed%3 == 0 {
						p.filter(false)
					}
					p.window(true)
				})
				if got != nil && !slices.ContainsFunc(got.Left(), func(why string) bool { return strings.HasPrefix(why, "window") }) {
					ran++
				}
			}
			require.Greater(t, ran, count/3, "windows on the device")
		})
	}
}

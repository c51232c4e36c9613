package opstest

import (
	"testing"

	"github.com/anycl/anycl/ops"
)

// Everywhere runs f on the CPU path and, if there is one, on the device.
func Everywhere(t *testing.T, f func(t *testing.T, rt *ops.Runtime)) {
	t.Run("cpu", func(t *testing.T) { f(t, CPUOnly(t)) })
	t.Run("device", func(t *testing.T) { f(t, Device(t)) })
}

// Whole makes the target run where rt is for: a tiny graph would go to the CPU
// path by itself.
func Whole(rt *ops.Runtime, target ops.Target) ops.Target {
	target.Place = ops.OnCPU
	if rt.Device() != nil {
		target.Place = ops.OnDevice
	}
	return target
}

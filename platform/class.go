package platform

import (
	"fmt"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/vendor"
)

// Class is the kind of a device. The order is the order of ranking.
type Class uint8

// Classes, best first.
const (
	GPU Class = iota
	CPU
	Accelerator
	Simulator // executes slowly in order to check, or not at all
)

var classNames = [...]string{"GPU", "CPU", "accelerator", "simulator"}

// String returns the class as people write it.
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return "unknown"
}

// MarshalText makes the class a word in JSON.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText takes that word back. Errors: there is no such class.
func (c *Class) UnmarshalText(text []byte) error {
	for i, name := range classNames {
		if name == string(text) {
			*c = Class(i)
			return nil
		}
	}
	return fmt.Errorf("platform: there is no class %q", text)
}

// classOf classifies by the device's declared type and by known facts about the implementation:
// Oclgrind claims to be everything at once, and llvmpipe has claimed to be a GPU.
func classOf(key string, t cl.DeviceType, simulated bool) Class {
	switch {
	case key == vendor.Oclgrind || simulated:
		return Simulator
	case key == vendor.LLVMpipe:
		return CPU
	case t&cl.DeviceGPU != 0:
		return GPU
	case t&cl.DeviceCPU != 0:
		return CPU
	}
	return Accelerator
}

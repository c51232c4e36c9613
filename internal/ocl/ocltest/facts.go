package ocltest

import "github.com/anycl/anycl/internal/ocl/facts"

// CPU is a CPU driver's device with float vectors of that many lanes.
func CPU(lanes int) *facts.Device {
	return &facts.Device{
		Name: "cpu", CPU: true, Units: 2, WorkGroup: 4096, LocalMem: 512 << 10,
		VectorLanes: lanes, ArgBytes: 1024, MaxAlloc: 1 << 30, FP64: true,
	}
}

// GPU is a GPU with work-groups of up to that many items.
func GPU(workGroup int) *facts.Device {
	return &facts.Device{
		Name: "gpu", Units: 20, WorkGroup: workGroup, LocalMem: 32 << 10,
		VectorLanes: 1, ArgBytes: 1024, MaxAlloc: 1 << 30, FP64: true,
	}
}

// WithMatrixUnits is a GPU with the matrix units of compute capability mma / 10.
func WithMatrixUnits(mma int) *facts.Device {
	d := GPU(256)
	d.LocalMem, d.MMA = 48<<10, mma
	return d
}

// WithSubgroups is a GPU with sub-groups of that many lanes.
func WithSubgroups(lanes int) *facts.Device {
	d := GPU(256)
	d.SubgroupLanes = lanes
	return d
}

// LargeForItems makes f a GPU of one compute unit, which a few thousand points keep busy.
func LargeForItems(f *facts.Device) { f.CPU, f.Cache, f.Units = false, 0, 1 }

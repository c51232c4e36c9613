// Package backend opens the devices that graphs run on: an engine on OpenCL, with the measurements, corrections and tuning
// tables kept for it.
//
// Package ops reaches the OpenCL engine through this package alone; everything else that ops does with an
// engine uses the interfaces of package engine.
package backend

import (
	"context"
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/platform"
)

// CheckEnvironment reports environment variables for kernels whose values mean nothing.
func CheckEnvironment() error {
	if err := variant.CheckEnvironment(); err != nil {
		return err
	}
	if err := ocl.CheckEnv(); err != nil {
		return fmt.Errorf("ops: open: %w", err)
	}
	return nil
}

// Device is an open device and the engine on it.
type Device struct {
	*platform.Opened
	engine *ocl.Engine
}

// Open opens a device.
func Open(ctx context.Context, d *platform.Device, o *platform.Options) (*Device, error) {
	opened, err := d.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return &Device{opened, ocl.New(opened)}, nil
}

// Pending stands for the engine on a device until that is open.
func Pending(d *platform.Device) engine.Engine { return ocl.NewPending(d) }

// Engine is the engine on the device, to be closed before it.
func (d *Device) Engine() engine.Engine { return d.engine }

// Recalibrated makes the engine's predictions use the measurements made so far.
func (d *Device) Recalibrated() { d.engine.Calibrated() }

package frame

import (
	"context"
	"time"

	"github.com/anycl/anycl/frame/internal/device"
	"github.com/anycl/anycl/frame/internal/host"
	"github.com/anycl/anycl/ops"
)

// Device runs steps of queries as graphs of package ops: expressions, filters, joins, groups, orders and windows, fused with each other. It
// keeps the graphs, and their measured times, for later queries. Close it when done.
//
//	rt, err := ops.Open(ctx, nil)
//	...
//	device := frame.NewDevice(rt, frame.DeviceOptions{})
//	defer device.Close()
//	r, err := query.Run(ctx, frame.Options{Device: device})
//
// Steps that have no form as ops, or are faster on the CPU path, run there, step by step, as without a device; [Result.String] says
// which, and why. Results are the same, but for the last digits of floats. A Device is safe for concurrent use.
type Device struct{ side deviceSide }

// deviceSide is the implementation of a device.
type deviceSide interface {
	host.Device
	Close() error
	Settle(ctx context.Context) error
	Graphs() []*ops.Graph
}

// DeviceOptions say which steps run on a device. The zero value is right for most.
type DeviceOptions struct {
	// Place is ops.Auto, which runs on the device the steps predicted, or measured, to be faster there; ops.OnDevice, for all steps that
	// have a form as ops, also where there is only the CPU engine of ops; or ops.OnCPU for nothing.
	Place ops.Place
	// Compact has the device move together the rows that a filter keeps, before they are copied to the host. The zero value does so on devices
	// with memory of their own.
	Compact Choice
	// Patience is how long a query waits for kernels to be compiled, in Auto, if that saves as much: 0 is 2 s.
	Patience time.Duration
}

// Choice is yes, no, or the default.
type Choice int

// Choices.
const (
	Default Choice = iota
	Yes
	No
)

// NewDevice returns a Device that runs on a runtime, which is to be closed after it.
func NewDevice(rt *ops.Runtime, o DeviceOptions) *Device {
	return &Device{device.New(rt, device.Options{Place: o.Place, Compact: device.Compaction(o.Compact), Patience: o.Patience})}
}

// Close frees graphs and their memory. It waits for queries that use the device.
func (d *Device) Close() error { return d.side.Close() }

// Settle waits until the graphs that are being compiled beside queries are ready. Errors: the context's.
func (d *Device) Settle(ctx context.Context) error { return d.side.Settle(ctx) }

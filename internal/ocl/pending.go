package ocl

import (
	"context"
	"fmt"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/platform"
)

// Pending stands in the place of an engine whose device is not open yet: it takes no task.
type Pending struct{ facts *facts.Device }

// NewPending stands in for the engine of a device.
func NewPending(d *platform.Device) *Pending { return &Pending{facts.New(d, &platform.Caps{})} }

// Name is the device's ID.
func (p *Pending) Name() string { return p.facts.Name }

// Traits are those that need no open device, so that tasks that are fused meanwhile fit the device later.
func (p *Pending) Traits() engine.Traits {
	return engine.Traits{Buffers: max(p.facts.Operands(), 1), MaxAlloc: p.facts.MaxAlloc}
}

func (p *Pending) refused(what string) error {
	return &engine.UnsupportedError{Engine: p.Name(), Task: what, Why: "the device is not open yet"}
}

// Check refuses t.
func (p *Pending) Check(t *engine.Task) error { return p.refused(fmt.Sprint("ocl: ", t)) }

// Estimate is never asked for a task that can run here.
func (p *Pending) Estimate(*engine.Task) time.Duration { return 0 }

// Transfer is never asked for memory that is here.
func (p *Pending) Transfer(int64) time.Duration { return 0 }

// Alloc refuses.
func (p *Pending) Alloc(int64) (engine.Memory, error) { return nil, p.refused("memory") }

// Write refuses.
func (p *Pending) Write(context.Context, engine.Memory, int64, []byte) error {
	return p.refused("memory")
}

// Read refuses.
func (p *Pending) Read(context.Context, []byte, engine.Memory, int64) error {
	return p.refused("memory")
}

// Prepare refuses all but nothing.
func (p *Pending) Prepare(context.Context, []engine.Bound) (engine.Sequence, error) {
	return nil, p.refused("tasks")
}

// Wait has nothing to wait for.
func (p *Pending) Wait(ctx context.Context) error { return ctx.Err() }

// Stats returns zeros, as nothing has run.
func (p *Pending) Stats() engine.Stats { return engine.Stats{} }

// Close does nothing.
func (p *Pending) Close() error { return nil }

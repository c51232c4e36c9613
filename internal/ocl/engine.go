package ocl

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	_ "github.com/anycl/anycl/internal/ocl/families"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/platform"
)

var (
	_ engine.Engine     = (*Engine)(nil)
	_ engine.HostMemory = (*Engine)(nil)
)

// Engine is an opened device as an engine.
type Engine struct {
	dev    *platform.Opened
	facts  *facts.Device  // of the queue
	tuned  *variant.Table // nil: the device has none
	queue  *queueRunner
	host   *hostPath // nil: the queue runs all
	force  string    // of EnvVariant
	bounds bool      // callers' own kernels run in the checked mode
	watch  Watch     // nil: nobody does
	last   atomic.Pointer[engine.Task]
	known  atomic.Pointer[rates]
	traits engine.Traits

	launches atomic.Int64
	efforts  efforts

	mu        sync.Mutex
	closed    bool
	memories  map[*memory]struct{}
	bytes     int64
	sequences map[*sequence]struct{}
}

// New makes an engine of an opened device, which stays the caller's to close,
// after the engine.
func New(dev *platform.Opened) *Engine { return NewForced(dev, variant.ForcedByEnv()) }

// NewForced is New with a list of variants in place of that of EnvVariant.
func NewForced(dev *platform.Opened, variants string) *Engine {
	e := newEngine(dev, variants)
	if variant.Forced(variants, variant.Class) != variant.ClassGPU { // the host path would take small tasks, and plan for a CPU
		e.host = newHostPath(e)
	}
	return e
}

// NewQueueOnly is an engine for tests of kernels: it has no host path, plans for the facts of the device as change leaves them,
// nil for as they are, and takes the list of variants in place of that of EnvVariant, but for the class and the optimization.
func NewQueueOnly(dev *platform.Opened, variants string, change func(*facts.Device)) *Engine {
	e := newEngine(dev, variant.ForcedByEnv())
	e.force = variants
	if change != nil {
		change(e.facts)
	}
	return e
}

// newEngine is an engine that runs all on the device's queue.
func newEngine(dev *platform.Opened, variants string) *Engine {
	facts := facts.New(dev.Device(), dev.Caps())
	facts.Unoptimized = variant.Forced(variants, variant.Optimize) == variant.OptimizeOff
	if variant.Forced(variants, variant.Class) == variant.ClassGPU {
		facts.AsGPU(dev.Caps())
	}
	e := &Engine{
		dev: dev, facts: facts, tuned: variant.OpenTable(dev),
		force: variants, bounds: os.Getenv(EnvCheck) == checkBounds, memories: map[*memory]struct{}{}, sequences: map[*sequence]struct{}{},
	}
	e.queue = &queueRunner{target{device: dev.CL(), facts: facts, programs: dev, mark: "false 1", library: new(library), log: dev.Logger()}, e}
	e.Calibrated()
	e.traits = engine.Traits{
		Buffers: max(facts.Operands(), 1), MaxAlloc: facts.MaxAlloc, Stream: e, Peaks: e.peaks,
		Estimates: func(tasks []*engine.Task) engine.Estimates { return e.estimates(tasks) },
	}
	if facts.CPU {
		e.traits.Cores = func(*engine.Task) int { return facts.Units }
	}
	return e
}

// Traits are the limits of a kernel's arguments and of the device.
func (e *Engine) Traits() engine.Traits { return e.traits }

// Calibrated makes estimates use the measurements of the device made so far.
func (e *Engine) Calibrated() {
	r := newRates(e.dev)
	r.device, r.efforts = e.facts, &e.efforts
	e.known.Store(&r)
}

// rates are the rates that estimates use at the moment.
func (e *Engine) rates() *rates { return e.known.Load() }

// Name is the device's ID.
func (e *Engine) Name() string { return e.facts.Name }

// Check says why the device cannot run t.
func (e *Engine) Check(t *engine.Task) error { return variant.Check(e.facts, t) }

// Wait returns when all that was submitted is done, or ctx is.
func (e *Engine) Wait(ctx context.Context) error {
	if e.isClosed() {
		return engine.ErrClosed
	}
	return e.waited(e.dev.Wait(ctx))
}

// Idle reports whether nothing that was submitted can still be at work.
func (e *Engine) Idle() bool { return e.dev.Queue().Idle() }

// Stats counts live objects.
func (e *Engine) Stats() engine.Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	return engine.Stats{
		Memories: len(e.memories), Bytes: e.bytes, Sequences: len(e.sequences), Launches: e.launches.Load(),
	}
}

func (e *Engine) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}

// Close waits for the device and releases the engine's objects: sequences and memory too. The
// opened device stays open.
func (e *Engine) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	sequences, memories := e.sequences, e.memories
	e.sequences, e.memories = map[*sequence]struct{}{}, map[*memory]struct{}{}
	e.bytes = 0
	e.mu.Unlock()
	err := e.dev.Wait(context.Background())
	if errors.Is(err, platform.ErrClosed) {
		err = nil
	}
	e.host.close()
	for s := range sequences {
		err = errors.Join(err, s.release())
	}
	for m := range memories {
		err = errors.Join(err, m.Close())
	}
	return err
}

// Facts are the device facts by which kernels for the device's queue are planned.
func (e *Engine) Facts() *facts.Device { return e.facts }

// Opened is the device.
func (e *Engine) Opened() *platform.Opened { return e.dev }

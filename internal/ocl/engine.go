package ocl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/platform"
)

var (
	_ engine.Engine = (*Engine)(nil)
	_ engine.Whole  = (*Engine)(nil)
)

// Engine is an opened device as an engine.
type Engine struct {
	dev   *platform.Opened
	facts *deviceFacts // of far
	far   *site
	near  *site // nil: no companion
	team  *site // nil: no second thread, or no companion
	rates rates
	force string // of EnvVariant
	watch Watch  // nil: nobody does
	last  atomic.Pointer[engine.Task]

	launches atomic.Int64

	mu        sync.Mutex
	closed    bool
	memories  map[*memory]struct{}
	bytes     int64
	sequences map[*sequence]struct{}
}

// New makes an engine of an opened device, which stays the caller's to close,
// after the engine.
func New(dev *platform.Opened) *Engine { return NewForced(dev, forcedByEnv()) }

// NewForced is New with a list of variants in place of that of EnvVariant.
func NewForced(dev *platform.Opened, variants string) *Engine {
	facts := newFacts(dev.Device(), dev.Caps())
	facts.tuned = openOverlay(dev)
	near := newNear(dev, facts)
	return &Engine{
		dev: dev, facts: facts, rates: newRates(dev),
		far:  &site{device: dev.Device().CL(), facts: facts, programs: dev, library: new(library)},
		near: near, team: newTeam(near, facts),
		force: variants, memories: map[*memory]struct{}{}, sequences: map[*sequence]struct{}{},
	}
}

// Name is the device's ID.
func (e *Engine) Name() string { return e.facts.name }

// Check says why the device cannot run t.
func (e *Engine) Check(t *engine.Task) error { return e.facts.check(t) }

// memory is an engine.Memory.
type memory struct {
	eng    *Engine
	mem    *platform.Memory
	closed atomic.Bool
}

func (m *memory) Bytes() int64 { return m.mem.Bytes() }

func (m *memory) Close() error {
	if m.closed.Swap(true) {
		return nil
	}
	m.eng.mu.Lock()
	if _, ok := m.eng.memories[m]; ok {
		delete(m.eng.memories, m)
		m.eng.bytes -= m.mem.Bytes()
	}
	m.eng.mu.Unlock()
	return m.mem.Close()
}

// Alloc gives n bytes of device memory.
func (e *Engine) Alloc(n int64) (engine.Memory, error) {
	if e.isClosed() {
		return nil, engine.ErrClosed
	}
	pm, err := e.dev.Alloc(n)
	if err != nil {
		return nil, e.waited(err)
	}
	m := &memory{eng: e, mem: pm}
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, errors.Join(engine.ErrClosed, pm.Close())
	}
	e.memories[m] = struct{}{}
	e.bytes += n
	e.mu.Unlock()
	return m, nil
}

// MaxAlloc is the largest allocation that the device takes, in bytes: what is
// planned together must be split below it.
func (e *Engine) MaxAlloc() int64 { return e.facts.maxAlloc }

// own is m as this engine's memory.
func (e *Engine) own(m engine.Memory) (*memory, error) {
	o, ok := m.(*memory)
	switch {
	case !ok || o.eng != e:
		return nil, fmt.Errorf("ocl: %s: memory of another engine", e.facts.name)
	case o.closed.Load() || e.isClosed():
		return nil, engine.ErrClosed
	}
	return o, nil
}

// Write copies src to dst from offset on.
func (e *Engine) Write(ctx context.Context, dst engine.Memory, offset int64, src []byte) error {
	m, err := e.own(dst)
	if err != nil {
		return err
	}
	return e.waited(e.dev.Write(ctx, m.mem, offset, src))
}

// Read waits for all that was submitted and copies from src.
func (e *Engine) Read(ctx context.Context, dst []byte, src engine.Memory, offset int64) error {
	m, err := e.own(src)
	if err != nil {
		return err
	}
	return e.waited(e.dev.Read(ctx, dst, m.mem, offset))
}

// Wait returns when all that was submitted is done, or ctx is.
func (e *Engine) Wait(ctx context.Context) error {
	if e.isClosed() {
		return engine.ErrClosed
	}
	return e.waited(e.dev.Wait(ctx))
}

// Idle reports whether nothing that was submitted can still be at work.
func (e *Engine) Idle() bool { return e.dev.Queue().Idle() }

// Stats counts what is alive.
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

// Close waits for the device and releases what the engine made: sequences and
// memory too. The opened device stays open.
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
	if e.team != nil {
		e.team.crew.close()
	}
	for s := range sequences {
		err = errors.Join(err, s.release())
	}
	for m := range memories {
		err = errors.Join(err, m.Close())
	}
	return err
}

// rates are what estimates are made of.
type rates struct {
	launch, small  time.Duration
	flops          float64 // operations a second
	memory, upload float64 // bytes a second

	units      int           // cores, or what is like them
	wake       time.Duration // until all units work, and the caller knows that they are done
	nearLaunch time.Duration // on the companion
	nearMemory float64       // bytes a second, of one core
}

// newRates takes what was measured on the device. Without, it guesses by class:
// the order of magnitude, so that a comparison has something to go by.
func newRates(dev *platform.Opened) rates {
	r := rates{
		launch: 5 * time.Microsecond, small: 20 * time.Microsecond, flops: max(dev.Device().GFLOPS, 1) * 1e9, memory: 200e9, upload: 5e9,
		units: max(dev.Device().Units, 1), wake: 30 * time.Microsecond, nearLaunch: time.Microsecond, nearMemory: 50e9,
	}
	if dev.Device().Unified {
		r.memory, r.upload = 10e9, 10e9
	}
	c := dev.Calibration()
	if c == nil {
		return r
	}
	// Whatever is moved, somebody waits for a result.
	r.launch, r.small, r.wake = c.Launch, max(c.Small, c.Wait), c.Wake
	r.flops, r.memory, r.upload = c.GFLOPS*1e9, c.Copy, min(c.Upload, c.Download)
	if c.CompanionLaunch > 0 {
		r.nearLaunch, r.nearMemory = c.CompanionLaunch, c.CompanionCopy
	}
	return r
}

// efficiency is the share of the device's peak rate of operations that kernels
// of a kind reach at best.
var efficiency = map[engine.Kind]float64{
	engine.Map: 0.3, engine.Reduce: 0.2, engine.Row: 0.3, engine.Contract: 0.6, engine.Scatter: 0.05, engine.Custom: 0.1,
	engine.Attention: 0.5,
}

// Estimate predicts how long t takes once its inputs are in memory: the larger
// of the times that its operations and its bytes need, and a launch.
func (e *Engine) Estimate(t *engine.Task) time.Duration {
	c, r := t.Cost(), e.rates
	if t.Kind == engine.Routine {
		l := labourOf(t)
		return time.Duration(l.launches*float64(r.launch)) + seconds(l.time(float64(r.units), r.flops, r.memory))
	}
	s := max(c.Flops/(r.flops*efficiency[t.Kind]), (c.BytesRead+c.BytesWrite)/r.memory)
	return r.launch + seconds(s)
}

// Transfer predicts how long it takes to move n bytes between host and device.
func (e *Engine) Transfer(n int64) time.Duration {
	return e.rates.small + seconds(float64(n)/e.rates.upload)
}

func seconds(s float64) time.Duration {
	return time.Duration(math.Min(s*1e9, math.MaxInt64/2))
}

// Opened is the device.
func (e *Engine) Opened() *platform.Opened { return e.dev }

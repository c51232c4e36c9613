package ocl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	_ "github.com/anycl/anycl/internal/ocl/families"
	"github.com/anycl/anycl/internal/ocl/hostrun"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/platform"
	"github.com/anycl/anycl/tensor"
)

var (
	_ engine.Engine     = (*Engine)(nil)
	_ engine.HostMemory = (*Engine)(nil)
)

// Engine is an opened device as an engine.
type Engine struct {
	dev         *platform.Opened
	facts       *facts.Device  // of the driver queue
	tuned       *variant.Table // nil: the device has none
	driverQueue *launchSite
	inline      *launchSite // nil: no companion
	pooled      *launchSite // nil: no second thread, or no companion
	loaded      *hostrun.LoadedKernels
	force       string // of EnvVariant
	bounds      bool   // callers' own kernels run in the checked mode
	watch       Watch  // nil: nobody does
	last        atomic.Pointer[engine.Task]
	known       atomic.Pointer[rates]
	traits      engine.Traits

	launches atomic.Int64

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
	facts := facts.New(dev.Device(), dev.Caps())
	near := newInline(dev, facts)
	if variant.Forced(variants, variant.Class) == variant.ClassGPU {
		facts.AsGPU(dev.Caps())
		near = nil // it would take what is small, and plan for a CPU
	}
	e := &Engine{
		dev: dev, facts: facts, tuned: variant.OpenTable(dev),
		driverQueue: &launchSite{device: dev.CL(), facts: facts, programs: dev, library: new(library)},
		inline:      near, pooled: newPooled(near, facts), loaded: &hostrun.Loaded,
		force: variants, bounds: os.Getenv(EnvCheck) == checkBounds, memories: map[*memory]struct{}{}, sequences: map[*sequence]struct{}{},
	}
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

// Traits says what fits into a kernel's arguments, and what the device takes.
func (e *Engine) Traits() engine.Traits { return e.traits }

// Calibrated takes over what was measured on the device by now.
func (e *Engine) Calibrated() {
	r := newRates(e.dev)
	e.known.Store(&r)
}

// rates are what estimates are made of at the moment.
func (e *Engine) rates() *rates { return e.known.Load() }

// Name is the device's ID.
func (e *Engine) Name() string { return e.facts.Name }

// Check says why the device cannot run t.
func (e *Engine) Check(t *engine.Task) error { return variant.Check(e.facts, t) }

// memory is an engine.Memory.
type memory struct {
	eng    *Engine
	mem    *platform.Memory // nil: see vacancy
	vacant *vacancy         // nil: nothing can be in its place
	closed atomic.Bool
}

func (m *memory) Bytes() int64 {
	if m.vacant != nil {
		return m.vacant.bytes
	}
	return m.mem.Bytes()
}

func (m *memory) Close() error {
	if m.closed.Swap(true) {
		return nil
	}
	m.eng.mu.Lock()
	_, known := m.eng.memories[m]
	delete(m.eng.memories, m)
	mem := m.mem
	if known && mem != nil {
		m.eng.bytes -= mem.Bytes()
	}
	m.eng.mu.Unlock()
	if mem == nil {
		return nil
	}
	return mem.Close()
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
	m := &memory{eng: e}
	if !e.enter(m, pm) {
		return nil, errors.Join(engine.ErrClosed, pm.Close())
	}
	return m, nil
}

// enter counts m, to which it gives pm, unless the engine is closed.
func (e *Engine) enter(m *memory, pm *platform.Memory) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.memories[m] = struct{}{}
	if m.mem = pm; pm != nil {
		e.bytes += pm.Bytes()
	}
	return true
}

// own is m as this engine's memory.
func (e *Engine) own(m engine.Memory) (*memory, error) {
	o, ok := m.(*memory)
	switch {
	case !ok || o.eng != e:
		return nil, fmt.Errorf("ocl: %s: memory of another engine", e.facts.Name)
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
	if m.Bound() {
		b, err := m.part(offset, len(src))
		copy(b, src)
		return err
	}
	pm, err := m.held()
	if err != nil {
		return err
	}
	return e.waited(e.dev.Write(ctx, pm, offset, src))
}

// Read waits for all that was submitted and copies from src.
func (e *Engine) Read(ctx context.Context, dst []byte, src engine.Memory, offset int64) error {
	m, err := e.own(src)
	if err != nil {
		return err
	}
	if m.Bound() {
		b, err := m.part(offset, len(dst))
		copy(dst, b)
		return err
	}
	pm, err := m.held()
	if err != nil {
		return err
	}
	return e.waited(e.dev.Read(ctx, dst, pm, offset))
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
	if e.pooled != nil {
		e.pooled.pool.Close()
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
	launch, wait  time.Duration
	flops, memory float64        // operations and bytes a second
	up, down      platform.Curve // with the wait for it, where a transfer is a command
	direct        bool           // it is none
	divergence    float64        // see platform.Calibration

	units      int           // cores, or what is like them
	wake       time.Duration // until all units work, and the caller knows that they are done
	nearLaunch time.Duration // on the companion
	nearMemory float64       // bytes a second, of one core
	nearUp     platform.Curve
	nearDown   platform.Curve
}

// newRates takes what was measured on the device. Without, it guesses by class:
// the order of magnitude, so that a comparison has something to go by.
func newRates(dev *platform.Opened) rates {
	r := rates{
		launch: 5 * time.Microsecond, wait: 20 * time.Microsecond, flops: max(dev.Device().GFLOPS, 1) * 1e9, memory: 200e9, divergence: 4,
		units: max(dev.Device().Units, 1), wake: 30 * time.Microsecond, nearLaunch: time.Microsecond, nearMemory: 50e9,
	}
	link := 5e9
	if dev.Device().Unified {
		r.memory, link = 10e9, 10e9
	}
	r.up = straight(r.wait, link)
	if dev.Caps().Direct { // no command: a copy by the caller
		r.up, r.direct = straight(200*time.Nanosecond, link), true
	}
	r.down = r.up
	c := dev.Calibration()
	if c == nil {
		return r
	}
	// Whatever is moved, somebody waits for a result.
	r.launch, r.wait, r.wake = c.Launch, max(c.Small, c.Wait), c.Wake
	r.flops, r.memory, r.divergence = c.GFLOPS*1e9, c.Copy, c.Divergence
	r.up, r.down, r.direct = c.Uploads, c.Downloads, c.ZeroCopy
	if c.CompanionLaunch > 0 {
		r.nearLaunch, r.nearMemory = c.CompanionLaunch, c.CompanionCopy
		r.nearUp, r.nearDown = c.CompanionUploads, c.CompanionDownloads
	}
	return r
}

// efficiency is the share of the device's peak rate of operations that kernels
// of a kind reach at best.
var efficiency = map[engine.Kind]float64{
	engine.Map: 0.6, engine.Reduce: 0.3, engine.Row: 0.3, engine.Contract: 0.6, engine.Scatter: 0.05, engine.Custom: 0.1,
	engine.Attention: 0.5,
}

// Estimate predicts how long t takes once its inputs are in memory: the larger
// of the times that its operations and its bytes need, and a launch.
func (e *Engine) Estimate(t *engine.Task) time.Duration {
	return e.rates().farTime(t, t.Cost())
}

func (r *rates) farTime(t *engine.Task, c engine.Cost) time.Duration {
	if t.Kind == engine.Routine {
		l := variant.CostOf(t)
		return time.Duration(l.Launches*float64(r.launch)) + seconds(l.Time(float64(r.units), r.flops, r.memory))
	}
	return r.launch + seconds(max(r.computing(t, c), (c.BytesRead+c.BytesWrite)/r.memory))
}

// computing is how many seconds all units need for the operations of t.
func (r *rates) computing(t *engine.Task, c engine.Cost) float64 {
	s := c.Flops / (r.flops * efficiency[t.Kind])
	if t.Kind == engine.Contract {
		s = r.multiplying(t, c)
	}
	s += c.Address / (r.flops * efficiency[engine.Map])
	if len(t.Outs) > 0 && t.Outs[0].DType == tensor.Float64 {
		s *= 2 // half as many in a vector, or fewer
	}
	return s * (1 + c.Divergence*(r.divergence-1))
}

// Of a contraction: what a vector of columns and the rows of a tile hold, and what one tile costs
// beside its multiplications, as a number of these.
const (
	tileRows, tileColumns = 8, 32
	tileOwn               = 8000
)

// multiplying is computing for a contraction, which multiplies whole tiles.
func (r *rates) multiplying(t *engine.Task, c engine.Cost) float64 {
	batch, rows, columns := float64(t.Size(0)), float64(t.Size(1)), float64(t.Size(2))
	if batch*rows*columns == 0 {
		return 0
	}
	if rows == 1 || columns == 1 { // kernels of their own, which read each element of the matrix once
		return c.Flops / (r.flops * efficiency[t.Kind])
	}
	tiles := batch * math.Ceil(rows/tileRows) * math.Ceil(columns/tileColumns)
	// Where both rows and columns are few, kernels use either as lanes.
	whole := min(tiles*tileRows*tileColumns/(batch*rows*columns), 8)
	flops := c.Flops*whole + tiles*tileOwn
	if bytes := func(o engine.Operand) bool { return o.DType.Size() == 1 }; len(t.Ins) > 1 && bytes(t.Ins[0]) && bytes(t.Ins[1]) {
		flops /= 4 // four products at a time; see contract/words.go
	}
	return flops / (r.flops * efficiency[t.Kind])
}

// straight is a curve without measurements: a latency and a rate.
func straight(latency time.Duration, rate float64) platform.Curve {
	const far = 1 << 30
	return platform.Curve{{Bytes: 1, Time: latency}, {Bytes: far, Time: latency + seconds(far/rate)}}
}

// Transfer predicts how long it takes to move n bytes between host and device, in the slower
// direction, and to wait for it.
func (e *Engine) Transfer(n int64) time.Duration {
	return e.rates().wait + max(e.upload(n, ""), e.download(n, ""))
}

// callersCaches is the domain of what is moved by the thread that then runs kernels on it, or before.
const callersCaches engine.MemoryDomain = "near"

// upload predicts how long n bytes take to the device, apart from any wait for what is there.
func (e *Engine) upload(n int64, d engine.MemoryDomain) time.Duration {
	r := e.rates()
	if d == callersCaches && len(r.nearUp) > 0 {
		return r.move(r.nearUp, n)
	}
	return r.move(r.up, n)
}

// download is upload the other way.
func (e *Engine) download(n int64, d engine.MemoryDomain) time.Duration {
	r := e.rates()
	if d == callersCaches && len(r.nearDown) > 0 {
		return r.move(r.nearDown, n)
	}
	return r.move(r.down, n)
}

// move is what a transfer adds to a run, which waits once for all.
func (r *rates) move(c platform.Curve, n int64) time.Duration {
	switch {
	case n <= 0:
		return 0
	case r.direct:
		return c.At(n)
	}
	return max(c.At(n)-r.wait, r.launch)
}

func seconds(s float64) time.Duration {
	return time.Duration(math.Min(s*1e9, math.MaxInt64/2))
}

// Opened is the device.
func (e *Engine) Opened() *platform.Opened { return e.dev }

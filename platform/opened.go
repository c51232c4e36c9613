package platform

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/ahead"
	"github.com/anycl/anycl/platform/internal/diskcache"
	"github.com/anycl/anycl/platform/internal/inflight"
	"github.com/anycl/anycl/platform/internal/pool"
	"github.com/anycl/anycl/platform/internal/quirk"
	"github.com/anycl/anycl/platform/internal/staging"
	"github.com/anycl/anycl/platform/internal/wait"
)

// Opened is a device in use: its context, its queue, its memory pool and its
// programs. It is safe for concurrent use. Close it when done.
type Opened struct {
	device  *Device
	cl      *cl.Device // the device, or the part of one while it is open
	opts    Options
	caps    *Caps
	context *cl.Context
	paired  bool // the inline device is in it
	// closeContext closes the context, which others may share.
	closeContext func() error
	queue        *cl.Queue
	waiter       *wait.Waiter
	inflight     inflight.Transfers
	staging      *staging.Link // of a device with memory of its own, else nil

	calibration atomic.Pointer[Calibration] // once it is known
	own         atomic.Pointer[ownProof]    // once there is one
	viewer      viewer

	disk      *diskcache.Programs
	bitcode   *diskcache.Programs // of programs whose binaries the driver keeps
	noBitcode atomic.Bool         // it gives none, or takes none
	ahead     *ahead.Loads        // nil: neither is kept
	work      sync.WaitGroup      // builds in progress
	// refusesOnce is set where the driver refuses the options of OptimizedOnce.
	refusesOnce atomic.Bool
	// shortHeader is set once a program was built without the compiler's long header,
	// longHeader where none is.
	shortHeader, longHeader atomic.Bool

	mu        sync.Mutex
	closed    bool
	profiling *cl.Queue // made on demand
	pool      pool.Pool[*block]
	live      map[*block]struct{}
	liveBytes int64
	orphans   []cl.Remnant // of memory that was never closed, and of programs that only their users know
	programs  map[programKey]*program
	most      int   // of them
	asked     int64 // how often one was asked for
	stats     Stats
}

// Stats counts the objects of an opened device and its activities.
type Stats struct {
	Live       int   `json:"live"`        // Memory values not closed
	LiveBytes  int64 `json:"live_bytes"`  // in their blocks
	Pooled     int   `json:"pooled"`      // blocks waiting for reuse
	PoolBytes  int64 `json:"pool_bytes"`  // in them
	PoolHits   int64 `json:"pool_hits"`   // allocations served from the pool
	PoolMisses int64 `json:"pool_misses"` // allocations that asked the driver
	Programs   int   `json:"programs"`    // in memory
	// The memory that transfers hold for a device with memory of its own: bytes of its memory, and
	// bytes of the host's.
	Relayed int64 `json:"relayed"`
	Pinned  int64 `json:"pinned"`
	// Where programs came from so far.
	ProgramsBuilt  int64 `json:"programs_built"`  // compiled from source
	ProgramsLoaded int64 `json:"programs_loaded"` // read from disk
	ProgramsShared int64 `json:"programs_shared"` // found in memory, or built by another caller
}

// Open makes a context and a queue on the device. On a device or driver that was never seen before
// it also proves capabilities, as Caps does, but of a device with an inline device only those of the
// inline device (see [Caps.Provisional]); otherwise it takes a few milliseconds. Nil options are those
// that Discover was given; of others, Library and Spec are not used.
func (d *Device) Open(ctx context.Context, opts *Options) (*Opened, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("platform: open %s: %w", d.ID, err)
	}
	o, err := d.open(opts)
	if err != nil {
		return nil, fmt.Errorf("platform: open %s: %w", d.ID, err)
	}
	if o.caps, err = d.provenCaps(ctx, o); err != nil {
		return nil, errors.Join(fmt.Errorf("platform: open %s: %w", d.ID, err), o.Close())
	}
	if o.opts.staged(d) {
		o.staging = staging.New(o.stagingHost(), d.GlobalMem)
	}
	o.opts.Logger.Info("platform: opened", "device", d.ID, "name", d.Name, "driver", d.Driver, "fma", string(o.caps.FMA))
	return o, nil
}

// open makes everything but the capabilities; its caps are those that need no proof.
func (d *Device) open(opts *Options) (*Opened, error) {
	r := d.opts
	if opts != nil {
		r = opts.withDefaults()
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	o := &Opened{
		device: d, opts: r, caps: &Caps{FMA: FMAPlain},
		disk:     diskcache.NewPrograms(r.CacheDir, r.CacheBytes),
		bitcode:  newBitcode(d, &r),
		live:     map[*block]struct{}{},
		programs: map[programKey]*program{}, most: mostPrograms,
	}
	if d.has(quirk.OwnCache) {
		o.disk = diskcache.NewPrograms("", 0)
	}
	for _, c := range []*diskcache.Programs{o.disk, o.bitcode} {
		if !c.Off() {
			o.ahead = &ahead.Loads{Notes: c, Load: o.reload, Slot: o.slot, Warn: o.warn, Skips: func(p ahead.Program) bool {
				return p.InlineDevice && !o.paired || !p.InlineDevice && o.caps.Provisional
			}}
		}
	}
	o.pool.Cap = r.poolCap(d.GlobalMem)
	var err error
	if o.cl, err = d.handle(); err != nil {
		return nil, err
	}
	if err = o.newContext(); err != nil {
		return nil, errors.Join(err, o.cl.Close())
	}
	if o.queue, err = o.context.NewQueue(o.cl, cl.QueueOptions{}); err != nil {
		return nil, errors.Join(err, o.closeContext(), o.cl.Close())
	}
	o.inflight.Init(o.queue)
	o.waiter = wait.New(o.queue.Finish)
	return o, nil
}

// Device returns the device.
func (o *Opened) Device() *Device { return o.device }

// CL returns the OpenCL device that is open: of a part of a device that part, until Close.
func (o *Opened) CL() *cl.Device { return o.cl }

// Caps returns the proven capabilities of the device.
func (o *Opened) Caps() *Caps { return o.caps }

// Context returns the OpenCL context, which holds this device and, where it has one,
// its inline device: name the device when you build a program.
func (o *Opened) Context() *cl.Context { return o.context }

// Queue returns the queue, which is in order.
func (o *Opened) Queue() *cl.Queue { return o.queue }

// ProfilingQueue returns a second in-order queue whose events have times. It is
// made at the first call. Between the two queues the caller orders: Wait for one
// before the other uses the same memory.
func (o *Opened) ProfilingQueue() (*cl.Queue, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, ErrClosed
	}
	if o.profiling == nil {
		q, err := o.context.NewQueue(o.cl, cl.QueueOptions{Profiling: true})
		if err != nil {
			return nil, fmt.Errorf("platform: %s: profiling queue: %w", o.device.ID, err)
		}
		o.profiling = q
	}
	return o.profiling, nil
}

// Wait returns when everything that was enqueued in the queue before is done.
// When ctx ends first, Wait returns its error and the work goes on: OpenCL cannot
// recall it. Waiting does not allocate.
func (o *Opened) Wait(ctx context.Context) error {
	return o.finished(o.drain(ctx))
}

// drain waits as Wait does, without a look at transfers.
func (o *Opened) drain(ctx context.Context) error { return closed(o.waiter.Wait(ctx)) }

// closed is err, but ErrClosed where a queue says that it is closed.
func closed(err error) error {
	if err != nil && errors.Is(err, cl.ErrClosed) {
		return ErrClosed
	}
	return err
}

// Finish returns when everything that was enqueued in q, a queue of this device, is done. A failed transfer
// that nobody waited for is told as Wait tells it.
func (o *Opened) Finish(q *cl.Queue) error { return o.finished(closed(q.Finish())) }

// finished returns the error of waiting for a queue, or else that of transfers that are over; a transfer's error is returned once.
func (o *Opened) finished(err error) error {
	switch {
	case err == nil:
		return o.transferred()
	case errors.Is(err, ErrClosed), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded): // not over
		return err
	}
	_ = o.transferred() // a part of err
	return err
}

// transferred is the error of a transfer that is over and that nobody waited for; it is reported once.
func (o *Opened) transferred() error {
	if o.staging != nil {
		return o.staging.Failed()
	}
	return o.inflight.Failure()
}

// Stats returns the present counts.
func (o *Opened) Stats() Stats {
	relays, relayed, pinned := o.staging.Held()
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.stats
	s.Live, s.LiveBytes = len(o.live)-relays, o.liveBytes-relayed
	s.Relayed, s.Pinned = relayed, pinned
	s.Pooled, s.PoolBytes = o.pool.Held()
	s.Programs = len(o.programs)
	return s
}

func (o *Opened) count(f func(*Stats)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f(&o.stats)
}

// Trim gives the pool's idle memory back to the driver.
func (o *Opened) Trim() error {
	if err := o.trimRelays(); err != nil {
		return err
	}
	o.mu.Lock()
	idle := o.pool.Drain()
	o.mu.Unlock()
	return closeAll(idle)
}

// trimRelays gives the memory of relays back to the pool, where nothing uses it.
func (o *Opened) trimRelays() error {
	if o.staging == nil {
		return nil
	}
	return o.staging.Trim()
}

// Close waits for the device and releases everything, also Memory values that are
// not closed yet; kernels made from the programs are their owner's to close.
// Calling it again does nothing.
func (o *Opened) Close() error {
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return nil
	}
	o.closed = true
	profiling := o.profiling
	o.mu.Unlock()

	o.work.Wait()
	o.waiter.Stop()
	err := errors.Join(o.ahead.Close(), o.queue.Finish())
	if profiling != nil {
		err = errors.Join(err, profiling.Finish(), profiling.Close())
	}
	o.mu.Lock()
	blocks := o.pool.Drain()
	for b := range o.live {
		blocks = append(blocks, b)
	}
	clear(o.live)
	orphans := o.orphans
	o.orphans = nil
	o.liveBytes = 0
	programs := o.programs
	o.programs = nil
	o.mu.Unlock()
	if o.staging != nil {
		err = errors.Join(err, o.staging.Close())
	}
	err = errors.Join(err, o.inflight.Close(), o.viewer.close(), closeAll(blocks))
	for _, r := range orphans {
		err = errors.Join(err, r.Close())
	}
	for _, p := range programs {
		err = errors.Join(err, p.prog.Close())
	}
	err = errors.Join(err, o.queue.Close(), o.closeContext(), o.cl.Close())
	if err != nil {
		return fmt.Errorf("platform: close %s: %w", o.device.ID, err)
	}
	return nil
}

func closeAll(blocks []*block) error {
	var err error
	for _, b := range blocks {
		err = errors.Join(err, b.Close())
	}
	return err
}

// Logger returns where the device's users log, never nil.
func (o *Opened) Logger() *slog.Logger { return o.opts.Logger }

// warn logs an error that is not the caller's problem.
func (o *Opened) warn(what string, err error) {
	if err != nil {
		o.opts.Logger.Warn("platform: "+what, "device", o.device.ID, "error", err)
	}
}

// stagingHost is o as its link takes it.
func (o *Opened) stagingHost() staging.Host {
	return staging.Host{
		ID: o.device.ID, Context: o.context, Device: o.cl, Queue: o.queue,
		Wait: o.drain, OutOfMemory: outOfMemory, Warn: o.warn, Closed: ErrClosed,
		Alloc: func(n int64) (staging.Memory, int64, error) {
			m, err := o.Alloc(n)
			if err != nil {
				return nil, 0, err
			}
			return m, m.block.Load().size, nil
		},
	}
}

package platform

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/platform/internal/diskcache"
	"github.com/anycl/anycl/platform/internal/pool"
)

// Calibration is how fast a device was measured to be. The times are wall times
// as a program sees them. Rates are bytes or operations a second.
type Calibration struct {
	Launch   time.Duration `json:"launch_ns"` // of one kernel among many that nobody waits for
	Wait     time.Duration `json:"wait_ns"`   // from the launch of one small kernel until the host knows that it is done
	Upload   float64       `json:"upload"`    // bytes a second, host to device, as Write does it
	Download float64       `json:"download"`  // bytes a second, device to host, as Read does it
	// Small is the time of a Write of a few bytes, when the queue is empty.
	Small time.Duration `json:"small_ns"`
	// Uploads and Downloads are the times of moving a given number of bytes each way, when the queue is
	// empty and the device has just read, or written, these bytes.
	Uploads   Curve `json:"uploads"`
	Downloads Curve `json:"downloads"`
	// ZeroCopy says that host and device see each other's bytes without a command.
	ZeroCopy bool `json:"zero_copy"`
	// Pageable is bytes a second from memory that is not pinned, by one command; 0 where host and
	// device share memory. Upload is with pinned memory between.
	Pageable float64 `json:"pageable,omitempty"`
	// Divergence is how many times as long the same operations take where neighbouring
	// work-items do different numbers of them.
	Divergence float64 `json:"divergence"`
	Copy       float64 `json:"copy"`   // bytes a second that a kernel reads and writes, both counted
	GFLOPS     float64 `json:"gflops"` // single-precision multiply-adds by FMA, two operations each
	// Wake is the time that a launch that needs all compute units usually takes beyond its work:
	// threads that sleep are woken.
	Wake time.Duration `json:"wake_ns"`
	// The figures of the inline device, 0 without one: Launch is the time of a launch, Copy is as above for bytes that
	// its caches hold, with the launch, a fiftieth of it.
	InlineLaunch time.Duration `json:"inline_launch_ns,omitempty"`
	InlineCopy   float64       `json:"inline_copy,omitempty"`
	// Uploads and downloads of bytes that the inline device has just worked on, on the same processor.
	InlineUploads   Curve `json:"inline_uploads,omitempty"`
	InlineDownloads Curve `json:"inline_downloads,omitempty"`

	Device string        `json:"device"`
	Driver string        `json:"driver"`
	Took   time.Duration `json:"took_ns"`
	// Tries is how many measurements beside other work the figures are the best of; 0 where the
	// device was measured alone.
	Tries int `json:"tries,omitempty"`
}

// enoughTries of a measurement beside other work show the device's speed: such work only makes it slower.
const enoughTries = 3

// Settled reports whether c need not be measured again. It may be nil.
func (c *Calibration) Settled() bool { return c != nil && (c.Tries == 0 || c.Tries >= enoughTries) }

// calibrationVersion is part of the key of calibrations on disk. Raise it whenever a measurement changes.
const calibrationVersion = 8

// calibrationPart is how long each of the measurements may repeat itself.
const calibrationPart = 80 * time.Millisecond

// loadCalibration returns the kept calibration, nil if there is no plausible one.
func (d *Device) loadCalibration(dir string) *Calibration {
	c := new(Calibration)
	if !d.load(dir, diskcache.Calibration, calibrationVersion, c) || !c.valid() {
		return nil
	}
	return c
}

// implausible is a bound that no figure of a device reaches: bytes or operations a second, or nanoseconds.
const implausible = 1e14

// valid reports whether every figure is one that a prediction can divide by.
func (c *Calibration) valid() bool {
	figures := []float64{c.Upload, c.Download, c.Copy, c.GFLOPS, float64(c.Launch), float64(c.Wait), float64(c.Small), float64(c.Wake)}
	if c.InlineLaunch > 0 {
		figures = append(figures, c.InlineCopy)
	}
	for _, f := range figures {
		if !(f > 0 && f < implausible) {
			return false
		}
	}
	for _, moved := range []Curve{c.InlineUploads, c.InlineDownloads} {
		if len(moved) > 0 && !moved.valid() {
			return false
		}
	}
	return c.Uploads.valid() && c.Downloads.valid() && c.Divergence >= 1 && !math.IsInf(c.Divergence, 0)
}

// Calibration returns what an earlier Calibrate of this device and driver has
// kept on disk, or has found since it was opened; nil if there is nothing.
func (o *Opened) Calibration() *Calibration {
	if c := o.calibration.Load(); c != nil {
		return c
	}
	c := o.device.loadCalibration(o.opts.CacheDir)
	o.calibration.CompareAndSwap(nil, c)
	return c
}

// Keeps reports whether measurements are kept on disk.
func (o *Opened) Keeps() bool { return o.opts.CacheDir != "" }

// Calibrate measures the device: launch and wait latency, transfers each way, the
// rate of a copying kernel and the rate of multiply-adds. It takes about half a
// second and should have the device to itself. The result is kept on disk for the
// ranking and for the prediction of times; a failure to keep it is no error.
//
// Errors: ctx's, and those of the commands that are timed.
func (o *Opened) Calibrate(ctx context.Context) (*Calibration, error) {
	c, err := o.measure(ctx)
	if err == nil {
		o.keepCalibration(c)
	}
	return c, err
}

// CalibrateBeside is Calibrate beside other work of the device and the machine: of each figure the
// best that this and earlier calls have found is kept, until [Calibration.Settled].
func (o *Opened) CalibrateBeside(ctx context.Context) (*Calibration, error) {
	before := o.Calibration()
	c, err := o.measure(ctx)
	if err != nil {
		return nil, err
	}
	if c.Tries = 1; before != nil {
		c.better(before)
		c.Tries += before.Tries
	}
	o.keepCalibration(c)
	return c, nil
}

func (o *Opened) keepCalibration(c *Calibration) {
	o.calibration.Store(c)
	o.warn("calibration is not kept", o.device.save(o.opts.CacheDir, diskcache.Calibration, calibrationVersion, c))
	o.opts.Logger.Info("platform: calibrated", "device", o.device.ID, "gflops", c.GFLOPS, "took", c.Took)
}

// better takes over the better figures of b.
func (c *Calibration) better(b *Calibration) {
	for _, p := range [][2]*time.Duration{
		{&c.Launch, &b.Launch}, {&c.Wait, &b.Wait}, {&c.Small, &b.Small}, {&c.Wake, &b.Wake}, {&c.InlineLaunch, &b.InlineLaunch},
	} {
		*p[0] = min(*p[0], *p[1])
	}
	for _, p := range [][2]*float64{
		{&c.Upload, &b.Upload}, {&c.Download, &b.Download}, {&c.Copy, &b.Copy},
		{&c.GFLOPS, &b.GFLOPS}, {&c.InlineCopy, &b.InlineCopy}, {&c.Pageable, &b.Pageable},
	} {
		*p[0] = max(*p[0], *p[1])
	}
	c.Divergence = min(c.Divergence, b.Divergence)
	c.Uploads, c.Downloads = c.Uploads.better(b.Uploads), c.Downloads.better(b.Downloads)
	c.InlineUploads, c.InlineDownloads = c.InlineUploads.better(b.InlineUploads), c.InlineDownloads.better(b.InlineDownloads)
}

func (o *Opened) measure(ctx context.Context) (*Calibration, error) {
	start := time.Now()
	c := &Calibration{Device: o.device.String(), Driver: o.device.Driver}
	prog, err := o.timed(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { o.warn("calibrate", prog.free()) }()
	for _, measure := range []func(context.Context, timed, *Calibration) error{
		o.measureLaunch, o.measureTransfers, o.measureCopy, o.measureDivergence, o.measureInline, o.measureRate,
	} {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("platform: calibrate %s: %w", o.device.ID, err)
		}
		if err := measure(ctx, prog, c); err != nil {
			return nil, fmt.Errorf("platform: calibrate %s: %w", o.device.ID, err)
		}
	}
	c.Took = time.Since(start)
	if !c.valid() {
		return nil, fmt.Errorf("platform: calibrate %s: the clock does not run: %+v", o.device.ID, *c)
	}
	return c, nil
}

// best repeats f until its part of the time is over, at least twice and at most 50
// times, and returns the shortest time. The first call, in which a driver may
// compile, does not count.
func best(ctx context.Context, f func() error) (time.Duration, error) {
	var end time.Time
	least := time.Duration(math.MaxInt64)
	for i := 0; i < 2 || (i < 50 && time.Now().Before(end)); i++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		start := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		if i == 0 {
			end = time.Now().Add(calibrationPart)
			continue
		}
		least = min(least, max(1, time.Since(start)))
	}
	return least, nil
}

// timed is a program with the kernels that are timed.
type timed struct {
	*cl.Program
	joined bool // see timedProgram
	free   func() error
}

// timed is the program for the device.
func (o *Opened) timed(ctx context.Context) (p timed, err error) {
	if o.device.together() {
		o.mu.Lock()
		closed := o.closed
		o.mu.Unlock()
		if closed {
			return p, ErrClosed
		}
		if err = o.confirm(ctx); err != nil {
			return p, err
		}
		return o.timedOn(o.cl)
	}
	common, _, sections := probeSections()
	p.Program, err = o.Program(ctx, "calibrate.cl", common+sections[rateSections[o.caps.FMA]]+sections["copy"]+sections["uneven"],
		defaultStd+" -DT="+floatVector(o.device.VectorWidth))
	p.free = func() error { return nil }
	return p, err
}

// timedOn is the program for the device or its inline device.
func (o *Opened) timedOn(dev *cl.Device) (p timed, err error) {
	p.Program, p.joined, err = o.timedProgram(dev)
	if err == nil {
		p.free = p.Close
	}
	return p, err
}

// copyKernel returns the copy kernel with two memories of n bytes, n a multiple
// of 64, as its arguments.
func (o *Opened) copyKernel(prog timed, n int64) (k copier, free func() error, err error) {
	k, _, _, free, err = o.copyBetween(o.queue, prog, n)
	return k, free, err
}

// copyBetween is copyKernel with the memories, for launches that q takes.
func (o *Opened) copyBetween(q *cl.Queue, prog timed, n int64) (k copier, from, to *Memory, free func() error, err error) {
	fail := func(err error) (copier, *Memory, *Memory, func() error, error) { return copier{}, nil, nil, nil, err }
	if from, err = o.Alloc(n); err != nil {
		return fail(err)
	}
	if to, err = o.Alloc(n); err != nil {
		return fail(errors.Join(err, from.Close()))
	}
	if k, err = newCopier(prog.Program, prog.joined); err != nil {
		return fail(errors.Join(err, from.Close(), to.Close()))
	}
	free = func() error { return errors.Join(k.Close(), from.Close(), to.Close()) }
	if err := k.set(q, o.device, from.Buffer(), to.Buffer()); err != nil {
		return fail(errors.Join(err, free()))
	}
	return k, from, to, free, nil
}

func (o *Opened) measureLaunch(ctx context.Context, prog timed, c *Calibration) error {
	k, free, err := o.copyKernel(prog, rateBytes(o.device))
	if err != nil {
		return err
	}
	launch := func(n int) func() error {
		return func() error {
			for range n {
				if _, err := k.launch(o.queue, o.device, 4); err != nil { // one group
					return err
				}
			}
			return o.queue.Finish()
		}
	}
	const many = 100
	one, err := best(ctx, launch(1))
	if err == nil {
		var all time.Duration
		all, err = best(ctx, launch(1+many))
		c.Wait, c.Launch = one, max(1, without(all, one)/many)
	}
	if err == nil {
		c.Wake, err = o.measureWake(ctx, k.Kernel)
	}
	return errors.Join(err, free())
}

// measured returns a size large enough to leave the caches, and small where the
// device is: at most want bytes, a multiple of 256.
func (d *Device) measured(want int64) int64 {
	if d.Class == Simulator {
		return 4 << 10
	}
	return min(want, max(pool.MinBlock, min(d.MaxAlloc, d.GlobalMem)/8/pool.MinBlock*pool.MinBlock))
}

func (o *Opened) measureCopy(ctx context.Context, prog timed, c *Calibration) error {
	n := o.device.measured(64 << 20)
	k, free, err := o.copyKernel(prog, n)
	if err != nil {
		return err
	}
	var moved int64
	t, err := best(ctx, func() error {
		if moved, err = k.launch(o.queue, o.device, n); err != nil {
			return err
		}
		return o.queue.Finish()
	})
	c.Copy = 2 * float64(moved) / max(1e-9, without(t, c.Wait).Seconds())
	return errors.Join(err, free())
}

func (o *Opened) measureRate(ctx context.Context, prog timed, c *Calibration) error {
	m, err := o.Alloc(rateBytes(o.device))
	if err != nil {
		return err
	}
	r, err := newRater(o, o.queue, prog.Program, rateSections[o.caps.FMA], m.Buffer())
	if err != nil {
		return errors.Join(err, m.Close())
	}
	rounds, err := r.rounds(5 * time.Millisecond)
	if o.device.Class == Simulator {
		rounds = 1
	}
	var t time.Duration
	if err == nil {
		t, err = best(ctx, func() error { _, err := r.time(rounds); return err })
		c.GFLOPS = 2 * r.multiplyAdds(rounds) / max(1, float64(without(t, c.Wait).Nanoseconds()))
	}
	return errors.Join(err, r.kernel.Close(), m.Close())
}

// without is a measured time less another that is part of it, at least half: times measured while the
// machine was busy may be any number of times too long, and of rates the highest is kept.
func without(t, part time.Duration) time.Duration { return t - min(part, t/2) }

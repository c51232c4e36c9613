package ops

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/anycl/anycl/cl"
	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/backend"
	"github.com/anycl/anycl/internal/calibrate"
	"github.com/anycl/anycl/internal/exec"
	"github.com/anycl/anycl/internal/pace"
	"github.com/anycl/anycl/internal/procs"
	"github.com/anycl/anycl/internal/report"
	"github.com/anycl/anycl/platform"
)

// Options says which engines a Runtime has. The zero value is right for most.
type Options struct {
	// Device names the device, in the grammar of ANYCL_DEVICE: "nvidia",
	// "amd:1", "gpu", "pocl", "gpu/2:0" for the first half of one, "none" for the CPU path alone. Empty means
	// ANYCL_DEVICE, and if that is empty too, the best device found; without
	// any, or without OpenCL, the CPU path. A device that is named and absent is
	// an error.
	Device string
	// CacheDir, TuneDir, PoolBytes: see platform.Options.
	CacheDir  string
	TuneDir   string
	PoolBytes int64
	// Workers is how many cores the CPU path uses; 0 means all.
	Workers int
	// SpareProc lets Open raise GOMAXPROCS by one, once in a process, where it opens a CPU
	// driver that the package can drive with threads of its own (PoCL 3.1). While all
	// of Go's processors are at work in C, Go keeps taking them away to look whether
	// anything else wants to run; one that is free makes all but the shortest runs faster.
	// Programs that set GOMAXPROCS themselves can leave one free in the same way.
	SpareProc bool
	// Start, where it is AtOnce, has Open return when the device is found, and opens it beside the program: where a driver is new to the
	// machine that takes a second. Graphs compiled to start AtOnce run on the CPU engine until then, everything else that needs the device
	// waits for it, and [Runtime.Why] says that it is being opened. That a device cannot be opened is then an error of the first Compile
	// that waits for it, and of [Executable.Prepare].
	Start Start
	// Library is the OpenCL library to use; nil means cl.Default().
	Library *cl.Library
	// Logger receives the choice of devices and its reasons; nil discards.
	Logger *slog.Logger
}

// Runtime has the engines that graphs are compiled for: a device, if there is one, and the
// CPU path. It is safe for concurrent use.
type Runtime struct {
	exec    exec.Machine
	machine *platform.Machine
	device  *platform.Device   // that was chosen; nil: none
	opened  *backend.Device    // nil before it is open, for which exec.Opening stands
	opening context.CancelFunc // ends opening it beside the program; nil: that was done by Open
	owned   bool
	beside  calibrate.Background

	compiles, compiling atomic.Int64 // graphs so far, and at the moment

	rating sync.WaitGroup // the processors' rates are being found

	mu     sync.Mutex
	live   map[*Executable]struct{}
	closed bool
}

// Open finds the devices of this machine, opens the one that o names, and
// starts the CPU path. Close it when done. Where no device is named, one that
// cannot be opened is done without, and Why says so. Errors: a named device that
// is not there or cannot be opened; a library that ANYCL_OPENCL_LIBRARY names and that cannot be
// loaded, unless Device is none; values of ANYCL_VARIANT, ANYCL_PLACE, ANYCL_QUIRKS and ANYCL_STAGING that mean nothing.
func Open(ctx context.Context, o *Options) (*Runtime, error) {
	if err := alive(ctx); err != nil {
		return nil, err
	}
	if o == nil {
		o = &Options{}
	}
	return open(ctx, o, &platform.Options{
		Library: o.Library, Spec: o.Device, CacheDir: o.CacheDir, TuneDir: o.TuneDir, PoolBytes: o.PoolBytes, Logger: o.Logger,
	})
}

// open is Open with options for the device.
func open(ctx context.Context, o *Options, po *platform.Options) (*Runtime, error) {
	_, _, place := (&Target{}).place()
	if err := errors.Join(backend.CheckEnvironment(), place); err != nil {
		return nil, err
	}
	rt := &Runtime{owned: true, live: map[*Executable]struct{}{}}
	rt.exec.Validate = exec.Validate
	if err := rt.traceTo(os.Getenv(EnvTrace)); err != nil {
		return nil, err
	}
	if rt.exec.Log = o.Logger; o.Logger == nil {
		rt.exec.Log = slog.New(slog.DiscardHandler)
	}
	if platform.AsksForNone(po.Spec) {
		po.Spec = "none" // for which no driver is started
	}
	cpu := fallback.New(&fallback.Options{Workers: o.Workers})
	rt.rating.Go(func() { // while drivers are loaded
		if err := cpu.Measure(platform.KeptProcessor(po)); err != nil {
			rt.exec.Log.Warn("ops: what was measured of the processors is not kept", "error", err)
		}
	})
	fail := func(err error) (*Runtime, error) {
		rt.rating.Wait()
		return nil, errors.Join(err, cpu.Close())
	}
	machine, err := platform.Discover(ctx, po)
	if err != nil {
		return fail(err)
	}
	rt.machine = machine
	if o.Start != WhenCompiled && o.Start != AtOnce {
		return fail(fmt.Errorf("ops: open: the start is %d, not WhenCompiled or AtOnce", int(o.Start)))
	}
	device, err := machine.Select("")
	switch {
	case err == nil && o.Start == AtOnce:
		rt.device = device
		rt.openBeside(ctx, o, po, cpu)
	case err == nil:
		rt.device = device
		if rt.exec.Engines, rt.exec.Why, err = rt.openDevice(ctx, o, po, cpu); err != nil {
			return fail(err)
		}
	case errors.Is(err, platform.ErrNone):
		rt.exec.Engines, rt.exec.Why = []engine.Engine{cpu}, "the CPU path: asked for by "+requested(o)
	case errors.Is(err, platform.ErrNoDevice):
		rt.exec.Engines, rt.exec.Why = []engine.Engine{cpu}, "the CPU path: no OpenCL device was found"
		if text := err.Error(); text != platform.ErrNoDevice.Error() { // the errors of the drivers
			rt.exec.Why += ": " + oneLine(err)
		}
		if machine.LoadErr != nil {
			rt.exec.Why = "the CPU path: no OpenCL library was found"
		}
	default:
		return fail(err)
	}
	rt.exec.Log.Info("ops: runtime opened", "engine", rt.exec.Engines[0].Name(), "why", rt.exec.Why)
	return rt, nil
}

// openDevice opens the chosen device, and returns the engines with it, or without it where nobody asked for it and it cannot be opened.
func (rt *Runtime) openDevice(ctx context.Context, o *Options, po *platform.Options, cpu *fallback.Engine) (engines []engine.Engine,
	why string, err error) {
	device := rt.Device()
	if rt.opened, err = backend.Open(ctx, device, po); err != nil {
		if requested(o) != "" || ctx.Err() != nil {
			return nil, "", err
		}
		rt.exec.Log.Warn("ops: the device cannot be opened", "device", device.ID, "error", err)
		rt.mu.Lock()
		rt.device = nil
		rt.mu.Unlock()
		return []engine.Engine{cpu}, "the CPU path: no device was asked for, and the best cannot be used: " + oneLine(err), nil
	}
	rt.opened.Learned(&rt.exec.Pace)
	if o.SpareProc && rt.opened.InlineDevice() != nil {
		procs.Spare()
	}
	rt.beside.Start(rt.opened.Opened, rt.exec.Log, rt.activity, rt.recalibrated)
	return []engine.Engine{rt.opened.Engine(), cpu}, rt.chosen(o), nil
}

// chosen says why the device was.
func (rt *Runtime) chosen(o *Options) string {
	if spec := requested(o); spec != "" {
		return fmt.Sprintf("%s: asked for by %s", rt.Device(), spec)
	}
	return fmt.Sprintf("%s: the best of %d found", rt.Device(), len(rt.machine.Devices))
}

// openBeside opens the chosen device in another goroutine. ctx gives it values alone.
func (rt *Runtime) openBeside(ctx context.Context, o *Options, po *platform.Options, cpu *fallback.Engine) {
	ctx, rt.opening = context.WithCancel(context.WithoutCancel(ctx))
	rt.exec.Engines, rt.exec.Why = []engine.Engine{backend.Pending(rt.device), cpu}, rt.chosen(o)
	opening := exec.NewOpening()
	rt.exec.Opening = opening
	go func() {
		engines, why, err := rt.openDevice(ctx, o, po, cpu)
		if err != nil {
			err = fmt.Errorf("ops: open: %w", err)
			rt.exec.Log.Warn("ops: the device cannot be opened", "device", rt.Device().ID, "error", err)
		} else {
			rt.exec.Log.Info("ops: the device is open", "engine", engines[0].Name())
		}
		opening.Finish(engines, why, err)
	}()
}

// engines are the engines that the runtime uses at the moment.
func (rt *Runtime) engines() []engine.Engine {
	all, _ := rt.exec.Current()
	return all
}

// await returns when the device is open, where it is opened beside the program. Errors: that of opening it; ctx's.
func (rt *Runtime) await(ctx context.Context) error { return rt.exec.Opening.Wait(ctx) }

// EnvTrace is the environment variable that names a file for a timeline of a program: its graphs, the host's part of a run, and
// each launch on each engine. [Runtime.Close] writes it as Chrome trace JSON, which https://ui.perfetto.dev opens. The first 32 runs of
// each executable are recorded, and later ones less and less often; they take longer than others, since launches are timed.
const EnvTrace = "ANYCL_TRACE"

// traceTo has runs recorded in the file path, if there is one.
func (rt *Runtime) traceTo(path string) (err error) {
	if path == "" {
		return nil
	}
	if rt.exec.Timeline, err = report.TimelineTo(path); err != nil {
		return fmt.Errorf("ops: open: %s: %w", EnvTrace, err)
	}
	return nil
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// requested says who asked for a device, or "".
func requested(o *Options) string {
	if o.Device != "" {
		return fmt.Sprintf("Options.Device=%s", o.Device)
	}
	if v := os.Getenv("ANYCL_DEVICE"); v != "" {
		return "ANYCL_DEVICE=" + v
	}
	return ""
}

// NewRuntime is a Runtime on given engines, the preferred one first and the CPU path last, for
// engines that Open does not know, for several devices, and for tests. Of two devices that Open has opened,
// of one platform or of two,
//
//	NewRuntime(a.Engines()[0], b.Engines()[0], a.Engines()[1])
//
// runs one graph, placed over both and the CPU path. The engines are the caller's
// to close, after the Runtime. No engine may be given twice: two that work at the same
// time have memory of their own, and one of them writes a variable while the other
// reads the old value. Compile says so.
func NewRuntime(engines ...engine.Engine) *Runtime {
	rt := &Runtime{live: map[*Executable]struct{}{}}
	rt.exec.Engines, rt.exec.Why, rt.exec.Log = engines, "given", slog.New(slog.DiscardHandler)
	rt.exec.Validate = exec.Validate
	return rt
}

// Engines are the engines of the runtime, the preferred one first. It waits for a device that is opened beside the program.
func (rt *Runtime) Engines() []engine.Engine {
	_ = rt.await(context.Background()) // Compile tells what went wrong
	return slices.Clone(rt.engines())
}

// Device is the device, which may still be being opened beside the program, or nil when there is only the CPU path.
func (rt *Runtime) Device() *platform.Device {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return rt.device
}

// Why is one line: the engine that was chosen, and the reason.
func (rt *Runtime) Why() string {
	_, why := rt.exec.Current()
	if rt.exec.Opening.Pending() {
		why += ", which is being opened"
	}
	return why
}

// Explain is the table of the devices found and why the chosen one was.
func (rt *Runtime) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "runs on %s\n", rt.Why())
	if rt.machine != nil {
		b.WriteString(rt.machine.Explain())
	}
	return b.String()
}

// Close closes every executable that is still open, then the engines. A second
// Close does nothing.
func (rt *Runtime) Close() error {
	rt.mu.Lock()
	if rt.closed {
		rt.mu.Unlock()
		return nil
	}
	rt.closed = true
	var open []*Executable
	for x := range rt.live {
		open = append(open, x)
	}
	rt.mu.Unlock()
	var errs []error
	for _, x := range open {
		errs = append(errs, x.Close())
	}
	if rt.exec.Timeline != nil {
		errs = append(errs, rt.exec.Timeline.Write())
	}
	if rt.owned {
		if rt.opening != nil {
			rt.opening()
			_ = rt.await(context.Background()) // nobody needs the device any more
		}
		rt.rating.Wait()
		rt.beside.End()
		for _, e := range rt.closing() {
			errs = append(errs, e.Close())
		}
		if rt.opened != nil {
			rt.keepLearned()
			errs = append(errs, rt.opened.Close())
		}
	}
	return errors.Join(errs...)
}

// closing are the engines to close.
func (rt *Runtime) closing() []engine.Engine {
	all := rt.engines()
	if cpu := rt.exec.Engines[len(rt.exec.Engines)-1]; !slices.Contains(all, cpu) {
		all = append(slices.Clone(all), cpu)
	}
	return all
}

// usable is an error that wraps ErrClosed once the runtime is closed. doing names the operation that was asked for.
func (rt *Runtime) usable(doing string) error {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	return rt.closedError(doing)
}

// closedError is usable for callers that hold rt.mu.
func (rt *Runtime) closedError(doing string) error {
	if !rt.closed {
		return nil
	}
	return fmt.Errorf("%w: the runtime on %s (asked to %s)", ErrClosed, rt.engines()[0].Name(), doing)
}

// enter records a live executable; it fails when the runtime is closed.
func (rt *Runtime) enter(x *Executable) error {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if err := rt.closedError(fmt.Sprintf("compile %q", x.graph.name)); err != nil {
		return err
	}
	rt.live[x] = struct{}{}
	return nil
}

func (rt *Runtime) leave(x *Executable) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	delete(rt.live, x)
}

// executables are those that are open.
func (rt *Runtime) executables() (open []*Executable) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	for x := range rt.live {
		open = append(open, x)
	}
	return open
}

// learn takes over the measurements of the open executables.
func (rt *Runtime) learn() {
	for _, x := range rt.executables() {
		x.executor.Learn()
	}
}

// keepLearned keeps the corrections that were learned for later processes, beside those of others.
func (rt *Runtime) keepLearned() {
	if !rt.exec.Pace.Dirty() {
		return
	}
	var kept pace.Table
	rt.opened.Learned(&kept)
	rt.exec.Pace.Merge(&kept)
	rt.opened.KeepLearned(&kept)
}

// String is one line: the engines of the runtime, and why they were chosen.
func (rt *Runtime) String() string {
	if rt == nil {
		return "<nil runtime>"
	}
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.closed {
		return "runtime, closed: on " + rt.Why()
	}
	return "runtime on " + rt.Why()
}

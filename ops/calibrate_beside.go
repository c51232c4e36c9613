package ops

import (
	"context"
	"sync"

	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/platform"
)

// calibrated holds the devices that this process has tried to measure.
var calibrated sync.Map

// background is what a runtime does beside its callers.
type background struct {
	cancel context.CancelFunc // nil: nothing
	done   chan struct{}
	hurry  chan struct{} // closed when somebody waits for it
	rush   sync.Once
}

// end ends it early.
func (b *background) end() {
	if b.cancel != nil {
		b.cancel()
		<-b.done
	}
}

// calibrateBeside measures a device that nobody has measured well enough, each time that callers leave the
// runtime alone for a while, until it is well enough; until then predictions rest on what the device says of
// itself. Graphs that were compiled meanwhile are then priced again in other
// placements. The result is kept on disk; where nothing can be kept, nothing is measured.
func (rt *Runtime) calibrateBeside() {
	d := rt.Device()
	if !rt.opened.Keeps() || rt.opened.Calibration().Settled() {
		return
	}
	if _, tried := calibrated.LoadOrStore(d.String()+d.Driver, true); tried {
		return // the folder cannot be written, or another runtime is at it
	}
	ctx, cancel := context.WithCancel(context.Background())
	rt.beside.cancel, rt.beside.done, rt.beside.hurry = cancel, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(rt.beside.done)
		for {
			err := rt.quiet(ctx)
			var c *platform.Calibration
			if err == nil {
				c, err = rt.opened.CalibrateBeside(ctx)
			}
			if ctx.Err() != nil {
				calibrated.Delete(d.String() + d.Driver) // the next runtime may have the time
				return
			}
			if err != nil {
				rt.exec.Log.Warn("ops: the device could not be measured", "device", d.ID, "error", err)
				return
			}
			rt.recalibrated()
			if c.Settled() {
				return
			}
		}
	}()
}

// recalibrated lets predictions rest on what was measured by now.
func (rt *Runtime) recalibrated() {
	for _, e := range rt.exec.Engines {
		if e, ok := e.(*ocl.Engine); ok {
			e.Calibrated()
		}
	}
	for _, x := range rt.executables() {
		x.executor.Reprice()
	}
}

// Settle returns when the runtime has done what it does beside its callers after Open: on a machine
// where a device is new, measuring it, which takes a few seconds and no longer waits for a quiet moment. Only who
// measures wants to wait for that. Errors: ctx's; rt is closed (is ErrClosed).
func (rt *Runtime) Settle(ctx context.Context) error {
	if err := rt.usable("settle"); err != nil {
		return err
	}
	if rt.beside.cancel == nil {
		return alive(ctx)
	}
	rt.beside.rush.Do(func() { close(rt.beside.hurry) })
	select {
	case <-rt.beside.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

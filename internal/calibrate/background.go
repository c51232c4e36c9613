package calibrate

import (
	"context"
	"log/slog"
	"sync"

	"github.com/anycl/anycl/platform"
)

// tried holds the devices that this process has tried to measure.
var tried sync.Map

// Forget lets this process measure devices again that it has measured: for tests.
func Forget() { tried.Clear() }

// Background measures a device beside the callers of a runtime. The zero value does nothing.
type Background struct {
	cancel context.CancelFunc // nil: nothing
	done   chan struct{}
	hurry  chan struct{} // closed when somebody waits for it
	rush   sync.Once
}

// Start measures a device that nobody has measured well enough, each time that look shows that callers leave the
// runtime alone for a while, until it is well enough, and calls measured each time. The result is kept on disk; where
// nothing can be kept, nothing is measured.
func (b *Background) Start(opened *platform.Opened, log *slog.Logger, look func() Activity, measured func()) {
	if !opened.Keeps() || opened.Calibration().Settled() {
		return
	}
	d := opened.Device()
	key := d.String() + d.Driver
	if _, was := tried.LoadOrStore(key, true); was {
		return // the folder cannot be written, or another runtime is at it
	}
	ctx, cancel := context.WithCancel(context.Background())
	b.cancel, b.done, b.hurry = cancel, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(b.done)
		for {
			err := quiet(ctx, look, b.hurry)
			var c *platform.Calibration
			if err == nil {
				c, err = opened.CalibrateBeside(ctx)
			}
			if ctx.Err() != nil {
				tried.Delete(key) // the next runtime may have the time
				return
			}
			if err != nil {
				log.Warn("ops: the device could not be measured", "device", d.ID, "error", err)
				return
			}
			if measured(); c.Settled() {
				return
			}
		}
	}()
}

// Running reports whether anything has been started.
func (b *Background) Running() bool { return b.cancel != nil }

// End ends it early.
func (b *Background) End() {
	if b.cancel != nil {
		b.cancel()
		<-b.done
	}
}

// Wait returns when it is done, for which it waits for no quiet moment any more. Errors: ctx's.
func (b *Background) Wait(ctx context.Context) error {
	if b.cancel == nil {
		return ctx.Err()
	}
	b.rush.Do(func() { close(b.hurry) })
	select {
	case <-b.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

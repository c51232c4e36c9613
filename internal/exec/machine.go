package exec

import (
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/pace"
	"github.com/anycl/anycl/internal/report"
)

// Validate has compilers check their representations between passes, and programs before they run: in tests.
var Validate = false

// Machine is shared by executors: engines, and measurements of their speed.
type Machine struct {
	Engines     []engine.Engine // the preferred one first, the CPU engine last
	Why         string          // they were chosen
	Opening     *Opening        // a device that was not open when the machine was made; nil: none. See [Machine.Current]
	Pace        pace.Table      // how far predictions are off
	Log         *slog.Logger
	Timeline    *report.Timeline // records runs; nil: none are recorded
	Validate    bool             // check programs before they run
	Overlapping atomic.Bool      // a run has goroutines for its engines
	Constants   Constants

	compiled atomic.Bool // an engine other than the CPU engine has compiled tasks
}

// ErrClosed is wrapped by the errors of closed runtimes and executables.
var ErrClosed = errors.New("ops: closed")

// EngineClosed makes err wrap [ErrClosed] where it comes from an engine that was closed: by the caller to whom it
// belongs, or beside the run.
func EngineClosed(err error) error {
	if err == nil || !errors.Is(err, engine.ErrClosed) || errors.Is(err, ErrClosed) {
		return err
	}
	return fmt.Errorf("%w: an engine of the runtime: %w", ErrClosed, err)
}

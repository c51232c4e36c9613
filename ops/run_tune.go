package ops

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/backend"
	"github.com/anycl/anycl/internal/tuner"
)

// TuneOptions say how to tune. The zero value is right for most.
type TuneOptions struct {
	Budget   time.Duration // for the whole; 0 means a minute
	Families []string      // of kernels: "map", "reduce", "contract"; empty means all
	// Progress is told after every candidate; nil is not.
	Progress func(TuneProgress)
}

// TuneProgress is how far tuning is.
type TuneProgress = tuner.Progress

// TuneResult is the result of tuning one kind of task.
type TuneResult = tuner.Result

// ErrNoTuning is returned where there is nothing to tune: on the CPU path alone,
// or where tuning is off.
var ErrNoTuning = errors.New("ops: there is no device to tune, or tuning is off")

// Tune looks on the device of rt for faster kernels for the tasks of executables,
// and keeps those that it finds for every graph that is compiled for this device from
// now on, by this program and others. The executables stay as they are.
//
// It takes the device for itself for the time of the budget: other work on it
// makes the result worse. Nothing that is kept can make a result wrong: each
// candidate is compared with the CPU path's result before it is timed, and
// parameters that are read back are checked against those that a kernel allows.
//
// Errors: ErrNoTuning; rt is closed (is ErrClosed); ctx is done, with the results so far, which are kept; the
// folder cannot be written.
func (rt *Runtime) Tune(ctx context.Context, o *TuneOptions, executables ...*Executable) ([]TuneResult, error) {
	dev, err := rt.tunable(ctx)
	if err != nil {
		return nil, err
	}
	if o == nil {
		o = &TuneOptions{}
	}
	var tasks []*engine.Task
	for _, x := range executables {
		if x = x.latest(); x.executor == nil {
			continue
		}
		tasks = append(tasks, x.executor.Tasks()...)
	}
	engines := rt.engines()
	return dev.Tune(ctx, engines[len(engines)-1], tasks, tuner.Options{Budget: o.Budget, Families: o.Families, Progress: o.Progress})
}

// ExportTuning writes the results of Tune that are kept for the device of rt, as JSON.
func (rt *Runtime) ExportTuning(w io.Writer) error {
	dev, err := rt.tunable(context.Background())
	if err != nil {
		return err
	}
	return dev.ExportTuning(w)
}

// ImportTuning lays entries that ExportTuning wrote, on this machine or another, over those
// kept for the device of rt, and returns how many it read. Entries that do
// not fit this device have no effect. Errors: not such a file; it cannot be kept.
func (rt *Runtime) ImportTuning(r io.Reader) (entries int, err error) {
	dev, err := rt.tunable(context.Background())
	if err != nil {
		return 0, err
	}
	return dev.ImportTuning(r)
}

// ResetTuning forgets the results of Tune that are kept for the device of rt.
func (rt *Runtime) ResetTuning() error {
	dev, err := rt.tunable(context.Background())
	if err != nil {
		return err
	}
	return dev.ResetTuning()
}

// tunable is the device, for which it waits.
func (rt *Runtime) tunable(ctx context.Context) (*backend.Device, error) {
	if err := rt.usable("tune"); err != nil {
		return nil, err
	}
	if err := rt.await(ctx); err != nil {
		return nil, err
	}
	if rt.opened == nil || !rt.opened.UsesTuning() {
		return nil, ErrNoTuning
	}
	return rt.opened, nil
}

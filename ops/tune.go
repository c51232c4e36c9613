package ops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/tuner"
	"github.com/anycl/anycl/internal/tuning"
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

// TuneResult is what became of one kind of task.
type TuneResult = tuner.Result

// ErrNoTuning is returned where there is nothing to tune: on the CPU path alone,
// or where tuning is off.
var ErrNoTuning = errors.New("ops: there is no device to tune, or tuning is off")

// Tune looks on the device of rt for faster kernels for the tasks of executables,
// and keeps what it finds for every graph that is compiled for this device from
// now on, by this program and others. The executables stay as they are.
//
// It takes the device for itself for the time of the budget: what else runs on it
// makes the result worse. Nothing that is kept can make a result wrong: each
// candidate is compared with the CPU path's result before it is timed, and what
// is read back is checked against what a kernel allows.
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
	results, found, err := tuner.Run(ctx, dev, rt.engines()[len(rt.engines())-1], tasks, tuner.Options{
		Budget: o.Budget, Families: o.Families, Progress: o.Progress,
	})
	return results, errors.Join(err, keepTuned(dev, results, found))
}

// keepTuned lays what was found over what was kept; what was tuned and stays as
// it is by rule is forgotten.
func keepTuned(dev *ocl.Engine, results []tuner.Result, found *tuning.Table) error {
	settled := map[[2]string]bool{}
	for _, r := range results {
		settled[[2]string{r.Family, r.Class}] = r.Err == nil
	}
	var kept []tuning.Entry
	for _, e := range dev.Tuned().Entries() {
		if !settled[[2]string{e.Family, e.Task}] {
			kept = append(kept, e)
		}
	}
	if len(results) == 0 {
		return nil
	}
	return dev.SetTuned(tuning.Of(kept...).With(found))
}

// ExportTuning writes what Tune has kept for the device of rt, as JSON.
func (rt *Runtime) ExportTuning(w io.Writer) error {
	dev, err := rt.tunable(context.Background())
	if err != nil {
		return err
	}
	d := rt.Device()
	b, err := dev.Tuned().Marshal(d.Name, d.Driver)
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

// ImportTuning lays what ExportTuning wrote, on this machine or another, over what
// is kept for the device of rt, and returns how many entries it read. What does
// not fit this device has no effect. Errors: not such a file; it cannot be kept.
func (rt *Runtime) ImportTuning(r io.Reader) (entries int, err error) {
	dev, err := rt.tunable(context.Background())
	if err != nil {
		return 0, err
	}
	b, err := io.ReadAll(io.LimitReader(r, 64<<20))
	if err != nil {
		return 0, fmt.Errorf("ops: import of tuned parameters: %w", err)
	}
	_, t, err := tuning.Parse(b)
	if err != nil {
		return 0, fmt.Errorf("ops: import of tuned parameters: %w", err)
	}
	return t.Len(), dev.SetTuned(dev.Tuned().With(t))
}

// ResetTuning forgets what Tune has kept for the device of rt.
func (rt *Runtime) ResetTuning() error {
	dev, err := rt.tunable(context.Background())
	if err != nil {
		return err
	}
	return dev.SetTuned(nil)
}

// tunable is the device's engine, for which it waits.
func (rt *Runtime) tunable(ctx context.Context) (*ocl.Engine, error) {
	if err := rt.usable("tune"); err != nil {
		return nil, err
	}
	if err := rt.await(ctx); err != nil {
		return nil, err
	}
	e, ok := rt.engines()[0].(*ocl.Engine)
	if !ok || rt.opened == nil || !rt.opened.UsesTuning() {
		return nil, ErrNoTuning
	}
	return e, nil
}

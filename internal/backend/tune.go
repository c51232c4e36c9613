package backend

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/tuner"
	"github.com/anycl/anycl/internal/tuning"
)

// mostTuning is how much of a file of tuned parameters is read.
const mostTuning = 64 << 20

// Tune looks for faster kernels for tasks, whose results are compared with those of the reference, and keeps the ones it finds. Errors:
// those of [tuner.Run], with the results so far; the results cannot be kept.
func (d *Device) Tune(ctx context.Context, reference engine.Engine, tasks []*engine.Task, o tuner.Options) ([]tuner.Result, error) {
	results, found, err := tuner.Run(ctx, d.engine, reference, tasks, o)
	return results, errors.Join(err, d.keepTuned(results, found))
}

// keepTuned merges the new results into the kept table; entries of tuned tasks for which nothing better than
// the rule was found are removed.
func (d *Device) keepTuned(results []tuner.Result, found *tuning.Table) error {
	if len(results) == 0 {
		return nil
	}
	settled := map[[2]string]bool{}
	for _, r := range results {
		settled[[2]string{r.Family, r.Class}] = r.Err == nil
	}
	var kept []tuning.Entry
	for _, e := range d.engine.Tuned().Entries() {
		if !settled[[2]string{e.Family, e.Task}] {
			kept = append(kept, e)
		}
	}
	return d.engine.SetTuned(tuning.Of(kept...).With(found))
}

// ExportTuning writes the kept table, as JSON.
func (d *Device) ExportTuning(w io.Writer) error {
	b, err := d.engine.Tuned().Marshal(d.Device().Name, d.Device().Driver)
	if err == nil {
		_, err = w.Write(b)
	}
	return err
}

// ImportTuning merges a table that ExportTuning wrote into the kept one, and returns how many entries it read.
func (d *Device) ImportTuning(r io.Reader) (entries int, err error) {
	b, err := io.ReadAll(io.LimitReader(r, mostTuning))
	if err != nil {
		return 0, fmt.Errorf("ops: import of tuned parameters: %w", err)
	}
	_, t, err := tuning.Parse(b)
	if err != nil {
		return 0, fmt.Errorf("ops: import of tuned parameters: %w", err)
	}
	return t.Len(), d.engine.SetTuned(d.engine.Tuned().With(t))
}

// ResetTuning deletes the kept table.
func (d *Device) ResetTuning() error { return d.engine.SetTuned(nil) }

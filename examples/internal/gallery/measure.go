package gallery

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/anycl/anycl/ops"
)

// Work is a computation that is timed on both engines, and beside a peer.
type Work struct {
	Name   string  // "k-means, 20 iterations": a row of the table
	Amount float64 // how much of Unit one run does; 0: there is no rate
	Unit   string  // "M distances": the rate is in Unit/s
	// CPUShare is the part of Amount that a run on the CPU path does, where the whole would take too long; 0 is all of it.
	CPUShare float64
}

// Result is the output of a work on one engine, and how long it took.
type Result[T any] struct {
	Where string // "pocl:0", "cpu path"
	Place ops.Place
	Value T
	Time  time.Duration // of a run, the median
	First time.Duration // of preparing and the first run, in which a driver compiles new kernels
}

// Run does a work once.
type Run[T any] = func(context.Context) (T, error)

// Both does a work on the device, if the runtime has one, and on the CPU path, which is the last of the results.
//
// prepare compiles the work's graphs for a place; the function that it returns is run once, and then a few times more for
// the median. Only this function is timed. Executables may be left open: Runtime.Close closes them.
func Both[T any](ctx context.Context, p *Program, rt *ops.Runtime, w Work, prepare func(ops.Place) (Run[T], error)) ([]Result[T], error) {
	var results []Result[T]
	row := WorkRecord{Name: w.Name, Unit: w.Unit, Amount: w.Amount}
	one := func(where string, place ops.Place, amount float64) error {
		r := Result[T]{Where: where, Place: place}
		if err := r.measure(ctx, p, prepare); err != nil {
			return fmt.Errorf("%s on %s: %w", w.Name, where, err)
		}
		results = append(results, r)
		row.Runs = append(row.Runs, RunRecord{Where: where, Seconds: r.Time.Seconds(), First: r.First.Seconds(), Amount: amount})
		return nil
	}
	if d := rt.Device(); d != nil {
		if err := one(d.ID, ops.OnDevice, w.Amount); err != nil {
			return nil, err
		}
	}
	amount := w.Amount
	if w.CPUShare > 0 {
		amount *= w.CPUShare
	}
	if err := one("cpu path", ops.OnCPU, amount); err != nil {
		return nil, err
	}
	p.record.Works = append(p.record.Works, row)
	return results, nil
}

// Limits of timing: at most so many runs, and no further one after so much time.
const (
	runs   = 9
	budget = 300 * time.Millisecond
	record = 2 * time.Second // with -json
)

func (r *Result[T]) measure(ctx context.Context, p *Program, prepare func(ops.Place) (Run[T], error)) error {
	start := time.Now()
	run, err := prepare(r.Place)
	if err != nil {
		return err
	}
	warm := time.Now()
	if r.Value, err = run(ctx); err != nil {
		return err
	}
	r.First, r.Time = time.Since(start), time.Since(warm)
	budget := budget
	if p.JSON != "" {
		budget = record
	}
	if p.Quick || r.Place == ops.OnCPU && r.Time > budget { // nothing is compiled for the CPU path: its first run is as the others
		return nil
	}
	var times []time.Duration
	for began := time.Now(); len(times) == 0 || len(times) < runs && time.Since(began) < budget; {
		start := time.Now()
		if r.Value, err = run(ctx); err != nil {
			return err
		}
		times = append(times, time.Since(start))
	}
	r.Time = median(times)
	return nil
}

// median is that of an odd number of times, and the smaller of the middle two of an even number.
func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[(len(times)-1)/2]
}

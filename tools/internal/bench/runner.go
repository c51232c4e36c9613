package bench

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/anycl/anycl/tensor"
)

// Method says how works are timed. The zero value is right.
type Method struct {
	Turns  int           `json:"turns"`        // how often each contender has its turn; 0 means 7
	Slice  time.Duration `json:"slice_ns"`     // how long a turn is at least; 0 means 60 ms
	Pause  time.Duration `json:"pause_ns"`     // before a turn; 0 means 150 ms, negative none
	Warm   time.Duration `json:"warm_ns"`      // before the first turn; 0 means 150 ms
	Steady time.Duration `json:"steady_ns"`    // how long one contender runs on end afterwards; 0 not at all
	Most   int           `json:"most_a_slice"` // runs; 0 means 2000
}

func (m Method) filled() Method {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	if m.Turns == 0 {
		m.Turns = 7
	}
	if m.Most == 0 {
		m.Most = 2000
	}
	set(&m.Slice, 60*time.Millisecond)
	set(&m.Pause, 150*time.Millisecond)
	set(&m.Warm, 150*time.Millisecond)
	return m
}

// Result is one contender's result for one work.
type Result struct {
	Contender string
	Version   string
	Stats     Stats
	Steady    *Stats  // when asked for
	Predicted float64 // seconds that a run takes by the cost model; 0 where there is none
	Placed    string  // where its tasks run
	Device    float64 // seconds that the device works in one run, by its own clock; 0 where unknown
	Error     float64 // largest difference of results to the first contender's, relative to the largest result
	Checked   bool    // against another contender
	Skipped   error   // why there are no times
}

// entry is a contender at a work.
type entry struct {
	Contender
	job     Job
	result  *Result
	slices  []slice
	perTurn int
	clients int
}

// Measure runs w on all contenders, the first of which is ours, in turns. A
// contender that cannot run w, or whose result differs, is skipped with the
// reason; a difference is an error of Measure as well, after all was measured.
func Measure(ctx context.Context, w *Work, contenders []Contender, m Method) ([]*Result, error) {
	m = m.filled()
	operands, err := w.Program.Draw(seedOf(w.Name))
	if err != nil {
		return nil, err
	}
	var results []*Result
	var entries []*entry
	var errs []error
	defer func() {
		for _, e := range entries {
			if e.job != nil {
				_ = e.job.Close() // the measurements are valid all the same
			}
		}
	}()
	for _, c := range contenders {
		e := &entry{Contender: c, clients: w.Clients, result: &Result{Contender: c.Name(), Version: c.Version()}}
		results = append(results, e.result)
		if e.job, e.result.Skipped = load(ctx, c, w, operands); e.result.Skipped != nil {
			if !errors.Is(e.result.Skipped, ErrCannot) {
				errs = append(errs, fmt.Errorf("%s: %s: %w", w.Name, c.Name(), e.result.Skipped))
			}
			continue
		}
		if _, serves := e.job.(Server); w.Clients > 0 && !serves {
			e.result.Skipped = fmt.Errorf("%w: it serves one client at a time", ErrCannot)
			errs = append(errs, e.job.Close())
			continue
		}
		entries = append(entries, e)
	}
	errs = append(errs, check(ctx, w, entries)...)
	// A collection in the middle of a turn would be charged to the one that has it.
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, e := range entries {
		if e.result.Skipped == nil {
			e.fail(e.warm(ctx, m))
		}
	}
	for range m.Turns {
		for _, e := range entries {
			if e.result.Skipped == nil {
				e.fail(e.turn(ctx, m))
			}
		}
	}
	for _, e := range entries {
		if e.result.Skipped != nil {
			continue
		}
		e.result.Stats = summarise(e.slices)
		if m.Steady > 0 {
			s, err := e.steady(ctx, m)
			e.fail(err)
			e.result.Steady = s
		}
		if p, ok := e.job.(Placed); ok {
			predicted, where := p.Placed()
			e.result.Predicted, e.result.Placed = predicted.Seconds(), where
		}
		if c, ok := e.job.(Clocked); ok && e.result.Skipped == nil {
			d, err := c.Device(ctx)
			e.fail(err)
			e.result.Device = d.Seconds()
		}
	}
	for _, e := range entries {
		if err := e.result.Skipped; err != nil && !errors.Is(err, errDiffers) && !errors.Is(err, ErrCannot) {
			errs = append(errs, fmt.Errorf("%s: %s: %w", w.Name, e.Name(), err))
		}
	}
	return results, errors.Join(append(errs, ctx.Err())...)
}

func load(ctx context.Context, c Contender, w *Work, operands []*tensor.Tensor) (Job, error) {
	if w.Process == nil {
		return c.Load(ctx, w, operands)
	}
	if s, ok := c.(Starter); ok {
		return s.Start(ctx, w.Process)
	}
	return nil, fmt.Errorf("%w: it starts no processes", ErrCannot)
}

func (e *entry) fail(err error) {
	if err != nil {
		e.result.Skipped = err
	}
}

// warm runs e until caches, clocks and threads are where they will be, and finds
// how many runs fill a slice.
func (e *entry) warm(ctx context.Context, m Method) error {
	start, runs := time.Now(), 0
	var last [1]time.Duration
	for runs < 2 || (time.Since(start) < m.Warm && runs < m.Most) {
		if err := e.job.Run(ctx, last[:]); err != nil {
			return err
		}
		runs++
		if runs == 1 && last[0] > 4*m.Slice {
			break // the effects of a cold start are small in so long a run
		}
	}
	e.perTurn = int(min(m.Slice/max(last[0], 1)+1, time.Duration(m.Most)))
	return nil
}

// turn lets the others' threads fall asleep, runs once to wake e's own, and
// then times a slice.
func (e *entry) turn(ctx context.Context, m Method) error {
	time.Sleep(max(m.Pause, 0))
	if e.clients > 0 {
		one, err := e.serve(ctx)
		e.slices = append(e.slices, one)
		return err
	}
	times := make([]time.Duration, e.perTurn+1)
	if e.perTurn == 1 {
		times = times[:1]
	}
	if err := e.job.Run(ctx, times); err != nil {
		return err
	}
	if len(times) > 1 {
		times = times[1:]
	}
	e.slices = append(e.slices, slice{times: times})
	return nil
}

// serve is a slice with several clients.
func (e *entry) serve(ctx context.Context) (slice, error) {
	n := max(e.perTurn, 4*e.clients)
	times := make([]time.Duration, n)
	took, err := e.job.(Server).Serve(ctx, e.clients, times)
	return slice{times: times, each: took / time.Duration(n)}, err
}

// steady runs e on end, and keeps every time of the second half, when clocks have
// settled.
func (e *entry) steady(ctx context.Context, m Method) (*Stats, error) {
	start := time.Now()
	var half []slice
	for time.Since(start) < m.Steady {
		one := slice{times: make([]time.Duration, e.perTurn)}
		var err error
		if e.clients > 0 {
			one, err = e.serve(ctx)
		} else {
			err = e.job.Run(ctx, one.times)
		}
		if err != nil {
			return nil, err
		}
		if time.Since(start) > m.Steady/2 {
			half = append(half, one)
		}
	}
	if len(half) == 0 {
		return nil, nil
	}
	s := summarise(half)
	s.Turns = nil // thousands
	return &s, nil
}

// trainChecks is how many steps of training are compared.
const trainChecks = 3

var errDiffers = errors.New("bench: the result differs")

// check compares the results of all with those of the first that has any.
func check(ctx context.Context, w *Work, entries []*entry) []error {
	var errs []error
	var first *entry
	var want []*tensor.Tensor
	for _, e := range entries {
		got, err := e.outputs(ctx, w)
		if err != nil {
			e.fail(err)
			continue
		}
		if got == nil {
			continue // a limit
		}
		if first == nil {
			first, want = e, got
			continue
		}
		diff, err := difference(got, want)
		tolerance := w.Tolerance
		if tolerance == 0 {
			tolerance = 1e-4
		}
		if err == nil && !(diff <= tolerance) {
			err = fmt.Errorf("%w: by %.3g of the largest, %.3g is allowed", errDiffers, diff, tolerance)
		}
		if err != nil {
			err = fmt.Errorf("%s: %s beside %s: %w", w.Name, e.Name(), first.Name(), err)
			errs = append(errs, err)
			e.fail(err)
			continue
		}
		e.result.Error, e.result.Checked, first.result.Checked = diff, true, true
	}
	return errs
}

// outputs runs e and returns the results: of training, the losses of some steps.
func (e *entry) outputs(ctx context.Context, w *Work) ([]*tensor.Tensor, error) {
	steps := 1
	if w.Program.Train {
		steps = trainChecks
	}
	var all []*tensor.Tensor
	for range steps {
		if err := e.job.Run(ctx, make([]time.Duration, 1)); err != nil {
			return nil, err
		}
		got, err := e.job.Outputs(ctx)
		if err != nil {
			return nil, err
		}
		if steps == 1 {
			return got, nil // nothing runs until they are compared
		}
		for _, t := range got {
			copied, err := tensor.Cast(t, t.DType())
			if err != nil {
				return nil, err
			}
			all = append(all, copied)
		}
	}
	return all, nil
}

// difference is the largest of all results relative to the largest element, so that sums that
// cancel to almost nothing may differ by as much as their terms.
func difference(got, want []*tensor.Tensor) (float64, error) {
	if len(got) != len(want) {
		return 0, fmt.Errorf("%w: %d results, not %d", errDiffers, len(got), len(want))
	}
	worst := 0.0
	for i := range got {
		if got[i].Len() != want[i].Len() {
			return 0, fmt.Errorf("%w: result %d is %v, not %v", errDiffers, i, got[i].Shape(), want[i].Shape())
		}
		diff, largest, at := furthest(got[i], want[i])
		if at >= 0 {
			return 0, fmt.Errorf("%w: element %d of result %d is %g, not %g", errDiffers, at, i, got[i].Float64At(at), want[i].Float64At(at))
		}
		if diff > 0 {
			worst = max(worst, diff/max(largest, math.SmallestNonzeroFloat64))
		}
	}
	return worst, nil
}

func seedOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

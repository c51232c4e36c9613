package ops

import (
	"context"
	"fmt"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/report"
)

// Profiles, as [Executable.Profile] returns them. They are plain data with JSON names.
type (
	// Profile is where the time of an executable goes: as text, by its String method, as a timeline, by WriteTrace, for
	// pprof, by package ops/pprof, and as JSON.
	Profile = report.Profile
	// TaskProfile is the time and the rate of one task.
	TaskProfile = report.TaskProfile
	// KernelProfile is the time and the rate of one kernel in all tasks that launch it.
	KernelProfile = report.KernelProfile
	// Rate is work against time.
	Rate = report.Rate
	// Span is what the host or an engine did for a while, within one run.
	Span = report.Span
)

// ProfileOptions say how much is measured. The zero value is right for most.
type ProfileOptions struct {
	// Runs is how often the graph is run in each way, after one run that does
	// not count; 0 means 5.
	Runs int
}

// Profile runs x, several times as Run does and several times with a clock on
// every launch, and tells where the time goes: for each task and each kernel
// the time, the rate, its share of what the engine can do at most, and what was
// predicted. Times of launches are the device's own where it has a clock
// (Clock in Spans). The runs are real: variables are updated by each. Errors: as
// of Run.
func (x *Executable) Profile(ctx context.Context, feeds Feeds, o ProfileOptions) (*Profile, error) {
	if o.Runs < 0 {
		return nil, fmt.Errorf("ops: profile %q: %d runs", x.name, o.Runs)
	}
	if o.Runs == 0 {
		o.Runs = 5
	}
	x = x.now()
	outs, err := x.newOutputs()
	if err != nil {
		return nil, err
	}
	r, engines := x.Report(), x.reportEngines()
	var walls []time.Duration
	var traced []*report.Recorder
	for i := range 2*o.Runs + 2 { // both ways in turn; the first of each does not count
		rec := report.NewRecorder(engines, len(x.units))
		var t tracer
		if i%2 == 1 {
			t = rec
		}
		if err := x.run(ctx, feeds, outs, t); err != nil {
			return nil, err
		}
		took := rec.End()
		switch {
		case i < 2:
		case t == nil:
			walls = append(walls, took)
		default:
			traced = append(traced, rec)
		}
	}
	peaks := map[string]engine.Peaks{}
	for _, s := range x.sides {
		if f := s.engine.Traits().Peaks; f != nil && len(s.tasks) > 0 {
			peaks[s.engine.Name()] = f()
		}
	}
	p := r.Measure(walls, traced, peaks)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.measured = make([]time.Duration, len(p.Tasks))
	for i, t := range p.Tasks {
		x.measured[i] = t.Time
	}
	return p, nil
}

// reportEngines are the engines of x with their tasks in the order in which they are submitted, by their numbers in a report.
func (x *Executable) reportEngines() []report.Engine {
	engines := make([]report.Engine, len(x.sides))
	for s := range engines {
		engines[s].Name = x.sides[s].engine.Name()
	}
	for _, t := range x.submission() {
		e := &engines[x.plan.Choices[t].Side]
		e.Tasks = append(e.Tasks, t)
	}
	return engines
}

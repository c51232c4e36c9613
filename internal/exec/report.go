package exec

import (
	"context"
	"slices"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/report"
)

// Report tells how x runs.
func (x *Executor) Report() *report.Report { return x.now().report() }

func (v *version) report() *report.Report {
	v.first.mu.Lock()
	defer v.first.mu.Unlock()
	total, _, _, often := v.model.Predicted(v.Placement)
	r := &report.Report{
		Graph: v.name, Runtime: v.model.Why, Predicted: total, Error: v.model.Doubt(v.Placement), Serial: v.Placement.Serial,
		Pure: map[string]time.Duration{}, Placement: v.placing.String(), Placements: v.placements(), Refused: v.refusals(),
		Tasks: v.tasks(often), Regions: regions(v.Flows, -1, nil), Values: v.values(), Memory: v.memory(),
	}
	for i, q := range v.Placement.Pure {
		r.Pure[v.model.Engines[i].Name()] = q.Total
	}
	if a := v.adaptive; a != nil {
		a.mu.Lock()
		r.Tried = slices.Clone(a.verdicts)
		a.mu.Unlock()
	}
	r.Measured, r.Runs = v.clock.Median()
	return r
}

// Spread is how many tasks run on each engine, and whether x is closed.
func (x *Executor) Spread() (counts []int, closed bool) {
	v := x.now()
	v.first.mu.Lock()
	defer v.first.mu.Unlock()
	return v.counts(), v.first.closed
}

// Profile runs x the given number of times as it is and as often with a clock on every launch, in turns after one run of each that
// does not count.
func (x *Executor) Profile(ctx context.Context, fill Fill, runs int) (*report.Profile, error) {
	v := x.now()
	outs, err := x.NewOutputs()
	if err != nil {
		return nil, err
	}
	r, engines := v.report(), v.reportEngines()
	var walls []time.Duration
	var traced []*report.Recorder
	for i := range 2*runs + 2 {
		rec := report.NewRecorder(engines, len(v.Instructions))
		if i%2 == 1 {
			err = v.run(ctx, fill, outs, rec)
		} else {
			err = x.Run(ctx, fill, outs)
		}
		if err != nil {
			return nil, err
		}
		took := rec.End()
		switch {
		case i < 2:
		case i%2 == 0:
			walls = append(walls, took)
		default:
			traced = append(traced, rec)
		}
	}
	peaks := map[string]engine.Peaks{}
	for i, e := range v.model.Engines {
		if f := e.Traits().Peaks; f != nil && len(v.Engines[i].Tasks) > 0 {
			peaks[e.Name()] = f()
		}
	}
	p := r.Measure(walls, traced, peaks)
	v.first.mu.Lock()
	defer v.first.mu.Unlock()
	v.measured = make([]time.Duration, len(p.Tasks))
	for i, t := range p.Tasks {
		v.measured[i] = t.Time
	}
	return p, nil
}

// reportEngines are the engines of v with their tasks in the order in which they are submitted, by their numbers in a report.
func (v *version) reportEngines() []report.Engine {
	engines := make([]report.Engine, len(v.Engines))
	for i, e := range v.Engines {
		engines[i].Name = v.model.Engines[i].Name()
		for _, t := range e.Tasks {
			engines[i].Tasks = append(engines[i].Tasks, t.Instruction)
		}
	}
	return engines
}

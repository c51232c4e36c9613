package ops

import (
	"slices"
	"time"

	"github.com/anycl/anycl/internal/report"
)

// Reports, as [Executable.Report] and [Executable.Profile] return them. They are plain data with JSON names.
type (
	// Report says how an executable runs: for people, by its String, DOT and SVG methods, and for tools, as JSON.
	Report = report.Report
	// TaskReport is one task after fusion: what it is, where it runs and why, and what it is predicted to take.
	TaskReport = report.Task
	// PlacementReport is one placement of an executable that has had several.
	PlacementReport = report.Placement
	// Verdict is the outcome of a placement that took turns with the one that ran before.
	Verdict = report.Trial
	// Refusal is why a task does not run on the device that it would have been looked for first.
	Refusal = report.Refusal
	// RegionReport is a loop or a branch among the tasks.
	RegionReport = report.Region
	// ValueReport is data that tasks read or make.
	ValueReport = report.Value
	// MoveReport is the transfer of a value between two engines, or an engine and the host.
	MoveReport = report.Move
	// MemoryReport is what an executable holds on one engine.
	MemoryReport = report.Memory
)

// Report tells how x runs.
func (x *Executable) Report() *Report {
	x = x.now()
	x.mu.Lock()
	defer x.mu.Unlock()
	total, _, _, often := x.predicted()
	r := &report.Report{
		Graph: x.name, Runtime: x.rt.why, Predicted: total, Error: x.doubt(), Serial: x.plan.Serial, Pure: map[string]time.Duration{},
		Placement: x.placement.String(), Placements: x.placements(), Refused: x.refusals(),
		Tasks: x.tasks(often), Regions: regions(x.flows, -1, nil), Values: x.values(), Memory: x.memory(),
	}
	for i, q := range x.plan.Pure {
		r.Pure[x.sides[i].engine.Name()] = q.Total
	}
	if a := x.adaptive; a != nil {
		a.mu.Lock()
		r.Tried = slices.Clone(a.verdicts)
		a.mu.Unlock()
	}
	if x.clock != nil {
		r.Measured, r.Runs = x.clock.Median()
	}
	return r
}

// Explain tells in a table how x runs: the tasks after fusion, where each runs
// and why, and what memory it takes.
func (x *Executable) Explain() string { return x.Report().String() }

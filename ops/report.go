package ops

import (
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
//
// Of a graph with open sizes it tells of the plan that was used last; before the first one there is nothing to tell.
func (x *Executable) Report() *Report {
	if x = x.latest(); x.executor == nil {
		return &Report{Graph: x.graph.name}
	}
	return x.executor.Report()
}

// latest is x, or of a graph with open sizes the plan that was used last, if there is one.
func (x *Executable) latest() *Executable {
	if x.open != nil {
		if p := x.open.any(); p != nil {
			return p.exe
		}
	}
	return x
}

// Explain tells in a table how x runs: the tasks after fusion, where each runs
// and why, and what memory it takes.
func (x *Executable) Explain() string { return x.Report().String() }

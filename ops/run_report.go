package ops

import (
	"context"
	"fmt"

	"github.com/anycl/anycl/internal/report"
	"github.com/anycl/anycl/tensor"
)

// Reports, as [Executable.Report] and [Executable.Profile] return them. They are plain data with JSON names.
type (
	// Report says how an executable runs: for people, by its String, DOT and SVG methods, and for tools, as JSON.
	Report = report.Report
	// TaskReport is one task after fusion: what it computes, where it runs and why, and its predicted time.
	TaskReport = report.Task
	// PlacementReport is one placement of an executable that has had several.
	PlacementReport = report.Placement
	// Verdict is the outcome of a placement that took turns with the one that ran before.
	Verdict = report.Trial
	// Refusal is the reason why a task does not run on a device that comes first in the order of preference.
	Refusal = report.Refusal
	// RegionReport is a loop or a branch among the tasks.
	RegionReport = report.Region
	// ValueReport is data that tasks read or make.
	ValueReport = report.Value
	// MoveReport is the transfer of a value between two engines, or an engine and the host.
	MoveReport = report.Move
	// MemoryReport counts the memory of an executable on one engine.
	MemoryReport = report.Memory
)

// Report tells how x runs.
//
// For a graph with open sizes it describes the plan that was used last; before the first plan it is empty.
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
// and why, and how much memory it takes.
func (x *Executable) Explain() string { return x.Report().String() }

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
	// Span is an interval of one run in which the host or an engine was at work.
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
// the time, the rate, its share of the engine's peak rate, and the predicted
// time. Times of launches are the device's own where it has a clock
// (Clock in Spans). The runs are real: variables are updated by each. Errors: as
// of Run.
func (x *Executable) Profile(ctx context.Context, feeds Feeds, o ProfileOptions) (*Profile, error) {
	if o.Runs < 0 {
		return nil, fmt.Errorf("ops: profile %q: %d runs", x.graph.name, o.Runs)
	}
	if o.Runs == 0 {
		o.Runs = 5
	}
	if x.open != nil {
		p, err := x.open.plan(ctx, feeds)
		if err != nil {
			return nil, err
		}
		defer x.open.release(p)
		x = p.exe
	}
	return x.executor.Profile(ctx, func(into []*tensor.Tensor) error { return x.fill(ctx, feeds, into) }, o.Runs)
}

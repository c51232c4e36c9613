package ops

import (
	"context"
	"fmt"

	"github.com/anycl/anycl/internal/report"
	"github.com/anycl/anycl/tensor"
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

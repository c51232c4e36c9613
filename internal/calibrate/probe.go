package calibrate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/anycl/anycl/internal/exec"
	"github.com/anycl/anycl/tensor"
)

// Result is how long one op takes on one engine.
type Result struct {
	Name      string        `json:"name"` // op and size
	Where     string        `json:"where"`
	Predicted time.Duration `json:"predicted_ns"` // by rates alone
	Measured  time.Duration `json:"measured_ns"`
}

// Probe is a graph of one op on one engine, without inputs and outputs.
type Probe struct {
	Name     string
	Executor *exec.Executor
	times    []time.Duration
}

// probeTime is how long a probe runs in each of a given number of rounds, of which the middle one counts.
const (
	probeTime  = 2 * time.Millisecond
	probeTimes = 3
	probeRuns  = 4 // of a round, at least
)

// Measure runs probes and corrects predictions by their measured times. Errors: ctx is done; an engine failed.
func Measure(ctx context.Context, probes []*Probe) ([]Result, error) {
	// Round by round: other load on the machine comes and goes, within milliseconds and within
	// seconds, and should disturb no more than one round of a probe.
	for range probeTimes {
		for _, p := range probes {
			if err := p.measure(ctx); err != nil {
				return nil, err
			}
		}
	}
	results := make([]Result, len(probes))
	for i, p := range probes {
		slices.Sort(p.times)
		r := Result{Name: p.Name, Measured: p.times[probeTimes/2]}
		r.Where, r.Predicted = p.Executor.Calibrate(r.Measured)
		results[i] = r
	}
	return results, nil
}

// measure is one round.
func (p *Probe) measure(ctx context.Context) error {
	p.Executor.Reset()
	for start := time.Now(); ; {
		if err := p.Executor.Run(ctx, func([]*tensor.Tensor) error { return ctx.Err() }, nil); err != nil {
			return fmt.Errorf("ops: calibrate %s: %w", p.Name, err)
		}
		if took, runs := p.Executor.Measured(); runs >= probeRuns && time.Since(start) > probeTime {
			p.times = append(p.times, took)
			return nil
		}
	}
}

package optest

import (
	"context"
	"testing"
	"time"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// State is the state of a sample after its check.
type State string

// The states.
const (
	Passed State = "passed"
	Failed State = "failed"
	Absent State = "absent" // the engine says that it cannot run it
	Left   State = "left"   // left out, see [Options.Bundle]
	Known  State = "known"  // see [ErrKnown]
)

// Outcome is the result of checking one sample.
type Outcome struct {
	Sample  string
	State   State
	Verdict Verdict       // of a result that was compared
	Err     error         // why it failed or is absent
	Took    time.Duration // from building its graph to the result; its share where samples run together
}

func failed(sample string, err error) Outcome {
	return Outcome{Sample: sample, State: Failed, Err: err}
}

// Part is an op in one dtype, or its gradient: the unit of a check.
type Part struct {
	Op    *ops.Op
	DType tensor.DType
	check func(ctx context.Context) []Outcome
}

// Check runs the samples of the part and judges them. A context that is done makes
// failures of them.
func (p *Part) Check(ctx context.Context) []Outcome { return p.check(ctx) }

// test runs a subtest for every sample.
func (p *Part) test(t *testing.T, report *Report) {
	t.Helper()
	for _, o := range p.Check(t.Context()) {
		if report != nil {
			report.enter(p.Op, o)
		}
		if o.State == Left {
			continue
		}
		t.Run(o.Sample, func(t *testing.T) {
			switch o.State {
			case Failed:
				t.Fatalf("%v\n%s", o.Err, again(t))
			case Absent:
				t.Skipf("absent: %v", o.Err)
			case Known:
				t.Skip(ErrKnown)
			}
		})
	}
}

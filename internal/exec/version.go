package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/anycl/anycl/internal/pace"
	"github.com/anycl/anycl/internal/plan"
	"github.com/anycl/anycl/tensor"
)

// version is an executor with one placement: a program, its instances, and the statistics of their runs.
type version struct {
	*Executor
	*plan.Program
	model *plan.Model
	first *instance
	pool  *pool // nil: runs follow each other

	compileOnly bool // its kernels are compiled and it never runs

	clock           pace.Clock    // of the first instance's runs
	alternativeCost atomic.Int64  // nanoseconds that another placement is predicted to take, or 0
	learned         atomic.Uint64 // runs that predictions rest on
	served          atomic.Uint64

	measured []time.Duration // of each task, by the last profile; the first instance's mutex guards it
}

// newVersion builds the program of placement p and its first instance.
func (x *Executor) newVersion(ctx context.Context, m *plan.Model, p *plan.Placement) (*version, error) {
	v := &version{Executor: x, model: m, Program: plan.Build(m, p)}
	if x.machine.Validate {
		if err := v.Program.Validate(); err != nil {
			return nil, err
		}
	}
	var err error
	if v.first, err = v.newInstance(ctx); err != nil {
		return nil, err
	}
	v.pool = newPool(v)
	return v, nil
}

// run is Run on an instance of v, of which t is told unless it is nil; a traced run changes no plan.
func (v *version) run(ctx context.Context, fill Fill, outs []*tensor.Tensor, t Tracer) error {
	i := v.first
	if v.pool != nil {
		free, err := v.pool.take(ctx)
		if err != nil {
			return fmt.Errorf("ops: run %q: %w", v.name, err)
		}
		defer func() { v.pool.free <- free }()
		i = free
	}
	i.mu.Lock()
	defer i.ends()
	if v.scratch != nil && i == v.first {
		v.scratch.running.Lock()
		defer v.scratch.running.Unlock()
	}
	start := time.Now()
	if err := i.ready(fill); err != nil {
		return err
	}
	if err := v.checkOutputs(outs); err != nil {
		return err
	}
	locked, err := i.lockVariables(ctx)
	if err == nil {
		i.tracer = t
		err = i.execute(ctx, outs)
		i.tracer = nil
	}
	i.unlockVariables(locked)
	if err != nil {
		return v.failed(err)
	}
	if t == nil && i == v.first {
		v.Note(time.Since(start))
	}
	return nil
}

func (v *version) checkOutputs(outs []*tensor.Tensor) error {
	if len(outs) != len(v.Outputs) {
		return fmt.Errorf("ops: run %q: %d tensors for %d outputs", v.name, len(outs), len(v.Outputs))
	}
	for i, t := range outs {
		o := &v.Outputs[i]
		if t == nil || t.DType() != o.DType || !slices.Equal(t.Shape(), o.Shape) || !t.IsContiguous() {
			return fmt.Errorf("ops: run %q: output %d needs a contiguous tensor of %v%v", v.name, i, o.DType, o.Shape)
		}
	}
	return nil
}

// close waits for runs of v to end and frees its resources.
func (v *version) close() error { return errors.Join(v.first.close(), v.pool.close()) }

// many are runs after which the measured time is kept for later processes: that of a few runs may
// have been measured while something else kept the machine busy.
const many = 64

// learn corrects the predictions by how long runs of v take.
func (v *version) learn() {
	took, runs := v.clock.Median()
	if runs >= enough && v.learned.Swap(runs) != runs {
		v.learnFrom(took, runs >= many)
	}
}

// learnFrom is learn with the time of a run.
func (v *version) learnFrom(took time.Duration, keep bool) {
	v.model.Learn(v.Placement, took, v.rates(), keep)
}

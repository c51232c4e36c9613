package exec

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/plan"
	"github.com/anycl/anycl/internal/ram"
	"github.com/anycl/anycl/internal/report"
	"github.com/anycl/anycl/internal/store"
	"github.com/anycl/anycl/tensor"
)

// Placing is the rule that decides where the tasks of a graph run.
type Placing uint8

// The rules of placement.
const (
	ByCost Placing = iota // the cost model, and later the measured times of runs
	Once                  // the cost model, when the graph is compiled
	ByRule                // the first engine that can
)

func (p Placing) String() string { return [...]string{report.Adaptive, "fixed", "reproducible"}[p] }

// Executor is a compiled graph. Its methods are safe for concurrent use.
type Executor struct {
	name     string
	machine  *Machine
	placing  Placing
	changes  map[*store.Variable]*changes // of the variables that no run updates
	runs     *atomic.Uint32               // begun so far
	scratch  *Scratch                     // memory of several executors; nil: x has its own
	first    *version
	active   atomic.Pointer[version] // what runs
	adaptive *adaptive               // nil: it stays where it is
	pending  *pending                // what is compiled beside the runs; nil: nothing was
	closed   atomic.Bool             // apart from its instances, which runs hold
}

// Fill puts the tensor of every input, in the order of [Executor.Inputs], where a run finds it. Its error is that of
// the run.
type Fill = func(into []*tensor.Tensor) error

// Options say how an executor is made.
type Options struct {
	Where   ir.Place // of tasks that say nothing themselves
	Placing Placing
	Shared  *Shared // the state that it shares with others; nil: none
	AtOnce  bool    // it is ready before its kernels are compiled, where its tasks can run elsewhere until then
}

// New makes the tasks of s ready to run on m, each where it says, or else where the options say. Errors: tasks that the demanded
// engine cannot run; kernels that do not compile; out of memory; ctx is done.
func New(ctx context.Context, m *Machine, name string, s *ir.Schedule, o Options) (*Executor, error) {
	x := &Executor{name: name, machine: m, placing: o.Placing, changes: watched(s.Instructions), runs: new(atomic.Uint32)}
	if o.Shared != nil {
		x.runs, x.scratch = o.Shared.Runs, o.Shared.Scratch
	}
	model := &plan.Model{Schedule: s, Pace: &m.Pace, Where: o.Where, ByRule: o.Placing == ByRule}
	pending := m.Opening.Pending()
	if !o.AtOnce || !pending {
		if err := m.Opening.Wait(ctx); err != nil {
			return nil, err
		}
	}
	model.Engines, model.Why = m.Current()
	if o.AtOnce && (pending || x.unbuilt(model)) {
		if q, err := x.onCPU(model); err == nil {
			return x, x.beginOn(ctx, model, q, x.whenOpen(q))
		}
		if err := m.Opening.Wait(ctx); err != nil {
			return nil, err
		}
		model.Engines, model.Why = m.Current()
	}
	p, err := model.Decide(x.rates())
	if err != nil {
		return nil, err
	}
	if o.AtOnce {
		if q := x.standIn(model, p); q != nil {
			return x, x.beginOn(ctx, model, q, func(context.Context, *plan.Model) (*plan.Placement, error) { return p, nil })
		}
	}
	return x, x.begin(ctx, model, p)
}

// NewPlaced is New for tasks that are placed already, and stay there.
func NewPlaced(ctx context.Context, m *Machine, name string, model *plan.Model, p *plan.Placement) (*Executor, error) {
	x := &Executor{name: name, machine: m, placing: Once, changes: watched(model.Instructions), runs: new(atomic.Uint32)}
	return x, x.begin(ctx, model, p)
}

// begin makes the first version of x.
func (x *Executor) begin(ctx context.Context, m *plan.Model, p *plan.Placement) error {
	v, err := x.newVersion(ctx, m, p)
	if err != nil {
		return err
	}
	x.beginWith(v, p)
	return nil
}

// beginWith makes v the first version of x, whose placement p came with others.
func (x *Executor) beginWith(v *version, p *plan.Placement) {
	x.first = v
	x.active.Store(v)
	if v.model.Where == ir.Anywhere && len(v.model.Engines) > 1 && x.placing == ByCost {
		x.adaptive = &adaptive{of: x, versions: []*version{v}}
		v.recordAlternative(p)
	}
}

// now is the version that runs.
func (x *Executor) now() *version { return x.active.Load() }

// Version tells versions apart: what it returns changes when runs do something else.
func (x *Executor) Version() any { return x.now() }

// Program is the program that runs execute at present.
func (x *Executor) Program() *plan.Program { return x.now().Program }

// EngineName is the name of an engine by its number.
func (x *Executor) EngineName(i int) string { return x.now().model.Engines[i].Name() }

// Model is the model that predicts runs at present, with the rates at which variables are set between them.
func (x *Executor) Model() (*plan.Model, plan.Rates) { return x.now().model, x.rates() }

// Settle returns when no change of placement is under way.
func (x *Executor) Settle() {
	if x.pending != nil {
		x.pending.release()
		<-x.pending.done
	}
	if x.adaptive != nil {
		x.adaptive.done.Wait()
	}
}

// Inputs are the nodes whose values a run must be given.
func (x *Executor) Inputs() []*ir.Node {
	nodes := make([]*ir.Node, len(x.first.Program.Inputs))
	for i, in := range x.first.Program.Inputs {
		nodes[i] = in.Node
	}
	return nodes
}

// Tasks returns the tasks of a run.
func (x *Executor) Tasks() []*engine.Task {
	tasks := make([]*engine.Task, len(x.first.Instructions))
	for i, u := range x.first.Instructions {
		tasks[i] = u.Task
	}
	return tasks
}

// NewOutputs makes tensors that a run can fill.
func (x *Executor) NewOutputs() ([]*tensor.Tensor, error) {
	outs := make([]*tensor.Tensor, len(x.first.Program.Outputs))
	for i := range outs {
		o := &x.first.Program.Outputs[i]
		t, err := newOutput(o.DType, o.Shape)
		if err != nil {
			return nil, err
		}
		outs[i] = t
	}
	return outs, nil
}

// newOutput makes a tensor that holds anything.
func newOutput(dt tensor.DType, shape []int) (*tensor.Tensor, error) {
	n, err := tensor.NumElems(shape)
	if n *= dt.Size(); err != nil || n < ram.RecycleFrom || ram.Check(int64(n)) != nil {
		return tensor.New(dt, shape...)
	}
	return tensor.FromBytes(dt, ram.Recycled(n, tensor.Alignment), shape...)
}

// Run computes outs from the tensors that fill feeds. It allocates nothing, provided that feeds are contiguous.
func (x *Executor) Run(ctx context.Context, fill Fill, outs []*tensor.Tensor) error {
	v := x.now()
	n := v.served.Add(1) - 1
	defer x.pending.release()
	if x.machine.Timeline.Wants(n) {
		return v.record(ctx, fill, outs)
	}
	return v.run(ctx, fill, outs, nil)
}

// record is run with a clock on each launch, for the timeline.
func (v *version) record(ctx context.Context, fill Fill, outs []*tensor.Tensor) error {
	rec := report.NewRecorder(v.reportEngines(), len(v.Instructions))
	if err := v.run(ctx, fill, outs, rec); err != nil {
		return err
	}
	rec.Host("the whole run", rec.Epoch())
	v.machine.Timeline.Add(v.name, rec, v.report().Tasks)
	return nil
}

// closedError is the error of using a closed executor.
func (x *Executor) closedError() error { return fmt.Errorf("%w: executable %q", ErrClosed, x.name) }

// failed is the error of a run.
func (x *Executor) failed(err error) error {
	return fmt.Errorf("ops: run %q: %w", x.name, EngineClosed(err))
}

// Close waits for runs to end and frees x's resources. Variables keep their values. A second Close does nothing.
func (x *Executor) Close() error {
	x.closed.Store(true)
	err := errors.Join(x.pending.end(), x.adaptive.close())
	x.now().learn()
	return errors.Join(err, x.first.close())
}

// Hold makes an instance as busy as a run does, until release is called.
func (x *Executor) Hold() (release func()) {
	v := x.now()
	i := v.first
	if v.pool != nil {
		i = <-v.pool.free
	}
	i.mu.Lock()
	return func() {
		i.mu.Unlock()
		if v.pool != nil {
			v.pool.free <- i
		}
	}
}

// Activity is how many runs have begun, and whether one goes on. It slows none.
func (x *Executor) Activity() (runs uint32, busy bool) {
	if busy = !x.first.first.mu.TryLock(); !busy {
		x.first.first.mu.Unlock()
	}
	return x.runs.Load(), busy
}

// Runs is how many runs have begun, which random numbers depend on.
func (x *Executor) Runs() uint32 { return x.runs.Load() }

// SetRuns makes the next run draw the random numbers of run n, counted from 0.
func (x *Executor) SetRuns(n uint32) { x.runs.Store(n) }

// Bring brings the variables that runs read.
func (x *Executor) Bring(ctx context.Context) error {
	v := x.now()
	for i := range v.Program.Variables {
		u := &v.Program.Variables[i]
		for _, e := range u.Readers {
			if err := u.Bring(ctx, v.model.Engines[e]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Learn corrects predictions by how long runs take.
func (x *Executor) Learn() { x.now().learn() }

// Reprice predicts the times of other placements anew, where x may change its own.
func (x *Executor) Reprice() {
	if x.adaptive == nil {
		return
	}
	v := x.now()
	if p, err := v.model.Decide(x.rates()); err == nil {
		v.recordAlternative(p)
	}
}

// Measured is the median of a given number of runs since the last Reset.
func (x *Executor) Measured() (time.Duration, uint64) { return x.now().clock.Median() }

// Reset forgets how long runs took.
func (x *Executor) Reset() { x.now().clock.Reset() }

// Calibrate corrects predictions, also of later processes, by the time that a run took whose tasks all run on one engine. It
// returns the name of the engine, and the time that the engine predicts without corrections.
func (x *Executor) Calibrate(took time.Duration) (engine string, predicted time.Duration) {
	v := x.now()
	e := v.Placement.Choices[0].Engine
	predicted = v.model.Uncorrected(e)
	v.learnFrom(took, true)
	return v.model.Engines[e].Name(), predicted
}

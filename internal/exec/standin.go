package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/plan"
)

// Tiered compilation: a graph that begins at once runs on the CPU engine, which compiles nothing, while the kernels of its placement
// are compiled in another goroutine. The first run after that takes the new version. Nothing but speed and the rounding of
// another engine tells the two apart: variables, the count of runs that random numbers are drawn by, and results are the same.

// pending is the version that is compiled beside the runs.
type pending struct {
	done   chan struct{} // closed when version or err is there, which are not read before
	cancel context.CancelFunc

	version *version
	err     error
}

// standIn is a placement on the CPU engine that runs while p is compiled; nil where p has nothing to compile, or a task cannot run there.
func (x *Executor) standIn(m *plan.Model, p *plan.Placement) *plan.Placement {
	if x.holds(m, p, engine.Estimates.Built) {
		return nil
	}
	q, err := x.onCPU(m)
	if err != nil || p.Same(q) {
		return nil
	}
	return q
}

// onCPU is the placement of everything on the CPU engine, until there is something better. Errors: a task cannot run there.
func (x *Executor) onCPU(m *plan.Model) (*plan.Placement, error) {
	q, err := m.DecideOn(len(m.Engines)-1, x.rates())
	if err != nil {
		return nil, err
	}
	for i := range q.Choices {
		q.Choices[i].Why = "until the kernels of the device are compiled"
	}
	return q, nil
}

// beginOn begins with placement q, which compiles nothing, and compiles beside the runs what decide says.
func (x *Executor) beginOn(ctx context.Context, m *plan.Model, q *plan.Placement, decide func(context.Context, *plan.Model) (*plan.Placement, error)) error {
	if err := x.begin(ctx, m.Again(), q); err != nil {
		return err
	}
	x.compileBeside(ctx, m, decide)
	return nil
}

// whenOpen decides for m on the engines that there are once the device is open.
func (x *Executor) whenOpen(ctx context.Context, m *plan.Model) (*plan.Placement, error) {
	if err := x.machine.Opening.Wait(ctx); err != nil {
		return nil, err
	}
	engines, why := x.machine.Current()
	if len(engines) != len(m.Engines) { // there is no device after all
		return x.first.Placement, nil
	}
	m.Engines, m.Why = engines, why
	return m.Decide(x.rates())
}

// compileBeside makes the version with the placement that decide gives, which takes over from the first. It outlives the call that compiles
// the graph, so that ctx gives it values alone.
func (x *Executor) compileBeside(ctx context.Context, m *plan.Model, decide func(context.Context, *plan.Model) (*plan.Placement, error)) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &pending{done: make(chan struct{}), cancel: cancel}
	x.pending = w
	if x.adaptive != nil {
		x.adaptive.busy.Store(true)
	}
	go func() {
		defer close(w.done)
		defer cancel()
		p, err := decide(ctx, m)
		var v *version
		if err == nil && !(p.Same(x.first.Placement) && slices.Equal(m.Engines, x.first.model.Engines)) {
			v, err = x.takeOver(ctx, m, p)
		}
		w.version, w.err = v, err
		if a := x.adaptive; a != nil {
			if v != nil {
				a.mu.Lock()
				a.versions = append(a.versions, v)
				a.mu.Unlock()
			}
			a.busy.Store(false)
		}
		switch {
		case err == nil && v == nil:
			x.machine.Log.Info("ops: a graph stays on the CPU engine", "graph", x.name)
		case err == nil:
			x.machine.Log.Info("ops: the kernels of a graph are compiled", "graph", x.name)
		case ctx.Err() == nil:
			x.machine.Log.Warn("ops: a graph stays on the CPU engine", "graph", x.name, "error", err)
		}
	}()
}

// takeOver compiles the version with placement p, and lets runs take it.
func (x *Executor) takeOver(ctx context.Context, m *plan.Model, p *plan.Placement) (*version, error) {
	if err := x.rehearse(ctx, m.Again(), p); err != nil {
		return nil, err
	}
	v, err := x.newVersion(ctx, m.Again(), p)
	if err != nil {
		return nil, err
	}
	v.recordAlternative(p)
	v.prefetch()
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(err, v.close())
	}
	x.active.Store(v)
	return v, nil
}

// rehearse compiles what placement p needs, on memory that nothing else uses: drivers that compile a kernel when it is first
// launched would otherwise need the variables for as long as that takes, and runs would wait.
func (x *Executor) rehearse(ctx context.Context, m *plan.Model, p *plan.Placement) error {
	v := &version{Executor: x, model: m, Program: plan.Build(m, p), rehearsal: true}
	i, err := v.newInstance(ctx)
	if err != nil {
		return err
	}
	return i.close()
}

// Ready returns when nothing is compiled beside the runs any more, with the error of that, or of ctx.
func (x *Executor) Ready(ctx context.Context) error {
	w := x.pending
	if w == nil {
		return ctx.Err()
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if w.err != nil {
		return fmt.Errorf("ops: compile %q: %w", x.name, EngineClosed(w.err))
	}
	return nil
}

// end stops compiling, and closes what came of it.
func (w *pending) end() error {
	if w == nil {
		return nil
	}
	w.cancel()
	<-w.done
	if w.version == nil {
		return nil
	}
	return w.version.close()
}

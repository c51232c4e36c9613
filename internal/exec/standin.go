package exec

import (
	"context"
	"errors"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/plan"
)

// Tiered compilation: a graph that begins at once runs on the CPU engine, which compiles nothing, while the kernels of its placement
// are compiled in another goroutine. The first run after that takes the new version. Nothing but speed and the rounding of
// another engine tells the two apart: variables, the count of runs that random numbers are drawn by, and results are the same.

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

// unbuilt reports whether devices have compiled nothing for any executor, so that no placement can begin on one, and finding the best
// placement, which takes longer than many a first run, can wait for that. The first task is asked, for engines that have nothing to
// compile.
func (x *Executor) unbuilt(m *plan.Model) bool {
	devices := m.Engines[:len(m.Engines)-1]
	if len(devices) == 0 || len(m.Instructions) == 0 || x.machine.compiled.Load() {
		return false
	}
	first := []*engine.Task{m.Instructions[0].Task}
	return !slices.ContainsFunc(devices, func(e engine.Engine) bool { return engine.EstimatesOf(e, first).Built([]int{0}) })
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

// beginOn begins with placement q, which compiles nothing, and compiles the placement chosen by decide beside the runs. If q is slow, it
// begins with that placement instead where its kernels are ready as soon as a first run on q would be done, as cached kernels are.
func (x *Executor) beginOn(ctx context.Context, m *plan.Model, q *plan.Placement,
	decide func(context.Context, *plan.Model) (*plan.Placement, error)) error {
	predicted, _, _, _ := m.Predicted(q)
	first := m.Again()
	w := x.compileBeside(ctx, m, q, predicted <= quick, decide)
	if predicted > quick {
		v, err := w.within(ctx, predicted+opening)
		switch {
		case err != nil:
			return errors.Join(err, w.end())
		case v != nil:
			x.beginWith(v, v.Placement)
			return nil
		}
	}
	if err := x.begin(ctx, first, q); err != nil {
		return errors.Join(err, w.end())
	}
	x.pending = w
	if x.adaptive != nil {
		x.adaptive.busy.Store(true)
	}
	close(w.begun)
	return nil
}

// whenOpen decides for m on the present engines once the device is open, or else for q.
func (x *Executor) whenOpen(q *plan.Placement) func(context.Context, *plan.Model) (*plan.Placement, error) {
	return func(ctx context.Context, m *plan.Model) (*plan.Placement, error) {
		if err := x.machine.Opening.Wait(ctx); err != nil {
			return nil, err
		}
		engines, why := x.machine.Current()
		if len(engines) != len(m.Engines) { // there is no device after all
			return q, nil
		}
		m.Engines, m.Why = engines, why
		return m.Decide(x.rates())
	}
}

// compileBeside makes the version with the placement that decide gives, which takes over from that with q. It outlives the call that
// compiles the graph, so that ctx gives it values alone. If it is held, the first run comes first.
func (x *Executor) compileBeside(
	ctx context.Context, m *plan.Model, q *plan.Placement, held bool, decide func(context.Context, *plan.Model) (*plan.Placement, error),
) *pending {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := newPending(cancel)
	engines := m.Engines
	go func() {
		defer close(w.done)
		defer cancel()
		if held {
			w.hold(ctx, x.runs)
		}
		p, err := decide(ctx, m)
		if err == nil && !(p.Same(q) && slices.Equal(m.Engines, engines)) {
			w.version, err = x.compiled(ctx, m, p)
		}
		w.err = err
		v := w.version
		close(w.built)
		select {
		case <-w.begun:
			x.takeOver(ctx, v, err)
		case <-ctx.Done(): // w is closed, or x has begun with its version
		}
	}()
	return w
}

// takeOver lets runs take v, the version that was compiled beside them, if there is one.
func (x *Executor) takeOver(ctx context.Context, v *version, err error) {
	if v != nil {
		x.active.Store(v)
	}
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
}

// compiled is the version with placement p, which is compiled while another may run.
func (x *Executor) compiled(ctx context.Context, m *plan.Model, p *plan.Placement) (*version, error) {
	if err := x.compileAside(ctx, m.Again(), p); err != nil {
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
	return v, nil
}

// compileAside compiles the kernels of placement p, on memory that nothing else uses: drivers that compile a kernel when it is
// first launched would otherwise need the variables for as long as that takes, and runs would wait.
func (x *Executor) compileAside(ctx context.Context, m *plan.Model, p *plan.Placement) error {
	v := &version{Executor: x, model: m, Program: plan.Build(m, p), compileOnly: true}
	i, err := v.newInstance(ctx)
	if err != nil {
		return err
	}
	return i.close()
}

package exec

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/place"
	"github.com/anycl/anycl/internal/plan"
	"github.com/anycl/anycl/internal/report"
)

// Every run of an executable is timed. When runs take clearly longer than another placement is predicted to, the
// measured times correct the predictions, and the graph is placed again: beside the runs, which go on as they are
// until the new plan is ready and the next run takes it. Both plans stay, so that going back costs nothing.
// Placements that differ by no more than the error of predictions are tried: see trial.go. A placement whose kernels
// were never launched is taken into account once a graph has run for long enough to be worth compiling them.

// adaptive replaces the version that an executor runs.
type adaptive struct {
	of    *Executor
	busy  atomic.Bool                    // a goroutine is at it
	trial atomic.Pointer[placementTrial] // the running trial, or nil
	tried atomic.Bool                    // there is nothing left to try
	moves atomic.Uint32                  // how often the version was replaced

	mu       sync.Mutex
	versions []*version
	compared map[[2]*version]bool // which took turns in a trial, in both orders
	verdicts []report.Trial       // in the order of the trials
	closed   bool
	cancel   context.CancelFunc // cancels background compiles
	done     sync.WaitGroup
}

// Bounds of adapting.
const (
	slower      = 1.25 // of another placement's predicted time: reason to think
	better      = 0.8  // of the runs' time now: reason to change
	maxVersions = 4    // of one executor
	enough      = 8    // runs that say something, twice as many after each move

	compileAfter = 2 * time.Second // of running: kernels of another placement are compiled beside the runs ...
	compileGain  = 0.5             // ... if its predicted time is less than this part of the runs' time
)

// recordAlternative notes the predicted time of the best placement other than v's own.
func (v *version) recordAlternative(p *plan.Placement) {
	least := time.Duration(0)
	consider := func(d time.Duration) {
		if least == 0 || d < least {
			least = d
		}
	}
	for _, q := range p.Pure {
		if !slices.EqualFunc(q.Assignment, v.Placement.Choices, func(s int, c place.Choice) bool { return s == c.Engine }) {
			consider(q.Total)
		}
	}
	if !p.Same(v.Placement) {
		consider(p.Total)
	}
	v.alternativeCost.Store(int64(least))
}

// Note notes the time of a run.
func (v *version) Note(took time.Duration) {
	runs := v.clock.Note(took)
	a := v.adaptive
	if a == nil {
		return
	}
	if t := a.trial.Load(); t != nil {
		t.note(a, v, took)
		return
	}
	if runs < a.runsToMove() || runs&(runs-1) != 0 && runs%512 != 0 {
		return
	}
	m, _ := v.clock.Median()
	switch t := v.alternativeCost.Load(); {
	case t > 0 && float64(m) > slower*float64(t):
		a.beside(v, a.replace)
	case runs >= many && time.Duration(runs)*m >= trialAfter && !a.tried.Load():
		a.beside(v, a.try)
	}
}

// runsToMove are runs of a version before which another cannot replace it. They double each time, so
// that whatever the machine does, a graph moves no more often than the logarithm of its runs.
func (a *adaptive) runsToMove() uint64 { return enough << min(a.moves.Load(), 32) }

// beside does what may change the version in another goroutine, one at a time.
func (a *adaptive) beside(v *version, change func(ctx context.Context, v *version) error) {
	if a.busy.Swap(true) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || a.of.now() != v {
		a.busy.Store(false)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	a.cancel = cancel
	a.done.Go(func() {
		defer a.busy.Store(false)
		defer cancel()
		if err := change(ctx, v); err != nil {
			v.machine.Log.Debug("ops: a graph stays where it is", "graph", v.name, "error", err)
			v.alternativeCost.Store(0)
			a.tried.Store(true)
		}
	})
}

// replace lets another version run than v if it is predicted to be better than v is measured.
func (a *adaptive) replace(ctx context.Context, v *version) error {
	v.learn()
	others, later, err := v.alternatives()
	if err != nil {
		return err
	}
	m, _ := v.clock.Median()
	p := fastest(others)
	if p == nil {
		if later == nil {
			v.alternativeCost.Store(0)
		}
		return nil
	}
	if float64(p.Total) > better*float64(m) {
		if later == nil || p.Total < later.Total {
			later = p
		}
		v.alternativeCost.Store(int64(later.Total))
		return nil
	}
	w, err := a.built(ctx, v, p)
	if err != nil {
		return err
	}
	w.alternativeCost.Store(int64(m))
	a.moves.Add(1)
	a.tried.Store(false) // by times of different moments: a trial is to confirm it
	v.active.Store(w)
	v.machine.Log.Info("ops: a graph moves", "graph", v.name, "took", m, "predicted", p.Total)
	return nil
}

// alternatives returns placements other than v's own whose kernels are compiled or worth compiling, out of the best one that is
// predicted, and all tasks on each engine that can run them. later is the fastest of the others, not worth compiling yet.
func (v *version) alternatives() (others []*plan.Placement, later *plan.Placement, err error) {
	rates := v.rates()
	p, err := v.model.Decide(rates)
	if err != nil {
		return nil, nil, err
	}
	others = []*plan.Placement{p}
	for e := range v.model.Engines {
		if q, err := v.model.DecideOn(e, rates); err == nil { // all of it can run there
			q.Pure = p.Pure
			others = append(others, q)
		}
	}
	var cold []*plan.Placement
	others = slices.DeleteFunc(others, func(q *plan.Placement) bool {
		if q.Same(v.Placement) {
			return true
		}
		unavailable := v.adaptive.versionOf(q) == nil && !v.compiled(q) && !v.worthCompiling(q)
		if unavailable {
			cold = append(cold, q)
		}
		return unavailable
	})
	return others, fastest(cold), nil
}

// worthCompiling reports whether v has run for so long, and p is predicted to be so much faster, that kernels may be compiled
// for it. Other graphs may have to wait for a compiler meanwhile, as on PoCL.
func (v *version) worthCompiling(p *plan.Placement) bool {
	m, runs := v.clock.Median()
	return time.Duration(runs)*m >= compileAfter && float64(p.Total) < compileGain*float64(m)
}

// fastest is the placement that is predicted to be the fastest, nil where there is none.
func fastest(all []*plan.Placement) *plan.Placement {
	if len(all) == 0 {
		return nil
	}
	return slices.MinFunc(all, func(p, q *plan.Placement) int { return cmp.Compare(p.Total, q.Total) })
}

// compiled reports whether a version with placement p can be prepared without runs waiting for it.
func (v *version) compiled(p *plan.Placement) bool {
	return v.holds(v.model, p, engine.Estimates.Compiled)
}

// holds reports whether so is true of the tasks that p gives to each engine.
func (x *Executor) holds(m *plan.Model, p *plan.Placement, so func(e engine.Estimates, tasks []int) bool) bool {
	for i, e := range m.Engines {
		var tasks []*engine.Task
		for t, choice := range p.Choices {
			if choice.Engine == i {
				tasks = append(tasks, m.Instructions[t].Task)
			}
		}
		if len(tasks) > 0 && !so(engine.EstimatesOf(e, tasks), ir.Range(0, len(tasks))) {
			return false
		}
	}
	return true
}

// built is the version with placement p, which has not run yet as far as its clock says.
func (a *adaptive) built(ctx context.Context, v *version, p *plan.Placement) (*version, error) {
	w := a.versionOf(p)
	if w == nil {
		a.mu.Lock()
		n := len(a.versions)
		a.mu.Unlock()
		if n == maxVersions {
			return nil, errManyVersions
		}
		if !v.compiled(p) {
			if err := v.compileAside(ctx, v.model.Again(), p); err != nil {
				return nil, err
			}
		}
		var err error
		if w, err = a.of.newVersion(ctx, v.model.Again(), p); err != nil {
			return nil, err
		}
		a.mu.Lock()
		a.versions = append(a.versions, w)
		a.mu.Unlock()
	}
	w.clock.Reset()
	w.prefetch()
	return w, nil
}

// prefetch brings variables that runs only read to where v reads them, so that no run has to.
func (v *version) prefetch() {
	for _, u := range v.Variables {
		if u.Writer >= 0 {
			continue
		}
		for _, e := range u.Readers {
			if err := u.Prefetch(context.Background(), v.model.Engines[e]); err != nil {
				v.machine.Log.Debug("ops: a variable is left for the first run to move", "graph", v.name, "error", err)
			}
		}
	}
}

// versionOf is the version that has placement p already, or nil.
func (a *adaptive) versionOf(p *plan.Placement) *version {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, v := range a.versions {
		if p.Same(v.Placement) && slices.Equal(v.model.Engines, a.of.now().model.Engines) {
			return v
		}
	}
	return nil
}

var errManyVersions = errors.New("ops: it has moved often enough")

// close ends the changes and closes all versions but the first.
func (a *adaptive) close() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	a.closed = true
	if a.cancel != nil {
		a.cancel()
	}
	a.mu.Unlock()
	a.done.Wait()
	var errs []error
	for _, v := range a.versions[1:] {
		errs = append(errs, v.close())
	}
	return errors.Join(errs...)
}

package ops

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
	"github.com/anycl/anycl/internal/pace"
	"github.com/anycl/anycl/internal/place"
)

// Every run of an executable is timed. When runs take clearly longer than another placement
// is predicted to, what was measured corrects the predictions, and the graph is placed
// again: beside the runs, which go on as they are until the new plan is ready and the next
// run takes it. Both plans stay, so that going back costs nothing. What differs by no more than
// predictions err is tried: see placement_trial.go.

// adaptive is an executable, the root, with the plans that it has had.
type adaptive struct {
	root   *Executable
	active atomic.Pointer[Executable]     // what runs
	busy   atomic.Bool                    // a goroutine is at it
	trial  atomic.Pointer[placementTrial] // what is tried, or nil
	tried  atomic.Bool                    // there is nothing left to try
	moves  atomic.Uint32                  // how often it was replaced

	mu       sync.Mutex
	plans    []*Executable
	verdicts []Verdict // in the order of the trials
	closed   bool
	done     sync.WaitGroup
}

// Bounds of adapting.
const (
	slower   = 1.25 // of what another placement is predicted to take: reason to think
	better   = 0.8  // of what runs take now: reason to change
	maxPlans = 4    // of one executable
	enough   = 8    // runs that say something, twice as many after each move
)

// adapt lets x change its places, where there is something to choose.
func (x *Executable) adapt() {
	x.clock = new(pace.Clock)
	if x.where != Auto || len(x.sides) == 1 || x.placement != placedByCost {
		return
	}
	x.adaptive = &adaptive{root: x, plans: []*Executable{x}}
	x.adaptive.active.Store(x)
	x.recordAlternative(x.plan)
}

// now is the executable whose plan runs.
func (x *Executable) now() *Executable {
	if x.adaptive == nil {
		return x
	}
	return x.adaptive.active.Load()
}

// recordAlternative notes what the best placement but x's own is predicted to take.
func (x *Executable) recordAlternative(p *place.Plan) {
	least := time.Duration(0)
	consider := func(d time.Duration) {
		if least == 0 || d < least {
			least = d
		}
	}
	for _, q := range p.Pure {
		if !slices.EqualFunc(q.Sides, x.plan.Choices, func(s int, c place.Choice) bool { return s == c.Side }) {
			consider(q.Total)
		}
	}
	if !sameChoices(p, x.plan) {
		consider(p.Total)
	}
	x.alternativeCost.Store(int64(least))
}

// timed notes the time of a run.
func (x *Executable) timed(took time.Duration) {
	if x.clock == nil {
		return
	}
	runs := x.clock.Note(took)
	a := x.adaptive
	if a == nil {
		return
	}
	if t := a.trial.Load(); t != nil {
		t.note(a, x, took)
		return
	}
	if runs < a.runsToMove() || runs&(runs-1) != 0 && runs%512 != 0 {
		return
	}
	m, _ := x.clock.Median()
	switch t := x.alternativeCost.Load(); {
	case t > 0 && float64(m) > slower*float64(t):
		a.beside(x, a.replace)
	case runs >= many && time.Duration(runs)*m >= trialAfter && !a.tried.Load():
		a.beside(x, a.try)
	}
}

// runsToMove are runs of a plan before which another cannot replace it. They double each time, so
// that whatever the machine does, a graph moves no more often than the logarithm of its runs.
func (a *adaptive) runsToMove() uint64 { return enough << min(a.moves.Load(), 32) }

// beside does what may change the plan x in another goroutine, one at a time.
func (a *adaptive) beside(x *Executable, change func(x *Executable) error) {
	if a.busy.Swap(true) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || a.active.Load() != x {
		a.busy.Store(false)
		return
	}
	a.done.Go(func() {
		defer a.busy.Store(false)
		if err := change(x); err != nil {
			x.rt.log.Debug("ops: a graph stays where it is", "graph", x.name, "error", err)
			x.alternativeCost.Store(0)
			a.tried.Store(true)
		}
	})
}

// replace lets another plan run than x if it is predicted to be better than x is measured.
func (a *adaptive) replace(x *Executable) error {
	x.learn()
	plans, often, err := x.alternatives()
	if err != nil {
		return err
	}
	m, _ := x.clock.Median()
	q := fastest(plans)
	if q == nil {
		x.alternativeCost.Store(0)
		return nil
	}
	if float64(q.Total) > better*float64(m) {
		x.alternativeCost.Store(int64(q.Total))
		return nil
	}
	y, err := a.built(x, q, often)
	if err != nil {
		return err
	}
	y.alternativeCost.Store(int64(m))
	a.moves.Add(1)
	a.active.Store(y)
	x.rt.log.Info("ops: a graph moves", "graph", x.name, "took", m, "predicted", q.Total)
	return nil
}

// alternatives are placements other than x's own that nothing has to be compiled for in the way of runs: the
// best one that is predicted, and everything on each engine that can run it.
func (x *Executable) alternatives() (plans []*place.Plan, often []float64, err error) {
	p, often, err := x.decide()
	if err != nil {
		return nil, nil, err
	}
	plans = []*place.Plan{p}
	for s := range x.sides {
		if q, _, err := x.decideOn(s); err == nil { // all of it can run there
			q.Pure = p.Pure
			plans = append(plans, q)
		}
	}
	plans = slices.DeleteFunc(plans, func(q *place.Plan) bool {
		return sameChoices(q, x.plan) || x.adaptive.planned(q) == nil && !x.compiled(q)
	})
	return plans, often, nil
}

// fastest is the plan that is predicted to be the fastest, nil where there is none.
func fastest(plans []*place.Plan) *place.Plan {
	if len(plans) == 0 {
		return nil
	}
	return slices.MinFunc(plans, func(p, q *place.Plan) int { return cmp.Compare(p.Total, q.Total) })
}

// compiled reports whether plan p can be prepared without runs waiting for it.
func (x *Executable) compiled(p *place.Plan) bool {
	for s, sd := range x.sides {
		var tasks []*engine.Task
		for t, c := range p.Choices {
			if c.Side == s {
				tasks = append(tasks, x.units[t].Task)
			}
		}
		if len(tasks) > 0 && !engine.EstimatesOf(sd.engine, tasks).Compiled(ir.Range(0, len(tasks))) {
			return false
		}
	}
	return true
}

// built is x's graph with plan p, which has not run yet as far as its clock says.
func (a *adaptive) built(x *Executable, p *place.Plan, often []float64) (y *Executable, err error) {
	if y = a.planned(p); y == nil {
		if y, err = x.again(p, often); err != nil {
			return nil, err
		}
		a.mu.Lock()
		a.plans = append(a.plans, y)
		a.mu.Unlock()
	}
	y.clock.Reset()
	y.prefetch()
	return y, nil
}

// prefetch brings variables that runs only read to where x reads them, so that no run has to.
func (x *Executable) prefetch() {
	for i := range x.vars {
		u := &x.vars[i]
		if u.writes >= 0 {
			continue
		}
		for _, s := range u.reads {
			if err := u.v.Prefetch(context.Background(), x.sides[s].engine); err != nil {
				x.rt.log.Debug("ops: a variable is left for the first run to move", "graph", x.name, "error", err)
			}
		}
	}
}

// planned is the executable that has plan p already, or nil.
func (a *adaptive) planned(p *place.Plan) *Executable {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, y := range a.plans {
		if sameChoices(y.plan, p) {
			return y
		}
	}
	return nil
}

var errManyPlans = errors.New("ops: it has moved often enough")

// again builds x's graph with plan p.
func (x *Executable) again(p *place.Plan, often []float64) (*Executable, error) {
	if len(x.adaptive.plans) == maxPlans {
		return nil, errManyPlans
	}
	y := &Executable{
		rt: x.rt, name: x.name, graph: x.graph, where: x.where, placement: x.placement, changes: x.changes, runs: x.runs, sides: newSides(x.rt),
		plan: p, clock: new(pace.Clock), adaptive: x.adaptive, flows: x.flows, often: often,
	}
	y.units, y.results = copied(x.units, x.results)
	y.short = y.isShort()
	if err := y.build(context.Background(), false); err != nil {
		return nil, errors.Join(err, y.release())
	}
	y.instances = newInstances(y)
	return y, nil
}

// close ends the changes and closes all plans but the root.
func (a *adaptive) close() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.done.Wait()
	var errs []error
	for _, y := range a.plans {
		if y != a.root {
			errs = append(errs, y.shut(), y.instances.close())
		}
	}
	return errors.Join(errs...)
}

func sameChoices(p, q *place.Plan) bool {
	return slices.EqualFunc(p.Choices, q.Choices, func(a, b place.Choice) bool { return a.Side == b.Side })
}

// copied are units and results for another plan: which memory a task shares depends on where
// it runs.
func copied(units []*ir.Unit, results []*ir.Value) ([]*ir.Unit, []*ir.Value) {
	made := map[*ir.Value]*ir.Value{}
	of := func(vs []*ir.Value) []*ir.Value {
		out := make([]*ir.Value, len(vs))
		for i, v := range vs {
			if out[i] = v; v.Maker != nil {
				out[i] = made[v]
			}
		}
		return out
	}
	all := make([]*ir.Unit, len(units))
	for i, u := range units {
		t := *u.Task
		t.Alias = nil
		c := &ir.Unit{Task: &t, Ins: of(u.Ins), Where: u.Where, Carries: u.Carries}
		for _, v := range u.Outs {
			if made[v] == nil { // else another unit writes it too
				w := *v
				w.Maker = c
				made[v] = &w
			}
			c.Outs = append(c.Outs, made[v])
		}
		all[i] = c
	}
	return all, of(results)
}

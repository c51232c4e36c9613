package ops

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anycl/anycl/internal/place"
	"github.com/anycl/anycl/internal/units"
)

// Two placements may differ by less than predictions err. So a graph that has run for a while is
// compared, once, with each other placement that is predicted to be about as fast, in an A/B test: the two take
// turns of a few runs, and the faster one stays. One that is far slower at once gets no second
// turn, so that a wrong guess costs some runs.

// Bounds of trials.
const (
	trialAfter  = 50 * time.Millisecond // of running: the other plan costs compiling kernels
	trialWithin = 2.5                   // of what runs take: what is tried is predicted to take less
	trialGain   = 0.97                  // of what runs take: reason to change
	trialTurns  = 4                     // of both together
	trialRuns   = 12                    // of a turn
	trialCold   = 4                     // of these, the first do not count
	trialGlance = 3                     // runs that tell whether there is any hope
	trialLost   = 1.3                   // of what runs take: each of these took longer
	trialWrong  = 8                     // of what runs take: a single one that took longer, after the first, is enough
)

// placementTrial is an A/B test of two plans, which take turns, the new one first.
type placementTrial struct {
	mu         sync.Mutex
	plans      [2]*Executable // that from before, and the other
	before     time.Duration  // what runs take of the first
	turn, runs int
	times      [2][]time.Duration
}

// try begins a trial of the most promising placement that was not tried yet.
func (a *adaptive) try(x *Executable) error {
	x.learn()
	plans, often, err := x.alternatives()
	if err != nil {
		return err
	}
	m, _ := x.clock.Median()
	plans = slices.DeleteFunc(plans, func(q *place.Plan) bool {
		return float64(q.Total) > trialWithin*float64(m) || a.planned(q) != nil // that one has run
	})
	q := fastest(plans)
	if q == nil {
		a.tried.Store(true)
		return nil
	}
	for i := range q.Choices {
		q.Choices[i].Why = fmt.Sprintf("tried: predicted %s where runs took %s", units.Duration(q.Total), units.Duration(m))
	}
	y, err := a.built(x, q, often)
	if err != nil {
		return err
	}
	y.alternativeCost.Store(int64(m))
	t := &placementTrial{plans: [2]*Executable{x, y}, before: m}
	for i := range t.times {
		t.times[i] = make([]time.Duration, 0, trialTurns/2*trialRuns)
	}
	a.trial.Store(t)
	a.active.Store(y)
	return nil
}

// running is the number of the plan whose turn it is.
func (t *placementTrial) running() int { return 1 - t.turn%2 }

// note adds the time of a run of x, or of another instance of x, and changes turns.
func (t *placementTrial) note(a *adaptive, x *Executable, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := t.running()
	if t.turn == trialTurns || x.plan != t.plans[i].plan {
		return // it began before its turn ended
	}
	t.runs++
	lost := t.lost(took)
	if t.runs > trialCold || lost {
		t.times[i] = append(t.times[i], took)
	}
	lost = lost || t.hopeless()
	if t.runs < trialRuns && !lost {
		return
	}
	t.runs = 0
	if t.turn++; t.turn < trialTurns && !lost {
		a.active.Store(t.plans[t.running()])
		return
	}
	t.turn = trialTurns
	v := Verdict{Where: t.plans[1].spread(), Before: t.before, Took: median(t.times[1])}
	if len(t.times[0]) > 0 {
		v.Before = median(t.times[0])
	}
	winner := t.plans[0]
	if v.Stays = float64(v.Took) < trialGain*float64(v.Before); v.Stays {
		winner = t.plans[1]
	}
	a.mu.Lock()
	a.verdicts = append(a.verdicts, v)
	a.mu.Unlock()
	a.active.Store(winner)
	a.trial.Store(nil)
	a.beside(winner, func(*Executable) error {
		t.plans[1].learn()
		winner.rt.log.Info("ops: a graph was tried elsewhere", "graph", winner.name, "where", v.Where, "took", v.Took, "before", v.Before, "stays", v.Stays)
		return nil
	})
}

// lost reports whether a run of the other plan took so long that one is enough.
func (t *placementTrial) lost(took time.Duration) bool {
	return t.turn == 0 && t.runs > 1 && float64(took) > trialWrong*float64(t.before)
}

// hopeless reports whether the first few runs of the other plan leave no hope.
func (t *placementTrial) hopeless() bool {
	return t.turn == 0 && len(t.times[1]) == trialGlance && float64(slices.Min(t.times[1])) > trialLost*float64(t.before)
}

// median is the middle one of times, which it sorts.
func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// spread says how many tasks of x run where.
func (x *Executable) spread() string {
	counts := make([]int, len(x.sides))
	for _, c := range x.plan.Choices {
		counts[c.Side]++
	}
	var parts []string
	for s, n := range counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d on %s", n, x.sides[s].engine.Name()))
		}
	}
	return strings.Join(parts, ", ")
}

package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anycl/anycl/internal/plan"
	"github.com/anycl/anycl/internal/report"
	"github.com/anycl/anycl/internal/units"
)

// Two placements may differ by less than predictions err. So a graph that has run for a while is
// compared, once, with each other placement that is predicted to be about as fast, in an A/B test: the two take
// turns of a few runs, and the faster one stays. One that is far slower at once gets no second
// turn, so that a wrong guess costs some runs. A placement that the graph has left because another was predicted
// to be faster is compared too, whatever is predicted of it by then: the machine may have been busy when it was measured. One that only
// stood in while kernels were compiled is not: nobody has ever predicted it to be fast.

// Bounds of trials.
const (
	trialAfter  = 50 * time.Millisecond // of running: the other plan costs compiling kernels
	trialWithin = 2.5                   // of the runs' time: only placements predicted to take less are tried
	trialGain   = 0.97                  // of the runs' time: reason to change
	trialTurns  = 4                     // of both together
	trialRuns   = 12                    // of a turn
	trialCold   = 4                     // of these, the first do not count
	trialGlance = 3                     // runs that tell whether there is any hope
	trialLost   = 1.3                   // of the runs' time: each of these took longer
	trialWrong  = 8                     // of the runs' time: a single one that took longer, after the first, is enough
)

// placementTrial is an A/B test of two versions, which take turns, the new one first.
type placementTrial struct {
	mu         sync.Mutex
	versions   [2]*version   // that from before, and the other
	before     time.Duration // the time of runs of the first
	turn, runs int
	times      [2][]time.Duration
}

// try begins a trial of the most promising placement that was not tried yet.
func (a *adaptive) try(ctx context.Context, v *version) error {
	v.learn()
	others, _, err := v.alternatives()
	if err != nil {
		return err
	}
	m, _ := v.clock.Median()
	others = slices.DeleteFunc(others, func(p *plan.Placement) bool {
		if w := a.versionOf(p); w != nil && (a.wereCompared(v, w) || !a.stoodIn(w)) {
			return a.wereCompared(v, w)
		}
		return float64(p.Total) > trialWithin*float64(m)
	})
	p := fastest(others)
	if p == nil {
		a.tried.Store(true)
		return nil
	}
	for i := range p.Choices {
		p.Choices[i].Why = fmt.Sprintf("tried: predicted %s where runs took %s", units.Duration(p.Total), units.Duration(m))
	}
	w, err := a.built(ctx, v, p)
	if err != nil {
		return err
	}
	w.alternativeCost.Store(int64(m))
	t := &placementTrial{versions: [2]*version{v, w}, before: m}
	for i := range t.times {
		t.times[i] = make([]time.Duration, 0, trialTurns/2*trialRuns)
	}
	a.trial.Store(t)
	v.active.Store(w)
	return nil
}

// wereCompared reports whether two versions took turns in a trial.
func (a *adaptive) wereCompared(v, w *version) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.compared[[2]*version{v, w}]
}

// stoodIn reports whether v ran only until kernels were compiled.
func (a *adaptive) stoodIn(v *version) bool { return a.of.pending != nil && v == a.of.first }

// running is the number of the version whose turn it is.
func (t *placementTrial) running() int { return 1 - t.turn%2 }

// note adds the time of a run of v, and changes turns.
func (t *placementTrial) note(a *adaptive, v *version, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := t.running()
	if t.turn == trialTurns || v != t.versions[i] {
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
		a.of.active.Store(t.versions[t.running()])
		return
	}
	t.turn = trialTurns
	r := report.Trial{Where: t.versions[1].spread(), Before: t.before, Took: median(t.times[1])}
	if len(t.times[0]) > 0 {
		r.Before = median(t.times[0])
	}
	winner := t.versions[0]
	if r.Stays = float64(r.Took) < trialGain*float64(r.Before); r.Stays {
		winner = t.versions[1]
	}
	a.mu.Lock()
	a.verdicts = append(a.verdicts, r)
	if a.compared == nil {
		a.compared = map[[2]*version]bool{}
	}
	a.compared[t.versions] = true
	a.compared[[2]*version{t.versions[1], t.versions[0]}] = true
	a.mu.Unlock()
	a.of.active.Store(winner)
	a.trial.Store(nil)
	a.beside(winner, func(context.Context, *version) error {
		t.versions[1].learn()
		winner.machine.Log.Info("ops: a graph was tried elsewhere", "graph", winner.name, "where", r.Where, "took", r.Took, "before", r.Before,
			"stays", r.Stays)
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

// counts are how many tasks of v run on each engine.
func (v *version) counts() []int {
	counts := make([]int, len(v.model.Engines))
	for _, c := range v.Placement.Choices {
		counts[c.Engine]++
	}
	return counts
}

// spread says how many tasks of v run where.
func (v *version) spread() string {
	var parts []string
	for e, n := range v.counts() {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d on %s", n, v.model.Engines[e].Name()))
		}
	}
	return strings.Join(parts, ", ")
}

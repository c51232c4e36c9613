package ops

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/pace"
	"github.com/anycl/anycl/internal/place"
)

// paceKey is what the errors of predictions have in common: the engine, the kind of
// task and its dtype, and the op that gave the task its name.
func paceKey(e engine.Engine, t *engine.Task) pace.Key {
	k := pace.Key{Engine: e.Name(), Kind: t.Kind.String()}
	if len(t.Outs) > 0 {
		k.DType = t.Outs[0].DType.String()
	}
	if k.Name, _, _ = strings.Cut(t.Name, "+"); t.Kind == engine.Routine {
		k.Name = fmt.Sprintf("%T", t.Algorithm)
	} else if movesRows(t) {
		k.Name += " of rows" // far faster than element by element
	}
	return k
}

// movesRows reports whether t copies elements and nothing else, neighbours to neighbours.
func movesRows(t *engine.Task) bool {
	if t.Kind != engine.Map || len(t.Values) != 1 || t.Values[0].Op != engine.OpLoad {
		return false
	}
	coef, affine := t.Values[0].Addr.Affine(len(t.Axes))
	axes := slices.DeleteFunc(t.OutAxes(0), func(a int) bool { return t.Axes[a] == 1 })
	return affine && (len(axes) == 0 || coef[axes[len(axes)-1]] == 1)
}

// waitKey is that of the wait for an engine.
func waitKey(e engine.Engine) pace.Key { return pace.Key{Engine: e.Name(), Kind: "wait"} }

// runKey is that of what a run takes beside its tasks, waits and moves.
func runKey() pace.Key { return pace.Key{Kind: "run"} }

// moveKey is that of moves to an engine, or from it.
func moveKey(e engine.Engine, m transfer) pace.Key {
	k := pace.Key{Engine: e.Name(), Kind: "move", Name: "to"}
	if m.back {
		k.Name = "from"
	}
	if m.domain != "" {
		k.Name += " " + string(m.domain)
	}
	return k
}

// many are runs after which what was measured is kept for later processes: what runs a few times
// may have been measured while something else kept the machine busy.
const many = 64

// learn corrects the predictions by how long runs of x take. What a run takes longer or
// shorter than predicted is laid to its tasks, waits and moves as they are predicted to share its time.
func (x *Executable) learn() {
	if x.clock == nil {
		return
	}
	took, runs := x.clock.Median()
	if runs >= enough && x.learned.Swap(runs) != runs {
		x.learnFrom(took, runs >= many)
	}
}

// learnFrom is learn with the time of a run.
func (x *Executable) learnFrom(took time.Duration, keep bool) {
	total, tasks, times, often := x.predicted()
	if tasks <= 0 || total <= 0 {
		return
	}
	l := costUpdate{x: x, ratio: float64(took) / float64(total), total: float64(total), keep: keep}
	engines, alike := make([]*priced, len(x.sides)), distinct(x.units)
	for s, sd := range x.sides {
		engines[s] = newPriced(sd.engine, alike, &x.rt.pace)
		var mine []int
		for t, c := range x.plan.Choices {
			if c.Side == s {
				mine = append(mine, t)
			}
		}
		if len(mine) == 0 {
			continue
		}
		raw, link := engines[s].Of(mine)
		now, _ := x.rt.pace.Correct(waitKey(sd.engine), link.Wait)
		l.update(waitKey(sd.engine), link.Wait, now, 1)
		for i, t := range mine {
			l.update(paceKey(sd.engine, x.units[t].Task), raw[i], time.Duration(float64(times[t])/often[t]), often[t])
		}
	}
	own := x.ownTime()
	expected, _ := x.rt.pace.Correct(runKey(), own)
	l.update(runKey(), own, expected, 1)
	for _, m := range x.transfers(engines, often) {
		e := engines[m.side]
		l.update(moveKey(e.engine, m.transfer), e.rawMove(m.transfer), e.move(m.transfer), m.times)
	}
}

// costUpdate is what a run of x has shown.
type costUpdate struct {
	x     *Executable
	ratio float64 // of the time that it took to what was predicted
	total float64
	keep  bool
}

// update corrects the cost model by a part of the run that was there so many times: what the engine
// said it takes, and what was expected.
func (l *costUpdate) update(k pace.Key, raw, expected time.Duration, times float64) {
	if expected > 0 && times > 0 {
		l.x.rt.pace.Learn(k, raw, time.Duration(float64(expected)*l.ratio), float64(expected)*times/l.total, l.keep)
	}
}

// countedTransfer is a transfer to an engine or from it, so many times in a run.
type countedTransfer struct {
	transfer
	side  int
	times float64
}

// transfers are those of a run, by the plan.
func (x *Executable) transfers(engines []*priced, often []float64) (all []countedTransfer) {
	for _, v := range x.moved(often) {
		from := place.Host
		if v.Maker >= 0 {
			from = x.plan.Choices[v.Maker].Side
		}
		times := cmp.Or(v.Times, 1)
		move := func(to int) {
			eachTransfer(engines, from, to, x.plan.Links, &v, func(side int, m transfer) { all = append(all, countedTransfer{m, side, times}) })
		}
		var at []int
		for _, t := range v.Readers {
			if s := x.plan.Choices[t].Side; s != from && !slices.Contains(at, s) {
				at = append(at, s)
				move(s)
			}
		}
		if v.Result {
			move(place.Host)
		}
	}
	return all
}

// predicted is the time of a run, of its tasks together and of each with all its runs, as far as it
// is known by now how often loops go round and which branches are taken.
func (x *Executable) predicted() (total, tasks time.Duration, times []time.Duration, often []float64) {
	times, often = make([]time.Duration, len(x.units)), frequencies(x.flows, len(x.units))
	var planned time.Duration
	for t, c := range x.plan.Choices {
		d := x.plan.Times[t][c.Side]
		planned += d
		if times[t] = d; often[t] != x.often[t] {
			times[t] = scaledBy(d, often[t]/max(x.often[t], 1e-9))
		}
		tasks += times[t]
	}
	if total = x.plan.Total; planned > 0 && tasks != planned {
		total = scaledBy(total, float64(tasks)/float64(planned))
	}
	return total, tasks, times, often
}

// learn takes over what the open executables have measured.
func (rt *Runtime) learn() {
	rt.mu.Lock()
	var open []*Executable
	for x := range rt.live {
		open = append(open, x)
	}
	rt.mu.Unlock()
	for _, x := range open {
		x.now().learn()
	}
}

// keepLearned keeps what was learned for later processes, beside what others have learned.
func (rt *Runtime) keepLearned() {
	if !rt.pace.Dirty() {
		return
	}
	var kept pace.Table
	rt.opened.Learned(&kept)
	rt.pace.Merge(&kept)
	rt.opened.KeepLearned(&kept)
}

// doubt is the part of its time by which the prediction of x may well be off: errors of tasks
// of one kind have one cause, and add up.
func (x *Executable) doubt() float64 {
	var tasks, off float64
	_, _, times, _ := x.predicted()
	for t, c := range x.plan.Choices {
		d := times[t]
		_, part := x.rt.pace.Correct(paceKey(x.sides[c.Side].engine, x.units[t].Task), d)
		tasks += float64(d)
		off += float64(d) * part
	}
	if tasks <= 0 {
		return 0
	}
	return off / tasks
}

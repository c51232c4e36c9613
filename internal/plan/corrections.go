package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/pace"
	"github.com/anycl/anycl/internal/place"
)

// PaceKey is the key under which errors of predictions are learned: the engine, the kind of task
// and its dtype, and the op that gave the task its name.
func PaceKey(e engine.Engine, t *engine.Task) pace.Key {
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

// WaitKey is the key of the wait for an engine.
func WaitKey(e engine.Engine) pace.Key { return pace.Key{Engine: e.Name(), Kind: "wait"} }

// runKey is the key of a run's time beside its tasks, waits and moves.
func runKey() pace.Key { return pace.Key{Kind: "run"} }

// moveKey is the key of moves to an engine, or from it.
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

// Learn corrects predictions by how long runs by p take. The difference between a run's measured and predicted time is
// divided among its tasks, waits and moves by how uncertain they are. With keep, the corrections are for later processes too.
func (m *Model) Learn(p *Placement, took time.Duration, rates Rates, keep bool) {
	if len(m.Instructions) == 0 {
		return
	}
	if p.Order != nil && p.Total > 0 { // the time that engines save by working at the same time is no error of its parts
		took = scaledBy(took, float64(p.Serial)/float64(p.Total))
	}
	m.Pace.LearnSum(m.parts(p, rates), took, keep)
}

// parts returns the parts of a run by p, with the times that engines predict.
func (m *Model) parts(p *Placement, rates Rates) (all []pace.Part) {
	engines, often := m.prices(), frequencies(m.Flows, len(m.Instructions))
	for i, e := range m.Engines {
		var mine []int
		for t, c := range p.Choices {
			if c.Engine == i {
				mine = append(mine, t)
			}
		}
		if len(mine) == 0 {
			continue
		}
		raw, link := engines[i].Of(mine)
		all = append(all, pace.Part{Key: WaitKey(e), Predicted: link.Wait, Times: 1})
		for k, t := range mine {
			all = append(all, pace.Part{Key: PaceKey(e, m.Instructions[t].Task), Predicted: raw[k], Times: often[t]})
		}
	}
	all = append(all, pace.Part{Key: runKey(), Predicted: m.OwnTime(), Times: 1})
	for _, t := range m.transfers(p, engines, often, rates) {
		e := engines[t.engine]
		all = append(all, pace.Part{Key: moveKey(e.engine, t.transfer), Predicted: e.rawMove(t.transfer), Times: t.times})
	}
	return all
}

// countedTransfer is a transfer to an engine or from it, and how often a run makes it.
type countedTransfer struct {
	transfer
	engine int
	times  float64
}

// transfers returns the transfers of a run by p.
func (m *Model) transfers(p *Placement, engines []*priced, often []float64, rates Rates) (all []countedTransfer) {
	for _, v := range m.Moved(often, rates) {
		from := place.Host
		if v.Maker >= 0 {
			from = p.Choices[v.Maker].Engine
		}
		times := cmp.Or(v.Times, 1)
		move := func(to int) {
			eachTransfer(engines, from, to, p.Links, &v, func(e int, t transfer) { all = append(all, countedTransfer{t, e, times}) })
		}
		var at []int
		for _, t := range v.Readers {
			if s := p.Choices[t].Engine; s != from && !slices.Contains(at, s) {
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

// Predicted is the time of a run, of its tasks together and of each with all its runs, as far as it
// is known by now how often loops go round and which branches are taken.
func (m *Model) Predicted(p *Placement) (total, tasks time.Duration, times []time.Duration, often []float64) {
	times, often = make([]time.Duration, len(m.Instructions)), frequencies(m.Flows, len(m.Instructions))
	var planned time.Duration
	for t, c := range p.Choices {
		d := p.Times[t][c.Engine]
		planned += d
		if times[t] = d; often[t] != p.Often[t] {
			times[t] = p.Scaled(t, d, often)
		}
		tasks += times[t]
	}
	if total = p.Total; planned > 0 && tasks != planned {
		total = scaledBy(total, float64(tasks)/float64(planned))
	}
	return total, tasks, times, often
}

// Doubt is the part of its time by which the prediction of runs by p may well be off: errors of tasks
// of one kind have one cause, and add up.
func (m *Model) Doubt(p *Placement) float64 {
	var tasks, off float64
	_, _, times, _ := m.Predicted(p)
	for t, c := range p.Choices {
		d := times[t]
		_, part := m.Pace.Correct(PaceKey(m.Engines[c.Engine], m.Instructions[t].Task), d)
		tasks += float64(d)
		off += float64(d) * part
	}
	if tasks <= 0 {
		return 0
	}
	return off / tasks
}

// Uncorrected is the time of a run with all tasks on engine i as the engine predicts it, without learned corrections.
func (m *Model) Uncorrected(i int) time.Duration {
	times, link := newPriced(m.Engines[i], distinct(m.Instructions), nil).Of(ir.Range(0, len(m.Instructions)))
	all := m.OwnTime() + link.Wait
	for _, d := range times {
		all += d
	}
	return all
}

package ops

import (
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/place"
	"github.com/anycl/anycl/internal/procs"
	"github.com/anycl/anycl/internal/ram"
	"github.com/anycl/anycl/internal/store"
)

// handover is about what it takes until a goroutine goes on that waits for another.
const handover = 20 * time.Microsecond

// What a run takes beside tasks and moves, on a core of about 4 GHz; see BenchmarkOwnTime.
const (
	ownRun    = 180 * time.Nanosecond // checks, locks and clocks
	ownFeed   = 110 * time.Nanosecond // of each input: found, checked and written
	ownResult = 25 * time.Nanosecond  // of each result

	ownCold = 0.09 // nanoseconds a byte of results that [Executable.Run] makes: no cache holds them
)

// ownTime is what a run of x takes beside tasks and moves, as far as nothing was measured.
func (x *Executable) ownTime() time.Duration {
	feeds := map[any]bool{}
	for _, u := range x.units {
		for _, v := range u.Ins {
			if v.IsInput() {
				feeds[v.Node.Origin] = true
			}
		}
	}
	own := ownRun + time.Duration(len(feeds))*ownFeed + time.Duration(len(x.results))*ownResult
	for _, v := range x.results {
		if n := v.Bytes(); n >= ram.RecycleFrom {
			own += time.Duration(ownCold * float64(n))
		}
	}
	return own
}

// beside tells the cost model what may run at the same time.
func (x *Executable) beside(p *place.Problem) {
	if len(x.sides) == 1 {
		return
	}
	p.Procs = float64(procs.Count())
	known := make([][]float64, len(x.sides)) // and one
	p.Cores = func(s, t int) float64 {
		cores := x.sides[s].engine.Traits().Cores
		if cores == nil {
			return 0
		}
		if known[s] == nil {
			known[s] = make([]float64, len(x.units))
		}
		if known[s][t] == 0 {
			known[s][t] = 1 + float64(cores(x.units[t].Task))
		}
		return known[s][t] - 1
	}
	if x.blocks() {
		p.Handover = handover
	}
	readers := map[*store.Variable][]int{}
	for t, u := range x.units {
		for _, v := range u.Ins {
			if v.Maker == nil && v.Node.State != nil {
				readers[v.Node.State] = append(readers[v.Node.State], t)
			}
		}
	}
	for t, u := range x.units { // who reads the old value of a variable, before who makes the new one
		for _, v := range u.Outs {
			for _, r := range readers[v.Stored] {
				if v.Stored != nil && r < t {
					p.Tasks[t].After = append(p.Tasks[t].After, r)
				}
			}
		}
	}
}

// blocks reports whether the caller of a run may be kept waiting by an engine other than the CPU
// path, so that a goroutine for each side is needed for them to work at the same time. A device with
// a queue that can be asked for single values keeps nobody.
func (x *Executable) blocks() bool {
	e := x.sides[0].engine.Traits()
	if e.Stream == nil || len(x.sides) > 2 {
		return true
	}
	return e.Cores != nil && len(x.units) > 0 && e.Cores(x.units[0].Task) > 0 // a driver of CPUs may work on the caller's thread
}

// submission is the order in which units are submitted.
func (x *Executable) submission() []int {
	if x.plan.Order != nil {
		return x.plan.Order
	}
	return ir.Range(0, len(x.units))
}

// layout makes the steps of a run.
type layout struct {
	*plan
	made map[*ir.Value]int // the step
	sent map[residence]*fetched
	seal bool // nothing is to be added to the last stretch
}

// lay makes the steps of a run in which engines work at the same time, which are prepared.
func (p *plan) lay() {
	l := &layout{plan: p, made: map[*ir.Value]int{}, sent: map[residence]*fetched{}}
	next := make([]int, len(p.x.sides))
	for _, t := range p.order {
		u, s := p.units[t], p.choices[t].Side
		for _, v := range u.Ins {
			l.bring(v, s)
		}
		at := l.stretch(s, next[s])
		next[s]++
		for _, v := range u.Outs {
			l.made[v] = at
			l.offer(v, s)
		}
	}
}

// stretch adds task number i of side s, to the last step if that is a stretch before it.
func (l *layout) stretch(s, i int) int {
	steps := l.x.steps
	if n := len(steps); n > 0 && !l.seal && !steps[n-1].move && steps[n-1].from == s {
		steps[n-1].last = i + 1
		return n - 1
	}
	l.seal = false
	return l.add(step{from: s, first: i, last: i + 1})
}

func (l *layout) add(s step) int {
	l.x.steps = append(l.x.steps, s)
	return len(l.x.steps) - 1
}

// offer lets sides that will want v, which s has just made, have it before s is done with
// what comes next.
func (l *layout) offer(v *ir.Value, s int) {
	for to := range l.x.sides {
		h := residence{v, to}
		if to == s || l.span[h] == nil {
			continue
		}
		l.seal = true
		if !l.streams(s) {
			continue
		}
		src := l.slots[residence{v, s}]
		f := &fetched{pieces: []engine.Piece{{Slot: src, Bytes: v.Bytes()}}}
		l.sent[h] = f
		l.made[v] = l.add(step{move: true, asks: true, from: s, to: to, src: src, fetched: f})
	}
}

// streams reports whether side s works while its caller goes on, and can be asked for single values.
func (l *layout) streams(s int) bool {
	return l.x.sides[s].engine.Traits().Stream != nil && !l.x.sides[s].immediate()
}

// bring makes the step that moves v to side s, unless it is there.
func (l *layout) bring(v *ir.Value, s int) {
	from := l.sideOf(v)
	h := residence{v, s}
	if v.Maker == nil || from == s || l.moved[h] {
		return
	}
	l.moved[h] = true
	m := l.moving(v, from, s)
	m.ahead, m.after = l.streams(s), l.made[v]
	if f := l.sent[h]; f != nil {
		f.data = [][]byte{m.data}
		m.fetched = f
	}
	l.add(m)
}

package plan

import (
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/pace"
	"github.com/anycl/anycl/internal/place"
)

// priced is an engine that is asked for the times of tasks, and of what is moved.
type priced struct {
	engine engine.Engine
	hosted bool
	whole  engine.Estimates // nil: a task takes as long as it takes alone
	linked engine.Linked    // nil: both ways take as long
	tasks  []*engine.Task
	known  map[*engine.Task]time.Duration // what the engine says, where it was asked
	fixed  []corrected
	moves  map[transfer]time.Duration
	pace   *pace.Table   // corrects what the engine says; nil does not
	none   time.Duration // to move nothing
}

// corrected is what became of a time, by task: it is asked for again and again.
type corrected struct{ raw, expected time.Duration }

// transfer is so many bytes on their way to an engine, or back.
type transfer struct {
	bytes int64
	back  bool
	near  bool // see engine.Link
}

// newPriced takes tasks as distinct gives them.
func newPriced(e engine.Engine, tasks []*engine.Task, t *pace.Table) *priced {
	p := &priced{
		engine: e, tasks: tasks, known: map[*engine.Task]time.Duration{}, fixed: make([]corrected, len(tasks)), moves: map[transfer]time.Duration{},
		pace: t, none: e.Transfer(0),
	}
	for i := range p.fixed {
		p.fixed[i].raw = place.Never
	}
	_, p.hosted = e.(engine.Hosted)
	p.linked, _ = e.(engine.Linked)
	if w, ok := e.(engine.Whole); ok {
		p.whole = w.Estimates(tasks)
	}
	return p
}

// price is place.Problem.Price.
func (p *priced) price(tasks []int) (times []time.Duration, link engine.Link) {
	times, link = p.raw(tasks)
	for i, t := range tasks {
		if p.fixed[t].raw != times[i] {
			p.fixed[t].raw = times[i]
			p.fixed[t].expected, _ = p.pace.Correct(PaceKey(p.engine, p.tasks[t]), times[i])
		}
		times[i] = p.fixed[t].expected
	}
	link.Wait, _ = p.pace.Correct(WaitKey(p.engine), link.Wait)
	return times, link
}

// raw is what the engine says.
func (p *priced) raw(tasks []int) (times []time.Duration, link engine.Link) {
	if p.whole != nil {
		return p.whole.Of(tasks)
	}
	times = make([]time.Duration, len(tasks))
	for i, t := range tasks {
		task := p.tasks[t]
		d, ok := p.known[task]
		if !ok {
			d = p.engine.Estimate(task)
			p.known[task] = d
		}
		times[i] = d
	}
	return times, engine.Link{Wait: p.none}
}

// move is the time of a transfer, without a wait.
func (p *priced) move(m transfer) time.Duration {
	d, ok := p.moves[m]
	if !ok {
		d, _ = p.pace.Correct(moveKey(p.engine, m), p.rawMove(m))
		p.moves[m] = d
	}
	return d
}

// rawMove is what the engine says of a transfer.
func (p *priced) rawMove(m transfer) time.Duration {
	switch {
	case p.linked == nil:
		return p.engine.Transfer(m.bytes) - p.none
	case m.back:
		return p.linked.Download(m.bytes, m.near)
	}
	return p.linked.Upload(m.bytes, m.near)
}

// moveTime is the predicted time of v on its way between two engines, or an engine and place.Host.
func moveTime(engines []*priced, from, to int, links []place.Link, v *place.Value) (total time.Duration) {
	eachTransfer(engines, from, to, links, v, func(e int, m transfer) { total += engines[e].move(m) })
	return total
}

// eachTransfer calls f with the transfers of v's move. Between the host's memory and an engine's there is one copy, or
// none.
func eachTransfer(engines []*priced, from, to int, links []place.Link, v *place.Value, f func(engine int, m transfer)) {
	if from >= 0 && (to == place.Host && !(v.Lent && links[from].Lends) || to >= 0 && !engines[from].hosted) {
		f(from, transfer{v.Bytes, true, links[from].Near})
	}
	if to >= 0 && (from == place.Host && !(v.Lent && links[to].Lends) || from >= 0 && !engines[to].hosted) {
		f(to, transfer{v.Bytes, false, links[to].Near})
	}
}

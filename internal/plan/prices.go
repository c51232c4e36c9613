package plan

import (
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/pace"
	"github.com/anycl/anycl/internal/place"
)

// priced is an engine that is asked for the times of tasks and of moves, with corrections.
type priced struct {
	engine.Estimates // of the engine
	engine           engine.Engine
	hosted           bool
	tasks            []*engine.Task
	fixed            []corrected
	moves            map[transfer]time.Duration
	pace             *pace.Table // corrects the engine's estimates; nil does not
}

// corrected caches the corrected time of a task, which is asked for again and again.
type corrected struct{ raw, expected time.Duration }

// transfer is a number of bytes on their way to an engine, or back.
type transfer struct {
	bytes  int64
	back   bool
	domain engine.MemoryDomain // see engine.Link
}

// newPriced takes tasks as distinct gives them.
func newPriced(e engine.Engine, tasks []*engine.Task, t *pace.Table) *priced {
	p := &priced{
		Estimates: engine.EstimatesOf(e, tasks), engine: e, tasks: tasks, fixed: make([]corrected, len(tasks)),
		moves: map[transfer]time.Duration{}, pace: t,
		hosted: engine.TraitsOf(e).Hosted,
	}
	for i := range p.fixed {
		p.fixed[i].raw = place.Never
	}
	return p
}

// price is place.Problem.Price.
func (p *priced) price(tasks []int) (times []time.Duration, link engine.Link) {
	times, link = p.Of(tasks)
	if _, ok := p.engine.(engine.HostMemory); !ok {
		link.Aliased = false
	}
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

// move is the time of a transfer, without a wait.
func (p *priced) move(m transfer) time.Duration {
	d, ok := p.moves[m]
	if !ok {
		d, _ = p.pace.Correct(moveKey(p.engine, m), p.rawMove(m))
		p.moves[m] = d
	}
	return d
}

// rawMove is the engine's own estimate of a transfer.
func (p *priced) rawMove(m transfer) time.Duration {
	if m.back {
		return p.Download(m.bytes, m.domain)
	}
	return p.Upload(m.bytes, m.domain)
}

// moveTime is the predicted time of v on its way between two engines, or an engine and place.Host.
func moveTime(engines []*priced, from, to int, links []place.Link, v *place.Value) (total time.Duration) {
	eachTransfer(engines, from, to, links, v, func(e int, m transfer) { total += engines[e].move(m) })
	return total
}

// eachTransfer calls f with the transfers of v's move. Between the host's memory and an engine's there is one copy, or
// none.
func eachTransfer(engines []*priced, from, to int, links []place.Link, v *place.Value, f func(e int, m transfer)) {
	if from >= 0 && (to == place.Host && !(v.Aliasable && links[from].Aliased) || to >= 0 && !engines[from].hosted) {
		f(from, transfer{v.Bytes, true, engine.MemoryDomain(links[from].Domain)})
	}
	if to >= 0 && (from == place.Host && !(v.Aliasable && links[to].Aliased) || from >= 0 && !engines[to].hosted) {
		f(to, transfer{v.Bytes, false, engine.MemoryDomain(links[to].Domain)})
	}
}

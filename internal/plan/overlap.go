package plan

import (
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/place"
	"github.com/anycl/anycl/internal/procs"
	"github.com/anycl/anycl/internal/ram"
	"github.com/anycl/anycl/internal/store"
)

// handover is about the time until a goroutine that waits for another goes on.
const handover = 20 * time.Microsecond

// The time of a run beside tasks and moves, on the core that it was measured on; see BenchmarkOwnTime.
const (
	ownRun    = 180 * time.Nanosecond // checks, locks and clocks
	ownFeed   = 110 * time.Nanosecond // of each input: found, checked and written
	ownResult = 25 * time.Nanosecond  // of each result

	ownCold = 0.09 // nanoseconds a byte of results that a run makes: no cache holds them
)

// OwnTime is the predicted time of a run beside tasks and moves, before any was measured.
func (m *Model) OwnTime() time.Duration {
	own := ownRun + time.Duration(len(m.Inputs()))*ownFeed + time.Duration(len(m.Results))*ownResult
	for _, v := range m.Results {
		if n := v.Bytes(); n >= ram.RecycleFrom {
			own += time.Duration(ownCold * float64(n))
		}
	}
	return own
}

// overlap tells the cost model which tasks may run at the same time.
func (m *Model) overlap(p *place.Problem) {
	if len(m.Engines) == 1 {
		return
	}
	p.Procs = float64(procs.Count())
	known := make([][]float64, len(m.Engines)) // and one
	p.Cores = func(i, t int) float64 {
		cores := m.Engines[i].Traits().Cores
		if cores == nil {
			return 0
		}
		if known[i] == nil {
			known[i] = make([]float64, len(m.Instructions))
		}
		if known[i][t] == 0 {
			known[i][t] = 1 + float64(cores(m.Instructions[t].Task))
		}
		return known[i][t] - 1
	}
	if m.blocks() {
		p.Handover = handover
	}
	readers := map[*store.Variable][]int{}
	for t, u := range m.Instructions {
		for _, v := range u.Ins {
			if v.Maker == nil && v.Node.State != nil {
				readers[v.Node.State] = append(readers[v.Node.State], t)
			}
		}
	}
	for t, u := range m.Instructions { // who reads the old value of a variable, before who makes the new one
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
// path, so that a goroutine for each engine is needed for them to work at the same time. A device with
// a queue that can be asked for single values keeps nobody.
func (m *Model) blocks() bool {
	e := m.Engines[0].Traits()
	if e.Stream == nil || len(m.Engines) > 2 {
		return true
	}
	return e.Cores != nil && len(m.Instructions) > 0 && e.Cores(m.Instructions[0].Task) > 0 // a driver of CPUs may work on the caller's thread
}

// shortRun is the predicted time of a run up to which its end is awaited without listening to the context: a wait
// that can be cancelled needs a goroutine and two switches between threads, which of a small graph is most of the run.
const shortRun = time.Millisecond

// isShort reports whether a run is predicted to be over soon. The time of a caller's own kernel
// cannot be predicted.
func (m *Model) isShort(p *Placement) bool {
	var all time.Duration
	for t, u := range m.Instructions {
		if u.Task.Kind == engine.Custom && u.Task.Custom.Writes == 0 {
			return false
		}
		all += p.Times[t][p.Choices[t].Engine]
	}
	return all <= shortRun
}

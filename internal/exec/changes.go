package exec

import (
	"sync"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/plan"
	"github.com/anycl/anycl/internal/store"
)

// changes tells how often a variable that a graph only reads is set between runs: a run moves it
// to where it is read when it was set since the last, and not because it may be.
type changes struct {
	mu   sync.Mutex
	seen uint64  // the count of values that it had
	last uint32  // the run that found it set
	gap  float64 // runs from one that found it set to the next, in the recent mean; 0 before any has
}

// recentChanges is about how many changes the mean is of.
const recentChanges = 8

// note tells that a run found it with its writes-th value.
func (c *changes) note(writes uint64, run uint32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if writes == c.seen {
		return // another instance has told
	}
	gap := float64(max(run-c.last, 1))
	c.seen, c.last = writes, run
	if c.gap == 0 {
		c.gap = gap
		return
	}
	c.gap += (gap - c.gap) / recentChanges
}

// rate is how often it is to be expected in a run, after the given number of runs: 0 where none has found it set
// since the graph was compiled.
func (c *changes) rate(runs uint32) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gap == 0 {
		return 0
	}
	return 1 / max(c.gap, float64(runs-c.last), 1)
}

// rates are how often the variables of x are expected to be set between runs.
func (x *Executor) rates() plan.Rates {
	rates := plan.Rates{}
	for v, c := range x.changes {
		rates[v] = c.rate(x.runs.Load())
	}
	return rates
}

// watched are the variables that tasks read and do not update.
func watched(instructions []*ir.Instruction) map[*store.Variable]*changes {
	all := map[*store.Variable]*changes{}
	for _, u := range instructions {
		for _, v := range u.Ins {
			if s := v.Node.State; v.Maker == nil && s != nil && all[s] == nil {
				s.Mu.RLock()
				all[s] = &changes{seen: s.Writes}
				s.Mu.RUnlock()
			}
		}
	}
	for _, u := range instructions {
		for _, v := range u.Outs {
			delete(all, v.Stored)
		}
	}
	return all
}

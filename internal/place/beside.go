package place

import (
	"slices"
	"time"
)

// makespan simulates a run in which engines work at the same time: each has its tasks one after the
// other, and of those whose operands are available takes the one with the longest way to the end
// (Topcuoglu, Hariri and Wu, Performance-Effective and Low-Complexity Task Scheduling for
// Heterogeneous Computing, 2002: the upward rank of HEFT). A task waits for values that another engine
// makes, and they are moved, as part of it. Tasks that run at the same time on the host's processors
// share them: a driver for CPUs and the CPU path are not two machines.
//
// It returns the predicted time until the results are available, and the tasks in an order in which
// they can be submitted.
func (d *decision) makespan(assignment []int) (total time.Duration, order []int) {
	p := newSimulation(d, assignment)
	for p.done < len(assignment) {
		p.begin()
		p.advance()
	}
	return p.results(), p.submission()
}

// simulation is the state of a simulated run.
type simulation struct {
	*decision
	assignment []int
	times      [][]time.Duration
	links      []Link
	rank       []float64
	missing    []int     // operands of a task that are not made yet
	after      [][]int   // tasks that must follow one
	ready      [][]int   // of each engine, by rank; the last is next
	running    []job     // of each engine
	moved      []uint64  // of each value, bits: the engines where it lies
	made       []float64 // when a task was done
	waited     []float64 // for an engine, when last
	last       []float64 // when an engine was last done with something
	now        float64   // nanoseconds
	done       int
	order      []int
}

// job is a task at work, with the moves before it.
type job struct {
	task        int // -1: none
	left, cores float64
}

func newSimulation(d *decision, assignment []int) *simulation {
	n := len(assignment)
	p := &simulation{
		decision: d, assignment: assignment, rank: make([]float64, n), missing: make([]int, n), after: make([][]int, n),
		ready:   make([][]int, len(d.Engines)),
		running: make([]job, len(d.Engines)), moved: make([]uint64, len(d.Values)), made: make([]float64, n),
		waited: make([]float64, len(d.Engines)), last: make([]float64, len(d.Engines)),
		order: make([]int, 0, n),
	}
	p.times, p.links = d.priced(assignment)
	for v := range d.Values {
		x := &d.Values[v]
		for _, t := range x.Readers {
			if x.Maker >= 0 && x.Maker < t { // not of the run before
				p.precede(x.Maker, t)
			}
		}
	}
	for t := range d.Tasks {
		for _, b := range d.Tasks[t].After {
			p.precede(b, t)
		}
	}
	for t := n - 1; t >= 0; t-- {
		for _, next := range p.after[t] {
			p.rank[t] = max(p.rank[t], p.rank[next])
		}
		p.rank[t] += float64(p.times[t][assignment[t]])
	}
	for s := range p.running {
		p.running[s].task = -1
	}
	for t := range n {
		if p.missing[t] == 0 {
			p.offer(t)
		}
	}
	return p
}

func (p *simulation) precede(first, then int) {
	p.after[first] = append(p.after[first], then)
	p.missing[then]++
}

// offer lets t be taken from now on.
func (p *simulation) offer(t int) {
	q := p.ready[p.assignment[t]]
	at, _ := slices.BinarySearchFunc(q, t, func(o, t int) int {
		if p.rank[o] != p.rank[t] {
			if p.rank[o] < p.rank[t] {
				return -1
			}
			return 1
		}
		return t - o // of equal ones the first in the graph is taken first
	})
	p.ready[p.assignment[t]] = slices.Insert(q, at, t)
}

// begin gives every engine that has nothing to do its next task.
func (p *simulation) begin() {
	for s := range p.running {
		n := len(p.ready[s])
		if p.running[s].task >= 0 || n == 0 {
			continue
		}
		t := p.ready[s][n-1]
		p.ready[s] = p.ready[s][:n-1]
		p.running[s] = job{t, p.fetch(t, s) + float64(p.times[t][s]), p.Cores(s, t)}
		p.order = append(p.order, t)
	}
}

// fetch is the time until the operands of t are on engine s.
func (p *simulation) fetch(t, s int) float64 {
	var all time.Duration
	for _, v := range p.reads[t] {
		x := &p.Values[v]
		from := Host
		if x.Maker >= 0 {
			from = p.assignment[x.Maker]
		}
		if from == s || p.moved[v]>>s&1 == 1 {
			continue
		}
		p.moved[v] |= 1 << s
		if x.Maker >= 0 && x.Maker < t {
			all += p.Handover
			if p.waited[from] <= p.made[x.Maker] {
				p.waited[from] = p.now + 1
				all += p.links[from].Wait
			}
		}
		all += x.first(p.Move(from, s, p.links, x))
	}
	return float64(all)
}

// advance goes on to when the next task is done.
func (p *simulation) advance() {
	busy := 0.0
	for _, j := range p.running {
		if j.task >= 0 {
			busy += j.cores
		}
	}
	share := min(1, p.Procs/max(busy, 1e-9))
	rate := func(j *job) float64 {
		if j.cores == 0 {
			return 1
		}
		return share
	}
	step := -1.0
	for s := range p.running {
		if j := &p.running[s]; j.task >= 0 {
			if took := j.left / rate(j); step < 0 || took < step {
				step = took
			}
		}
	}
	p.now += step
	for s := range p.running {
		j := &p.running[s]
		if j.task < 0 {
			continue
		}
		if took := j.left / rate(j); took > step {
			j.left -= step * rate(j)
			continue
		}
		p.finish(j.task)
		j.task = -1
	}
}

func (p *simulation) finish(t int) {
	p.done++
	p.made[t], p.last[p.assignment[t]] = p.now, p.now
	for _, next := range p.after[t] {
		if p.missing[next]--; p.missing[next] == 0 {
			p.offer(next)
		}
	}
}

// results adds the reading of the results, once all is done.
func (p *simulation) results() time.Duration {
	total := time.Duration(p.now)
	read := func(s int) {
		if p.last[s] > 0 && p.waited[s] <= p.last[s] {
			p.waited[s] = p.last[s] + 1
			total += p.links[s].Wait
		}
	}
	some := false
	for v := range p.Values {
		if x := &p.Values[v]; x.Result && x.Maker >= 0 {
			read(p.assignment[x.Maker])
			total += p.Move(p.assignment[x.Maker], Host, p.links, x)
			some = true
		}
	}
	for s := range p.Engines {
		if !some {
			read(s)
		}
	}
	return total
}

// submission is an order in which each engine has its tasks as in the simulation: before the last engine is
// kept at work, the others are given all that they can be given.
func (p *simulation) submission() []int {
	lanes := make([][]int, len(p.Engines))
	for _, t := range p.order {
		lanes[p.assignment[t]] = append(lanes[p.assignment[t]], t)
	}
	missing := make([]int, len(p.assignment))
	for t := range p.after {
		for _, next := range p.after[t] {
			missing[next]++
		}
	}
	order := p.order[:0]
	take := func(s int) bool {
		if len(lanes[s]) == 0 || missing[lanes[s][0]] > 0 {
			return false
		}
		t := lanes[s][0]
		lanes[s] = lanes[s][1:]
		order = append(order, t)
		for _, next := range p.after[t] {
			missing[next]--
		}
		return true
	}
	last := len(lanes) - 1
	for len(order) < len(p.assignment) {
		some := false
		for s := range last {
			for take(s) {
				some = true
			}
		}
		if !some {
			take(last)
		}
	}
	return order
}

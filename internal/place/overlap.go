package place

import (
	"slices"
	"time"
)

// A cut adds up times, as if one engine waited while another works. Where they need not, that is an
// upper bound, and the best sum is not always the best run: a branch that another engine does more
// slowly may cost nothing there. So the best of the race is the start of a local search, whose cost
// is the time of a simulated run with engines that work at the same time.

// searchTasks bounds the search: so many tasks are simulated.
const searchTasks = 40_000

// overlapped is best, or a candidate predicted to be better by the part Gain if engines work at the same time.
func (d *decision) overlapped(best candidate) candidate {
	if d.Cores == nil || len(d.Tied) > 0 || len(d.Engines) == 1 || len(d.Tasks) < 2 {
		return best
	}
	if float64(max(d.longest(), d.busiest())) > float64(best.total)*(1-d.Gain) {
		return best // nothing beside the longest way, or no processor is free
	}
	s := &searching{decision: d, left: searchTasks, best: candidate{total: best.total}}
	s.try(best.assignment)
	for _, factor := range []float64{1.5, 2.5, 4} { // less for an engine that has more than it can do in the time
		for engine := range d.Engines {
			s.try(s.relieved(best.assignment, engine, factor))
		}
	}
	start := s.best.assignment
	if start == nil {
		start = best.assignment
	}
	branches := d.branches()
	for improved := true; improved; {
		improved = false
		for _, b := range branches {
			for engine := range d.Engines {
				if next := d.with(start, b, engine); next != nil && s.try(next) {
					start, improved = next, true
				}
			}
		}
	}
	if s.best.assignment == nil || float64(s.best.total) > float64(best.total)*(1-d.Gain) {
		return best
	}
	s.best.serial = d.cost(s.best.assignment)
	s.best.name, s.best.wanted = splitName, -1
	return s.best
}

// longest is the time of the longest way through the graph, each task where it is quickest: no
// run takes less.
func (d *decision) longest() (most time.Duration) {
	until := make([]time.Duration, len(d.Tasks))
	for t := range d.Tasks {
		for _, v := range d.reads[t] {
			if m := d.Values[v].Maker; m >= 0 && m < t {
				until[t] = max(until[t], until[m])
			}
		}
		least := time.Duration(-1)
		for s := range d.Engines {
			if d.allowed[t][s] && (least < 0 || d.times[t][s] < least) {
				least = d.times[t][s]
			}
		}
		until[t] += least
		most = max(most, until[t])
	}
	return most
}

// busiest is the time of the work of the host's processors, each task where that is least: no run takes less, because engines that work
// at the same time share them.
func (d *decision) busiest() time.Duration {
	work := 0.0
	for t := range d.Tasks {
		least := -1.0
		for s := range d.Engines {
			if !d.allowed[t][s] {
				continue
			}
			if own := float64(d.times[t][s]) * d.Cores(s, t); least < 0 || own < least {
				least = own
			}
		}
		work += max(least, 0)
	}
	return time.Duration(work / d.Procs)
}

// searching is a search for the least makespan.
type searching struct {
	*decision
	left int // tasks to simulate
	best candidate
}

// try reports whether the assignment is the best so far.
func (s *searching) try(assignment []int) bool {
	if s.left -= len(assignment); s.left < 0 || !slices.ContainsFunc(assignment, func(engine int) bool { return engine != assignment[0] }) {
		return false
	}
	total, order := s.makespan(assignment)
	if total >= s.best.total {
		return false
	}
	s.best.total, s.best.assignment, s.best.order = total, assignment, order
	return true
}

// relieved is the cut between an engine and each other when all tasks take longer on it.
func (d *searching) relieved(assignment []int, engine int, factor float64) []int {
	const cuts = 3 // as long as so many simulations
	work := cuts * len(assignment) * (len(d.Engines) - 1)
	if d.left < work+len(assignment) || !slices.ContainsFunc(d.allowed, several) {
		return assignment
	}
	d.left -= work
	times := make([][]time.Duration, len(d.Tasks))
	for t := range times {
		times[t] = slices.Clone(d.times[t])
		times[t][engine] = time.Duration(float64(times[t][engine]) * factor)
	}
	for other := range d.Engines {
		if other != engine {
			assignment = d.cut(assignment, min(engine, other), max(engine, other), times, d.links, true)
		}
	}
	return assignment
}

// several reports whether a task may be on more than one engine.
func several(on []bool) bool {
	first := slices.Index(on, true)
	return slices.Contains(on[first+1:], true)
}

// with is the assignment with the tasks of a branch on one engine; nil where that changes nothing, or one of
// them may not be there.
func (d *decision) with(assignment, branch []int, engine int) []int {
	var out []int
	for _, t := range branch {
		if !d.allowed[t][engine] {
			return nil
		}
		if assignment[t] != engine {
			if out == nil {
				out = slices.Clone(assignment)
			}
			out[t] = engine
		}
	}
	return out
}

// branches are tasks that may well move together: each task alone, and the tasks that lead to one
// operand of a task with several and nowhere else.
func (d *decision) branches() (all [][]int) {
	if len(d.Tasks) > searchTasks/40 {
		return nil
	}
	inside := make([]int, len(d.Tasks)) // the number of the branch that a task was last seen in
	for t := range d.Tasks {
		all = append(all, []int{t})
	}
	outside := func(v, mark int) bool {
		return d.Values[v].Result || slices.ContainsFunc(d.Values[v].Readers, func(r int) bool { return inside[r] != mark })
	}
	for v := range d.Values {
		x := &d.Values[v]
		if x.Maker < 0 || x.Result && len(x.Readers) > 0 {
			continue
		}
		mark := v + 1
		branch := []int{x.Maker}
		inside[x.Maker] = mark
		for i := 0; i < len(branch); i++ { // from each reader before its makers
			for _, in := range d.reads[branch[i]] {
				m := d.Values[in].Maker
				if m < 0 || m >= branch[i] || inside[m] == mark || slices.ContainsFunc(d.makes[m], func(o int) bool { return outside(o, mark) }) {
					continue
				}
				inside[m] = mark
				branch = append(branch, m)
			}
		}
		if len(branch) > 1 {
			all = append(all, branch)
		}
	}
	return all
}

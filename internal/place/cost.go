package place

import "time"

const splitName = "split"

// candidate is an assignment and its predicted time.
type candidate struct {
	name       string // of the engine that has all, or splitName
	wanted     int    // the engine that has all that may run there, or -1
	assignment []int
	total      time.Duration
	order      []int         // see Plan
	serial     time.Duration // see Plan
}

// race compares all on one engine with the best splits that are found, each at its
// exact cost. The first of equal ones wins.
func (d *decision) race() candidate {
	for s, name := range d.Engines {
		c := candidate{name: name, wanted: s, assignment: make([]int, len(d.Tasks))}
		for t := range d.Tasks {
			c.assignment[t] = d.nearest(t, s)
		}
		for _, p := range d.Tied {
			c.assignment[p[1]] = c.assignment[p[0]]
		}
		c.total = d.cost(c.assignment)
		d.pure = append(d.pure, c)
	}
	best := d.pure[0]
	for _, c := range d.pure[1:] {
		if c.total < best.total {
			best = c
		}
	}
	if len(d.Engines) == 1 || len(d.Tasks) == 0 {
		return best
	}
	if c := d.search(best); float64(c.total) < float64(best.total)*(1-d.Gain) {
		best = c
	}
	return best
}

// nearest is s, or where task t may run and is quickest.
func (d *decision) nearest(t, s int) int {
	if d.allowed[t][s] {
		return s
	}
	best := -1
	for o := range d.Engines {
		if d.allowed[t][o] && (best < 0 || d.times[t][o] < d.times[t][best]) {
			best = o
		}
	}
	return best
}

// search looks for a split: for every two engines the minimum cut of their tasks, in turn, as long
// as it helps. With two engines one cut is the whole search, but for costs that a cut cannot count:
// a wait is counted with every move, and with none; and an engine that gets little may be quicker
// than if it got all.
func (d *decision) search(best candidate) candidate {
	const rounds = 4 // each pair of engines; the gain after two is next to nothing
	start := best.assignment
	for range rounds {
		before := best.total
		for a := range d.Engines {
			for b := a + 1; b < len(d.Engines); b++ {
				for _, waits := range []bool{true, false} {
					d.try(&best, d.cut(start, a, b, d.times, d.links, waits))
				}
				if times, links := d.priced(best.assignment); best.name == splitName {
					d.try(&best, d.cut(start, a, b, times, links, true))
				}
			}
		}
		start = best.assignment
		if len(d.Engines) == 2 || best.total == before {
			break
		}
	}
	return best
}

// try takes the assignment for best if it is better.
func (d *decision) try(best *candidate, assignment []int) {
	if total := d.cost(assignment); total < best.total {
		*best = candidate{name: splitName, wanted: -1, assignment: assignment, total: total}
	}
}

// hostSyncs is the time of the values that the host reads in the midst of a run.
func (d *decision) hostSyncs(assignment []int, links []Link) (total time.Duration) {
	for v := range d.Values {
		if x := &d.Values[v]; x.HostSyncs > 0 {
			s := assignment[x.Maker]
			total += scaled(links[s].Wait+d.Move(s, Host, links, x), x.HostSyncs)
		}
	}
	return total
}

// priced are the times of tasks on their own engines when each engine has only the tasks that the
// assignment gives it, and on others as if they had all.
func (d *decision) priced(assignment []int) (times [][]time.Duration, links []Link) {
	times, links = make([][]time.Duration, len(d.Tasks)), make([]Link, len(d.Engines))
	all := make([]time.Duration, len(d.Tasks)*len(d.Engines))
	for t := range times {
		times[t], all = all[:len(d.Engines):len(d.Engines)], all[len(d.Engines):]
		copy(times[t], d.times[t])
	}
	mine := make([]int, 0, len(d.Tasks))
	for s := range d.Engines {
		mine = mine[:0]
		for t, at := range assignment {
			if at == s {
				mine = append(mine, t)
			}
		}
		if links[s] = d.links[s]; len(mine) == 0 {
			continue
		}
		var own []time.Duration
		own, links[s] = d.Price(s, mine)
		for i, t := range mine {
			times[t][s] = max(own[i], 0)
		}
	}
	return times, links
}

// cost simulates a run of one task after the other and adds up its times: those of the tasks, of every move
// when it is first needed, and of a wait whenever something is read from an engine that
// has done something since the last.
func (d *decision) cost(assignment []int) time.Duration {
	times, links := d.priced(assignment)
	var total time.Duration
	busy := make([]bool, len(d.Engines))
	moved := make([]uint64, len(d.Values)) // bits: the engines where it lies
	read := func(from int) {
		if from >= 0 && busy[from] {
			busy[from] = false
			total += links[from].Wait
		}
	}
	for t, s := range assignment {
		for _, v := range d.reads[t] {
			x := &d.Values[v]
			from := Host
			if x.Maker >= 0 {
				from = assignment[x.Maker]
			}
			if from == s || moved[v]>>s&1 == 1 {
				continue
			}
			moved[v] |= 1 << s
			if x.Maker < t { // that of an earlier run has been waited for
				read(from)
			}
			move := d.Move(from, s, links, x)
			total += x.first(move)
			if x.Times > 1 {
				if from >= 0 {
					move += links[from].Wait
				}
				total += x.again(move)
			}
		}
		busy[s] = true
		total += times[t][s]
	}
	total += d.hostSyncs(assignment, links)
	results := false
	for v := range d.Values {
		if x := &d.Values[v]; x.Result && x.Maker >= 0 {
			read(assignment[x.Maker])
			total += d.Move(assignment[x.Maker], Host, links, x)
			results = true
		}
	}
	for s := range d.Engines {
		if !results {
			read(s)
		}
	}
	return total
}

package place

import "time"

const splitName = "split"

// candidate is an assignment and its predicted time.
type candidate struct {
	name   string // of the side that has all, or splitName
	wanted int    // the side that has all that may run there, or -1
	sides  []int
	total  time.Duration
	order  []int         // see Plan
	serial time.Duration // see Plan
}

// race compares all on one side with the best splits that are found, each at its
// exact cost. The first of equal ones wins.
func (d *decision) race() candidate {
	for s, name := range d.Sides {
		c := candidate{name: name, wanted: s, sides: make([]int, len(d.Tasks))}
		for t := range d.Tasks {
			c.sides[t] = d.nearest(t, s)
		}
		for _, p := range d.Tied {
			c.sides[p[1]] = c.sides[p[0]]
		}
		c.total = d.cost(c.sides)
		d.pure = append(d.pure, c)
	}
	best := d.pure[0]
	for _, c := range d.pure[1:] {
		if c.total < best.total {
			best = c
		}
	}
	if len(d.Sides) == 1 || len(d.Tasks) == 0 {
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
	for o := range d.Sides {
		if d.allowed[t][o] && (best < 0 || d.times[t][o] < d.times[t][best]) {
			best = o
		}
	}
	return best
}

// search looks for a split: for every two sides the minimum cut of what they have, in
// turn, as long as it helps. With two sides one cut is the whole search, but for what a cut
// cannot count: a wait is counted with every move, and with none; and a side
// that gets little may be quicker than if it got all.
func (d *decision) search(best candidate) candidate {
	const rounds = 4 // each pair of sides; what is left to gain after two is next to nothing
	start := best.sides
	for range rounds {
		before := best.total
		for a := range d.Sides {
			for b := a + 1; b < len(d.Sides); b++ {
				for _, waits := range []bool{true, false} {
					d.try(&best, d.cut(start, a, b, d.times, d.links, waits))
				}
				if times, links := d.priced(best.sides); best.name == splitName {
					d.try(&best, d.cut(start, a, b, times, links, true))
				}
			}
		}
		start = best.sides
		if len(d.Sides) == 2 || best.total == before {
			break
		}
	}
	return best
}

// try takes sides for best if they are better.
func (d *decision) try(best *candidate, sides []int) {
	if total := d.cost(sides); total < best.total {
		*best = candidate{name: splitName, wanted: -1, sides: sides, total: total}
	}
}

// awaited is the time of what the host reads in the midst of a run.
func (d *decision) awaited(sides []int, links []Link) (total time.Duration) {
	for v := range d.Values {
		if x := &d.Values[v]; x.Awaited > 0 {
			s := sides[x.Maker]
			total += scaled(links[s].Wait+d.Move(s, Host, links, x), x.Awaited)
		}
	}
	return total
}

// priced are the times of tasks on their own sides when each side has only what sides
// gives it, and on others as if they had all.
func (d *decision) priced(sides []int) (times [][]time.Duration, links []Link) {
	times, links = make([][]time.Duration, len(d.Tasks)), make([]Link, len(d.Sides))
	all := make([]time.Duration, len(d.Tasks)*len(d.Sides))
	for t := range times {
		times[t], all = all[:len(d.Sides):len(d.Sides)], all[len(d.Sides):]
		copy(times[t], d.times[t])
	}
	mine := make([]int, 0, len(d.Tasks))
	for s := range d.Sides {
		mine = mine[:0]
		for t, at := range sides {
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

// cost plays a run through and adds up its times: those of the tasks, of every move
// when it is first needed, and of a wait whenever something is read from a side that
// has done something since the last.
func (d *decision) cost(sides []int) time.Duration {
	times, links := d.priced(sides)
	var total time.Duration
	busy := make([]bool, len(d.Sides))
	moved := make([]uint64, len(d.Values)) // bits: the sides where it lies
	read := func(from int) {
		if from >= 0 && busy[from] {
			busy[from] = false
			total += links[from].Wait
		}
	}
	for t, s := range sides {
		for _, v := range d.reads[t] {
			x := &d.Values[v]
			from := Host
			if x.Maker >= 0 {
				from = sides[x.Maker]
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
	total += d.awaited(sides, links)
	results := false
	for v := range d.Values {
		if x := &d.Values[v]; x.Result && x.Maker >= 0 {
			read(sides[x.Maker])
			total += d.Move(sides[x.Maker], Host, links, x)
			results = true
		}
	}
	for s := range d.Sides {
		if !results {
			read(s)
		}
	}
	return total
}

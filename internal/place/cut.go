package place

import "time"

// cut gives the tasks that the assignment gives a or b the best of the two, those of
// other engines staying where they are: a minimum cut between a, the source, and b, the
// sink.
//
//	a task t      on a: its time there, and on b
//	a value       made on one and read on the other: its move, once, however many read it
//	              made elsewhere, or fed: its move to a if a task on a reads it, and to b
//	              read elsewhere, or a result: its move from the engine that makes it
//	              read by the host in the midst of a run: a wait and a move, each time
//	an engine     a wait, if it has any task
//
// With waits each move includes the wait for its value, which is too much where several moves share
// a wait; without waits the sum is too little.
func (d *decision) cut(assignment []int, a, b int, times [][]time.Duration, links []Link, waits bool) []int {
	n := newNetwork(len(d.Tasks), 2*len(d.Values)+2)
	c := &cutter{decision: d, net: n, a: a, b: b, assignment: assignment}
	move := func(from, to int, x *Value) int64 {
		cost := d.Move(from, to, links, x)
		if waits && from >= 0 {
			cost += links[from].Wait
		}
		return capped(x.first(cost) + x.again(cost))
	}
	users := make([]int, 0, len(d.Tasks))
	for t := range d.Tasks {
		if !c.open(t) {
			continue
		}
		users = append(users, t)
		onA, onB := int64(unlimited), int64(unlimited)
		if d.allowed[t][a] {
			onA = capped(times[t][a])
		}
		if d.allowed[t][b] {
			onB = capped(times[t][b])
		}
		n.cost(t, onA, onB)
	}
	c.anyOf(users, capped(links[a].Wait), capped(links[b].Wait))
	there := make([]bool, len(d.Engines))
	for v := range d.Values {
		x := &d.Values[v]
		var near []int
		clear(there)
		for _, t := range x.Readers {
			switch {
			case t == x.Maker:
			case c.open(t):
				near = append(near, t)
			default:
				there[assignment[t]] = true
			}
		}
		if x.Maker < 0 || !c.open(x.Maker) {
			from := Host
			if x.Maker >= 0 {
				from = assignment[x.Maker]
			}
			c.anyOf(near, move(from, a, x), move(from, b, x))
			continue
		}
		c.between(x.Maker, near, move(a, b, x), move(b, a, x))
		for s := range d.Engines {
			if there[s] {
				n.cost(x.Maker, move(a, s, x), move(b, s, x))
			}
		}
		if x.HostSyncs > 0 {
			toHost := func(s int) int64 { return capped(scaled(links[s].Wait+d.Move(s, Host, links, x), x.HostSyncs)) }
			n.cost(x.Maker, toHost(a), toHost(b))
		}
		if x.Result {
			n.cost(x.Maker, capped(d.Move(a, Host, links, x)), capped(d.Move(b, Host, links, x)))
		}
	}
	for _, p := range d.Tied {
		if c.open(p[0]) && c.open(p[1]) {
			n.edge(p[0], p[1], unlimited, unlimited)
		}
	}
	sink := n.solve()
	out := make([]int, len(assignment))
	for t, s := range assignment {
		switch {
		case !c.open(t):
			out[t] = s
		case sink[t]:
			out[t] = b
		default:
			out[t] = a
		}
	}
	return out
}

// cutter builds the network of a cut.
type cutter struct {
	*decision
	net        *network
	a, b       int
	assignment []int
}

// open reports whether task t is to be decided.
func (c *cutter) open(t int) bool { return c.assignment[t] == c.a || c.assignment[t] == c.b }

// anyOf costs onA once if any of the tasks is on a, and onB once if any is on b.
func (c *cutter) anyOf(tasks []int, onA, onB int64) {
	if len(tasks) == 0 {
		return
	}
	if len(tasks) == 1 {
		c.net.cost(tasks[0], onA, onB)
		return
	}
	if onA > 0 {
		x := c.net.node()
		c.net.cost(x, onA, 0)
		for _, t := range tasks {
			c.net.edge(t, x, unlimited, 0) // x is on a with any of them
		}
	}
	if onB > 0 {
		x := c.net.node()
		c.net.cost(x, 0, onB)
		for _, t := range tasks {
			c.net.edge(x, t, unlimited, 0)
		}
	}
}

// between costs ab once if the maker is on a and any reader on b, and ba the other way round.
func (c *cutter) between(maker int, readers []int, ab, ba int64) {
	switch len(readers) {
	case 0:
		return
	case 1:
		c.net.edge(maker, readers[0], ab, ba)
		return
	}
	if ab > 0 {
		x := c.net.node()
		c.net.edge(maker, x, ab, 0)
		for _, r := range readers {
			c.net.edge(x, r, unlimited, 0)
		}
	}
	if ba > 0 {
		x := c.net.node()
		c.net.edge(x, maker, ba, 0)
		for _, r := range readers {
			c.net.edge(r, x, unlimited, 0)
		}
	}
}

// capped is a capacity in nanoseconds: no cost is more than 18 minutes.
func capped(t time.Duration) int64 { return max(0, min(int64(t), 1<<40)) }

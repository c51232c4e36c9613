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
	c := &cutter{decision: d, net: n, a: a, b: b, assignment: assignment, links: links, waits: waits}
	c.tasks(times)
	there := make([]bool, len(d.Engines))
	for v := range d.Values {
		c.value(&d.Values[v], there)
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
	links      []Link
	waits      bool // moves include the wait for their values
}

// open reports whether task t is to be decided.
func (c *cutter) open(t int) bool { return c.assignment[t] == c.a || c.assignment[t] == c.b }

// tasks costs the times of tasks, and the waits of a and b.
func (c *cutter) tasks(times [][]time.Duration) {
	users := make([]int, 0, len(c.Tasks))
	for t := range c.Tasks {
		if !c.open(t) {
			continue
		}
		users = append(users, t)
		onA, onB := int64(unlimited), int64(unlimited)
		if c.allowed[t][c.a] {
			onA = capped(times[t][c.a])
		}
		if c.allowed[t][c.b] {
			onB = capped(times[t][c.b])
		}
		c.net.cost(t, onA, onB)
	}
	c.anyOf(users, capped(c.links[c.a].Wait), capped(c.links[c.b].Wait))
}

// move is the cost of a move of x.
func (c *cutter) move(from, to int, x *Value) int64 {
	cost := c.Move(from, to, c.links, x)
	if c.waits && from >= 0 {
		cost += c.links[from].Wait
	}
	return capped(x.first(cost) + x.again(cost))
}

// value costs the moves of x; there is memory, for which engines other than a and b read it.
func (c *cutter) value(x *Value, there []bool) {
	var free []int
	clear(there)
	for _, t := range x.Readers {
		switch {
		case t == x.Maker:
		case c.open(t):
			free = append(free, t)
		default:
			there[c.assignment[t]] = true
		}
	}
	if x.Maker < 0 || !c.open(x.Maker) {
		from := Host
		if x.Maker >= 0 {
			from = c.assignment[x.Maker]
		}
		c.anyOf(free, c.move(from, c.a, x), c.move(from, c.b, x))
		return
	}
	c.between(x.Maker, free, c.move(c.a, c.b, x), c.move(c.b, c.a, x))
	for s := range there {
		if there[s] {
			c.net.cost(x.Maker, c.move(c.a, s, x), c.move(c.b, s, x))
		}
	}
	if x.HostSyncs > 0 {
		toHost := func(s int) int64 { return capped(scaled(c.links[s].Wait+c.Move(s, Host, c.links, x), x.HostSyncs)) }
		c.net.cost(x.Maker, toHost(c.a), toHost(c.b))
	}
	if x.Result {
		c.net.cost(x.Maker, capped(c.Move(c.a, Host, c.links, x)), capped(c.Move(c.b, Host, c.links, x)))
	}
}

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

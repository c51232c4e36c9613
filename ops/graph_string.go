package ops

import (
	"fmt"
	"strings"
)

// String is one line: the name, and how much was built.
func (g *Graph) String() string {
	if g == nil {
		return "<nil graph>"
	}
	return fmt.Sprintf("graph %q: %s", g.name, quantity(len(g.nodes), "node")+mistakes(len(g.errs)))
}

func mistakes(n int) string {
	if n == 0 {
		return ""
	}
	return ", " + quantity(n, "mistake")
}

// String is one line: the engines of the runtime, and why they were chosen.
func (rt *Runtime) String() string {
	if rt == nil {
		return "<nil runtime>"
	}
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if rt.closed {
		return "runtime, closed: on " + rt.Why()
	}
	return "runtime on " + rt.Why()
}

// String is one line: the graph's name, and how many tasks run where. [Executable.Explain] tells all.
func (x *Executable) String() string {
	if x == nil {
		return "<nil executable>"
	}
	if x.open != nil {
		return x.open.String()
	}
	counts, done := x.executor.Spread()
	var parts []string
	for i, n := range counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s on %s", quantity(n, "task"), x.executor.EngineName(i)))
		}
	}
	if len(parts) == 0 {
		parts = []string{"no tasks"}
	}
	closed := ""
	if done {
		closed = ", closed"
	}
	return fmt.Sprintf("executable %q%s: %s", x.graph.name, closed, strings.Join(parts, ", "))
}

// String is one line: the graph that is trained, and the numbers of shares and devices.
func (p *DataParallel) String() string {
	if p == nil {
		return "<nil data parallel training>"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	closed := ""
	if p.closed {
		closed = ", closed"
	}
	return fmt.Sprintf("data parallel training of %q%s: %s on %s",
		p.graph.name, closed, quantity(len(p.shares), "share"), quantity(len(p.replicas), "device"))
}

// quantity is a number of things.
func quantity(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}

package lower

import (
	"slices"

	"github.com/anycl/anycl/internal/ir"
)

// cutAll divides groups that have too many buffers. How many values a group must write is known
// only when all tasks are in groups: what a later group reads was not counted while it grew.
func (g *grouping) cutAll() {
	done := map[*fusionGroup]bool{}
	for _, end := range g.order {
		if to := g.of[end]; to != nil && !done[to] {
			done[to] = true
			g.cut(to)
		}
	}
}

// cut divides to where it has too many buffers. Its ends stand in an order in which values are made before they are
// read, so that no group of neighbours waits for one that comes after it.
func (g *grouping) cut(to *fusionGroup) {
	for len(to.ends) > 1 && g.operandsOfAll(to.ends) > g.buffers {
		k := len(to.ends) - 1
		for k > 1 && g.operandsOfAll(to.ends[:k]) > g.buffers {
			k--
		}
		rest := slices.Clone(to.ends[k:])
		g.refill(to, to.ends[:k])
		for len(rest) > 0 {
			to = &fusionGroup{}
			rest = rest[g.refill(to, rest):]
			if len(rest) > 0 {
				g.cut(to)
			}
		}
	}
}

// refill makes to a group of the first of ends, as many as go together, and returns how many these are.
func (g *grouping) refill(to *fusionGroup, ends []*ir.Node) int {
	*to = fusionGroup{shape: g.domain(ends[0]), kept: len(ends[0].Shape), reads: map[*ir.Node]bool{}, first: to.first, last: to.last}
	for i, end := range ends {
		if i > 0 && !(g.joins(ends[0]) && g.joins(end) && g.alongside(end, to)) {
			break
		}
		g.enter(end, to)
	}
	return len(to.ends)
}

// operandsOfAll counts the buffers of a task that has these ends: what it reads and does not make, and what it makes
// for others.
func (g *grouping) operandsOfAll(ends []*ir.Node) int {
	of := make(map[*ir.Node]bool, len(ends))
	for _, end := range ends {
		of[end] = true
	}
	reads := map[*ir.Node]bool{}
	n := 0
	for _, end := range ends {
		for _, x := range g.reads[end] {
			if !of[x] && !reads[x] {
				reads[x] = true
				n++
			}
		}
		if g.dense[end] || slices.ContainsFunc(g.reader[end], func(r *ir.Node) bool { return !of[r] }) {
			n++
		}
	}
	return n
}

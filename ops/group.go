package ops

import (
	"slices"

	"github.com/anycl/anycl/engine"
)

// Bounds of a group: what one task with several outputs may take in.
const (
	maxOutputs  = 6
	maxOperands = 14
	fewRows     = 2       // fewer cannot be shared among the units of a device
	smallFold   = 1 << 15 // elements that are folded in no time however few rows they are
)

// group is tasks over one domain that become one: element-wise ones of a shape,
// reductions of that shape over its last axes, and element-wise ones of what
// these leave. What they read is read once, and what none but they read is
// never written.
type group struct {
	shape []int
	kept  int // axes that the reductions leave; all without one
	ends  []*Node
	reads map[*Node]bool // buffers
	ops   int
	// first and last are where its ends stand in the order of the fusion, or once stood.
	first, last int
}

// grouping is the tasks of a fusion on their way to groups.
type grouping struct {
	*fusion
	of     map[*Node]*group
	reads  map[*Node][]*Node // buffers that the task of an end reads
	reader map[*Node][]*Node // ends of the tasks that read a buffer
	within map[*Node]int     // ops of that task
	last   map[*Node]*group  // the last group that reads a buffer
	place  map[*Node]int     // in the order of the fusion
}

// groups joins tasks to groups and returns the group of every end. Each
// joins a group that it reads from, or that reads what it reads, as long as
// no third one stands between them.
func (f *fusion) groups() *grouping {
	g := &grouping{
		fusion: f, of: map[*Node]*group{}, reads: map[*Node][]*Node{}, reader: map[*Node][]*Node{}, within: map[*Node]int{}, last: map[*Node]*group{},
		place: map[*Node]int{},
	}
	for i, end := range f.order {
		if f.head[end] == nil || !f.root[end] {
			continue
		}
		g.reads[end], g.within[end] = f.operandsOf(end)
		g.place[end] = i
		to := g.find(end)
		if to == nil {
			to = &group{shape: g.domain(end), kept: len(end.shape), reads: map[*Node]bool{}, first: i}
		}
		to.last = i
		to.ends = append(to.ends, end)
		to.ops += g.within[end]
		if axes := g.folds(end); axes > 0 {
			to.kept = len(to.shape) - axes
		}
		g.of[end] = to
		for _, x := range g.reads[end] {
			to.reads[x] = true
			g.reader[x] = append(g.reader[x], end)
			g.last[x] = to
		}
	}
	g.cutAll()
	return g
}

// operandsOf lists the buffers that the task of end reads, and counts its ops.
func (f *fusion) operandsOf(end *Node) (reads []*Node, ops int) {
	seen := map[*Node]bool{end: true}
	for stack := []*Node{end}; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		ops++
		for _, x := range n.in {
			if seen[x] {
				continue
			}
			if seen[x] = true; f.root[x] || x.inBuffer() {
				reads = append(reads, x)
			} else {
				stack = append(stack, x)
			}
		}
	}
	return reads, ops
}

// domain is the shape over which the task of end runs.
func (g *grouping) domain(end *Node) []int {
	if h := g.head[end]; h.heavy() && h.op.lower == lowerReduce {
		return h.in[0].shape
	}
	return end.shape
}

// folds is how many of the last axes of its domain the task of end folds.
func (g *grouping) folds(end *Node) int {
	if h := g.head[end]; h.heavy() && h.op.lower == lowerReduce {
		return len(h.attr.(reduceAttr).axes)
	}
	return 0
}

// joins reports whether the task of end can be part of a group at all: an
// element-wise one, or a reduction over last axes whose result keeps its shape.
func (g *grouping) joins(end *Node) bool {
	h := g.head[end]
	if !h.heavy() {
		return end.elementwise() || end.op.lower == lowerRandom
	}
	if h.op.lower != lowerReduce || g.slides(h.in[0]) {
		return false
	}
	shape, axes := h.in[0].shape, h.attr.(reduceAttr).axes
	kept := len(shape) - len(axes)
	return slices.Equal(axes, span(kept, len(shape))) && perRow(end, shape, kept)
}

// slides reports whether x is windows that are not in a buffer: their folds have
// kernels of their own, which no row has that is a window.
func (g *grouping) slides(x *Node) bool {
	for !g.root[x] && !x.inBuffer() && len(x.in) > 0 {
		if x.op.Name == "windows" {
			return true
		}
		x = x.in[0]
	}
	return false
}

// perRow reports whether n has one element for every row of shape: in the
// shape of the rows, with or without axes of extent 1 for what was folded.
func perRow(n *Node, shape []int, kept int) bool {
	if len(n.shape) != kept && len(n.shape) != len(shape) || !slices.Equal(n.shape[:kept], shape[:kept]) {
		return false
	}
	return !slices.ContainsFunc(n.shape[kept:], func(d int) bool { return d != 1 })
}

// find is the group that end joins, or nil.
func (g *grouping) find(end *Node) *group {
	if !g.joins(end) {
		return nil
	}
	for _, x := range g.reads[end] {
		if to := g.of[x]; to != nil && g.fits(end, to) {
			return to
		}
	}
	for _, x := range g.reads[end] {
		if to := g.last[x]; to != nil && x.Size() == product(to.shape) && g.fits(end, to) {
			return to
		}
	}
	return nil
}

// fits reports whether end may join to.
func (g *grouping) fits(end *Node, to *group) bool {
	if !g.joins(to.ends[0]) || to.ends[0].where != end.where {
		return false
	}
	if !g.alongside(end, to) {
		return false
	}
	inputs := 0
	for x := range to.reads {
		if g.of[x] != to {
			inputs++
		}
	}
	for _, x := range g.reads[end] {
		if g.of[x] != to && !to.reads[x] {
			inputs++
		}
	}
	outputs := 1
	for _, n := range to.ends {
		if g.mustWrite(n) {
			outputs++
		}
	}
	return inputs <= maxInputs && outputs <= maxOutputs && inputs+outputs <= min(maxOperands, g.buffers) &&
		to.ops+g.within[end] <= maxInlined && (!g.between(end, to) || g.release(end, to))
}

// alongside reports whether end goes over the domain of to, or has an element for each of its rows.
func (g *grouping) alongside(end *Node, to *group) bool {
	folded := to.kept < len(to.shape)
	switch axes := g.folds(end); {
	case axes > 0:
		if !slices.Equal(g.domain(end), to.shape) || folded && to.kept != len(to.shape)-axes {
			return false
		}
		rows := product(to.shape[:len(to.shape)-axes])
		return rows >= fewRows || product(to.shape) <= smallFold
	case slices.Equal(end.shape, to.shape):
		return true
	default:
		return folded && perRow(end, to.shape, to.kept)
	}
}

// release takes what end reads out of groups that stand between it and to, where
// it needs nothing of its group: the mask that a loss and its derivative
// share must not keep the derivative from the row that the loss is taken of.
// It reports whether nothing stands between them then.
func (g *grouping) release(end *Node, to *group) bool {
	var free []*Node
	for _, x := range g.reads[end] {
		from := g.of[x]
		if from == nil || from == to || len(from.ends) == 1 || !g.above(from, to) {
			continue
		}
		alone := !slices.ContainsFunc(g.reads[x], func(r *Node) bool { return g.of[r] != nil })
		if !alone || g.folds(x) > 0 {
			return false
		}
		free = append(free, x)
	}
	for _, x := range free {
		from := g.of[x]
		from.ends = slices.DeleteFunc(from.ends, func(n *Node) bool { return n == x })
		from.ops -= g.within[x]
		g.of[x] = &group{shape: x.shape, kept: len(x.shape), ends: []*Node{x}, ops: g.within[x], reads: map[*Node]bool{}, first: g.place[x], last: g.place[x]}
		for _, r := range g.reads[x] {
			g.of[x].reads[r] = true
		}
	}
	return !g.between(end, to)
}

// above reports whether from is to, or reads what depends on it.
func (g *grouping) above(from, to *group) bool {
	return slices.ContainsFunc(from.ends, func(n *Node) bool {
		return slices.ContainsFunc(g.reads[n], func(x *Node) bool { return g.of[x] == to }) || g.between(n, to)
	})
}

// mustWrite reports whether n is read by what no group can take in.
func (g *grouping) mustWrite(n *Node) bool {
	if g.dense[n] {
		return true
	}
	for _, u := range g.users[n] {
		if u.heavy() && u.op.lower != lowerReduce {
			return true
		}
	}
	return false
}

// between reports whether end reads what depends on the group, but is not in it.
func (g *grouping) between(end *Node, to *group) bool {
	seen := map[*group]bool{}
	var stack []*group
	push := func(n *Node) {
		for _, x := range g.reads[n] {
			// What stands before all of the group does not depend on it.
			if from := g.of[x]; from != nil && from.last >= to.first && !seen[from] {
				seen[from] = true
				stack = append(stack, from)
			}
		}
	}
	seen[to] = true // that end reads it directly does not count
	push(end)
	delete(seen, to)
	for len(stack) > 0 {
		from := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if from == to {
			return true
		}
		for _, n := range from.ends {
			push(n)
		}
	}
	return false
}

// outputs are the ends of to that others read, or that must be buffers.
func (g *grouping) outputs(to *group) (outs []*Node) {
	for _, n := range to.ends {
		if g.dense[n] || slices.ContainsFunc(g.reader[n], func(end *Node) bool { return g.of[end] != to }) {
			outs = append(outs, n)
		}
	}
	return outs
}

// leave takes out of to the end n and those that read it, directly or not.
func (g *grouping) leave(to *group, n *Node) (left []*Node) {
	gone := map[*Node]bool{n: true}
	for _, end := range to.ends {
		if !gone[end] && !slices.ContainsFunc(g.reads[end], func(x *Node) bool { return gone[x] }) {
			continue
		}
		gone[end] = true
		left = append(left, end)
		g.of[end] = &group{shape: g.domain(end), kept: len(end.shape), ends: []*Node{end}}
	}
	to.ends = slices.DeleteFunc(to.ends, func(end *Node) bool { return gone[end] })
	return left
}

// member is how a task with several ends sees one of them: at its own
// coordinates only.
type member struct {
	at  []*engine.Index
	acc *engine.Expr // the result of a reduction
}

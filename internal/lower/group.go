package lower

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
)

// Bounds of a group: limits of one task with several outputs.
const (
	maxOutputs  = 6
	maxOperands = 14
	fewRows     = 2       // fewer cannot be shared among the units of a device
	smallFold   = 1 << 15 // elements that are folded in no time however few rows they are
	smallStep   = 1 << 16 // elements that an iteration computes in less time than it takes to begin a task
)

// fusionGroup is a set of tasks over one domain that become one task: element-wise ones of a shape,
// reductions of that shape over its last axes, and element-wise ones of the reduced shape. Their
// operands are read once, and values that only they read are never written.
type fusionGroup struct {
	shape []int
	kept  int // axes that the reductions leave; all without one
	ends  []*ir.Node
	reads map[*ir.Node]bool // buffers
	ops   int
	// first and last are where its ends stand in the order of the fusion, or once stood.
	first, last int
}

// grouping is the tasks of a fusion on their way to groups.
type grouping struct {
	*fusion
	of     map[*ir.Node]*fusionGroup
	reads  map[*ir.Node][]*ir.Node   // buffers that the task of an end reads
	reader map[*ir.Node][]*ir.Node   // ends of the tasks that read a buffer
	within map[*ir.Node]int          // ops of that task
	last   map[*ir.Node]*fusionGroup // the last group that reads a buffer
	cover  []int                     // of a place: the one before it if a group has ends before and behind the border of the two, else the place itself
	loop   bool                      // the graph is an iteration of a loop
	all    []*fusionGroup            // that were begun
}

// groups joins tasks to groups and returns the group of every end. Each joins a group that it reads
// from, or that has an operand in common with it, and in a loop any other, as long as no third one
// stands between them.
func (f *fusion) groups(loop bool) *grouping {
	g := &grouping{
		fusion: f, loop: loop, of: map[*ir.Node]*fusionGroup{}, reads: map[*ir.Node][]*ir.Node{}, reader: map[*ir.Node][]*ir.Node{}, within: map[*ir.Node]int{}, last: map[*ir.Node]*fusionGroup{},
		cover: ir.Range(0, len(f.order)),
	}
	for i, end := range f.order {
		if f.head[end] == nil || !f.root[end] {
			continue
		}
		g.reads[end], g.within[end] = f.operandsOf(end)
		to := g.find(end)
		if to == nil {
			to = &fusionGroup{shape: g.domain(end), kept: len(end.Shape), reads: map[*ir.Node]bool{}, first: i}
			g.all = append(g.all, to)
		}
		for at := g.covered(i); at > to.first; at = g.covered(i) {
			g.cover[at] = at - 1
		}
		to.last = i
		g.enter(end, to)
		for _, x := range g.reads[end] {
			g.reader[x] = append(g.reader[x], end)
			g.last[x] = to
		}
	}
	g.cutAll()
	return g
}

// covered is the first place from which on groups cover all borders up to a place: nodes before it depend on none behind it, since no group
// has ends on both sides.
func (g *grouping) covered(place int) int {
	first := place
	for g.cover[first] != first {
		first = g.cover[first]
	}
	for g.cover[place] != place {
		g.cover[place], place = first, g.cover[place]
	}
	return first
}

// enter adds end to the group to.
func (g *grouping) enter(end *ir.Node, to *fusionGroup) {
	to.ends = append(to.ends, end)
	to.ops += g.within[end]
	if axes := g.folds(end); axes > 0 {
		to.kept = len(to.shape) - axes
	}
	g.of[end] = to
	for _, x := range g.reads[end] {
		to.reads[x] = true
	}
}

// operandsOf lists the buffers that the task of end reads, and counts its ops. Those after which it must come count as read.
func (f *fusion) operandsOf(end *ir.Node) (reads []*ir.Node, ops int) {
	seen := map[*ir.Node]bool{end: true}
	var stack, before []*ir.Node
	push := func(all []*ir.Node) {
		for _, x := range all {
			if seen[x] {
				continue
			}
			if seen[x] = true; f.root[x] || x.InBuffer() {
				reads = append(reads, x)
			} else {
				stack = append(stack, x)
			}
		}
	}
	visit := func(count int) {
		for len(stack) > 0 {
			n := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			ops += count
			push(n.Reads())
			before = append(before, f.before(n)...)
		}
	}
	stack = append(stack, end)
	visit(1)
	for len(before) > 0 {
		push(before)
		before = nil
		visit(0)
	}
	return reads, ops
}

// domain is the shape over which the task of end runs.
func (g *grouping) domain(end *ir.Node) []int {
	if h := g.head[end]; heavy(h) && h.Op.Kind == ir.KindReduce {
		return h.In[0].Shape
	}
	return end.Shape
}

// folds is how many of the last axes of its domain the task of end folds.
func (g *grouping) folds(end *ir.Node) int {
	if h := g.head[end]; heavy(h) && h.Op.Kind == ir.KindReduce {
		return len(h.Attr.(ir.ReduceAttr).Axes)
	}
	return 0
}

// joins reports whether the task of end can be part of a group at all: an
// element-wise one, or a reduction over last axes whose result keeps its shape.
func (g *grouping) joins(end *ir.Node) bool {
	h := g.head[end]
	if !heavy(h) {
		return end.Elementwise() || end.Op.Kind == ir.KindRandom
	}
	if h.Op.Kind != ir.KindReduce || g.slides(h.In[0]) {
		return false
	}
	shape, axes := h.In[0].Shape, h.Attr.(ir.ReduceAttr).Axes
	kept := len(shape) - len(axes)
	return slices.Equal(axes, ir.Range(kept, len(shape))) && perRow(end, shape, kept)
}

// slides reports whether x is windows that are not in a buffer: their folds have
// kernels of their own, which no row has that is a window.
func (g *grouping) slides(x *ir.Node) bool {
	for !g.root[x] && !x.InBuffer() && len(x.In) > 0 {
		if x.Is(ir.TraitWindows) {
			return true
		}
		x = x.In[0]
	}
	return false
}

// perRow reports whether n has one element for every row of shape: in the shape of the rows, with
// or without axes of extent 1 for the folded ones.
func perRow(n *ir.Node, shape []int, kept int) bool {
	if len(n.Shape) != kept && len(n.Shape) != len(shape) || !slices.Equal(n.Shape[:kept], shape[:kept]) {
		return false
	}
	return !slices.ContainsFunc(n.Shape[kept:], func(d int) bool { return d != 1 })
}

// find is the group that end joins, or nil.
func (g *grouping) find(end *ir.Node) *fusionGroup {
	if !g.joins(end) {
		return nil
	}
	for _, x := range g.reads[end] {
		if to := g.of[x]; to != nil && g.fits(end, to) {
			return to
		}
	}
	for _, x := range g.reads[end] {
		if to := g.last[x]; to != nil && x.Size() == ir.Product(to.shape) && g.fits(end, to) {
			return to
		}
	}
	if !g.loop || g.folds(end) > 0 || end.Size() > smallStep {
		return nil
	}
	for _, to := range slices.Backward(g.all) { // a task less, whatever they read
		if to.kept == len(to.shape) && len(to.ends) > 0 && slices.Equal(end.Shape, to.shape) && g.fits(end, to) {
			return to
		}
	}
	return nil
}

// fits reports whether end may join to.
func (g *grouping) fits(end *ir.Node, to *fusionGroup) bool {
	if !g.joins(to.ends[0]) || to.ends[0].Where != end.Where {
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
	return inputs <= MaxInputs && outputs <= maxOutputs && inputs+outputs <= min(maxOperands, g.buffers) &&
		to.ops+g.within[end] <= maxInlined && (!g.between(end, to) || g.release(end, to))
}

// alongside reports whether end goes over the domain of to, or has an element for each of its rows.
func (g *grouping) alongside(end *ir.Node, to *fusionGroup) bool {
	folded := to.kept < len(to.shape)
	switch axes := g.folds(end); {
	case axes > 0:
		if !slices.Equal(g.domain(end), to.shape) || folded && to.kept != len(to.shape)-axes {
			return false
		}
		return !isLong(to.shape, axes) || !folded
	case slices.Equal(end.Shape, to.shape):
		return !folded || !isLong(to.shape, len(to.shape)-to.kept) || !g.foldsBeside(to) || !g.waits(end, to)
	default:
		return folded && perRow(end, to.shape, to.kept)
	}
}

// isLong reports whether rows of shape, with axes of it folded, are so few and long that each takes all units of a device. A fold
// is one pass over such a row, and what waits for it another: it shares a task with what does not.
func isLong(shape []int, axes int) bool {
	return ir.Product(shape[:len(shape)-axes]) < fewRows && ir.Product(shape) > smallFold
}

// foldsBeside reports whether to has an end over its domain that waits for none of its folds.
func (g *grouping) foldsBeside(to *fusionGroup) bool {
	return slices.ContainsFunc(to.ends, func(n *ir.Node) bool {
		return g.folds(n) == 0 && slices.Equal(n.Shape, to.shape) && !g.waits(n, to)
	})
}

// waits reports whether end reads a fold of to, or what its ends make of one.
func (g *grouping) waits(end *ir.Node, to *fusionGroup) bool {
	seen := map[*ir.Node]bool{}
	var walk func(n *ir.Node) bool
	walk = func(n *ir.Node) bool {
		return slices.ContainsFunc(g.reads[n], func(x *ir.Node) bool {
			if g.of[x] != to || seen[x] {
				return false
			}
			seen[x] = true
			return g.folds(x) > 0 || walk(x)
		})
	}
	return walk(end)
}

// release takes the operands of end out of groups that stand between it and to, where it needs
// nothing of its group: the mask that a loss and its derivative share must not keep the derivative
// from the row that the loss is taken of. It reports whether nothing stands between them then.
func (g *grouping) release(end *ir.Node, to *fusionGroup) bool {
	var free []*ir.Node
	for _, x := range g.reads[end] {
		from := g.of[x]
		if from == nil || from == to || len(from.ends) == 1 || !g.above(from, to) {
			continue
		}
		alone := !slices.ContainsFunc(g.reads[x], func(r *ir.Node) bool { return g.of[r] != nil })
		if !alone || g.folds(x) > 0 {
			return false
		}
		free = append(free, x)
	}
	for _, x := range free {
		from := g.of[x]
		from.ends = slices.DeleteFunc(from.ends, func(n *ir.Node) bool { return n == x })
		from.ops -= g.within[x]
		g.of[x] = &fusionGroup{shape: x.Shape, kept: len(x.Shape), ends: []*ir.Node{x}, ops: g.within[x], reads: map[*ir.Node]bool{}, first: g.place[x], last: g.place[x]}
		for _, r := range g.reads[x] {
			g.of[x].reads[r] = true
		}
	}
	return !g.between(end, to)
}

// above reports whether from is to, or reads a value that depends on it.
func (g *grouping) above(from, to *fusionGroup) bool {
	return slices.ContainsFunc(from.ends, func(n *ir.Node) bool {
		return slices.ContainsFunc(g.reads[n], func(x *ir.Node) bool { return g.of[x] == to }) || g.between(n, to)
	})
}

// mustWrite reports whether n is read by a node that no group can take in.
func (g *grouping) mustWrite(n *ir.Node) bool {
	if g.dense[n] {
		return true
	}
	for _, u := range g.users[n] {
		if heavy(u) && u.Op.Kind != ir.KindReduce {
			return true
		}
	}
	return false
}

// between reports whether end reads a value that depends on the group, but is not in it.
func (g *grouping) between(end *ir.Node, to *fusionGroup) bool {
	seen := map[*fusionGroup]bool{}
	var stack []*fusionGroup
	first := g.covered(to.first)
	push := func(n *ir.Node) {
		for _, x := range g.reads[n] {
			if from := g.of[x]; from != nil && from.last >= first && !seen[from] {
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
func (g *grouping) outputs(to *fusionGroup) (outs []*ir.Node) {
	for _, n := range to.ends {
		if g.dense[n] || slices.ContainsFunc(g.reader[n], func(end *ir.Node) bool { return g.of[end] != to }) {
			outs = append(outs, n)
		}
	}
	return outs
}

// leave takes out of to the end n and those that read it, directly or not.
func (g *grouping) leave(to *fusionGroup, n *ir.Node) (left []*ir.Node) {
	gone := map[*ir.Node]bool{n: true}
	for _, end := range to.ends {
		if !gone[end] && !slices.ContainsFunc(g.reads[end], func(x *ir.Node) bool { return gone[x] }) {
			continue
		}
		gone[end] = true
		left = append(left, end)
		g.of[end] = &fusionGroup{shape: g.domain(end), kept: len(end.Shape), ends: []*ir.Node{end}}
	}
	to.ends = slices.DeleteFunc(to.ends, func(end *ir.Node) bool { return gone[end] })
	return left
}

// groupOutput is how a task with several ends sees one of them: at its own
// coordinates only.
type groupOutput struct {
	at  []*engine.Index
	acc *engine.Expr // the result of a reduction
}

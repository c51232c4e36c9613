package lower

import (
	"cmp"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
)

// Bounds of fusion: limits of one kernel.
const (
	MaxInputs   = 12 // distinct buffers
	maxInlined  = 96 // ops
	maxIndex    = 32 // parts of an address
	cheapFlops  = 2  // an expression this cheap, over one buffer, is computed anew by each reader
	fewTerms    = 4  // of a sum that is written out
	manyRows    = 4096
	inCache     = 8 // a buffer this many times smaller than the values computed of it is read from a cache
	contractUse = 2 // a contraction or attention reads its operands more than once

	rowsFlops      = 6       // in operations, to find an element by an index of whole lines; see engine.GatherFlops for others
	maxAside       = 16      // nodes between a result that several read and the one that all of these lead to
	fewFlops       = 1 << 14 // are done before another task has begun
	fewViews       = 16      // that are looked through for divisions
	scalarSlowdown = 3       // times as long as elements of vectors take those that are computed one at a time
	acrossFlops    = 6       // in operations, to read an element that is no neighbour in memory
	severalReads   = 3       // of elements that neighbour along one axis in memory and are read along another
	shortPiece     = 32      // elements; vectors have 16
	mostBorder     = 1.25    // times as large as an operand is what has a border around it
	leastInterior  = 1 << 17 // reads in a map that has a loop of its own for what is no border
)

// fusion decides for every node of a simplified graph whether it becomes a
// buffer, is computed inside its readers, or ends the epilogue of a reduction
// or contraction.
type fusion struct {
	order []*ir.Node       // operands before readers
	place map[*ir.Node]int // in order
	users map[*ir.Node][]*ir.Node
	// dense nodes must exist as buffers in row-major order: outputs, updates,
	// operands of kernels.
	dense map[*ir.Node]bool
	// root nodes become buffers.
	root map[*ir.Node]bool
	// head of the task that ends in a node: the reduction or contraction
	// whose epilogue it is. A head that nothing was fused to maps to itself.
	head map[*ir.Node]*ir.Node
	// chain of a head: the nodes of its epilogue, the end last.
	chain map[*ir.Node][]*ir.Node
	// buffers is how many inputs and outputs a task may have, of every engine that may get it.
	buffers int
	// constant nodes are computed from constants alone.
	constant map[*ir.Node]bool
	// needed are all nodes that are read, where some must come after others; else nil.
	needed map[*ir.Node]bool
}

// fuse divides the nodes that targets need into tasks with at most the given number of buffers.
func fuse(targets []*ir.Node, buffers int) *fusion {
	f := &fusion{
		buffers: buffers,
		users:   map[*ir.Node][]*ir.Node{}, dense: map[*ir.Node]bool{}, root: map[*ir.Node]bool{},
		head: map[*ir.Node]*ir.Node{}, chain: map[*ir.Node][]*ir.Node{}, place: map[*ir.Node]int{}, constant: map[*ir.Node]bool{},
	}
	f.arrange(targets)
	for i, n := range f.order {
		f.place[n] = i
		reads := n.Reads()
		f.constant[n] = n.Op.Kind == ir.KindConst || len(reads) > 0 && !slices.ContainsFunc(reads, func(x *ir.Node) bool { return !f.constant[x] })
	}
	for _, t := range targets {
		if t.Op.Kind != ir.KindAssign {
			f.dense[t] = true
		}
	}
	for _, n := range f.order {
		for _, x := range n.Reads() {
			if k := len(f.users[x]); k == 0 || f.users[x][k-1] != n { // once for both operands
				f.users[x] = append(f.users[x], n)
			}
		}
		switch n.Op.Kind {
		case ir.KindCustom, ir.KindRoutine:
			for _, x := range n.In {
				f.dense[beforeReshapes(x)] = true
			}
		case ir.KindControl:
			for _, x := range n.In {
				f.dense[x] = true
			}
		case ir.KindAssign:
			f.dense[n.In[1]] = true
		}
	}
	f.chooseRoots()
	f.boundInputs()
	f.growEpilogues()
	return f
}

// beforeReshapes is the node whose elements in row-major order are those of n, so that a task that reads n whole may
// read the memory of that node.
func beforeReshapes(n *ir.Node) *ir.Node {
	for n.Is(ir.TraitReshape) {
		n = n.In[0]
	}
	return n
}

// arrange orders the nodes that targets need. A node that another one must only come after is not thereby needed.
func (f *fusion) arrange(targets []*ir.Node) {
	walk := func(deps func(*ir.Node) []*ir.Node) (seen map[*ir.Node]bool) {
		seen = map[*ir.Node]bool{}
		for _, t := range targets {
			ir.Walk(t, seen, deps, func(n *ir.Node) { f.order = append(f.order, n) })
		}
		return seen
	}
	needed := walk((*ir.Node).Reads)
	if !slices.ContainsFunc(f.order, func(n *ir.Node) bool { return n.Is(ir.TraitAfter) }) {
		return
	}
	f.needed, f.order = needed, f.order[:0]
	walk(func(n *ir.Node) []*ir.Node { return slices.Concat(n.Reads(), f.before(n)) })
}

// before are the nodes that n does not read and comes after.
func (f *fusion) before(n *ir.Node) (all []*ir.Node) {
	if !n.Is(ir.TraitAfter) {
		return nil
	}
	for _, x := range n.In[1:] {
		if f.needed[x] {
			all = append(all, x)
		}
	}
	return all
}

// heavy ops are tasks of their own.
func heavy(n *ir.Node) bool {
	switch n.Op.Kind {
	case ir.KindReduce:
		return len(n.Attr.(ir.ReduceAttr).Axes) > 0 && terms(n) == 0
	case ir.KindContract, ir.KindScatter, ir.KindCustom, ir.KindAttention, ir.KindRoutine, ir.KindPick, ir.KindControl:
		return true
	}
	return false
}

// terms is how many terms a sum has that is written out: of few computed elements
// each, where there are many. Rows so short fill no vectors. 0 for all other nodes.
func terms(n *ir.Node) int {
	if n.Op.Kind != ir.KindReduce || n.Op.Fold != engine.Sum || engine.AccType(n.DType) != n.DType {
		return 0
	}
	if x := n.In[0]; x.Elementwise() && n.Size() >= manyRows && x.Size() <= fewTerms*n.Size() {
		return x.Size() / n.Size()
	}
	return 0
}

// hasEpilogue reports whether the nodes that follow n can be computed where n is stored.
func hasEpilogue(n *ir.Node) bool {
	return heavy(n) && (n.Op.Kind == ir.KindReduce || n.Op.Kind == ir.KindContract)
}

// chooseRoots goes from readers to operands and counts how often each element of an inlined node
// would be computed. It makes a buffer of a node that is computed more than once and is not cheap, and of one that is computed where
// it takes longer, if it is faster to compute vectors of it, store them and read these.
func (f *fusion) chooseRoots() {
	cost, loads := f.inlineCosts()
	evals := map[*ir.Node]float64{}
	extra := map[*ir.Node]float64{} // what evals take longer than vectors would, as a number of these
	inner := map[*ir.Node]bool{}    // is computed in a task that does not compute the parts of a concatenation apart
	for _, n := range slices.Backward(f.order) {
		if heavy(n) || f.dense[n] || n.Is(ir.TraitMaterialize|ir.TraitMatchLayout) {
			f.root[n] = !n.InBuffer()
		}
		var e, packed, longer float64
		for _, u := range f.users[n] {
			reads := f.readsBy(u, n, evals[u])
			inner[n] = inner[n] || inner[u] || heavy(u) || turns(u)
			longer += f.longerBy(u, n, reads, extra[u], inner[u])
			if e += reads; u.Op.Kind == ir.KindContract || u.Op.Kind == ir.KindAttention {
				packed += reads
			}
		}
		evals[n], extra[n] = e, longer
		if f.root[n] || n.InBuffer() {
			evals[n], extra[n], inner[n] = 1, 0, false
			continue
		}
		computes := n.Elementwise() && !widens(n) || n.Op.Kind == ir.KindRandom || terms(n) > 0
		again := e > 1.001 && (cost[n] > cheapFlops || loads[n] > 1)
		slowly := cost[n]*(e-1+longer) > engine.StoredFlops
		dear := computes && (again || slowly && cost[n]*float64(n.Size()) > fewFlops)
		if dear || f.apart(n) || f.costlyToFind(n, e, packed, longer, cost[n], inner) {
			f.root[n], evals[n], extra[n] = true, 1, 0 // inner as it is: a reader's task may take n in
		}
	}
}

// longerBy is how much longer than by vectors it takes u to compute its operand n as often as it reads it, as a number of reads. Where an
// index that is data says which elements are read or written, they are computed one at a time. Where only some elements of u are of n, as
// of one part of a concatenation, maps leave out the others; vectors of other kernels compute n for all. The rest is what u passes on.
func (f *fusion) longerBy(u, n *ir.Node, reads, extra float64, inner bool) float64 {
	switch {
	case oneByOne(u, n):
		return reads * (scalarSlowdown - 1)
	case inner && u.Is(ir.TraitReadsInside):
		return extra + reads*(float64(u.Size())/float64(max(n.Size(), 1))-1)
	case f.root[u] && !u.Elementwise() && u.Op.View == nil:
		return 0
	}
	return f.readsBy(u, n, extra)
}

// turns reports whether lines of memory of n's operand are none of n.
func turns(n *ir.Node) bool {
	var order []int
	switch a := n.Attr.(type) {
	case ir.TransposeAttr:
		order = a.Perm
	case ir.MaterializeAttr:
		order = a.Order
	}
	last := len(order) - 1
	return last >= 0 && order[last] != last
}

// putsLines reports whether n is a scatter of whole lines of memory.
func putsLines(n *ir.Node) bool {
	a := n.Attr.(ir.ScatterAttr)
	return !a.Along && a.Axis < n.Rank()-1
}

// widens reports whether n casts to a wider dtype. Its operand is stored instead, where that is computed more than once: it takes less
// memory, and kernels for products of bytes see bytes.
func widens(n *ir.Node) bool {
	return n.Op.Scalar != nil && n.Op.Scalar.Function == engine.FnCast && n.In[0].DType.Size() < n.DType.Size()
}

// readsBy is how many times u reads each element of its operand n, if every
// element of u is computed evals times.
func (f *fusion) readsBy(u, n *ir.Node, evals float64) float64 {
	size := float64(max(n.Size(), 1))
	switch {
	case u.Op.Kind == ir.KindContract, u.Op.Kind == ir.KindAttention:
		return contractUse
	case terms(u) > 0:
		return evals
	case f.root[u] && !u.Elementwise() && u.Op.View == nil && !(u.Op.Kind == ir.KindGather && n == u.In[0]):
		return 1
	}
	switch {
	case u.Is(ir.TraitMatchLayout) && n != u.In[0]: // of the guide only where it lies is wanted
		return 0
	case u.Is(ir.TraitReadsInside):
		return evals
	}
	return evals * float64(u.Size()) / size
}

// inlineCosts gives for every node the operations and buffers that computing
// one element takes when everything up to the next buffer is inlined.
func (f *fusion) inlineCosts() (cost, loads map[*ir.Node]float64) {
	cost, loads = map[*ir.Node]float64{}, map[*ir.Node]float64{}
	for _, n := range f.order {
		if n.InBuffer() || heavy(n) {
			loads[n] = 1
			continue
		}
		if n.Op.Scalar != nil {
			cost[n] = n.Op.Scalar.Flops
		} else if n.Op.Kind == ir.KindGather {
			cost[n] = findFlops(n)
		}
		for i, x := range n.Reads() {
			if i == 0 || !findsLines(n) { // whose index is computed once for all of it
				cost[n] += cost[x]
			}
			if x.Size() > n.Size()/inCache {
				loads[n] += loads[x]
			}
		}
		if k := float64(terms(n)); k > 0 {
			cost[n], loads[n] = k*(cost[n]+1), k*loads[n]
		}
		cost[n], loads[n] = min(cost[n], 1e6), min(loads[n], 1e6)
	}
	return cost, loads
}

// boundInputs splits expressions that would read too many buffers, hold too
// many ops, or compute too long addresses: the operand with the most becomes a
// buffer.
func (f *fusion) boundInputs() {
	type extent struct {
		buffers map[*ir.Node]bool
		ops     int
		index   int // copies of a coordinate in the longest address
	}
	reach := map[*ir.Node]extent{}
	outside := func(x *ir.Node) extent {
		if f.root[x] || x.InBuffer() {
			return extent{buffers: map[*ir.Node]bool{x: true}, index: 1}
		}
		return reach[x]
	}
	for _, n := range f.order {
		for {
			e := extent{buffers: map[*ir.Node]bool{}, ops: 1, index: 1}
			var largest *ir.Node
			most := 1
			for _, x := range n.Reads() {
				ex := outside(x)
				for b := range ex.buffers {
					e.buffers[b] = true
				}
				e.ops += ex.ops * max(terms(n), 1)
				e.index = max(e.index, ex.index*copies(n))
				if k := len(ex.buffers) + ex.ops + ex.index; k > most && !f.root[x] && !x.InBuffer() {
					largest, most = x, k
				}
			}
			reach[n] = e
			if len(e.buffers) <= min(MaxInputs, f.buffers-results(n)) && e.ops <= maxInlined && e.index <= maxIndex || largest == nil {
				break
			}
			f.root[largest] = true
		}
	}
}

// copies is how often a coordinate of n appears in those of its operand: a
// reshape that takes an axis apart repeats it for every part, and a gather has
// it in the address and in the condition that this is inside. Without a bound
// they would multiply along a chain.
func copies(n *ir.Node) int {
	switch {
	case n.Op.Kind == ir.KindGather:
		return 2
	case !n.Is(ir.TraitReshape) || n.Size() == 0:
		return 1
	}
	most := 1
	ir.EachRun(n.Shape, n.In[0].Shape, func(_, _, from, to int) {
		parts := 0
		for _, d := range n.In[0].Shape[from:to] {
			if d != 1 {
				parts++
			}
		}
		most = max(most, parts)
	})
	return most
}

// growEpilogues moves the end of a reduction's or contraction's task forward over the element-wise ops
// that follow it, as long as all readers of each are among them or one view, with the same elements, and no other
// task's head behind it.
func (f *fusion) growEpilogues() {
	claimed := map[*ir.Node]bool{}
	for _, h := range f.order {
		if !f.root[h] || f.head[h] != nil {
			continue
		}
		if !hasEpilogue(h) {
			f.head[h] = h
			continue
		}
		end, chain := h, []*ir.Node(nil)
		reads, _ := f.operandsOf(h)
		inputs, ops := 0, 0
		var passed []*ir.Node
		for cur := h; !f.dense[cur] && len(f.users[cur]) > 0; {
			ahead := f.until(cur, claimed)
			if ahead == nil {
				break
			}
			next := ahead[len(ahead)-1]
			// What is computed from constants alone stays apart from what is not, so that a small sum may be kept from run to run: summarizes.
			if f.constant[h] && !f.constant[next] {
				break
			}
			if claimed[next] || next.Size() != cur.Size() || next.Op.View == nil && next.Where != h.Where {
				break
			}
			passed = append(passed, ahead...)
			if next.Elementwise() && f.sameShape(next, cur) {
				var more, others int
				reads, more, others = f.beside(reads, ahead, cur)
				ops += len(ahead) + more
				if inputs += others; inputs > MaxInputs || len(reads) >= f.buffers || ops > maxInlined {
					break
				}
				end, chain = next, slices.Clone(passed)
			} else if !next.Is(ir.TraitReshape | ir.TraitTranspose) {
				break
			}
			if f.root[next] && next.Op.View != nil {
				if f.dense[next] { // it would be a copy of its own
					end, chain = next, slices.Clone(passed)
				}
				break
			}
			cur = next
		}
		for _, n := range chain {
			claimed[n] = true
			delete(f.root, n)
		}
		delete(f.root, h)
		f.root[end] = true
		f.head[end], f.chain[h] = h, chain
	}
	for n := range f.root {
		if f.root[n] && f.head[n] == nil {
			f.head[n] = n
		}
	}
}

// until is what follows cur up to the first node that all of it leads to: the only reader of cur, or element-wise ops that read cur
// and one another, as those of x·clip(x+3, 0, 6)/6 do, in the order of the fusion. It is nil where somebody else reads one of these.
func (f *fusion) until(cur *ir.Node, claimed map[*ir.Node]bool) (nodes []*ir.Node) {
	if len(f.users[cur]) == 1 {
		return f.users[cur]
	}
	open := slices.Clone(f.users[cur]) // readers that are not among nodes yet
	for len(nodes) < maxAside {
		// A node that reads another one comes after it.
		n := slices.MinFunc(open, func(a, b *ir.Node) int { return cmp.Compare(f.place[a], f.place[b]) })
		open = slices.DeleteFunc(open, func(x *ir.Node) bool { return x == n })
		nodes = append(nodes, n)
		switch aside := len(open) > 0; {
		case !n.Elementwise() || !f.sameShape(n, cur) || n.Where != cur.Where || claimed[n] || aside && f.dense[n]:
			return nil
		case !aside:
			return nodes
		}
		open = append(open, f.users[n]...)
	}
	return nil
}

// beside adds to reads the buffers that nodes read by operands other than cur and one another, and counts these operands and the ops
// that are computed for them.
func (f *fusion) beside(reads, nodes []*ir.Node, cur *ir.Node) (all []*ir.Node, ops, operands int) {
	seen := map[*ir.Node]bool{}
	for _, n := range nodes {
		operands += len(n.In) - 1
		for _, x := range n.In {
			if x == cur || seen[x] || slices.Contains(nodes, x) {
				continue
			}
			seen[x] = true
			from := []*ir.Node{x}
			if !f.root[x] && !x.InBuffer() {
				var k int
				from, k = f.operandsOf(x)
				ops += k
			}
			for _, b := range from {
				if !slices.Contains(reads, b) {
					reads = append(reads, b)
				}
			}
		}
	}
	return reads, ops, operands
}

// results is how many buffers the task of n makes, where its operands may be computed in it.
func results(n *ir.Node) int {
	if n.Op.Kind == ir.KindAttention {
		return len(n.Outs)
	}
	return 1
}

// sameShape reports whether u reads its operand n element by element.
func (f *fusion) sameShape(u, n *ir.Node) bool { return slices.Equal(u.Shape, n.Shape) }

// apart reports whether somebody reads n's elements elsewhere than n is made.
func (f *fusion) apart(n *ir.Node) bool {
	if n.InBuffer() || n.Op.View != nil || n.Op.Kind == ir.KindConst || n.Op.Kind == ir.KindAssign {
		return false
	}
	for stack := slices.Clone(f.users[n]); len(stack) > 0; {
		u := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case u.Op.View != nil:
			stack = append(stack, f.users[u]...)
		case u.Op.Kind != ir.KindAssign && u.Where != n.Where:
			return true
		}
	}
	return false
}

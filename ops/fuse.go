package ops

import (
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// Bounds of fusion: what one kernel may take in.
const (
	maxInputs   = 12 // distinct buffers
	maxInlined  = 96 // ops
	maxIndex    = 32 // parts of an address
	cheapFlops  = 2  // an expression this cheap, over one buffer, is computed anew by each reader
	fewTerms    = 4  // of a sum that is written out
	manyRows    = 4096
	inCache     = 8 // a buffer so many times smaller than what is computed of it is read from a cache
	contractUse = 2 // a contraction or attention reads its operands more than once

	rowsFlops = 6       // in operations, to find an element by an index of whole lines; see engine.GatherFlops for others
	fewFlops  = 1 << 14 // are done before another task has begun
	fewViews  = 16      // that are looked through for divisions
)

// fusion decides for every node of a simplified graph whether it becomes a
// buffer, is computed inside its readers, or ends the epilogue of a reduction
// or contraction.
type fusion struct {
	order []*Node // operands before readers
	users map[*Node][]*Node
	// dense nodes must exist as buffers in row-major order: outputs, updates,
	// operands of kernels.
	dense map[*Node]bool
	// root nodes become buffers.
	root map[*Node]bool
	// head of the task that ends in a node: the reduction or contraction
	// whose epilogue it is. A head that nothing was fused to maps to itself.
	head map[*Node]*Node
	// chain of a head: what its epilogue goes through, the end last.
	chain map[*Node][]*Node
	// buffers is how many inputs and outputs a task may have, of every engine that may get it.
	buffers int
}

// fuse divides what targets need into tasks of at most so many buffers.
func fuse(targets []*Node, buffers int) *fusion {
	f := &fusion{
		buffers: buffers,
		users:   map[*Node][]*Node{}, dense: map[*Node]bool{}, root: map[*Node]bool{},
		head: map[*Node]*Node{}, chain: map[*Node][]*Node{},
	}
	seen := map[*Node]bool{}
	for _, t := range targets {
		if t.op.lower != lowerAssign {
			f.dense[t] = true
		}
		walkDown(t, seen, func(n *Node) []*Node { return n.in }, func(n *Node) { f.order = append(f.order, n) })
	}
	for _, n := range f.order {
		for _, x := range n.in {
			if k := len(f.users[x]); k == 0 || f.users[x][k-1] != n { // once for both operands
				f.users[x] = append(f.users[x], n)
			}
		}
		switch n.op.lower {
		case lowerKernel, lowerRoutine, lowerControl:
			for _, x := range n.in {
				f.dense[x] = true
			}
		case lowerAssign:
			f.dense[n.in[1]] = true
		}
	}
	f.chooseRoots()
	f.boundInputs()
	f.growEpilogues()
	return f
}

// inBuffer reports whether n is a buffer before any task has run.
func (n *Node) inBuffer() bool {
	switch n.op.lower {
	case lowerInput, lowerVariable, lowerParam:
		return true
	case lowerConst:
		return n.attr.(*tensor.Tensor).Len() != 1
	}
	return false
}

// heavy ops are tasks of their own.
func (n *Node) heavy() bool {
	switch n.op.lower {
	case lowerReduce:
		return len(n.attr.(reduceAttr).axes) > 0 && n.terms() == 0
	case lowerContract, lowerScatter, lowerKernel, lowerAttention, lowerRoutine, lowerPick, lowerControl:
		return true
	}
	return false
}

// terms is how many terms a sum has that is written out: of few computed elements
// each, where there are many. Rows so short fill no vectors. 0 for all other nodes.
func (n *Node) terms() int {
	if n.op.lower != lowerReduce || n.op.fold != engine.Sum || engine.AccType(n.dtype) != n.dtype {
		return 0
	}
	if x := n.in[0]; x.elementwise() && n.Size() >= manyRows && x.Size() <= fewTerms*n.Size() {
		return x.Size() / n.Size()
	}
	return 0
}

// hasEpilogue reports whether what follows n can be computed where n is stored.
func (n *Node) hasEpilogue() bool {
	return n.heavy() && (n.op.lower == lowerReduce || n.op.lower == lowerContract)
}

// elementwise ops compute one element from the elements beside it.
func (n *Node) elementwise() bool { return n.op.Scalar != nil && n.op.lower == lowerNone }

// chooseRoots goes from readers to operands and counts how often each element
// of an inlined node would be computed. It makes a buffer of what is computed
// more than once and is not cheap.
func (f *fusion) chooseRoots() {
	cost, loads := f.inlineCosts()
	evals := map[*Node]float64{}
	for _, n := range slices.Backward(f.order) {
		if n.heavy() || f.dense[n] || n.op.Name == "keep" || n.op.Name == "alike" {
			f.root[n] = !n.inBuffer()
		}
		var e, packed float64
		for _, u := range f.users[n] {
			reads := f.readsBy(u, n, evals[u])
			if e += reads; u.op.lower == lowerContract || u.op.lower == lowerAttention {
				packed += reads
			}
		}
		evals[n] = e
		if f.root[n] || n.inBuffer() {
			evals[n] = 1
			continue
		}
		computes := n.elementwise() || n.op.lower == lowerRandom || n.terms() > 0
		if computes && e > 1.001 && (cost[n] > cheapFlops || loads[n] > 1) || f.apart(n) || f.dearlyRead(n, e, packed, cost[n]) {
			f.root[n], evals[n] = true, 1
		}
	}
}

// dearlyRead reports whether it costs more to find n again for each of so many reads than to store what was found, where it takes
// so many operations to compute one element. A read of a gather, or of a view whose address is made by divisions, is no step
// along a line of memory: the kernels that slide windows over lines, or hold tiles of them, cannot have it. Those of contractions, by
// which so many of the reads are, see windows through divisions.
func (f *fusion) dearlyRead(n *Node, reads, packed, cost float64) bool {
	dear := func(flops float64) bool {
		again := (reads - 1) * flops
		return again > engine.StoredFlops && again*float64(n.Size()) > fewFlops
	}
	switch {
	case n.op.lower == lowerGather:
		if packed > 0 { // instead of reading lines where they are
			cost = max(cost, engine.GatherFlops)
		}
		return dear(cost)
	case n.op.Name == "reshape":
		if reads -= packed; packed > 0 {
			reads++
		}
		return dear(engine.DivideFlops) && f.divides(n)
	}
	return false
}

// findsLines reports whether n is a gather of whole lines of memory.
func (n *Node) findsLines() bool {
	if n.op.lower != lowerGather {
		return false
	}
	line := len(n.shape) - 1
	for line > 0 && n.shape[line] == 1 {
		line--
	}
	a := n.attr.(gatherAttr)
	return !a.along && (line < a.axis || line >= a.axis+len(n.in[1].shape))
}

// findFlops is what it takes to find an element of n, a gather.
func (n *Node) findFlops() float64 {
	if n.findsLines() {
		return rowsFlops
	}
	return engine.GatherFlops
}

// divides reports whether the coordinates of n are divided to find its elements, through all views below it: to take
// apart an axis that was put together in another order, or of repeated elements.
func (f *fusion) divides(n *Node) bool {
	dom := engine.Domain(n.shape)
	at := make([]*engine.Index, len(n.shape))
	for i := range at {
		at[i] = engine.AxisIndex(i)
	}
	cur := n
	for range fewViews {
		if cur.op.view == nil || f.dense[cur] || cur.op.Name == "keep" || cur.op.Name == "alike" {
			break
		}
		at, _ = cur.op.view(&Call{Op: cur.op, In: cur.in, Attr: cur.attr}, at, dom)
		cur = cur.in[0]
	}
	for _, t := range denseAddr(cur.shape, nil).Subst(at, dom).Terms {
		if t.Atom.Kind == engine.AtomDiv || t.Atom.Kind == engine.AtomMod {
			return cur.Size() > 1
		}
	}
	return false
}

// readsBy is how many times u reads each element of its operand n, if every
// element of u is computed evals times.
func (f *fusion) readsBy(u, n *Node, evals float64) float64 {
	size := float64(max(n.Size(), 1))
	switch {
	case u.op.lower == lowerContract, u.op.lower == lowerAttention:
		return contractUse
	case u.terms() > 0:
		return evals
	case f.root[u] && !u.elementwise() && u.op.view == nil:
		return 1
	}
	switch u.op.Name {
	case "alike":
		if n != u.in[0] { // of the guide only where it lies is wanted
			return 0
		}
	case "pad", "unslice", "unwindow": // read inside the edge only
		return evals
	}
	return evals * float64(u.Size()) / size
}

// inlineCosts gives for every node the operations and buffers that computing
// one element takes when everything up to the next buffer is inlined.
func (f *fusion) inlineCosts() (cost, loads map[*Node]float64) {
	cost, loads = map[*Node]float64{}, map[*Node]float64{}
	for _, n := range f.order {
		if n.inBuffer() || n.heavy() {
			loads[n] = 1
			continue
		}
		if n.op.Scalar != nil {
			cost[n] = n.op.Scalar.Flops
		} else if n.op.lower == lowerGather {
			cost[n] = n.findFlops()
		}
		for i, x := range n.in {
			if i == 0 || !n.findsLines() { // whose index is computed once for all of it
				cost[n] += cost[x]
			}
			if x.Size() > n.Size()/inCache {
				loads[n] += loads[x]
			}
		}
		if k := float64(n.terms()); k > 0 {
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
		buffers map[*Node]bool
		ops     int
		index   int // copies of a coordinate in the longest address
	}
	reach := map[*Node]extent{}
	outside := func(x *Node) extent {
		if f.root[x] || x.inBuffer() {
			return extent{buffers: map[*Node]bool{x: true}, index: 1}
		}
		return reach[x]
	}
	for _, n := range f.order {
		for {
			e := extent{buffers: map[*Node]bool{}, ops: 1, index: 1}
			var largest *Node
			most := 1
			for _, x := range n.in {
				ex := outside(x)
				for b := range ex.buffers {
					e.buffers[b] = true
				}
				e.ops += ex.ops * max(n.terms(), 1)
				e.index = max(e.index, ex.index*n.copies())
				if k := len(ex.buffers) + ex.ops + ex.index; k > most && !f.root[x] && !x.inBuffer() {
					largest, most = x, k
				}
			}
			reach[n] = e
			if len(e.buffers) <= min(maxInputs, f.buffers-results(n)) && e.ops <= maxInlined && e.index <= maxIndex || largest == nil {
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
func (n *Node) copies() int {
	switch {
	case n.op.lower == lowerGather:
		return 2
	case n.op.Name != "reshape" || n.Size() == 0:
		return 1
	}
	most := 1
	eachRun(n.shape, n.in[0].shape, func(_, _, from, to int) {
		parts := 0
		for _, d := range n.in[0].shape[from:to] {
			if d != 1 {
				parts++
			}
		}
		most = max(most, parts)
	})
	return most
}

// growEpilogues moves the end of a reduction's or contraction's task forward
// over the element-wise ops that follow it, as long as each has one reader, the
// same elements, and nobody else's head behind it.
func (f *fusion) growEpilogues() {
	claimed := map[*Node]bool{}
	for _, h := range f.order {
		if !f.root[h] || f.head[h] != nil {
			continue
		}
		if !h.hasEpilogue() {
			f.head[h] = h
			continue
		}
		end, chain := h, []*Node(nil)
		reads, _ := f.operandsOf(h)
		inputs, ops := 0, 0
		var passed []*Node
		for cur := h; !f.dense[cur] && len(f.users[cur]) == 1; {
			next := f.users[cur][0]
			if claimed[next] || next.Size() != cur.Size() || next.op.view == nil && next.where != h.where {
				break
			}
			passed = append(passed, next)
			if next.elementwise() && f.sameShape(next, cur) {
				var more int
				reads, more = f.beside(reads, next, cur)
				ops += 1 + more
				if inputs += len(next.in) - 1; inputs > maxInputs || len(reads) >= f.buffers || ops > maxInlined {
					break
				}
				end, chain = next, slices.Clone(passed)
			} else if next.op.Name != "reshape" && next.op.Name != "transpose" {
				break
			}
			if f.root[next] && next.op.view != nil {
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

// beside adds to reads the buffers that n reads by its operands other than cur, and counts the ops
// that are computed on the way.
func (f *fusion) beside(reads []*Node, n, cur *Node) (all []*Node, ops int) {
	for _, x := range n.in {
		from := []*Node{x}
		if x == cur {
			continue
		}
		if !f.root[x] && !x.inBuffer() {
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
	return reads, ops
}

// results is how many buffers the task of n makes, where its operands may be computed in it.
func results(n *Node) int {
	if n.op.lower == lowerAttention {
		return len(resultsOf(n))
	}
	return 1
}

// sameShape reports whether u reads its operand n element by element.
func (f *fusion) sameShape(u, n *Node) bool { return slices.Equal(u.shape, n.shape) }

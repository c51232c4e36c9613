package ops

import (
	"slices"

	"github.com/anycl/anycl/internal/ir"
)

// loopProducts holds the products and sums that a loop that goes back has for all iterations at once. Of a recurrent layer these are
// the products of the states with the weights, which the loop that went forward keeps, and the derivative of the weights, a product
// and a sum after the loop: one long product in place of many short ones. Only loops that are counted have them: others have room for
// more iterations than they run.
type loopProducts struct {
	known  []knownProduct
	behind [][]func(back *Node) *Node // of each node in around, summands of its derivative that are computed after the backward loop
	room   int                        // elements of an iteration that may still be kept for these products
}

// knownProduct is a product in the body, with a matrix that is the same in each iteration, or its sum with the terms added to it.
type knownProduct struct {
	node *Node
	all  *Node // of all iterations
}

// known is x, whose value has been computed already. Derivatives flow to x.
func known(x, value *Node) *Node { return apply("known", nil, x, value) }

var _ = define(Op{
	Name: "known", Operands: []Operand{{Name: "x", DTypes: every}, {Name: "value", DTypes: every}}, hidden: true, Result: same,
	Compose: func(c *Call) *Node { return c.In[1] },
	Grad:    func(b *Back) { b.Add(0, b.Grad()) },
})

// counted reports whether k knows its number of iterations, of which there are several.
func (k *backLoop) counted() bool { return k.c.Trips > 1 }

// keep has the loop that went forward keep its products: a product takes many times longer
// than storing its result.
func (k *backLoop) keep() {
	if !k.counted() {
		return
	}
	k.room = k.kept()
	constant, users := k.r.constants(), k.users()
	seen := map[*Node]bool{}
	for _, root := range k.r.roots() {
		ir.Walk(root, seen, k.r.own, func(n *Node) {
			if n.region != k.r || n.bad || !n.is(roleMatMul) || n.in[1].Rank() != 2 || !constant(n.in[1]) || n.Size() > k.room {
				return
			}
			k.room -= n.Size()
			for u := users[n]; len(u) == 1 && u[0] != nil && u[0].is(roleAdd) &&
				slices.Equal(u[0].shape, n.shape); u = users[n] { // biases, other products
				n = u[0]
			}
			if !slices.ContainsFunc(k.known, func(p knownProduct) bool { return p.node == n }) {
				k.known = append(k.known, knownProduct{n, StopGradient(k.node.saved(n))})
			}
		})
	}
}

// users returns, for each node, the nodes of the body that read it, and a nil for each time that it is a root.
func (k *backLoop) users() map[*Node][]*Node {
	all := map[*Node][]*Node{}
	seen := map[*Node]bool{}
	for _, root := range k.r.roots() {
		all[root] = append(all[root], nil)
		ir.Walk(root, seen, k.r.own, func(n *Node) {
			for _, x := range k.r.own(n) {
				all[x] = append(all[x], n)
			}
		})
	}
	return all
}

// kept is how many elements of each iteration the loop that goes back reads from memory in any case. Products that are kept for
// it may take as much again, and so may the values that are collected for the products and sums after the loop.
func (k *backLoop) kept() (n int) {
	for i, x := range k.saved {
		if x != nil {
			n += k.r.params[i].Size()
		}
	}
	for _, q := range k.r.rows {
		n += q.Size()
	}
	return n
}

// unmarked is x without the marks of derivatives on it.
func unmarked(x *Node) *Node {
	for x.is(rolePlaceholder) {
		x = x.in[0]
	}
	return x
}

// insert puts rows of the products that were kept in the place of products in the loop, whose copies cl makes.
func (k *backLoop) insert(l *loopBuilder, cl *cloner, at *Node) {
	for _, p := range k.known {
		cl.made[p.node] = known(cl.node(p.node), l.row(p.all, at))
	}
}

// putBehind removes from parts the summands that one product or sum after the loop computes. parts[j] are the summands of the
// derivative of node j of around.
func (k *backLoop) putBehind(l *loopBuilder, at *Node, parts [][]*Node) {
	if !k.counted() {
		return
	}
	b := &behindLoop{k, l, at, l.region.constants()}
	k.room = k.kept()
	for _, of := range []role{roleMatMul, roleSum} { // sums come second: they find the values that products have collected
		for j := range parts {
			parts[j] = slices.DeleteFunc(slices.Clone(parts[j]), func(p *Node) bool {
				d := b.part(of, p)
				if d != nil {
					k.behind[j] = append(k.behind[j], d)
				}
				return d != nil
			})
		}
	}
}

// behindLoop builds the products and sums after a loop.
type behindLoop struct {
	*backLoop
	l        *loopBuilder
	at       *Node
	constant func(n *Node) bool
}

// later makes a node of a loop when that is built.
type later func(back *Node) *Node

// part gives the sum of p over all iterations, if p is of an op with the role, or a view of its result; else nil.
func (b *behindLoop) part(of role, p *Node) later {
	op := p
	for op.region == b.l.region && len(op.in) == 1 && op.op.View != nil && op.op.Fill == nil {
		op = op.in[0]
	}
	if op.region != b.l.region || op.bad || !op.is(of) {
		return nil
	}
	find := b.product
	if of == roleSum {
		find = b.sum
	}
	sum := find(op)
	if sum == nil {
		return nil
	}
	return func(back *Node) *Node {
		cl := newCloner(b.node.graph, b.l.region)
		cl.made[op] = sum(back)
		return cl.node(p)
	}
}

// product is the sum of the products n of all iterations: their rows together are the inner axis.
func (b *behindLoop) product(n *Node) later {
	x, y := n.in[0], n.in[1]
	batch := x.Rank() - 2
	switch {
	case b.constant(x) || b.constant(y) || !slices.Equal(x.shape[:batch], y.shape[:y.Rank()-2]):
		return nil
	case b.fresh(x)+b.fresh(y) > b.room:
		return nil
	}
	all, rows := b.stack(x), b.stack(y)
	a := ir.ContractAttr{
		ABatch: ir.Range(1, batch+1), AM: []int{batch + 1}, AK: []int{0, batch + 2},
		BBatch: ir.Range(1, batch+1), BN: []int{batch + 2}, BK: []int{0, batch + 1},
	}
	return func(back *Node) *Node { return apply("contract", a, all(back), rows(back)) }
}

// sum is the sum of the sums n of all iterations, if their operand is collected anyway.
func (b *behindLoop) sum(n *Node) later {
	if x := n.in[0]; b.constant(x) || b.fresh(x) > 0 {
		return nil
	}
	all := b.stack(n.in[0])
	axes := []int{0}
	for _, a := range n.attr.(ir.ReduceAttr).Axes {
		axes = append(axes, a+1)
	}
	return func(back *Node) *Node { return reduction("sum", all(back), axes) }
}

// viewed is the operand of x, if x is a view that can be taken of all rows as well.
func viewed(x *Node) *Node {
	if x.is(roleTranspose) || x.is(roleReshape) {
		return x.in[0]
	}
	return nil
}

// isRow reports whether x is the row of the iteration of a value from outside.
func (b *behindLoop) isRow(x *Node) bool {
	return slices.Contains(b.l.region.rows, x) && rowNumber(x) == b.at
}

// written is the number of the write that collects x, or -1.
func (b *behindLoop) written(x *Node) int {
	return slices.IndexFunc(b.l.writes, func(w write) bool { return w.row == x && w.at == b.at })
}

// fresh is how many elements of each iteration must be collected to have the rows of x.
func (b *behindLoop) fresh(x *Node) int {
	x = unmarked(x)
	if y := viewed(x); y != nil && y.region == b.l.region {
		return b.fresh(y)
	}
	if b.isRow(x) || b.written(x) >= 0 {
		return 0
	}
	return x.Size()
}

// stack is x of all iterations, by their numbers.
func (b *behindLoop) stack(x *Node) later {
	x = unmarked(x)
	if y := viewed(x); y != nil && y.region == b.l.region {
		all := b.stack(y)
		return func(back *Node) *Node {
			if x.is(roleTranspose) {
				perm := []int{0}
				for _, p := range x.attr.(ir.TransposeAttr).Perm {
					perm = append(perm, p+1)
				}
				return Transpose(all(back), perm...)
			}
			return Reshape(all(back), slices.Concat([]int{b.c.Trips}, x.shape)...)
		}
	}
	if b.isRow(x) {
		return func(*Node) *Node { return x.in[0] }
	}
	i := b.written(x)
	if i < 0 {
		b.room -= x.Size()
		i, b.l.writes = len(b.l.writes), append(b.l.writes, write{x, b.at, true})
	}
	return func(back *Node) *Node { return back.outcome(ir.Outcome{I: i, Write: true}) }
}

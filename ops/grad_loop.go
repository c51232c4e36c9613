package ops

import (
	"errors"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// pullBack gives for each of xs the derivative of the sum of outs times ds; nil where there is none.
func pullBack(outs, ds, xs []*Node) []*Node {
	t := goBack(outs, ds, xs)
	all := make([]*Node, len(xs))
	for i, x := range xs {
		all[i] = t.joinedParts(x, t.grads[x])
	}
	return all
}

// goBack is the sweep in which pullBack finds the derivatives.
func goBack(outs, ds, xs []*Node) *tape {
	t := newTape(outs, xs)
	for i, y := range outs {
		t.accumulate(y, ds[i])
	}
	t.run()
	return t
}

// gradientPlaceholder is x, as a node of the region that is being built: a node at which pullBack stops,
// and through which second derivatives pass.
func gradientPlaceholder(x *Node) *Node { return apply("gradient_placeholder", nil, x) }

var _ = define(Op{
	Name: "gradient_placeholder", Traits: Traits(ir.TraitIdentity),
	Operands: operandX, DTypes: every, hidden: true, placeholder: true, role: rolePlaceholder, Result: same, View: identityView,
	Grad: func(b *Back) { b.Add(0, b.Grad()) },
})

// outGrads returns the derivatives of the outcomes of a loop or branch that are not zero.
func (b *Back) outGrads() map[ir.Outcome]*Node {
	c := b.Attr().(*control)
	all := map[ir.Outcome]*Node{}
	for i, d := range b.tape.picked[b.node] {
		all[c.Outs[i]] = d
	}
	return all
}

// taped are the operands from i on that have a derivative which is wanted.
func (b *Back) taped(i int) (all []*Node) {
	for _, x := range b.node.in[i:] {
		if b.tape.wanted[x] && hasDerivative(x.dtype) && !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return all
}

// gradIf is a branch with the same predicate: nodes that the branch taken reads get their
// derivatives through it, and nodes that only the other one reads get zeros.
func gradIf(b *Back) {
	n, g := b.node, b.node.graph
	c, grads := n.attr.(*control), b.outGrads()
	wanted := b.taped(1)
	if len(wanted) == 0 {
		return
	}
	way := func(r *region) func() []*Node {
		return func() []*Node {
			cl := newCloner(g, r)
			leaves := make([]*Node, len(wanted))
			for i, x := range wanted {
				leaves[i] = gradientPlaceholder(x)
				cl.made[x] = leaves[i]
			}
			var outs, ds []*Node
			for i := range r.results {
				if d := grads[ir.Outcome{I: i}]; d != nil {
					outs, ds = append(outs, cl.node(r.results[i])), append(ds, d)
				}
			}
			return orZeros(pullBack(outs, ds, leaves), wanted)
		}
	}
	for i, d := range If(n.in[0], way(c.regions[0]), way(c.regions[1])) {
		b.tape.accumulate(wanted[i], d)
	}
}

// orZeros puts zeros where a derivative is nil.
func orZeros(ds, like []*Node) []*Node {
	for i, d := range ds {
		if d == nil {
			ds[i] = zerosLike(like[i])
		}
	}
	return ds
}

// gradLoop goes back over the iterations of a loop. Each is computed again from the values it began with and from its products
// with weights, which the loop keeps for it. The loop that goes back carries the derivatives of the carried values, the sums of
// the derivatives of nodes that iterations read from outside the loop, and the number of the iteration before. Products and sums
// that are faster for all iterations at once follow that loop; see loopProducts.
func gradLoop(b *Back) {
	n := b.node
	c := n.attr.(*control)
	if c.Trips < 0 && c.Limit == 0 {
		n.graph.fail(n.op.Name, n.in, errors.New("a loop without a limit has no derivative (set LoopOptions.Limit, or cut the path with ops.StopGradient)"))
		return
	}
	r := c.regions[0]
	r.number(n.graph)
	n.count()
	k := &backLoop{Back: b, c: c, r: r, grads: b.outGrads()}
	k.plan()
	if len(k.init)+len(k.rows) == 0 {
		return
	}
	last := scalarConst(n.graph, tensor.Int64, float64(c.Trips-1))
	l := &loopBuilder{name: "scan", graph: n.graph, trips: c.Trips, build: k.build}
	if c.Trips < 0 {
		l.name, l.limit, l.expect = "while", c.Limit, c.Expect
		done := n.outcome(ir.Outcome{I: slices.Index(r.params, r.index)})
		last = Sub(done, ScalarLike(done, 1))
	}
	l.init = append(k.init, last)
	k.keep()
	back, err := l.loop()
	if err != nil { // its parts were right when the loop was built
		n.graph.fail(n.op.Name, n.in, err)
		return
	}
	for i, x := range k.carried {
		b.tape.accumulateWanted(n.in[x], back.outcome(ir.Outcome{I: i}))
	}
	sum := len(k.carried)
	for i, x := range k.around {
		if k.summed[i] {
			b.tape.accumulate(x, asComplex(back.outcome(ir.Outcome{I: sum}), x.dtype))
			sum++
		}
		for _, d := range k.behind[i] {
			b.tape.accumulate(x, d(back))
		}
	}
	for i, q := range k.rows {
		b.tape.accumulate(q.in[0], back.outcome(ir.Outcome{I: i, Write: true}))
	}
}

// backLoop builds the loop that goes back.
type backLoop struct {
	*Back
	c     *control
	r     *region
	grads map[ir.Outcome]*Node

	init    []*Node // derivatives of the carried values, zeros for the nodes in around
	carried []int   // numbers of the values, floats
	around  []*Node // nodes outside the loop that get a derivative and are read whole
	rows    []*Node // reads of single rows of nodes that get a derivative
	saved   []*Node // of each carried value, its values at the beginning of all iterations
	summed  []bool  // of each node in around, whether iterations add something to its derivative
	loopProducts
}

// plan finds the values that the loop carries.
func (k *backLoop) plan() {
	n := k.node
	for i, p := range k.r.params {
		if !p.dtype.IsFloat() {
			continue
		}
		d := k.grads[ir.Outcome{I: i}]
		if d == nil {
			d = zerosLike(n.in[i])
		}
		k.carried, k.init = append(k.carried, i), append(k.init, d)
	}
	for _, q := range k.r.rows {
		if k.tape.wanted[q.in[0]] && q.dtype.IsFloat() {
			k.rows = append(k.rows, q)
		}
	}
	for _, x := range k.taped(k.c.Carried) {
		if k.readWhole(x) {
			k.around, k.init = append(k.around, x), append(k.init, asReal(zerosLike(x)))
		}
	}
	k.summed, k.behind = make([]bool, len(k.around)), make([][]func(*Node) *Node, len(k.around))
	for i, p := range k.r.params {
		k.saved = append(k.saved, nil)
		if p != k.r.index {
			k.saved[i] = n.saved(p)
		}
	}
}

// readWhole reports whether an iteration reads x otherwise than by the rows that have
// derivatives of their own.
func (k *backLoop) readWhole(x *Node) bool {
	seen := map[*Node]bool{}
	whole := false
	for _, n := range k.r.roots() {
		ir.Walk(n, seen, func(n *Node) []*Node {
			switch {
			case n.region != k.r:
				return nil
			case slices.Contains(k.rows, n):
				return n.in[1:]
			}
			return n.in
		}, func(n *Node) { whole = whole || n == x })
	}
	return whole
}

// saved holds the value of x in each iteration of n: of a value that n carries, the one with which the iteration began.
func (n *Node) saved(x *Node) *Node {
	c := n.attr.(*control)
	r := c.regions[0]
	w := write{row: x, at: r.index}
	i := slices.IndexFunc(r.writes, func(have write) bool { return have.row == w.row && have.at == w.at })
	if i < 0 {
		w.total = c.Trips >= 0
		i, r.writes = len(r.writes), append(r.writes, w)
	}
	return n.outcome(ir.Outcome{I: i, Write: true})
}

// build is the body of the loop that goes back.
func (k *backLoop) build(l *loopBuilder, s []*Node) error {
	g, at := k.node.graph, s[len(s)-1]
	if k.c.Trips < 0 {
		l.cond = GreaterEqual(at, ScalarLike(at, 0))
	}
	cl := newCloner(g, k.r)
	var leaves, like []*Node
	leaf := func(x, value *Node) {
		cl.made[x] = gradientPlaceholder(value)
		leaves, like = append(leaves, cl.made[x]), append(like, x)
	}
	for p, param := range k.r.params {
		switch {
		case param == k.r.index:
			cl.made[param] = at
		case param.dtype.IsFloat():
			leaf(param, l.row(k.saved[p], at))
		default:
			cl.made[param] = l.row(k.saved[p], at)
		}
	}
	for _, x := range k.around {
		leaf(x, x)
	}
	for _, q := range k.rows {
		leaf(q, l.row(q.in[0], cl.node(rowNumber(q))))
	}
	k.insert(l, cl, at)
	var outs, ds []*Node
	for j, p := range k.carried {
		outs, ds = append(outs, cl.node(k.r.results[p])), append(ds, s[j])
	}
	for j, w := range k.r.writes {
		if d := k.grads[ir.Outcome{I: j, Write: true}]; d != nil {
			outs, ds = append(outs, cl.node(w.row)), append(ds, l.row(d, cl.node(w.at)))
		}
	}
	t := goBack(outs, ds, leaves)
	derivative := func(j int) *Node {
		if d := t.joinedParts(leaves[j], t.grads[leaves[j]]); d != nil {
			return d
		}
		return zerosLike(like[j])
	}
	for j := range k.carried {
		l.next = append(l.next, derivative(j))
	}
	whole := len(k.carried) + len(k.around)
	for j, q := range k.rows {
		l.writes = append(l.writes, write{derivative(whole + j), cl.node(rowNumber(q)), k.c.Trips >= 0})
	}
	parts := make([][]*Node, len(k.around))
	for j := range k.around {
		parts[j] = t.parts[leaves[len(k.carried)+j]]
	}
	k.putBehind(l, at, parts)
	for j := range k.around {
		sum := s[len(k.carried)+j]
		switch leaf := leaves[len(k.carried)+j]; {
		case len(parts[j]) == len(t.parts[leaf]):
			if d := t.joinedParts(leaf, t.grads[leaf]); d != nil {
				sum, k.summed[j] = Add(sum, asReal(d)), true
			}
		default:
			for _, d := range parts[j] {
				sum, k.summed[j] = Add(sum, asReal(d)), true
			}
		}
		if !k.summed[j] {
			l.unused = append(l.unused, len(l.next))
		}
		l.next = append(l.next, sum)
	}
	l.next = append(l.next, Sub(at, ScalarLike(at, 1)))
	return nil
}

// accumulateWanted adds to the derivative of n, if it is wanted.
func (t *tape) accumulateWanted(n, d *Node) {
	if t.wanted[n] && n.dtype.IsFloat() {
		t.accumulate(n, d)
	}
}

package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
)

// LoopOptions say more about a loop. The zero value and nil are right for most.
type LoopOptions struct {
	// Limit ends the loop after a given number of iterations, whatever the condition says; 0
	// means no limit. Only a loop with a limit has a derivative, for which it keeps the values with
	// which each iteration began: memory for Limit times the values carried.
	Limit int
	// Expect is how many iterations there may be, for the cost model, until runs have
	// shown it; 0 means that nothing is known.
	Expect int
}

// While carries values from one iteration to the next as long as a condition of them holds:
//
//	s = init;  while cond(s) { s = body(s) };  the result is s
//
// Both functions are called once, while the graph is built, with nodes that stand for the
// values as an iteration finds them, and may read every node outside the loop. The
// shapes and dtypes of the values stay as they are. Nodes that do not depend on the values
// are computed before the loop, once. A condition that compares NaN is false.
//
// The values stay where the loop runs; the host reads the condition once an iteration, and
// checks its context then, so that a loop which does not end can be stopped. Random numbers
// are others in each iteration; see [Graph.Uniform]. Variables can be read, and not assigned.
//
// Gradients flow through a loop with a Limit: to init, and to all that the body reads. Every
// iteration is computed again from its initial values, in a loop that goes back as many
// iterations as there were.
//
// Errors: no values; cond does not return a bool scalar; body returns other values than it
// was given, by number, shape or dtype; a negative limit; a value of an iteration is read
// outside of the loop. Source: StableHLO, op while; for Limit TensorFlow, tf.while_loop.
func While(init []*Node, cond func(s []*Node) *Node, body func(s []*Node) []*Node, o *LoopOptions) []*Node {
	if o == nil {
		o = &LoopOptions{}
	}
	if s := pairsOf(init); s.any() && cond != nil && body != nil {
		return s.complex(While(s.real(init),
			func(in []*Node) *Node { return cond(s.complex(in)) },
			func(in []*Node) []*Node { return s.real(body(s.complex(in))) }, o))
	}
	g := graphOf(init...)
	fail := func(err error) []*Node {
		return slices.Repeat([]*Node{g.fail("while", init, err)}, max(1, len(init)))
	}
	switch {
	case len(init) == 0:
		return fail(errors.New("there are no values to carry"))
	case slices.Contains(init, nil):
		return fail(errNil)
	case cond == nil || body == nil:
		return fail(errors.New("the functions cond and body must be given"))
	case o.Limit < 0 || o.Expect < 0:
		return fail(fmt.Errorf("a limit of %d iterations, %d expected", o.Limit, o.Expect))
	}
	l := &loopBuilder{
		name: "while", graph: g, init: init, trips: -1, limit: o.Limit, expect: float64(o.Expect),
		build: func(l *loopBuilder, s []*Node) (err error) {
			l.cond = cond(s)
			l.next = body(s)
			return isPredicate(l.cond)
		},
	}
	n, err := l.loop()
	if err != nil {
		return fail(err)
	}
	return n.carriedOut(len(init))
}

// ScanOptions say more about a scan. The zero value and nil are right for most.
type ScanOptions struct {
	// Trips is the number of iterations; 0 is as many as xs have rows. Without xs
	// it must be given.
	Trips int
	// Reverse goes from the last row to the first.
	Reverse bool
}

// Scan carries values over the rows of xs, their slices along the first axis, and
// collects a row of every result from each iteration:
//
//	s = init
//	for i = 0 ... n-1 { s, y[0][i], y[1][i], ... = body(i, s, x[0][i], x[1][i], ...) }
//
// with i falling from n-1 to 0 where it is to go in reverse. body is called once,
// while the graph is built, with nodes that stand for the number of the row (int64), the values as
// an iteration finds them, and the rows. It returns the values for the next iteration,
// of the same shapes and dtypes, and rows of results. Scan returns the values
// after the last iteration and the results, each of its rows stacked along a new first axis.
//
// Otherwise as [While]: the body may read the nodes around it, and nodes that depend on neither
// values nor rows are computed once. As the number of iterations is known, nobody waits
// between them.
//
// Gradients flow to init, xs and all that the body reads. The values with which each iteration
// began are kept, and the iteration is computed again from them: memory for n times the values
// carried, and none for the results of the body.
//
// Errors: xs have different numbers of rows, or none and no Trips; body returns other
// values than it was given; a value of an iteration is read outside of the loop. Source: ONNX,
// operators Scan and Loop; JAX, jax.lax.scan.
func Scan(init, xs []*Node, body func(i *Node, s, x []*Node) (next, y []*Node), o *ScanOptions) (last, ys []*Node) {
	if o == nil {
		o = &ScanOptions{}
	}
	if body != nil {
		s, rows := pairsOf(init), pairsOf(xs)
		var made pairing
		inner := body
		if s.any() || rows.any() {
			init, xs = s.real(init), rows.real(xs)
		}
		body = func(i *Node, in, x []*Node) (next, y []*Node) {
			next, y = inner(i, s.complex(in), rows.complex(x))
			made = pairsOf(y)
			return s.real(next), made.real(y)
		}
		defer func() { last, ys = s.complex(last), made.complex(ys) }()
	}
	g := graphOf(slices.Concat(init, xs)...)
	fail := func(err error) ([]*Node, []*Node) {
		n := g.fail("scan", slices.Concat(init, xs), err)
		return slices.Repeat([]*Node{n}, max(1, len(init))), slices.Repeat([]*Node{n}, max(1, len(ys)))
	}
	trips, err := scanTrips(init, xs, o)
	switch {
	case err != nil:
		return fail(err)
	case body == nil:
		return fail(errors.New("the function body must be given"))
	}
	l := &loopBuilder{
		name: "scan", graph: g, init: init, trips: trips,
		build: func(l *loopBuilder, s []*Node) error {
			at := l.region.number(g)
			if o.Reverse {
				if !isOpen(trips) {
					at = Sub(trips-1, at)
				} else {
					at = Sub(Sub(trips, at), 1)
				}
			}
			x := make([]*Node, len(xs))
			for k := range xs {
				x[k] = l.row(xs[k], at)
			}
			next, y := body(at, s, x)
			l.next, ys = next, slices.Clone(y)
			for _, row := range y {
				l.writes = append(l.writes, write{row, at, true})
			}
			return nil
		},
	}
	n, err := l.loop()
	if err != nil {
		return fail(err)
	}
	for k := range ys {
		ys[k] = n.outcome(ir.Outcome{I: k, Write: true})
	}
	return n.carriedOut(len(init)), ys
}

// scanTrips is the number of iterations of a scan.
func scanTrips(init, xs []*Node, o *ScanOptions) (int, error) {
	trips := o.Trips
	if trips < 0 {
		return 0, fmt.Errorf("%d iterations", trips)
	}
	for k, x := range xs {
		switch {
		case x == nil:
			return 0, errNil
		case x.bad:
		case x.Rank() == 0:
			return 0, fmt.Errorf("operand %d, %v%v, has no rows", len(init)+k, x.dtype, x.shape)
		case (k > 0 || o.Trips > 0) && x.shape[0] != trips:
			return 0, fmt.Errorf("operand %d has %d rows, not %d", len(init)+k, x.shape[0], trips)
		default:
			trips = x.shape[0]
		}
	}
	switch {
	case slices.Contains(init, nil):
		return 0, errNil
	case len(xs) == 0 && o.Trips == 0:
		return 0, errors.New("there are no rows to count, and no Trips")
	case len(xs)+len(init) == 0:
		return 0, errors.New("there are no values and no rows")
	}
	return trips, nil
}

// loopBuilder builds a loop of whatever kind.
type loopBuilder struct {
	name         string
	graph        *Graph
	init         []*Node
	trips, limit int
	expect       float64
	build        func(l *loopBuilder, s []*Node) error // fills in the fields below

	region *region
	cond   *Node
	next   []*Node
	writes []write
	unused []int // numbers of values that nobody wants after all, ascending
}

// row is row at of x, which comes from outside. A loop that is counted has a row for each iteration: the number is only
// bounded, which costs nothing, so that elements are read without a test. A task may be launched by itself, to be measured, when
// the number is not there yet.
func (l *loopBuilder) row(x, at *Node) *Node {
	if l.trips > 0 && !isOpen(l.trips) && !x.bad && !at.bad {
		last := float64(x.shape[0] - 1)
		at = within(Minimum(Maximum(at, ScalarLike(at, 0)), ScalarLike(at, last)), 0, int64(last))
	}
	n := Gather(x, 0, at)
	if !n.bad && x.region != l.region {
		l.region.rows = append(l.region.rows, n)
	}
	return n
}

// rowNumber is the number of the row that n, made by row, is.
func rowNumber(n *Node) *Node {
	at := n.in[1]
	for at.is(roleBound) {
		at = at.in[0]
	}
	return at
}

// loop adds the loop to its graph and returns its node.
func (l *loopBuilder) loop() (*Node, error) {
	g := l.graph
	r := &region{parent: g.region, op: l.name, caller: callerLine(), loop: true}
	l.region = r
	in := slices.Clone(l.init)
	if err := g.checkValues(g.region, "operand", in); err != nil {
		return nil, err
	}
	s := make([]*Node, len(in))
	for k, n := range in {
		s[k] = r.param(g, n.dtype, n.shape)
		s[k].bad = n.bad
	}
	var err error
	g.within(r, func() { err = l.build(l, slices.Clone(s)) })
	if err != nil {
		return nil, err
	}
	in, s = l.drop(in, s)
	rows := make([]*Node, len(l.writes))
	for i, w := range l.writes {
		rows[i] = w.row
	}
	if err := errors.Join(g.checkValues(r, "value", l.next), g.checkValues(r, "row", rows)); err != nil {
		return nil, err
	}
	if l.cond != nil {
		if err := g.checkValues(r, "predicate", []*Node{l.cond}); err != nil {
			return nil, err
		}
	}
	if len(l.next) != len(s) {
		return nil, fmt.Errorf("an iteration is given %d values and returns %d", len(s), len(l.next))
	}
	for k, n := range l.next {
		if !n.bad && !s[k].bad && !sameType(n, s[k]) {
			return nil, fmt.Errorf("value %d is %v%v at first, and %v%v after an iteration", k, s[k].dtype, s[k].shape, n.dtype, n.shape)
		}
	}
	r.cond, r.writes = l.cond, l.writes
	r.results = slices.Clone(l.next)
	c := &control{regions: []*region{r}, ControlInfo: ir.ControlInfo{Trips: l.trips, Limit: l.limit, Expect: l.expect}}
	all := slices.Concat(in, r.roots())
	if anyBad(all) { // already reported where it happened
		return applyIn(g, l.name, c, all[slices.IndexFunc(all, func(n *Node) bool { return n.bad })]), nil
	}
	return g.ownerOf(l.name, c, in), nil
}

// drop takes the values out that nobody wants after all.
func (l *loopBuilder) drop(in, s []*Node) (init, params []*Node) {
	without := func(nodes []*Node, k int) []*Node { return slices.Delete(nodes, k, k+1) }
	for _, k := range slices.Backward(l.unused) {
		in, s, l.next, l.region.params = without(in, k), without(s, k), without(l.next, k), without(l.region.params, k)
	}
	for k, p := range l.region.params {
		p.attr = ir.ParamAttr{I: k}
	}
	return in, s
}

// carriedOut are the first count values that n carries, after the last iteration.
func (n *Node) carriedOut(count int) []*Node {
	out := make([]*Node, count)
	for k := range out {
		out[k] = n.outcome(ir.Outcome{I: k})
	}
	return out
}

var _ = define(Op{
	Name: "while", builtBy: "ops.While", Category: "control flow",
	Attributes: AttributesOf[*control](),
	Operands:   operandsAny, kind: ir.KindControl, DTypes: every,
	Results: controlResults,
	Grad:    gradLoop,
	// Rows move up by one, in as many iterations as an operand says.
})

var _ = define(Op{
	Name: "scan", builtBy: "ops.Scan", Category: "control flow",
	Attributes: AttributesOf[*control](),
	Operands:   operandsAny, kind: ir.KindControl, DTypes: every,
	Results: controlResults,
	Grad:    gradLoop,
	// Each row of the result is the row before, turned round, and the first one is carried in.
})

package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/ir"
)

// If runs one of two branches:
//
//	y = then()  where pred is true, otherwise()  where it is false
//
// Both functions are called once, while the graph is built. The nodes that they build belong to
// their branch, and only the branch that is taken runs; they may read every node
// outside of it. They return equally many values of equal shapes and dtypes, which are
// those of the result. A predicate that compares NaN is false. The host reads the
// predicate before it goes on, so that a branch pays where the work that it leaves out takes longer
// than a wait; [Where] has no wait and computes both.
//
// Variables are read as everywhere else; they cannot be assigned within a branch, where
// whether it happens would depend on data: return the new value, and assign it outside.
//
// Gradients flow to all that a branch reads. The gradient is a branch with the same
// predicate, which computes again the values that it needs of the branch that was taken.
//
// Errors: pred is not a bool scalar; a function is nil; the branches return different
// values; a value of a branch is read outside of it. Source: StableHLO, op if; ONNX,
// operator If.
func If(pred *Node, then, otherwise func() []*Node) (out []*Node) {
	if then != nil && otherwise != nil {
		var paired pairing
		then, otherwise = paired.results(then), paired.results(otherwise)
		defer func() { out = paired.complex(out) }()
	}
	g := graphOf(pred)
	var err error
	switch {
	case g == nil:
		err = errors.New("the predicate is nil")
	case then == nil || otherwise == nil:
		err = errors.New("both branches must be given")
	default:
		err = isPredicate(pred)
	}
	c := &control{ControlInfo: ir.ControlInfo{Trips: -1}}
	most := 1
	for _, f := range []func() []*Node{then, otherwise} {
		if f == nil || g == nil {
			continue
		}
		r := &region{parent: g.region, op: "if", caller: callerLine()}
		g.within(r, func() { r.results = slices.Clone(f()) })
		c.regions = append(c.regions, r)
		most = max(most, len(r.results))
		if wrong := g.checkValues(r, "result", r.results); err == nil {
			err = wrong
		}
	}
	if err == nil {
		err = c.matchLayout()
	}
	if err == nil {
		for _, r := range append(c.regions, &region{results: []*Node{pred}}) {
			if i := slices.IndexFunc(r.results, func(n *Node) bool { return n.bad }); i >= 0 { // already reported
				return slices.Repeat([]*Node{applyIn(g, "if", c, r.results[i])}, most)
			}
		}
	}
	if err != nil {
		return slices.Repeat([]*Node{g.fail("if", []*Node{pred}, err)}, most)
	}
	n := g.ownerOf("if", c, []*Node{pred})
	out = make([]*Node, len(c.regions[0].results))
	for i := range out {
		out[i] = n.outcome(ir.Outcome{I: i})
	}
	return out
}

// matchLayout reports branches whose results differ in number, shape or dtype.
func (c *control) matchLayout() error {
	a, b := c.regions[0].results, c.regions[1].results
	if len(a) != len(b) {
		return fmt.Errorf("the branches return %d and %d values", len(a), len(b))
	}
	if len(a) == 0 {
		return errors.New("the branches return nothing")
	}
	for i := range a {
		if !a[i].bad && !b[i].bad && !sameType(a[i], b[i]) {
			return fmt.Errorf("result %d is %v%v in one branch and %v%v in the other", i, a[i].dtype, a[i].shape, b[i].dtype, b[i].shape)
		}
	}
	return nil
}

func sameType(a, b *Node) bool { return a.dtype == b.dtype && slices.Equal(a.shape, b.shape) }

var _ = define(Op{
	Name: "if", builtBy: "ops.If", Category: "control flow",
	Attributes: AttributesOf[*control](),
	Operands:   operandsAny, kind: ir.KindControl, DTypes: every,
	Results: controlResults,
	Grad:    gradIf,
})

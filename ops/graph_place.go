package ops

import (
	"fmt"
	"os"
	"slices"

	"github.com/anycl/anycl/internal/exec"
	"github.com/anycl/anycl/internal/ir"
)

// Put demands that the op which makes x runs in a place, whatever the cost model
// and the [Target] say, and returns x. A composition runs there as a whole. With ops
// of another place it is not fused: its operands and results are in memory, and moved
// where they must be. [Device] names the second device of a runtime, and the next. Views move nothing and have no place of their own.
// [Auto] takes an earlier demand back.
//
// Errors: x is nil; place is none.
func Put(x *Node, place Place) *Node {
	switch {
	case x == nil:
		return apply("put", nil, nil)
	case place < Auto:
		return x.graph.fail("put", []*Node{x}, fmt.Errorf("the place is %d, not Auto, OnDevice, OnCPU or Device(i)", int(place)))
	}
	x.where = place
	if x.op.kind == ir.KindPick { // one of the results of its operand
		x.in[0].where = place
	}
	x.graph.placed = true
	return x
}

// spread gives the parts of compositions the places of the whole.
func (g *Graph) spread() map[*Node]Place {
	if !g.placed {
		return nil
	}
	places := map[*Node]Place{}
	for i := 0; i < len(g.nodes); i++ { // grows: parts come after their whole
		n := g.nodes[i]
		if n.bad {
			continue
		}
		if n.where != Auto {
			places[n] = n.where
		}
		if p := places[n]; p != Auto && n.isComposed() {
			partsOf(n, func(part *Node) {
				if places[part] == Auto {
					places[part] = p
				}
			})
		}
	}
	return places
}

// partsOf calls f with the parts of a composition.
func partsOf(whole *Node, f func(part *Node)) {
	seen := map[*Node]bool{}
	for stack := slices.Clone(whole.compositions()); len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[n] || slices.Contains(whole.in, n) {
			continue
		}
		seen[n] = true
		f(n)
		stack = append(stack, n.in...)
	}
}

// EnvPlace says where graphs run whose Target does not: auto, device or cpu; or how that is decided
// where the Target leaves it to the cost model: fixed or reproducible, as the Target's fields of these names.
const EnvPlace = "ANYCL_PLACE"

// place is where the target is to run and the rule that decides it: from the target's fields, or the environment.
func (t *Target) place() (where Place, by exec.Placing, err error) {
	switch {
	case t.Reproducible:
		by = exec.ByRule
	case t.Fixed:
		by = exec.Once
	}
	name := os.Getenv(EnvPlace)
	if t.Place != Auto || name == "" {
		return t.Place, by, nil
	}
	for p := Auto; p <= OnCPU; p++ {
		if p.String() == name {
			return p, by, nil
		}
	}
	for p := exec.Once; p <= exec.ByRule; p++ {
		if p.String() == name {
			return Auto, max(p, by), nil
		}
	}
	return Auto, by, fmt.Errorf("ops: %s=%s: must be auto, device, cpu, fixed or reproducible", EnvPlace, name)
}

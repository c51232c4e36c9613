package optest

import (
	"fmt"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/ops"
)

// A sample whose result does not depend on a call of its op would show nothing of it.

// callOf is the node of op on which out depends, nil where there is none. result is which of several results
// of it out reads, -1 where out reads several, or the op has but one.
func callOf(op *ops.Op, out *ops.Node) (call *ops.Node, result int) {
	result = -1
	seen := map[*ops.Node]bool{}
	results := map[int]bool{}
	for stack := []*ops.Node{out}; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n == nil || seen[n] {
			continue
		}
		seen[n] = true
		if n.Op() == op {
			call = n
			continue
		}
		in := n.Operands()
		if p, ok := n.Attr().(ir.PickAttr); ok && len(in) == 1 && in[0].Op() == op {
			result = p.I
			results[p.I] = true
		}
		stack = append(stack, in...)
	}
	if len(results) > 1 {
		result = -1
	}
	return call, result
}

// called reports an error where c does not call its op.
func (c *cell) called() error {
	if call, _ := callOf(c.op, c.out); call == nil {
		return fmt.Errorf("the result of the sample does not depend on a call of %s", c.op.Name)
	}
	return nil
}

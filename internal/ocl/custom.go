package ocl

import (
	"fmt"

	"github.com/anycl/anycl/engine"
)

func init() {
	register(family{name: engine.Custom.String(), kind: engine.Custom, choose: customVariants})
}

func customVariants(_ *deviceFacts, t *engine.Task) []variant {
	return []variant{{name: "source", why: "the caller's kernel", plan: func() (*plan, error) { return planCustom(t) }}}
}

// planCustom runs a user's kernel as it is: pointers to inputs, then outputs,
// then the scalars.
func planCustom(t *engine.Task) (*plan, error) {
	k := t.Custom
	p := &program{name: k.Entry, source: k.Source, options: k.Options}
	for i := range t.Ins {
		p.args = append(p.args, arg{kind: argPointer, index: i})
	}
	for i := range t.Outs {
		p.args = append(p.args, arg{kind: argPointer, index: len(t.Ins) + i})
	}
	for i, v := range k.Args {
		switch v.(type) {
		case int32, uint32, int64, uint64, float32, float64:
			p.args = append(p.args, arg{kind: argScalar, scalar: v})
		default:
			return nil, fmt.Errorf("argument %d of kernel %s is a %T, not one of int32, uint32, int64, uint64, float32 and float64", i, k.Entry, v)
		}
	}
	l := launch{prog: p, kernel: k.Entry}
	// The first 0 ends the list; a launch of nothing is right for empty outputs.
	for i, n := range k.Global {
		if n <= 0 {
			break
		}
		l.global[i] = n
		if w := k.Local[i]; w > 0 {
			if n%w != 0 {
				return nil, fmt.Errorf("kernel %s: %v work-items are not whole work-groups of %v", k.Entry, k.Global, k.Local)
			}
			l.local[i] = w
		} else if k.Local != [3]int{} {
			l.local[i] = 1
		}
	}
	r := rangeOf(l)
	p.dims, p.depth = r.Dims, max(r.Global[2], 1)
	if l.global[0] == 0 {
		return &plan{}, nil
	}
	return &plan{launches: []launch{l}, params: k.Entry}, nil
}

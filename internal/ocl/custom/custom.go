// Package custom plans kernels that callers wrote.
package custom

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
)

func init() {
	variant.Register(variant.Family{Name: engine.Custom.String(), Kind: engine.Custom, Choose: customVariants})
}

func customVariants(d *facts.Device, t *engine.Task) []variant.Variant {
	return []variant.Variant{{Name: "source", Why: "the caller's kernel", Plan: func() (*variant.Plan, error) { return planCustom(t, d.CPU) }}}
}

// planCustom runs a user's kernel as it is: pointers to inputs, then outputs,
// then the scalars.
func planCustom(t *engine.Task, cpu bool) (*variant.Plan, error) {
	k, form := t.Custom, t.Custom.Form(cpu)
	p := &codegen.Program{Name: k.Entry, Source: k.Source, Options: form.Options}
	for i := range t.Ins {
		p.Args = append(p.Args, codegen.Arg{Kind: codegen.ArgPointer, Index: i})
	}
	for i := range t.Outs {
		p.Args = append(p.Args, codegen.Arg{Kind: codegen.ArgPointer, Index: len(t.Ins) + i})
	}
	for i, v := range k.Args {
		switch v.(type) {
		case int32, uint32, int64, uint64, float32, float64:
			p.Args = append(p.Args, codegen.Arg{Kind: codegen.ArgScalar, Scalar: v})
		default:
			return nil, fmt.Errorf("argument %d of kernel %s is a %T, not one of int32, uint32, int64, uint64, float32 and float64", i,
				form.Entry, v)
		}
	}
	l := variant.Launch{Program: p, Kernel: form.Entry}
	// The first 0 ends the list.
	for i, n := range form.Global {
		if n <= 0 {
			break
		}
		l.Global[i] = n
		if w := form.Local[i]; w > 0 {
			if n%w != 0 {
				return nil, fmt.Errorf("kernel %s: %v work-items are not whole work-groups of %v", form.Entry, form.Global, form.Local)
			}
			l.Local[i] = w
		} else if form.Local != [3]int{} {
			l.Local[i] = 1
		}
	}
	r := variant.RangeOf(l)
	p.Dims, p.Depth = r.Dims, max(r.Global[2], 1)
	// A 0 behind other extents may be of a dimension that is not used, or of no rows: a launch for these would be of a first one.
	if l.Global[0] == 0 || !slices.ContainsFunc(t.Outs, func(o engine.Operand) bool { return o.Len > 0 }) {
		return &variant.Plan{}, nil
	}
	return &variant.Plan{Launches: []variant.Launch{l}, Params: form.Entry}, nil
}

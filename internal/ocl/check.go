package ocl

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
)

// Bytes of a kernel's arguments: a pointer and an offset for each buffer; scratch, table
// and run come on top. Numbers that find no room go in the table.
const operandBytes, otherBytes = 16, 64

// Limits are what fits into a kernel's arguments.
func (e *Engine) Limits() engine.Limits {
	return engine.Limits{Buffers: max((e.facts.argBytes-otherBytes)/operandBytes, 1)}
}

// check says why a device with these facts cannot run t.
func (d *deviceFacts) check(t *engine.Task) error {
	refused := func(limit bool, format string, args ...any) error {
		return &engine.UnsupportedError{Engine: d.name, Task: "ocl: " + t.String(), Why: fmt.Sprintf(format, args...), Limit: limit}
	}
	unsupported := func(format string, args ...any) error { return refused(false, format, args...) }
	if !d.fp64 && computesInDouble(t) {
		return unsupported("the device has no float64")
	}
	operands := slices.Concat(t.Ins, t.Outs)
	for _, o := range operands {
		if o.Bytes() > d.maxAlloc {
			return refused(true, "an operand of %d bytes, the largest allocation is %d", o.Bytes(), d.maxAlloc)
		}
	}
	n := operandBytes*len(operands) + otherBytes
	if t.Kind == engine.Custom { // pointers and scalars
		n = 8*len(operands) + 8*len(t.Custom.Args)
	}
	if j, ok := t.Algorithm.(*engine.Join); ok { // a launch takes a few of them
		n = operandBytes*(min(len(j.Widths), d.joinInputs())+1) + otherBytes
	}
	if n > d.argBytes {
		return refused(true, "%d buffers need %d bytes of arguments, there are %d", len(operands), n, d.argBytes)
	}
	if t.Kind == engine.Custom {
		if t.Custom.Source == "" {
			return unsupported("the kernel has no source")
		}
		return nil
	}
	if t.Kind == engine.Routine {
		if why := d.checkRoutine(t); why != "" {
			return unsupported("%s", why)
		}
		return nil
	}
	if families[t.Kind] == nil {
		return unsupported("no kernel family for it")
	}
	for _, e := range t.Exprs() {
		for s := range e.Walk() {
			if s.Op == engine.OpApply && s.Fn.C == "" && s.Fn.CFor == nil {
				return unsupported("%s has no OpenCL C", s.Fn.Name)
			}
		}
	}
	return nil
}

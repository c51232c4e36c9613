package ocl

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
)

// check says why a device with these facts cannot run t.
func (d *deviceFacts) check(t *engine.Task) error {
	unsupported := func(format string, args ...any) error {
		return fmt.Errorf("ocl: %s on %s: %s: %w", t, d.name, fmt.Sprintf(format, args...), engine.ErrUnsupported)
	}
	if !d.fp64 && computesInDouble(t) {
		return unsupported("the device has no float64")
	}
	operands := slices.Concat(t.Ins, t.Outs)
	for _, o := range operands {
		if o.Bytes() > d.maxAlloc {
			return unsupported("an operand of %d bytes, the largest allocation is %d", o.Bytes(), d.maxAlloc)
		}
	}
	// A pointer and an offset each; scratch, table and run come on top. A
	// caller's kernel has pointers and scalars.
	n := 16*len(operands) + 64
	if t.Kind == engine.Custom {
		n = 8*len(operands) + 8*len(t.Custom.Args)
	}
	if n > d.argBytes {
		return unsupported("%d buffers need %d bytes of arguments, there are %d", len(operands), n, d.argBytes)
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

package variant

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
)

// Check says why a device with these facts cannot run t.
func Check(d *facts.Device, t *engine.Task) error {
	refused := func(limit bool, format string, args ...any) error {
		return &engine.UnsupportedError{Engine: d.Name, Task: "ocl: " + t.String(), Why: fmt.Sprintf(format, args...), Limit: limit}
	}
	unsupported := func(format string, args ...any) error { return refused(false, format, args...) }
	if !d.FP64 && codegen.ComputesInDouble(t) {
		return unsupported("the device has no float64")
	}
	operands := slices.Concat(t.Ins, t.Outs)
	for _, o := range operands {
		if o.Bytes() > d.MaxAlloc {
			return refused(true, "an operand of %d bytes, the largest allocation is %d", o.Bytes(), d.MaxAlloc)
		}
	}
	f := FamilyFor(t)
	n := facts.ArgumentBytes(len(operands))
	if t.Kind == engine.Custom { // pointers and scalars
		n = 8*len(operands) + 8*len(t.Custom.Args)
	}
	if f != nil && f.Operands != nil {
		n = facts.ArgumentBytes(f.Operands(d, t))
	}
	if n > d.ArgBytes {
		return refused(true, "%d buffers need %d bytes of arguments, there are %d", len(operands), n, d.ArgBytes)
	}
	if t.Kind == engine.Custom {
		switch {
		case t.Custom.HostOnly != "":
			return unsupported("the kernel is for the CPU engine only: %s", t.Custom.HostOnly)
		case t.Custom.Source == "":
			return unsupported("the kernel has no source")
		}
		return nil
	}
	if t.Kind == engine.Routine {
		if err := t.CheckRoutine(); err != nil {
			return unsupported("%s", err)
		}
	}
	if f == nil {
		return unsupported("no kernel family for it")
	}
	if f.Check != nil {
		if why := f.Check(d, t); why != "" {
			return unsupported("%s", why)
		}
	}
	for _, e := range t.Exprs() {
		for s := range e.Walk() {
			if s.Op == engine.OpApply && s.Fn.OpenCL == "" && s.Fn.OpenCLFor == nil {
				return unsupported("%s has no OpenCL C", s.Fn.Name)
			}
		}
	}
	return nil
}

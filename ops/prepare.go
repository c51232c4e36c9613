package ops

import (
	"context"
	"errors"
	"fmt"
)

// Prepare returns when no run will wait for a compiler: when what [AtOnce] compiles beside the runs is ready, and of a graph with
// open sizes the plans for the given sizes, and those that runs have begun. [Target].Progress is told how far it has come.
//
// Errors: those of [Graph.Compile], of sizes that do not fit too; the device's kernels do not compile, where the executable stays
// on the CPU engine; ctx is done, which stops nothing that is compiled beside runs; closed.
func (x *Executable) Prepare(ctx context.Context, sizes ...Sizes) error {
	if x.open == nil {
		if len(sizes) > 0 {
			return fmt.Errorf("ops: prepare %q: the graph has no open sizes", x.graph.name)
		}
		return x.executor.Ready(ctx)
	}
	return x.open.prepare(ctx, sizes)
}

// prepare makes the plans for sizes, and waits until all plans are compiled.
func (p *openPlans) prepare(ctx context.Context, sizes []Sizes) error {
	var errs []error
	for _, s := range sizes {
		errs = append(errs, p.with(ctx, s))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, v := range p.all() {
		w, err := p.await(ctx, v)
		if err == nil {
			err = w.exe.Prepare(ctx)
			p.release(w)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// with makes the plan for sizes by name.
func (p *openPlans) with(ctx context.Context, s Sizes) error {
	key, err := p.keyOf(s)
	if err != nil {
		return err
	}
	v, err := p.planFor(ctx, key)
	if err != nil {
		return err
	}
	p.release(v)
	return nil
}

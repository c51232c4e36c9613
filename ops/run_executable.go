package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/anycl/anycl/internal/backend"
	"github.com/anycl/anycl/internal/exec"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/store"
	"github.com/anycl/anycl/ops/internal/inside"
	"github.com/anycl/anycl/tensor"
)

// Feeds gives every input of a graph its tensor for one Run.
type Feeds map[*Node]*tensor.Tensor

// Executable is a compiled graph. It is safe for concurrent use: runs of one
// executable follow each other, runs of several overlap unless they share a
// variable that one of them writes. Runs of a graph so small that it runs on the
// caller's thread overlap too, unless they update a variable.
type Executable struct {
	rt       *Runtime
	graph    *Graph
	inputs   []*Node // in the order of the executor's
	shapes   [][]int // of the tensors that these are fed
	executor *exec.Executor
	trims    *trims     // outputs that are cut to their counts; nil: none
	pairs    pairing    // outputs that are complex, and pairs to the executor; nil: none
	open     *openPlans // of a graph with open sizes, whose executable has no executor
}

// Inputs are the nodes that a run must be fed, in no particular order.
func (x *Executable) Inputs() []*Node {
	all := slices.Clone(x.inputs)
	for i, n := range all {
		if z := n.graph.complex[n]; z != nil {
			all[i] = z
		}
	}
	return all
}

// Run feeds the inputs, computes, and returns the outputs in the order of the
// target, as new tensors; the memory of large ones that a caller has dropped is used again
// once the garbage collector has found that nothing refers to it. Feeds must not change until Run returns: an engine may read
// a tensor where it lies. A context that is done stops the submission of
// further work and the waiting, unless the run is predicted to be over within a
// millisecond; work that a device has already begun cannot be recalled, and after
// such an error variables that the graph updates may or may not have been
// updated. Errors: a feed that is missing or does not fit (is ErrFeed); ctx is
// done; closed; the device failed.
func (x *Executable) Run(ctx context.Context, feeds Feeds) ([]*tensor.Tensor, error) {
	feeds, err := x.realFeeds(feeds)
	if err != nil {
		return nil, err
	}
	outs, err := x.runNew(ctx, feeds)
	if err != nil || x.pairs == nil {
		return outs, err
	}
	return x.pairs.complexTensors(outs)
}

// runNew is Run with pairs for complex numbers.
func (x *Executable) runNew(ctx context.Context, feeds Feeds) ([]*tensor.Tensor, error) {
	if x.open != nil {
		return x.open.run(ctx, feeds, nil)
	}
	outs, err := x.executor.NewOutputs()
	if err != nil {
		return nil, err
	}
	if err := x.run(ctx, feeds, outs); err != nil {
		return nil, err
	}
	if x.trims != nil {
		return x.trims.apply(outs)
	}
	return outs, nil
}

// RunInto is Run with outputs that the caller provides: contiguous, of the
// right shape and dtype, which hold anything after an error. It allocates nothing, provided that
// every feed is contiguous. A tensor may be fed and be an output too: the output comes last.
func (x *Executable) RunInto(ctx context.Context, feeds Feeds, outs []*tensor.Tensor) error {
	feeds, err := x.realFeeds(feeds)
	if err != nil {
		return err
	}
	if x.pairs != nil {
		outs = x.pairs.realTensors(outs)
	}
	if x.open != nil {
		_, err := x.open.run(ctx, feeds, outs)
		return err
	}
	if x.trims == nil {
		return x.run(ctx, feeds, outs)
	}
	all, err := x.trims.with(outs, x.executor.NewOutputs)
	if err != nil {
		return fmt.Errorf("ops: run %q: %w", x.graph.name, err)
	}
	defer x.trims.back(all)
	return x.run(ctx, feeds, *all)
}

// run computes all outputs of the executor.
func (x *Executable) run(ctx context.Context, feeds Feeds, outs []*tensor.Tensor) error {
	return x.executor.Run(ctx, func(into []*tensor.Tensor) error { return x.fill(ctx, feeds, into) }, outs)
}

// fill puts feeds in the order of the inputs, and reports all that is wrong with them.
func (x *Executable) fill(ctx context.Context, feeds Feeds, into []*tensor.Tensor) error {
	if err := alive(ctx); err != nil {
		return err
	}
	ok := len(feeds) == len(x.inputs)
	for i, n := range x.inputs {
		t := feeds[n]
		ok = ok && t != nil && t.DType() == n.dtype && slices.Equal(t.Shape(), x.shapes[i])
		into[i] = t
	}
	if ok {
		return nil
	}
	var wrong []string
	for i, n := range x.inputs {
		switch t := feeds[n]; {
		case t == nil:
			wrong = append(wrong, fmt.Sprintf("input %s (%s, declared at %s) is missing", n.label(), n.declared(x.shapes[i]), n.caller))
		case t.DType() != n.dtype || !slices.Equal(t.Shape(), x.shapes[i]):
			wrong = append(wrong, fmt.Sprintf("input %s is %s, not %v%v", n.label(), n.declared(x.shapes[i]), t.DType(), t.Shape()))
		}
	}
	for n := range feeds {
		switch {
		case n == nil || n.op.kind != ir.KindInput:
			wrong = append(wrong, fmt.Sprintf("%v is not an input", n))
		case n.graph != x.graph:
			wrong = append(wrong, fmt.Sprintf("%v is an input of graph %q", n, n.graph.name))
		}
	}
	if len(wrong) == 0 { // inputs that this target does not need
		return nil
	}
	slices.Sort(wrong)
	return fmt.Errorf("%w: run %q: %s", ErrFeed, x.graph.name, strings.Join(wrong, "; "))
}

// Close waits for runs to end and frees the memory and the kernels of the executable. Variables
// keep their values. A second Close does nothing.
func (x *Executable) Close() error {
	if x.open != nil {
		return x.open.close()
	}
	x.rt.leave(x)
	return x.executor.Close()
}

// Prepare returns when no run will wait for a compiler: when the kernels that [AtOnce] compiles beside the runs are ready, and of a graph
// with open sizes the plans for the given sizes, and those that runs have begun. [Target].Progress is told how far it has come.
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

// String is one line: the graph's name, and how many tasks run where. [Executable.Explain] tells all.
func (x *Executable) String() string {
	if x == nil {
		return "<nil executable>"
	}
	if x.open != nil {
		return x.open.String()
	}
	counts, done := x.executor.Spread()
	var parts []string
	for i, n := range counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s on %s", quantity(n, "task"), x.executor.EngineName(i)))
		}
	}
	if len(parts) == 0 {
		parts = []string{"no tasks"}
	}
	closed := ""
	if done {
		closed = ", closed"
	}
	return fmt.Sprintf("executable %q%s: %s", x.graph.name, closed, strings.Join(parts, ", "))
}

// Gives tests in other packages access to unexported state.
func init() {
	inside.Executor = func(x any) *exec.Executor { return x.(*Executable).executor }
	inside.WithExecutor = func(x any, e *exec.Executor) any {
		of := x.(*Executable)
		return &Executable{rt: of.rt, graph: of.graph, inputs: of.inputs, shapes: of.shapes, executor: e}
	}
	inside.Plans = func(x any) int { return x.(*Executable).open.count }
	inside.Machine = func(rt any) *exec.Machine { return &rt.(*Runtime).exec }
	inside.Opened = func(rt any) *backend.Device { return rt.(*Runtime).opened }
	inside.Variable = func(n any) *store.Variable { return n.(*Node).state }
}

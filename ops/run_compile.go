package ops

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/exec"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/internal/lower"
	"github.com/anycl/anycl/internal/plan"
	"github.com/anycl/anycl/internal/store"
)

// Place says where a graph runs.
type Place int

// Where a graph can run.
const (
	Auto     Place = iota // where the cost model predicts that it is fastest
	OnDevice              // on the device; an error without one, or when it lacks something
	OnCPU                 // on the CPU path
)

// Device is the place of device i of a [Runtime] that has several, in the order in which [NewRuntime]
// was given them. Device(0) is OnDevice. A negative i is no place.
func Device(i int) Place {
	switch {
	case i < 0:
		return Auto - 1
	case i == 0:
		return OnDevice
	}
	return OnCPU + Place(i)
}

func (p Place) String() string {
	if p > OnCPU {
		return fmt.Sprintf("device:%d", ir.Place(p).Device())
	}
	return [...]string{"auto", "device", "cpu"}[max(0, int(p))]
}

// Start is when the first run of an executable can begin.
type Start int

const (
	// WhenCompiled has Compile return when all kernels are compiled.
	WhenCompiled Start = iota
	// AtOnce has Compile return when something can run: kernels that are compiled already, or else the CPU engine, which
	// has nothing to compile. The kernels of the device are compiled beside the runs, and the first run after that takes them;
	// [Executable.Prepare] waits for it. Both would slow each other down: compiling begins when the first run has ended, or none has come in
	// 0.3 s; and where a run of the CPU engine is predicted to take longer than that, Compile lets the device be first if it is ready as
	// soon, as with kernels in a cache. Results differ between the two as those of different engines do, in rounding, so AtOnce cannot be
	// had together with Reproducible. Where a task cannot run on the CPU engine, or [Put] says that it must not, it is WhenCompiled.
	AtOnce
)

// Progress is how far compiling has come on one device.
type Progress = engine.Progress

// Target says which results a compiled graph returns, and how it runs.
type Target struct {
	// Outputs are the nodes whose values Run returns, in order.
	Outputs []*Node
	// Updates are results of Assign, and of optimisers.
	Updates []*Node
	// Volatile are variables that are set between most runs. An executable keeps
	// data prepared from variables that no run of it updates, a matrix packed
	// for its kernels for example, and makes them again when the variables are set; of volatile variables
	// it keeps none. Where variables are read is not decided by this list, but by how
	// often runs find them set.
	Volatile []*Node
	// Place overrides the cost model, and [EnvPlace]. [Put] overrides it for single ops.
	Place Place
	// Fixed keeps every task where Compile places it. Without it, a graph whose place was left to the
	// cost model moves when its runs show that another placement is faster, and such a placement takes
	// turns with the present one for some dozen runs first.
	Fixed bool
	// Reproducible gives the same bits for the same feeds in every run, and in every process on such a
	// device with the same driver and version of this package: nothing measured, learned or tuned
	// decides what is computed where, or by which kernel. Each task runs where Place and [Put] say,
	// else on the first device that can run it, else on the CPU path; Fixed is implied. It costs what the
	// cost model would have saved: of tiny graphs, for the most part.
	Reproducible bool
	// Start is when runs can begin. The zero value: when everything is compiled.
	Start Start
	// Progress is told how far compiling has come, in Compile, in [Executable.Prepare], and beside runs. Calls follow each other.
	Progress func(Progress)
	// FastMath allows the device compiler to assume that there are no NaN and
	// infinities and to use approximate functions.
	FastMath bool
	// Sizes are those for which a graph with open sizes is compiled at once; others when a run first has them.
	Sizes []Sizes
	// Plans is how many combinations of sizes an executable of a graph with open sizes keeps ready, those used last; 0 means 1,024.
	Plans int
}

// Compile makes the graph ready to run on rt: it checks, simplifies and fuses
// it, decides where each task runs, plans memory and compiles the kernels. It
// returns every mistake that was made while building and every one of the target, joined, and then
// every task that no engine takes which may have it: as [GraphError], whose parts name the op, the caller's line, and the
// dtypes and shapes of operands. The graph can go on growing and be compiled again.
//
// A graph with open sizes is planned for each combination of sizes when a run first has it, and for those of
// [Target.Sizes] at once. Plans share kernels, which take sizes as arguments, and share constants, variables, and the memory of
// intermediate results; the results of a run are those of a graph with its sizes as numbers. Errors: mistakes; nothing to compute;
// tasks that the demanded engine cannot run; kernels that do not compile; out
// of memory; ctx is done; rt is closed (is ErrClosed).
func (g *Graph) Compile(ctx context.Context, rt *Runtime, target Target) (*Executable, error) {
	if err := errors.Join(g.check(rt, target), alive(ctx)); err != nil {
		return nil, err
	}
	start := time.Now()
	if target.Start != AtOnce {
		if err := rt.await(ctx); err != nil {
			return nil, fmt.Errorf("ops: compile %q: %w", g.name, err)
		}
	}
	outputs := target.Outputs
	pairs := pairsOf(outputs)
	target.Outputs = pairs.real(outputs)
	compile := g.compileOpen
	if g.open == nil {
		compile = func(ctx context.Context, rt *Runtime, t Target) (*Executable, error) {
			return g.compile(ctx, rt, t, nil)
		}
	}
	x, err := compile(ctx, rt, target)
	if err != nil {
		return nil, err
	}
	if pairs.any() {
		x.pairs = pairs
	}
	rt.exec.Log.Debug("ops: a graph is compiled", "graph", g.name, "took", time.Since(start))
	return x, nil
}

// compile is Compile of a graph that has been checked, whose sizes are numbers.
func (g *Graph) compile(ctx context.Context, rt *Runtime, target Target, shared *exec.Shared) (*Executable, error) {
	defer rt.begins()()
	ctx = engine.WithProgress(ctx, target.Progress)
	defer rt.exec.Timeline.Host(g.name, "compile", time.Now())
	where, placement, err := target.place()
	if err != nil {
		return nil, err
	}
	target.Reproducible = placement == exec.ByRule
	if target.Start != AtOnce && where != OnCPU && !rt.exec.Opening.Pending() && rt.opened != nil { // which is set when it is open
		ahead := rt.opened.Ahead(g.mark())
		defer ahead.End()
		ctx = ahead.Context(ctx)
	}
	s := newSimplifier(g.spread())
	var outputs, updates []*ir.Node
	results, trims := trimmed(target.Outputs)
	for _, n := range results {
		outputs = append(outputs, s.simplify(n))
	}
	for _, n := range target.Updates {
		updates = append(updates, s.simplify(n))
	}
	if err := g.Err(); err != nil { // a composition may find mistakes that its rule did not
		return nil, err
	}
	var volatile []*store.Variable
	for _, n := range target.Volatile {
		volatile = append(volatile, n.state)
	}
	p, err := lower.Lower(outputs, updates, lower.Options{
		Volatile: volatile, Validate: exec.Validate,
		Buffers: bufferLimit(rt, where), Seed: g.seed, FastMath: target.FastMath,
		Scalars: lower.Scalars{Add: opNamed("add").Scalar, Where: opNamed("where").Scalar, Cast: opNamed("cast").Scalar,
			FoldIn: opNamed("fold_in").Scalar},
	})
	if err != nil {
		return nil, fmt.Errorf("ops: compile %q: %w", g.name, err)
	}
	for _, u := range p.Instructions {
		u.Task.Reproducible = target.Reproducible
	}
	rt.learn()
	x := &Executable{rt: rt, graph: g, trims: trims}
	if x.executor, err = exec.New(ctx, &rt.exec, g.name, p,
		exec.Options{Where: ir.Place(where), Placing: placement, Shared: shared, AtOnce: target.Start == AtOnce}); err != nil {
		if refused, ok := errors.AsType[*plan.RefusedError](err); ok {
			return nil, g.refused(refused)
		}
		return nil, fmt.Errorf("ops: compile %q: %w", g.name, exec.EngineClosed(err))
	}
	for _, n := range x.executor.Inputs() {
		in := n.Origin.(*Node)
		x.inputs, x.shapes = append(x.inputs, in), append(x.shapes, in.shape)
	}
	if err := rt.enter(x); err != nil {
		return nil, errors.Join(err, x.executor.Close())
	}
	x.executor.LogRefusals()
	return x, nil
}

// refused is e as mistakes of g.
func (g *Graph) refused(e *plan.RefusedError) error {
	all := make([]error, len(e.Tasks))
	for i, t := range e.Tasks {
		one := &OpError{Op: t.Instruction.Task.Name, Caller: t.Instruction.Task.Caller}
		for _, v := range t.Instruction.Ins {
			one.Operands = append(one.Operands, fmt.Sprintf("%v%v", v.DType, v.ResultShape()))
		}
		one.Err = fmt.Errorf("of %s: %w", strings.Join(one.Operands, ", "), t.Err)
		all[i] = one
	}
	return joinErrors(g.name, all)
}

// check reports mistakes of the graph and the target.
func (g *Graph) check(rt *Runtime, target Target) error {
	switch {
	case g == nil:
		return fmt.Errorf("ops: compile: %w", errNoGraph)
	case rt == nil || len(rt.engines()) == 0 || slices.Contains(rt.engines(), nil):
		return errors.New("ops: compile: no runtime (see ops.Open)")
	}
	if err := rt.usable(fmt.Sprintf("compile %q", g.name)); err != nil {
		return err
	}
	for i, e := range rt.engines() {
		if slices.Contains(rt.engines()[:i], e) {
			return fmt.Errorf("ops: compile %q: the runtime has the engine %s twice", g.name, e.Name())
		}
	}
	errs := slices.Clone(g.errs)
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if len(target.Outputs)+len(target.Updates) == 0 {
		bad("the target has no outputs and no updates")
	}
	if target.Place < Auto {
		bad("the target's place is %d, not Auto, OnDevice, OnCPU or Device(i)", int(target.Place))
	}
	switch {
	case target.Start != WhenCompiled && target.Start != AtOnce:
		bad("the target's start is %d, not WhenCompiled or AtOnce", int(target.Start))
	case target.Start == AtOnce && target.Reproducible:
		bad("the target is to start at once, on another engine than later, and to be reproducible")
	}
	assigned := map[*store.Variable]bool{}
	for i, n := range slices.Concat(target.Outputs, target.Updates) {
		switch {
		case n == nil:
			bad("target %d is nil", i)
		case n.graph == g && n.bad: // which was said where it happened
		case n.graph.nowhere:
			errs = append(errs, notIn(n.graph.errs, errs)...)
		case n.graph != g:
			bad("target %d, %v, belongs to graph %q", i, n, n.graph.name)
			errs = append(errs, notIn(n.graph.errs, errs)...)
		case n.region != nil:
			errs = append(errs, fmt.Errorf("target %d: %w", i, ended(n)))
		case i >= len(target.Outputs):
			if n.op.kind != ir.KindAssign {
				bad("update %v is not the result of ops.Assign or an optimiser", n)
			} else if s := n.in[0].state; assigned[s] {
				bad("variable %s is assigned twice", s.Name)
			} else {
				assigned[s] = true
			}
		}
	}
	for i, n := range target.Volatile {
		if n == nil || n.graph != g || n.state == nil {
			bad("volatile %d, %v, is not a variable of graph %q", i, n, g.name)
		}
	}
	return joinErrors(g.name, errs)
}

// notIn are the errors that some do not hold.
func notIn(errs, some []error) []error {
	return slices.DeleteFunc(slices.Clone(errs), func(err error) bool { return slices.Contains(some, err) })
}

// bufferLimit is how many inputs and outputs a task may have that is to run at where: the smallest
// limit of all engines that may get it.
func bufferLimit(rt *Runtime, where Place) int {
	engines := rt.engines()
	if where == OnCPU {
		engines = engines[len(engines)-1:]
	}
	least := math.MaxInt
	for _, e := range engines {
		if n := e.Traits().Buffers; n > 0 {
			least = min(least, n)
		}
	}
	return least
}

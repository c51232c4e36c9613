package optest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// A GraphCheck makes the random graph of a seed, of one kind, and compares what an engine makes of it with the references of its ops.
type GraphCheck struct {
	what  string // such a graph is
	draw  func(seed uint64) *program
	check func(ctx context.Context, p *program, name string, seed uint64) error
}

// FixedGraphs are graphs whose extents are numbers, as a whole on e: see [CheckGraph].
func FixedGraphs(e engine.Engine) *GraphCheck {
	return &GraphCheck{"graph", newProgram, func(ctx context.Context, p *program, name string, _ uint64) error {
		return graphError(ctx, ops.NewRuntime(e), p, name)
	}}
}

// OpenGraphs are graphs whose inputs share an open extent, compiled once for several sizes: see [OpenGraphError].
func OpenGraphs(e engine.Engine) *GraphCheck {
	return &GraphCheck{"open graph", newOpenProgram, func(ctx context.Context, p *program, name string, _ uint64) error {
		return openGraphError(ctx, e, p, name)
	}}
}

// DividedGraphs are graphs with most of their ops put at random on device or cpu: see [TestPlacements].
func DividedGraphs(device, cpu engine.Engine) *GraphCheck {
	return &GraphCheck{"divided graph", newDividedProgram, func(ctx context.Context, p *program, name string, _ uint64) error {
		return graphError(ctx, ops.NewRuntime(device, cpu), p, name)
	}}
}

// GraphGradients are the gradients of graphs of an odd seed on a, compared with those of b: see [CheckGraphGradients].
func GraphGradients(a, b engine.Engine) *GraphCheck {
	return &GraphCheck{"gradients of the graph", newProgram, func(ctx context.Context, p *program, _ string, seed uint64) error {
		return gradientError(ctx, a, b, p, seed)
	}}
}

// newDividedProgram makes the program of a seed, of ops that run everywhere and some that only the CPU path has, each at some place.
func newDividedProgram(seed uint64) *program {
	p := newProgramWith(seed, smoothHost())
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range p.steps {
		place := ops.Place(r.IntN(3))
		if op, ok := ops.OpNamed(p.steps[i].op); !ok || !hostOp(op) { // the planner finds the place of those that no device has
			p.steps[i].place = place
		}
	}
	return p
}

// Error is nil where the graph of a seed agrees. It wraps engine.ErrUnsupported where the engine lacks something that the graph needs.
func (c *GraphCheck) Error(ctx context.Context, seed uint64) error {
	p := c.draw(seed)
	name := fmt.Sprintf("%s of seed %d", c.what, seed)
	return c.tell(c.run(withGraph(ctx, name), p, name, seed), p, seed)
}

// tell adds the program to err.
func (c *GraphCheck) tell(err error, p *program, seed uint64) error {
	if err == nil {
		return nil
	}
	open := ""
	if p.lead > 0 {
		open = fmt.Sprintf(", where %d is open", p.lead)
	}
	return fmt.Errorf("%w\nthe %s of seed %d%s:\n%s", err, c.what, seed, open, p)
}

// run is check; a panic is an error.
func (c *GraphCheck) run(ctx context.Context, p *program, name string, seed uint64) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	return c.check(ctx, p, name, seed)
}

// Smallest is the error of the smallest graph found that is wrong as the graph of a seed is: one with results that differ where those
// do, with another error where that has one. At most so many graphs are tried. It is nil where the graph of the seed agrees.
func (c *GraphCheck) Smallest(ctx context.Context, seed uint64, tries int) error {
	ctx = withGraph(ctx, "") // none of the smaller graphs has run before
	fails := func(p *program) error {
		q := *p // values and variables change as it runs
		q.rng = rand.New(rand.NewPCG(seed, 2))
		err := c.run(ctx, &q, fmt.Sprintf("part of the %s of seed %d", c.what, seed), seed)
		if errors.Is(err, engine.ErrUnsupported) || errors.Is(err, ErrKnown) || ctx.Err() != nil {
			return nil
		}
		return err
	}
	p := c.draw(seed)
	err := fails(p)
	for next := p; err != nil && next != nil; {
		next = nil
		for _, part := range p.parts() {
			if tries == 0 {
				return c.tell(err, p, seed)
			}
			tries--
			if e := fails(part); e != nil && differs(e) == differs(err) {
				next, p, err = part, part, e
				break
			}
		}
	}
	return c.tell(err, p, seed)
}

// differs reports whether err tells of wrong results.
func differs(err error) bool {
	_, ok := errors.AsType[differenceError](err)
	return ok
}

// parts are programs with less to do than p: without variables, with one of its values as the only output, the first ones first, and
// with an input in place of a computed value, the last ones first.
func (p *program) parts() []*program {
	var all []*program
	if len(p.updates) > 0 {
		all = append(all, p.needed(p.outputs))
	}
	for i, s := range p.steps {
		if s.op != "" && (len(p.outputs) > 1 || p.outputs[0] != i) {
			all = append(all, p.needed([]int{i}))
		}
	}
	for i, s := range slices.Backward(p.steps) {
		if s.op == "" || slices.Contains(p.outputs, i) || !p.enterable(i) {
			continue
		}
		q := *p
		q.steps = slices.Clone(p.steps)
		q.steps[i] = step{}
		all = append(all, q.needed(p.outputs))
	}
	return all
}

// enterable reports whether value i can be an input of p: all its extents are numbers or the open one.
func (p *program) enterable(i int) bool {
	for k, n := range p.sizes {
		if !slices.Equal(p.resizedValues[k][i].Shape, p.resized(p.shape(i), n)) {
			return false
		}
	}
	return true
}

// needed is the part of p that outputs need, which it has for its own, without variables.
func (p *program) needed(outputs []int) *program {
	use := make([]bool, len(p.steps))
	for _, v := range outputs {
		use[v] = true
	}
	for i, s := range slices.Backward(p.steps) {
		if use[i] {
			for _, a := range s.args {
				use[a] = true
			}
		}
	}
	q := &program{exact: p.exact, base: p.base, lead: p.lead, sizes: p.sizes, resizedValues: make([][]spec.Array, len(p.sizes))}
	at := make([]int, len(p.steps))
	for i, s := range p.steps {
		if !use[i] {
			continue
		}
		at[i] = len(q.steps)
		s.args = slices.Clone(s.args)
		for k, a := range s.args {
			s.args[k] = at[a]
		}
		q.steps, q.values = append(q.steps, s), append(q.values, p.values[i])
		for k := range p.sizes {
			q.resizedValues[k] = append(q.resizedValues[k], p.resizedValues[k][i])
		}
	}
	for _, v := range outputs {
		q.outputs = append(q.outputs, at[v])
	}
	return q
}

package optest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/format"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// TestGraphs checks n random graphs on the engine e with [CheckGraph]. Subtests
// are named by their seed.
func TestGraphs(t *testing.T, e engine.Engine, n int) {
	for seed := range n {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			CheckGraph(t, e, uint64(seed))
		})
	}
}

// CheckGraph builds the random graph of a seed, runs it on the engine e as a
// whole, fused and planned, and compares some of its values with the
// references of its ops, applied one after the other. Some of its inputs are
// variables, which the run updates; then exact graphs run again.
//
// Graphs of an even seed compute with small integers, of whatever dtype: their
// results are the same in any order of evaluation, and are compared exactly.
// Graphs of an odd seed are smooth functions of float32. How far rounding may
// take their results is found by evaluating them again with every value of
// every op moved at random by the error that the op may make (Monte Carlo
// arithmetic; Parker, 1997).
func CheckGraph(t testing.TB, e engine.Engine, seed uint64) {
	t.Helper()
	reportGraph(t, GraphError(t.Context(), e, seed))
}

// GraphError is CheckGraph without package testing: it is nil where the graph agrees.
func GraphError(ctx context.Context, e engine.Engine, seed uint64) error {
	return FixedGraphs(e).Error(ctx, seed)
}

// reportGraph reports err as the result of a test.
func reportGraph(t testing.TB, err error) {
	t.Helper()
	switch {
	case err == nil:
	case errors.Is(err, engine.ErrUnsupported):
		t.Skipf("absent: %v", err)
	case errors.Is(err, ErrKnown):
		t.Skip(ErrKnown)
	default:
		t.Errorf("%v", err)
	}
}

// TestPlacements checks n random graphs as [TestGraphs] does, with most of their ops put
// at random on one of two engines, and some that only the CPU path has.
func TestPlacements(t *testing.T, device, cpu engine.Engine, n int) {
	for seed := range n {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			reportGraph(t, PlacementError(t.Context(), device, cpu, uint64(seed)))
		})
	}
}

// PlacementError is the mistake that [TestPlacements] finds for one seed, without package testing.
func PlacementError(ctx context.Context, device, cpu engine.Engine, seed uint64) error {
	return DividedGraphs(device, cpu).Error(ctx, seed)
}

// graphError is the difference between what rt makes of p, with its steps where they are placed, and the references.
func graphError(ctx context.Context, rt *ops.Runtime, p *program, name string) error {
	g := ops.NewGraph(name)
	feeds := ops.Feeds{}
	nodes := p.build(g, feeds)
	for i, n := range nodes {
		if place := p.steps[i].place; place != ops.Auto {
			ops.Put(n, place)
		}
	}
	target := ops.Target{}
	for _, v := range p.outputs {
		target.Outputs = append(target.Outputs, nodes[v])
	}
	for _, v := range slices.Sorted(maps.Keys(p.updates)) {
		target.Updates = append(target.Updates, ops.Assign(nodes[v], nodes[p.updates[v]]))
	}
	exe, err := g.Compile(ctx, rt, target)
	if err != nil {
		return err
	}
	defer exe.Close()
	var slack [][]float64
	if !p.exact {
		slack = p.slack(p.values)
	}
	for run := 1; ; run++ {
		outs, err := exe.Run(ctx, feeds)
		if err != nil {
			return fmt.Errorf("run %d: %w", run, err)
		}
		var wrong []error
		for i, v := range p.outputs {
			if message := p.differs(outs[i], p.values, v, slack); message != "" {
				wrong = append(wrong, differenceError(fmt.Sprintf("run %d: value v%d: %s", run, v, message)))
			}
		}
		for v, to := range p.updates {
			got, err := ops.Value(ctx, nodes[v])
			if err != nil {
				return fmt.Errorf("run %d: %w", run, err)
			}
			if message := p.differs(got, p.values, to, slack); message != "" {
				wrong = append(wrong, differenceError(fmt.Sprintf("run %d: variable v%d after the run: %s", run, v, message)))
			}
		}
		if run == maxRuns || !p.exact || wrong != nil || !p.advance() {
			return errors.Join(wrong...)
		}
	}
}

// differenceError says where results are not those of the references.
type differenceError string

func (e differenceError) Error() string { return string(e) }

// maxRuns is how often a graph that updates variables runs.
const maxRuns = 3

// advance makes p's values those of the next run. It reports false where there
// are no variables, or where the values become too large to be exact.
func (p *program) advance() bool {
	next := make([]spec.Array, len(p.values))
	for i, v := range p.values {
		if p.steps[i].op == "" {
			next[i] = v
			if to, ok := p.updates[i]; ok {
				next[i] = p.values[to]
			}
			continue
		}
		r := p.evaluate(i, next, v.DType, v.Shape)
		if !p.usable(r) {
			return false
		}
		next[i] = r.Array
	}
	p.values = next
	return len(p.updates) > 0
}

// differs compares an output with value v of values; the message is empty when they agree.
func (p *program) differs(got *tensor.Tensor, values []spec.Array, v int, slack [][]float64) string {
	want := values[v]
	if p.exact || want.F == nil {
		return Compare(spec.Moved, got, reference.Exactly(want)).Message
	}
	// The slack is the bound; Compare adds to it for the last store.
	return Compare(spec.Tolerance{ULP: 4, Terms: 1}, got,
		spec.Result{Array: want, Terms: slack[v], N: 1 / format.Of(want.DType).Unit()}).Message
}

// program is a list of values: inputs, then one op each.
type program struct {
	rng     *rand.Rand
	exact   bool
	base    tensor.DType // of most values
	steps   []step
	values  []spec.Array // of each step
	outputs []int
	updates map[int]int // inputs that are variables, and the values that they get

	lead          int            // the extent that is open, as it is in values; 0: none
	sizes         []int          // other values of lead
	resizedValues [][]spec.Array // the values with each of sizes
}

// step makes one value. An input has no op.
type step struct {
	op    string
	attr  any
	at    func(in []spec.Array) any // attr, where it depends on the shapes of operands
	args  []int
	build func(in []*ops.Node) *ops.Node
	place ops.Place
}

// String lists the program as one would write it down.
func (p *program) String() string {
	var b strings.Builder
	for i, s := range p.steps {
		v := p.values[i]
		if s.op == "" {
			fmt.Fprintf(&b, "  v%d = input", i)
			if to, ok := p.updates[i]; ok {
				fmt.Fprintf(&b, ", a variable that becomes v%d", to)
			}
		} else {
			fmt.Fprintf(&b, "  v%d = %s(", i, s.op)
			for k, a := range s.args {
				if k > 0 {
					b.WriteString(", ")
				}
				fmt.Fprintf(&b, "v%d", a)
			}
			if s.attr != nil {
				fmt.Fprintf(&b, "; %v", s.attr)
			}
			b.WriteByte(')')
		}
		fmt.Fprintf(&b, "  %v%v", v.DType, v.Shape)
		if slices.Contains(p.outputs, i) {
			b.WriteString("  output")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// build adds the program to g and its inputs to feeds.
func (p *program) build(g *ops.Graph, feeds ops.Feeds) []*ops.Node {
	nodes := make([]*ops.Node, len(p.steps))
	for i, s := range p.steps {
		if s.op == "" {
			v := p.values[i]
			if _, ok := p.updates[i]; ok {
				nodes[i] = g.Variable(fmt.Sprint("v", i), v.Tensor())
				continue
			}
			shape := v.Shape
			if p.lead > 0 {
				shape = p.resized(shape, ops.Dim("n"))
			}
			nodes[i] = g.Input(fmt.Sprint("v", i), v.DType, shape...)
			feeds[nodes[i]] = v.Tensor()
			continue
		}
		in := make([]*ops.Node, len(s.args))
		for k, a := range s.args {
			in[k] = nodes[a]
		}
		nodes[i] = s.build(in)
	}
	return nodes
}

// evaluate runs the reference of step i on values.
func (p *program) evaluate(i int, values []spec.Array, dt tensor.DType, shape []int) spec.Result {
	s := p.steps[i]
	c := spec.Case{Attr: s.attr, DType: dt, Shape: shape}
	for _, a := range s.args {
		c.In = append(c.In, values[a])
	}
	if s.at != nil {
		c.Attr = s.at(c.In)
	}
	return spec.Of(s.op).Reference(c)
}

// tryEvaluate is evaluate for operands that the reference may not be for.
func (p *program) tryEvaluate(i int, values []spec.Array, dt tensor.DType) (r spec.Result, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("the reference of %s: %v", p.steps[i].op, e)
		}
	}()
	return p.evaluate(i, values, dt, nil), nil
}

// trials is how often slack evaluates the program anew.
const trials = 4

// slack bounds the error of every element of every one of values, by experiment.
func (p *program) slack(values []spec.Array) [][]float64 {
	out := make([][]float64, len(values))
	for i, v := range values {
		out[i] = make([]float64, len(v.F))
	}
	for range trials {
		moved := make([]spec.Array, len(values))
		for i, v := range values {
			if p.steps[i].op == "" {
				moved[i] = v
				continue
			}
			moved[i] = p.disturb(i, p.evaluate(i, moved, v.DType, v.Shape))
			for k := range out[i] {
				out[i][k] = max(out[i][k], math.Abs(moved[i].F[k]-v.F[k]))
			}
		}
	}
	for _, errs := range out { // an element whose errors happened to cancel gets the usual slack
		var usual float64
		for _, e := range errs {
			usual += e / float64(len(errs))
		}
		for k, e := range errs {
			errs[k] = 4*e + 2*usual
		}
	}
	return out
}

// disturb moves a result by the error that its op may make.
func (p *program) disturb(i int, r spec.Result) spec.Array {
	tol := spec.Of(p.steps[i].op).Tolerance
	for k, v := range r.F {
		var terms float64
		if r.Terms != nil {
			terms = r.Terms[k]
		}
		if !tol.Moves && (tol.ULP > 0 || tol.Terms > 0) {
			bound := tol.ULP*format.Accumulator(r.DType).ULP(v) + tol.Terms*r.N*format.Accumulator(r.DType).Unit()*terms
			r.F[k] = v + bound*float64(1-2*p.rng.IntN(2))
		}
	}
	return r.Array
}

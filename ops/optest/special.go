package optest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/format"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// A gradient rule that treats a point by itself (a zero, a tie, a bound, an
// infinity) may be right there and have a wrong derivative of its own. So
// derivatives of the second and third order are compared at such points, with
// values that are known in closed form.

// specialCase is an op at special points. With directions u and v, the loss and the
// derivatives compared are
//
//	L = Σ w · op(x),  dᵢ = ∂L/∂xᵢ,  dᵢⱼ = ∂(Σ u · dᵢ)/∂xⱼ,  dᵢᵢᵢ = ∂(Σ v · dᵢᵢ)/∂xᵢ
type specialCase struct {
	op, label string
	build     func(in []*ops.Node) *ops.Node
	in        [][]float64 // operands
	shape     []int       // of each; nil for vectors
	w, u, v   []float64   // nil for ones
	first     [][]float64 // by operand
	second    [][]float64 // by pairs of operands
	third     [][]float64 // by operand; nil where it is not compared
	long      bool        // many kernels: for engines that compile fast
}

// open is a derivative that has no value, or one that depends on the way it is
// come from: it is not compared.
const open = 7.25e77

// specialDerivatives are outputs of a graph, to be compared with want.
type specialDerivatives struct {
	c     *specialCase
	nodes []*ops.Node
	names []string
	want  [][]float64
}

// derive builds the derivatives of c in dt.
func (c *specialCase) derive(g *ops.Graph, feeds ops.Feeds, dt tensor.DType) *specialDerivatives {
	shape := c.shape
	if shape == nil {
		shape = []int{len(c.in[0])}
	}
	vector := func(x []float64, shape []int) *tensor.Tensor {
		a := spec.NewArray(dt, shape...)
		copy(a.F, x)
		return a.Tensor()
	}
	weighted := func(y *ops.Node, w []float64) *ops.Node {
		if w != nil {
			y = ops.Mul(y, g.Const(vector(w, y.Shape())))
		}
		return ops.Sum(y)
	}
	var in []*ops.Node
	for i, x := range c.in {
		n := g.Input(fmt.Sprintf("%s.%s.%d", c.op, c.label, i), dt, shape...)
		feeds[n] = vector(x, shape)
		in = append(in, n)
	}
	s := &specialDerivatives{c: c}
	enter := func(d *ops.Node, want []float64, name string, at ...int) {
		if want != nil {
			s.nodes, s.want, s.names = append(s.nodes, d), append(s.want, want),
				append(s.names, fmt.Sprintf("%s derivative by operand %v", name, at))
		}
	}
	for i, d := range ops.Gradients(weighted(c.build(in), c.w), in...) {
		enter(d, c.first[i], "first", i)
		for j, dd := range ops.Gradients(weighted(d, c.u), in...) {
			enter(dd, c.second[i*len(in)+j], "second", i, j)
			if i == j && c.third != nil {
				enter(ops.Gradients(weighted(dd, c.v), in[i])[0], c.third[i], "third", i, i, i)
			}
		}
	}
	return s
}

// pointGroup is the derivatives of some ops at their special points in one dtype, computed as one graph.
type pointGroup struct {
	ops []*ops.Op
	dt  tensor.DType
	few bool // for an engine that takes long to compile: not to the third order

	once  sync.Once
	found map[*ops.Op]*pointsFound
	err   error
}

// pointsFound is the result of a graph for an op.
type pointsFound struct {
	cases  []*specialDerivatives
	result *tensor.Tensor // of all cases, one after the other
}

// pointsIn are the dtypes in which special points are compared: float64 too on an engine that compiles fast.
func pointsIn(few bool) []tensor.DType {
	if few {
		return []tensor.DType{tensor.Float32}
	}
	return []tensor.DType{tensor.Float32, tensor.Float64}
}

// specialOutcomes compares the derivatives of op at its special points on rt.
func specialOutcomes(ctx context.Context, rt *ops.Runtime, op *ops.Op, few bool) (all []Outcome) {
	for _, dt := range pointsIn(few) {
		all = append(all, (&pointGroup{ops: []*ops.Op{op}, dt: dt, few: few}).outcomes(ctx, rt, op)...)
	}
	return all
}

// derivatives are the cases of op as parts of graph, and their results as one vector.
func (g *pointGroup) derivatives(graph *ops.Graph, feeds ops.Feeds, op *ops.Op) (all []*specialDerivatives, flat *ops.Node) {
	var nodes []*ops.Node
	for _, c := range specials() {
		if c.op != op.Name || g.few && c.long {
			continue
		}
		if g.few {
			c.third = nil
		}
		s := c.derive(graph, feeds, g.dt)
		for _, n := range s.nodes {
			nodes = append(nodes, ops.Reshape(n, -1))
		}
		all = append(all, s)
	}
	if len(nodes) == 0 {
		return nil, nil
	}
	return all, ops.Concat(0, nodes...) // one kernel, mostly
}

func (g *pointGroup) compute(ctx context.Context, rt *ops.Runtime) error {
	graph, feeds := ops.NewGraph("special points"), ops.Feeds{}
	g.found = map[*ops.Op]*pointsFound{}
	name := fmt.Sprintf("special points\n%v few=%t\n", g.dt, g.few)
	var outputs []*ops.Node
	var whose []*pointsFound
	for _, op := range g.ops {
		if cases, flat := g.derivatives(graph, feeds, op); cases != nil {
			f := &pointsFound{cases: cases}
			g.found[op], whose, outputs = f, append(whose, f), append(outputs, flat)
			name += op.Name + "\n"
		}
	}
	if len(outputs) == 0 {
		return nil
	}
	exe, err := graph.Compile(withGraph(ctx, name), rt, ops.Target{Outputs: outputs})
	if err != nil {
		return err
	}
	defer exe.Close()
	outs, err := exe.Run(ctx, feeds)
	if err != nil {
		return err
	}
	for i, f := range whose {
		f.result = outs[i]
	}
	return nil
}

// outcomes returns the outcomes of op, one of the ops of g. Where not all of g run together, op is tried alone.
func (g *pointGroup) outcomes(ctx context.Context, rt *ops.Runtime, op *ops.Op) []Outcome {
	g.once.Do(func() { g.err = g.compute(ctx, rt) })
	f := g.found[op]
	if f == nil {
		return nil
	}
	every := func(state State, err error) (out []Outcome) {
		for _, s := range f.cases {
			out = append(out, Outcome{Sample: g.label(s.c), State: state, Err: err})
		}
		return out
	}
	switch err := g.err; {
	case errors.Is(err, ErrKnown):
		return every(Known, nil)
	case err != nil && len(g.ops) > 1:
		return (&pointGroup{ops: []*ops.Op{op}, dt: g.dt, few: g.few}).outcomes(ctx, rt, op)
	case errors.Is(err, engine.ErrUnsupported):
		return every(Absent, err)
	case err != nil:
		return every(Failed, err)
	}
	return f.outcomes(g)
}

func (g *pointGroup) label(c *specialCase) string {
	return strings.TrimSpace("special points "+c.label) + " " + g.dt.String()
}

func (f *pointsFound) outcomes(g *pointGroup) (outcomes []Outcome) {
	values := spec.FromTensor(f.result).F
	for _, s := range f.cases {
		o := Outcome{Sample: g.label(s.c), State: Passed}
		for k, n := range s.nodes {
			for p, want := range s.want[k] {
				o.Verdict.Elements++
				if got := values[p]; o.Err == nil && !sameDerivative(got, want, g.dt) {
					var x []float64
					for _, operand := range s.c.in {
						x = append(x, operand[p])
					}
					o.State, o.Err = Failed, fmt.Errorf("%s, element %d, where the operands are %v: got %.9g, want %.9g", s.names[k], p, x, got, want)
				}
			}
			values = values[n.Size():]
		}
		outcomes = append(outcomes, o)
	}
	return outcomes
}

func sameDerivative(got, want float64, dt tensor.DType) bool {
	switch {
	case want == open:
		return true
	case math.IsNaN(want), math.IsInf(want, 0):
		return got == want || math.IsNaN(got) && math.IsNaN(want)
	}
	return math.Abs(got-want) <= 64*format.Of(dt).Unit()*(1+math.Abs(want))
}

// TestSpecialPoints checks derivatives of up to the third order on the engine e
// where gradient rules have special cases: at zeros, ties, bounds and
// infinities. Subtests are named op/sample.
func TestSpecialPoints(t *testing.T, e engine.Engine, o *Options) {
	rt := ops.NewRuntime(e)
	eachDifferentiable(t, o, func(t *testing.T, op *ops.Op) {
		p := &Part{Op: op, check: func(ctx context.Context) []Outcome { return specialOutcomes(ctx, rt, op, o != nil && o.Bundle) }}
		p.test(t, nil)
	})
}

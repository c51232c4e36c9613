package optest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/format"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// TestGradientsAgree checks the gradients of every differentiable op in
// float32 on the engine a against those of b in float64, from the same
// operands, and derivatives of a second time on a against
// exact ones at special points. Subtests are named op/sample.
//
// With [Options.WithGradients] results of compositions are compared, too. With [Options.Bundle] every op brings two samples (one with
// [Options.Few], if it has no kernels of its own), several ops share a graph, and element-wise ones kernels, as in [TestOps].
func TestGradientsAgree(t *testing.T, a, b engine.Engine, o *Options) {
	for _, p := range GradientParts(a, b, o) {
		t.Run(p.Op.Name, func(t *testing.T) {
			t.Parallel()
			p.test(t, nil)
		})
	}
}

// GradientParts are the checks of [TestGradientsAgree], for callers that do without package
// testing. They may be checked at the same time.
func GradientParts(a, b engine.Engine, o *Options) []*Part {
	ra, rb := ops.NewRuntime(a), ops.NewRuntime(b)
	few := o != nil && o.Bundle
	single := few && o.Few
	results := single && o.WithGradients
	points := map[*gradGroup][]*pointGroup{} // of the same ops
	open := map[bool]*gradGroup{}            // those of element-wise ops, and of others
	var parts []*Part
	for op := range ops.Table() {
		if !differentiable(o, op) {
			continue
		}
		g := &gradGroup{ops: []*ops.Op{op}, few: few, single: single, results: results}
		if few && !leftToCPU(op) && !drawing[op.Name] { // whose numbers depend on other draws of a graph
			alike := elementwise(op)
			if open[alike] == nil || len(open[alike].ops) == gradBundle {
				open[alike] = &gradGroup{few: true, single: single, results: results, alike: alike}
			}
			g = open[alike]
			g.ops = append(g.ops, op)
		}
		if points[g] == nil {
			for _, dt := range pointsIn(few) {
				points[g] = append(points[g], &pointGroup{dt: dt, few: few})
			}
		}
		special := points[g]
		for _, p := range special {
			p.ops = append(p.ops, op)
		}
		parts = append(parts, &Part{Op: op, DType: tensor.Float32, check: func(ctx context.Context) []Outcome {
			outcomes := g.outcomes(ctx, ra, rb, op)
			for _, p := range special {
				outcomes = append(outcomes, p.outcomes(ctx, ra, op)...)
			}
			return outcomes
		}})
	}
	return parts
}

// outcomes returns the outcomes of op's samples. Where not all ops of g run together, op is tried alone.
func (g *gradGroup) outcomes(ctx context.Context, a, b *ops.Runtime, op *ops.Op) []Outcome {
	pairs, err := g.run(ctx, a, b)
	switch {
	case errors.Is(err, ErrKnown):
		return []Outcome{{Sample: "all", State: Known}}
	case err != nil && len(g.ops) > 1:
		alone := &gradGroup{ops: []*ops.Op{op}, few: g.few, single: g.single, results: g.results, alike: g.alike}
		return alone.outcomes(ctx, a, b, op)
	case errors.Is(err, engine.ErrUnsupported):
		return []Outcome{{Sample: "all", State: Absent, Err: err}}
	case err != nil:
		return []Outcome{failed("all", err)}
	}
	var outcomes []Outcome
	for _, p := range pairs {
		if p.cell.op == op {
			o := agree(p)
			if r := p.result; r != nil && o.State == Passed {
				if of := judge(&p.cell.cell, *r); of.State != Passed {
					o.State, o.Err = of.State, fmt.Errorf("the result, beside its gradient: %w", of.Err)
				}
			}
			outcomes = append(outcomes, o)
		}
	}
	return outcomes
}

// gradBundle is how many ops share a graph. Element-wise ones with the same operands share
// kernels, which have several results; the kernels of others are compiled together.
const gradBundle = 16

// gradGroup is the gradients of some ops, computed as one graph.
type gradGroup struct {
	ops     []*ops.Op
	few     bool // two samples of each op
	single  bool // one of those without kernels of their own
	results bool // those of compositions are compared, too
	alike   bool // the same operands and weights, where their shapes and ranges are the same

	once  sync.Once
	pairs []gradPair
	err   error
}

// gradPair is the gradients of one cell on two engines.
type gradPair struct {
	cell      *gradCell
	got, want []spec.Array
	result    *cellResult // of the op itself, if it is compared
	took      time.Duration
}

func (g *gradGroup) run(ctx context.Context, a, b *ops.Runtime) ([]gradPair, error) {
	g.once.Do(func() {
		start := time.Now()
		narrow, got, results, err := g.compute(ctx, a, tensor.Float32, nil)
		if err != nil {
			g.err = err
			return
		}
		took := time.Since(start) / time.Duration(max(len(narrow), 1))
		_, want, _, err := g.compute(ctx, b, tensor.Float64, narrow)
		if err != nil {
			g.err = err
			return
		}
		for i, c := range narrow {
			g.pairs = append(g.pairs, gradPair{c, got[i], want[i], results[i], took})
		}
	})
	return g.pairs, g.err
}

// compute gives the gradients of every cell in dtype dt, from the values of the
// cells like, if there are any, which are the same ones in another dtype. Without like it gives the results that are compared, too.
func (g *gradGroup) compute(ctx context.Context, rt *ops.Runtime, dt tensor.DType, like []*gradCell) ([]*gradCell, [][]spec.Array,
	[]*cellResult, error) {
	graph := ops.NewGraph("gradients")
	var all []*gradCell
	var shared map[string]*ops.Node
	if g.alike {
		shared = map[string]*ops.Node{}
	}
	for _, op := range g.ops {
		all = append(all, g.choose(op, slices.DeleteFunc(gradCells(graph, op, dt, shared), oneDType))...)
	}
	feeds := ops.Feeds{}
	var outputs []*ops.Node
	for i, c := range all {
		if like != nil {
			for k, x := range like[i].values {
				if x.DType() == tensor.Float32 {
					c.values[k] = tensor.Must(tensor.Cast(x, dt))
				}
			}
		}
		c.feed(feeds)
		outputs = append(outputs, c.grads...)
		if like == nil && g.compares(c) {
			outputs = append(outputs, c.out)
			if c.sample.Through != nil {
				outputs = append(outputs, c.seen...)
			}
		}
	}
	if len(outputs) == 0 {
		return nil, nil, nil, nil
	}
	var cells []*cell
	for _, c := range all {
		cells = append(cells, &c.cell)
	}
	exe, err := graph.Compile(naming(ctx, "gradients\n", cells), rt, ops.Target{Outputs: outputs})
	if err != nil {
		return nil, nil, nil, err
	}
	defer exe.Close()
	outs, err := exe.Run(ctx, feeds)
	if err != nil {
		return nil, nil, nil, err
	}
	grads, results := make([][]spec.Array, len(all)), make([]*cellResult, len(all))
	for i, c := range all {
		for range c.grads {
			grads[i] = append(grads[i], spec.FromTensor(outs[0]))
			outs = outs[1:]
		}
		if like == nil && g.compares(c) {
			results[i], outs = &cellResult{out: outs[0], seen: c.values}, outs[1:]
			if n := len(c.seen); c.sample.Through != nil {
				results[i].seen, outs = outs[:n], outs[n:]
			}
		}
	}
	return all, grads, results, nil
}

// compares reports whether the result of c is compared beside its gradient.
func (g *gradGroup) compares(c *gradCell) bool {
	return g.results && besideGradient(c.op) && c.number == sampleBesideGradient(c.op)
}

// besideGradient reports whether results of op may be compared beside its gradient: it is a composition, whose samples are not
// elements of one vector, and its numbers do not depend on the rest of a graph.
func besideGradient(op *ops.Op) bool {
	return isComposition(op) && !elementwise(op) && op.Differentiable() && mainDType(op) == tensor.Float32 &&
		slices.Contains(DTypes(op), tensor.Float64) && op.Category != "random" && !drawing[op.Name] && !leftToCPU(op)
}

// sampleBesideGradient is the number of the sample of op whose gradient is compared where few are, -1 if there is none.
func sampleBesideGradient(op *ops.Op) int {
	besideMu.Lock()
	defer besideMu.Unlock()
	n, ok := besideOf[op.Name]
	if !ok {
		g := &gradGroup{few: true, single: true}
		n = -1
		for _, c := range g.choose(op, slices.DeleteFunc(gradCells(ops.NewGraph("scratch"), op, tensor.Float32, nil), oneDType)) {
			n = c.number
		}
		besideOf[op.Name] = n
	}
	return n
}

// besideOf are the numbers of samples by the names of ops.
var (
	besideMu sync.Mutex
	besideOf = map[string]int{}
)

// oneDType reports whether the sample is left out in one of the dtypes that are compared.
func oneDType(c *gradCell) bool {
	only := c.sample.Only
	return only != nil && !(slices.Contains(only, tensor.Float32) && slices.Contains(only, tensor.Float64))
}

// choose is two of the samples where few are wanted: the ones that are neither tiny nor large, for preference. Where one is, of ops
// without kernels of their own, it is the last of these for ops that consist of others, whose derivatives are theirs, and the first for
// element-wise ones, whose operands most have in common.
func (g *gradGroup) choose(op *ops.Op, all []*gradCell) []*gradCell {
	single := g.single && (isComposition(op) || elementwise(op))
	if !g.few || len(all) <= 1 || len(all) == 2 && !single {
		return all
	}
	fit := slices.DeleteFunc(slices.Clone(all), func(c *gradCell) bool { n := c.out.Size(); return n < 4 || n > 2000 })
	switch {
	case single && len(fit) == 0:
		fit = all
	case len(fit) < 2 && !single:
		return all[:2]
	}
	first, last := fit[0], fit[len(fit)-1]
	switch {
	case !single:
		return []*gradCell{first, last}
	case elementwise(op):
		return []*gradCell{first}
	}
	for _, c := range slices.Backward(fit) {
		if ofFew(&c.cell) { // of which the result is compared in any case
			return []*gradCell{c}
		}
	}
	return []*gradCell{last}
}

// agree compares gradients in float32 with those in float64. Their error in
// float32 depends on the derivative rule: allowed is a share of the derivative,
// of the largest one, and of the weights, which are about 1.
func agree(pair gradPair) Outcome {
	o := Outcome{Sample: pair.cell.sample.Label, State: Passed, Took: pair.took}
	var results []*tensor.Tensor
	for _, g := range pair.got {
		results = append(results, g.Tensor())
	}
	o.Verdict.Bits = bitsOf(results...)
	f := format.Of(tensor.Float32)
	for k, w := range pair.want {
		var largest float64
		for _, v := range w.F {
			if !math.IsInf(v, 0) {
				largest = max(largest, math.Abs(v))
			}
		}
		for p, v := range w.F {
			g := pair.got[k].F[p]
			o.Verdict.Elements++
			if math.Abs(v) >= f.Overflow() && math.IsInf(g, int(math.Copysign(1, v))) || math.IsNaN(v) && math.IsNaN(g) {
				continue
			}
			off, bound := math.Abs(g-v), 1e-3*math.Abs(v)+2e-5*largest+8*f.Unit()
			if !(off <= bound) {
				o.State, o.Err = Failed, fmt.Errorf("gradient %d, element %v: got %.9g, want %.9g", k, reference.Coordinate(w.Shape, p), g, v)
				return o
			}
			o.Verdict.Share = max(o.Verdict.Share, off/bound)
		}
	}
	return o
}

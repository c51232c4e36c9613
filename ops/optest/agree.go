package optest

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// TestGradientsAgree checks the gradients of every differentiable op in
// float32 on the engine a against those of b in float64, from the same
// operands. Subtests are named op/sample.
//
// With [Options.Bundle] every op brings two samples, and element-wise ops share
// kernels as in [TestOps].
func TestGradientsAgree(t *testing.T, a, b engine.Engine, o *Options) {
	ra, rb := ops.NewRuntime(a), ops.NewRuntime(b)
	var open *gradGroup
	of := map[*ops.Op]*gradGroup{}
	for op := range ops.All() {
		if !differentiable(o, op) {
			continue
		}
		if o == nil || !o.Bundle || !elementwise(op) {
			of[op] = &gradGroup{ops: []*ops.Op{op}, few: o != nil && o.Bundle}
			continue
		}
		if open == nil || len(open.ops) == gradBundle {
			open = &gradGroup{few: true, joined: true}
		}
		open.ops = append(open.ops, op)
		of[op] = open
	}
	eachDifferentiable(t, o, func(t *testing.T, op *ops.Op) {
		pairs, err := of[op].run(t.Context(), ra, rb)
		if errors.Is(err, engine.ErrUnsupported) {
			t.Skipf("absent: %v", err)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, again(t))
		}
		for _, p := range pairs {
			if p.cell.op == op {
				t.Run(p.cell.sample.Label, func(t *testing.T) { agree(t, p.got, p.want) })
			}
		}
	})
}

// gradBundle is how many element-wise ops share a kernel: each has operands and
// weights.
const gradBundle = 4

// gradGroup is the gradients of some ops, computed as one graph.
type gradGroup struct {
	ops    []*ops.Op
	few    bool // two samples of each op
	joined bool // one result for all

	once  sync.Once
	pairs []gradPair
	err   error
}

// gradPair is the gradients of one cell on two engines.
type gradPair struct {
	cell      *gradCell
	got, want []Array
}

func (g *gradGroup) run(ctx context.Context, a, b *ops.Runtime) ([]gradPair, error) {
	g.once.Do(func() {
		narrow, got, err := g.compute(ctx, a, tensor.Float32, nil)
		if err != nil {
			g.err = err
			return
		}
		_, want, err := g.compute(ctx, b, tensor.Float64, narrow)
		if err != nil {
			g.err = err
			return
		}
		for i, c := range narrow {
			g.pairs = append(g.pairs, gradPair{c, got[i], want[i]})
		}
	})
	return g.pairs, g.err
}

// compute gives the gradients of every cell in dtype dt, from the values of the
// cells like, if there are any.
func (g *gradGroup) compute(ctx context.Context, rt *ops.Runtime, dt tensor.DType, like []*gradCell) ([]*gradCell, [][]Array, error) {
	graph := ops.NewGraph("gradients")
	var all []*gradCell
	for _, op := range g.ops {
		all = append(all, g.choose(gradCells(graph, op, dt))...)
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
		for _, d := range c.grads {
			if g.joined {
				d = ops.Reshape(d, -1)
			}
			outputs = append(outputs, d)
		}
	}
	if len(outputs) == 0 {
		return nil, nil, nil
	}
	if g.joined {
		outputs = []*ops.Node{ops.Concat(0, outputs...)}
	}
	exe, err := graph.Compile(ctx, rt, ops.Target{Outputs: outputs})
	if err != nil {
		return nil, nil, err
	}
	defer exe.Close()
	outs, err := exe.Run(ctx, feeds)
	if err != nil {
		return nil, nil, err
	}
	results := make([][]Array, len(all))
	from := 0
	for i, c := range all {
		for _, d := range c.grads {
			if !g.joined {
				results[i] = append(results[i], FromTensor(outs[0]))
				outs = outs[1:]
				continue
			}
			part, err := outs[0].Slice(0, from, from+d.Size(), 1)
			if err != nil {
				return nil, nil, err
			}
			from += d.Size()
			r := FromTensor(part)
			r.Shape = d.Shape()
			results[i] = append(results[i], r)
		}
	}
	return all, results, nil
}

// choose is two of the samples where few are wanted: the ones that are neither
// tiny nor large, for preference.
func (g *gradGroup) choose(all []*gradCell) []*gradCell {
	if !g.few || len(all) <= 2 {
		return all
	}
	fit := slices.DeleteFunc(slices.Clone(all), func(c *gradCell) bool { n := c.out.Size(); return n < 4 || n > 2000 })
	if len(fit) < 2 {
		return all[:2]
	}
	return []*gradCell{fit[0], fit[len(fit)-1]}
}

// agree compares gradients in float32 with those in float64. What they lose in
// float32 depends on the derivative rule: allowed is a share of the derivative,
// of the largest one, and of the weights, which are about 1.
func agree(t *testing.T, got, want []Array) {
	t.Helper()
	f := formatOf(tensor.Float32)
	for k, w := range want {
		var largest float64
		for _, v := range w.F {
			if !math.IsInf(v, 0) {
				largest = max(largest, math.Abs(v))
			}
		}
		for p, v := range w.F {
			g := got[k].F[p]
			if math.Abs(v) >= f.overflow() && math.IsInf(g, int(math.Copysign(1, v))) || math.IsNaN(v) && math.IsNaN(g) {
				continue
			}
			if off := math.Abs(g - v); !(off <= 1e-3*math.Abs(v)+2e-5*largest+8*f.unit()) {
				t.Fatalf("gradient %d, element %v: got %.9g, want %.9g\n%s", k, coordinate(w.Shape, p), g, v, again(t))
			}
		}
	}
}

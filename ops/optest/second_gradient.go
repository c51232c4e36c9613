package optest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// TestSecondGradients checks the gradient of the gradient of every differentiable op on the engine e, as [TestGradients] does
// those of the first order: for the scalar
//
//	L(x) = Σ u · ∂(Σ w · op(x)) / ∂x
//
// with random weights u and w. It takes two samples of each op, those of usual size for preference. Subtests are named op/sample.
func TestSecondGradients(t *testing.T, e engine.Engine, o *Options) {
	o.demandOps(t)
	rt := ops.NewRuntime(e)
	eachDifferentiable(t, o, func(t *testing.T, op *ops.Op) {
		if drawing[op.Name] {
			t.Skip("the op draws other numbers in each run, and is linear in its operand")
		}
		if err := spec.Judgeable(op); err != nil {
			t.Fatal(err)
		}
		g := ops.NewGraph(t.Name())
		all := (&gradGroup{few: true}).choose(op, gradCells(g, op, tensor.Float64, nil))
		var outputs []*ops.Node
		for i, c := range all {
			all[i] = c.second(g)
			outputs = append(append(outputs, all[i].loss), all[i].grads...)
		}
		if err := g.Err(); err != nil {
			t.Fatal(err)
		}
		if len(all) == 0 {
			t.Skip("no sample has a derivative")
		}
		exe, err := g.Compile(t.Context(), rt, ops.Target{Outputs: outputs})
		if errors.Is(err, engine.ErrUnsupported) {
			t.Skipf("absent: %v", err)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, again(t))
		}
		defer exe.Close()
		checkDifferences(t, exe, all)
	})
}

// unknown are operands whose derivative has itself one that is NaN, by op, as its documentation says.
var unknown = map[string]int{"special.igamma": 0, "special.igammac": 0}

// second is c with a weighted sum of its gradients for a loss.
func (c *gradCell) second(g *ops.Graph) *gradCell {
	s := *c
	s.loss = g.Full(tensor.Float64, 0)
	var xs []*ops.Node
	for k, d := range c.grads {
		xs = append(xs, c.in[c.xs[k]])
		if at, some := unknown[c.op.Name]; some && at == c.xs[k] {
			continue
		}
		u := spec.Fill(spec.Operand{Shape: d.Shape(), Lo: 0.5, Hi: 1.5}, tensor.Float64,
			spec.Seed(c.op.Name, c.sample.Label, "second", fmt.Sprint(k)))
		s.loss = ops.Add(s.loss, ops.Sum(ops.Mul(d, g.Const(u))))
	}
	s.grads = ops.Gradients(s.loss, slices.Clone(xs)...)
	return &s
}

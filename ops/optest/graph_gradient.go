package optest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/format"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// TestGraphGradients checks the gradients of n random graphs on the engine a
// with [CheckGraphGradients]. Subtests are named by their seed.
func TestGraphGradients(t *testing.T, a, b engine.Engine, n int) {
	for i := range n {
		seed := uint64(2*i + 1) // smooth functions
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			CheckGraphGradients(t, a, b, seed)
		})
	}
}

// CheckGraphGradients differentiates the random graph of an odd seed with
// respect to its inputs, and compares the results of the engine a in float32 with
// those of b in float64. How much float32 loses, b shows too: in float32, and in float64 with inputs that are moved by
// a rounding error, since a sum that cancels may happen to be exact in one order. Rounding errors of gradients
// that are differences of sums are random: see cancelling.
func CheckGraphGradients(t testing.TB, a, b engine.Engine, seed uint64) {
	t.Helper()
	reportGraph(t, GraphGradientError(t.Context(), a, b, seed))
}

// GraphGradientError is CheckGraphGradients without package testing: it is nil where the
// gradients agree.
func GraphGradientError(ctx context.Context, a, b engine.Engine, seed uint64) error {
	return GraphGradients(a, b).Error(ctx, seed)
}

// gradientError is the difference between the gradients of p on a and those on b. The weights of its outputs are drawn with seed.
func gradientError(ctx context.Context, a, b engine.Engine, p *program, seed uint64) error {
	if p.exact {
		return errors.New("optest: small integers have no slopes")
	}
	p.updates = nil
	f := format.Of(tensor.Float32)
	got, err := p.gradients(ctx, a, tensor.Float32, seed)
	if errors.Is(err, engine.ErrUnsupported) {
		return err
	}
	var results [2][]spec.Array
	for i, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
		if err == nil {
			results[i], err = p.gradients(withGraph(ctx, ""), b, dt, seed)
		}
	}
	if err != nil {
		return err
	}
	n := len(results[0])
	for k, want := range results[1][:n] {
		var largest, lost, left float64
		for _, v := range results[1][n+k].F {
			left = max(left, f.Unit()*math.Abs(v))
		}
		for i, v := range want.F {
			largest = max(largest, math.Abs(v))
			lost = max(lost, math.Abs(results[0][k].F[i]-v))
			for trial := range trials {
				lost = max(lost, math.Abs(results[1][(2+trial)*n+k].F[i]-v))
			}
		}
		for i, v := range want.F {
			if off := math.Abs(got[k].F[i] - v); !(off <= 1e-3*math.Abs(v)+2e-5*largest+8*lost+4*left+8*f.Unit()) {
				return differenceError(fmt.Sprintf("gradient %d, element %v: got %.9g, want %.9g",
					k, reference.Coordinate(want.Shape, i), got[k].F[i], v))
			}
		}
	}
	return nil
}

// gradients computes the gradients of a weighted sum of the outputs with respect to every
// float input, computed in dt. In float64 those of [program.leftover] follow, and those of the sum with all inputs moved at
// random by a rounding error of float32, several times.
func (p *program) gradients(ctx context.Context, e engine.Engine, dt tensor.DType, seed uint64) ([]spec.Array, error) {
	g, feeds := ops.NewGraph(fmt.Sprint("gradients of seed ", seed)), ops.Feeds{}
	values := p.values
	wide := func(a spec.Array) spec.Array {
		if a.DType == tensor.Float32 {
			a.DType = dt
		}
		return a
	}
	p.values = make([]spec.Array, len(values))
	for i, v := range values {
		p.values[i] = wide(v)
	}
	nodes := p.build(g, feeds)
	p.values = values
	rng := rand.New(rand.NewPCG(seed, 1))
	loss := g.Full(dt, 0)
	for _, v := range p.outputs {
		if !nodes[v].DType().IsFloat() {
			continue
		}
		weights := spec.NewArray(dt, p.shape(v)...)
		for i := range weights.F {
			weights.F[i] = float64(float32(0.5 + rng.Float64()))
		}
		loss = ops.Add(loss, ops.Sum(ops.Mul(nodes[v], g.Const(weights.Tensor()))))
	}
	var inputs []*ops.Node
	for i, s := range p.steps {
		if s.op == "" && nodes[i].DType().IsFloat() {
			inputs = append(inputs, nodes[i])
		}
	}
	target := ops.Target{Outputs: ops.Gradients(loss, inputs...)}
	if dt == tensor.Float64 {
		target.Outputs = append(target.Outputs, ops.Gradients(p.leftover(nodes, loss, rng), inputs...)...)
	}
	exe, err := g.Compile(ctx, ops.NewRuntime(e), target)
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	outs, err := exe.Run(ctx, feeds)
	if err != nil {
		return nil, err
	}
	var all []spec.Array
	for _, o := range outs {
		all = append(all, spec.FromTensor(o))
	}
	if dt != tensor.Float64 {
		return all, nil
	}
	for range trials {
		for i, s := range p.steps {
			if s.op != "" || !nodes[i].DType().IsFloat() {
				continue
			}
			moved := spec.NewArray(nodes[i].DType(), p.shape(i)...)
			for k, v := range p.values[i].F {
				moved.F[k] = v * (1 + format.Of(tensor.Float32).Unit()*float64(1-2*rng.IntN(2)))
			}
			feeds[nodes[i]] = moved.Tensor()
		}
		outs, err := exe.Run(ctx, feeds)
		if err != nil {
			return nil, err
		}
		for _, o := range outs[:len(inputs)] {
			all = append(all, spec.FromTensor(o))
		}
	}
	return all, nil
}

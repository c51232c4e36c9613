package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest"
	"github.com/anycl/anycl/tensor"
)

// supported lists the dtypes in which e runs op: those in which all samples of
// the op lower to tasks that the engine accepts. Nothing is compiled.
func supported(ctx context.Context, e engine.Engine, op *ops.Op) ([]tensor.DType, error) {
	rt := ops.NewRuntime(checker{e})
	defer rt.Close()
	var out []tensor.DType
	for _, dt := range optest.DTypes(op) {
		g := ops.NewGraph(op.Name)
		var targets []*ops.Node
		for i, s := range optest.Samples(op.Name) {
			if s.Only != nil && !slices.Contains(s.Only, dt) {
				continue
			}
			n, err := call(g, s, dt, i)
			if err != nil {
				return nil, err
			}
			targets = append(targets, n)
		}
		if len(targets) == 0 {
			continue // no sample for this dtype: nothing is claimed
		}
		exe, err := g.Compile(ctx, rt, ops.Target{Outputs: targets})
		switch {
		case errors.Is(err, engine.ErrUnsupported):
			continue
		case err != nil:
			return nil, fmt.Errorf("op %s in %v: %w", op.Name, dt, err)
		}
		if err := exe.Close(); err != nil {
			return nil, err
		}
		out = append(out, dt)
	}
	return out, nil
}

// call adds s to g, as sample number i.
func call(g *ops.Graph, s optest.Sample, dt tensor.DType, i int) (*ops.Node, error) {
	var in []*ops.Node
	for k, operand := range s.Operands {
		of := dt
		if operand.DType != tensor.Invalid {
			of = operand.DType
		}
		if !operand.Fixed {
			in = append(in, g.Input(fmt.Sprintf("%d.%d", i, k), of, operand.Shape...))
			continue
		}
		t, err := tensor.New(of, operand.Shape...)
		if err != nil {
			return nil, err
		}
		in = append(in, g.Const(t))
	}
	_, n := s.Call(g, dt, in)
	return n, nil
}

// checker is an engine that says which tasks it can run and runs none.
type checker struct{ engine.Engine }

var _ engine.Engine = checker{}

func (checker) Traits() engine.Traits                                            { return engine.Traits{} }
func (checker) Alloc(n int64) (engine.Memory, error)                             { return nothing(n), nil }
func (checker) Write(context.Context, engine.Memory, int64, []byte) error        { return nil }
func (checker) Prepare(context.Context, []engine.Bound) (engine.Sequence, error) { return idle{}, nil }

// nothing is a memory that has a size and allocates nothing.
type nothing int64

func (n nothing) Bytes() int64 { return int64(n) }
func (n nothing) Close() error { return nil }

// idle is a sequence that does nothing.
type idle struct{}

func (idle) Run(context.Context, int, int, uint32) error { return nil }
func (idle) Changed()                                    {}
func (idle) Describe(int) engine.Plan                    { return engine.Plan{} }
func (idle) Traits() engine.SequenceTraits               { return engine.SequenceTraits{} }
func (idle) Close() error                                { return nil }

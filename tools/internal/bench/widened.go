package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// Widened is ours with the operands of 8 and 16 bits widened to float32, for works
// whose goal is a share of that.
type Widened struct{ *Ours }

// Name is the contender's name.
func (Widened) Name() string { return NameFloat32 }

// Load accepts works that have a goal against it.
func (o Widened) Load(ctx context.Context, w *Work, operands []*tensor.Tensor) (Job, error) {
	if !w.wants(NameFloat32) {
		return nil, fmt.Errorf("%w: nothing to widen", ErrCannot)
	}
	p, wide := *w.Program, *w
	p.Nodes = slices.Clone(p.Nodes)
	wide.Program = &p
	for i := range p.Nodes {
		if n := &p.Nodes[i]; n.Op == "matmul_integer" {
			n.Op = "matmul"
		}
	}
	var widened []*tensor.Tensor
	for i, r := range p.Leaves() {
		t := operands[i]
		if n := &p.Nodes[r]; n.DType.Size() <= 2 {
			var err error
			if t, err = tensor.Cast(t, tensor.Float32); err != nil {
				return nil, err
			}
			n.DType, n.Type = tensor.Float32, tensor.Float32.String()
		}
		widened = append(widened, t)
	}
	return o.Ours.Load(ctx, &wide, widened)
}

// Start refuses: a process is the same.
func (Widened) Start(context.Context, *Process) (Job, error) {
	return nil, fmt.Errorf("%w: nothing to widen", ErrCannot)
}

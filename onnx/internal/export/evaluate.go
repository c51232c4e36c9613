package export

import (
	"context"
	"errors"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// evaluate computes a node that depends on no input, on the CPU engine.
func evaluate(g *ops.Graph, n *ops.Node) (t *tensor.Tensor, err error) {
	rt := ops.NewRuntime(fallback.New(nil))
	defer func() { err = errors.Join(err, rt.Close()) }()
	ctx := context.Background()
	exe, err := g.Compile(ctx, rt, ops.Target{Outputs: []*ops.Node{n}, Place: ops.OnCPU, Fixed: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, exe.Close()) }()
	out, err := exe.Run(ctx, nil)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

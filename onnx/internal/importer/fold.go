package importer

import (
	"fmt"
	"strconv"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

func shortest(v float32) float64 {
	f, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
	return f
}

// foldable lets the results of a call be computed before the graph runs, where its operands can be.
func (c *call) foldable(outs []*value) {
	if c.op.random || c.op.control || c.drew {
		return
	}
	done := false
	var err error
	fold := func() error {
		if !done {
			if err = c.evaluate(outs); err == nil {
				done = true
			}
		}
		return err
	}
	for _, v := range outs {
		if v != nil && v.host == nil && v.fold == nil && v.input == "" {
			v.fold = fold
		}
	}
}

// evaluate computes the results of a call on the host, from the contents of its operands.
func (c *call) evaluate(outs []*value) error {
	in := make([]*value, len(c.in))
	for i, v := range c.in {
		if v == nil {
			continue
		}
		if err := c.b.hostOf(v); err != nil {
			return err
		}
		in[i] = &value{name: v.name, host: v.host, narrow: v.narrow}
	}
	key := c.foldKey(in, outs)
	if c.b.m.folded.fill(key, outs) {
		return nil
	}
	b := *c.b
	b.g, b.errs, b.vars, b.precision = ops.NewGraph("constants"), nil, false, tensor.Invalid
	inner := *c
	inner.b, inner.in = &b, in
	made, err := inner.build()
	if err != nil {
		return err
	}
	var nodes []*ops.Node
	var to []*value
	for i, v := range made {
		switch {
		case v == nil || i >= len(outs) || outs[i] == nil:
		case v.host != nil:
			outs[i].host = v.host
		default:
			if v.node.Size() > maxFold {
				return fmt.Errorf("%q has %d elements, more than %d", c.n.Outputs[i], v.node.Size(), maxFold)
			}
			n := v.node
			for _, t := range v.trims {
				n = ops.Trim(n, t.axis, t.count)
			}
			nodes, to = append(nodes, n), append(to, outs[i])
		}
	}
	if len(nodes) == 0 {
		c.b.m.folded.keep(key, outs)
		return nil
	}
	for _, n := range nodes {
		if err := c.b.folds.count(n.Size() * n.DType().Size()); err != nil {
			return err
		}
	}
	results, err := c.b.compute(b.g, nodes)
	if err != nil {
		return err
	}
	for i, t := range results {
		to[i].host = t
	}
	c.b.m.folded.keep(key, outs)
	return nil
}

// compute runs nodes that depend on no input on the CPU path.
func (b *builder) compute(g *ops.Graph, nodes []*ops.Node) ([]*tensor.Tensor, error) {
	exe, err := g.Compile(b.ctx, b.host, ops.Target{Outputs: nodes, Place: ops.OnCPU, Fixed: true})
	if err != nil {
		return nil, err
	}
	out, err := exe.Run(b.ctx, nil)
	if closed := exe.Close(); err == nil {
		err = closed
	}
	return out, err
}

// folds counts the calls that are computed before a graph runs.
type folds struct{ number, bytes int }

func (f *folds) count(bytes int) error {
	if f.number++; f.number > maxFolds {
		return fmt.Errorf("more than %d values are to be computed before the graph runs", maxFolds)
	}
	if f.bytes += bytes; f.bytes > maxFolded {
		return fmt.Errorf("values that are to be computed before the graph runs take more than %d bytes", maxFolded)
	}
	return nil
}

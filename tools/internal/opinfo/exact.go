package opinfo

import (
	"context"
	"errors"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// exact computes a case in float64 on the CPU path, where PyTorch computed in float32: the results, then those of the derivatives. It
// tells whose rounding a difference is.
func (r *runner) exact(ctx context.Context, j *job) (results []*tensor.Tensor, err error) {
	wide, err := widenedCase(j.c)
	if err != nil {
		return nil, err
	}
	feeds := ops.Feeds{}
	g := ops.NewGraph("exact")
	b, err := build(g, j.row, wide, j.grads, "x", feeds)
	if err != nil {
		return nil, err
	}
	exe, err := g.Compile(ctx, r.rt, ops.Target{Outputs: b.outputs(), Place: ops.OnCPU, Fixed: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, exe.Close()) }()
	used := ops.Feeds{}
	for _, n := range exe.Inputs() {
		used[n] = feeds[n]
	}
	return exe.Run(ctx, used)
}

// widenedCase is a case with float64 for float32.
func widenedCase(c *Case) (*Case, error) {
	w := *c
	held := map[*leaf]*leaf{}
	var failed error
	tensor64 := func(t *tensor.Tensor) *tensor.Tensor {
		if t == nil || t.DType() != tensor.Float32 {
			return t
		}
		d, err := tensor.Cast(t, tensor.Float64)
		failed = errors.Join(failed, err)
		return d
	}
	var value func(v any) any
	value = func(v any) any {
		switch v := v.(type) {
		case *leaf:
			if held[v] == nil {
				held[v] = &leaf{tensor64(v.t)}
			}
			return held[v]
		case []any:
			all := make([]any, len(v))
			for i, e := range v {
				all[i] = value(e)
			}
			return all
		case tensor.DType:
			if v == tensor.Float32 {
				return tensor.Float64
			}
		}
		return v
	}
	w.Args, w.Named = nil, nil
	for _, v := range c.Args {
		w.Args = append(w.Args, value(v))
	}
	for _, a := range c.Named {
		w.Named = append(w.Named, argument{a.name, value(a.value)})
	}
	for _, l := range []struct{ from, to *[]*tensor.Tensor }{{&c.Outputs, &w.Outputs}, {&c.Cotangents, &w.Cotangents}, {&c.Grads, &w.Grads}} {
		*l.to = nil
		for _, t := range *l.from {
			*l.to = append(*l.to, tensor64(t))
		}
	}
	return &w, failed
}

// lenient is the largest distance of PyTorch's value from the exact one, in allowed errors, that counts as rounding.
const lenient = 10

// rounded reports whether a difference is PyTorch's rounding: the value computed here is near the exact one, and PyTorch's is
// not, though not far from it either.
func rounded(got, want, exact *tensor.Tensor, rel, abs float64) bool {
	if got.DType() != tensor.Float32 || want.DType() != tensor.Float32 || exact.DType() != tensor.Float64 {
		return false
	}
	same, err := tensor.Cast(exact, tensor.Float32)
	return err == nil && differs(got, same, rel, abs) == "" && differs(want, same, lenient*rel, lenient*abs) == ""
}

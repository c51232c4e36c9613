package importer

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// linearAttention keeps a matrix S for each head, which each position changes:
//
//	S = diag(exp decay) S;  S = S + k ⊗ v  or, with delta, S + k ⊗ beta (v - Sᵀ k);  y = scale Sᵀ q
func linearAttention(c *call) []*value {
	q, k, v := c.x(0), c.x(1), c.x(2)
	state, decay, beta := c.opt(3), c.opt(4), c.opt(5)
	nq, nkv := c.int("q_num_heads", 0), c.int("kv_num_heads", 0)
	rule := c.str("update_rule", "gated_delta")
	gated, delta := rule == "gated" || rule == "gated_delta", rule == "delta" || rule == "gated_delta"
	if !gated && !delta && rule != "linear" {
		c.refuse("update_rule %q is not known", rule)
	}
	if gated && decay == nil || delta && beta == nil {
		c.refuse("update_rule %q needs decay and beta", rule)
	}
	if q.Rank() != 3 || nkv < 1 || nq%nkv != 0 || q.Dim(2)%nq != 0 || k.Dim(2)%nkv != 0 || v.Dim(2)%nkv != 0 {
		c.fail("%d and %d heads of operands %v, %v and %v", nq, nkv, q.Shape(), k.Shape(), v.Shape())
	}
	dt, acc := q.DType(), tensor.Float32
	if dt == tensor.Float64 {
		acc = dt
	}
	batch, length := q.Dim(0), q.Dim(1)
	rows := func(x *ops.Node, n int) *ops.Node { // [T, N, H, D]
		x = ops.Cast(x, acc)
		return ops.Transpose(ops.Reshape(x, batch, length, n, -1), 1, 0, 2, 3)
	}
	dk, dv := k.Dim(2)/nkv, v.Dim(2)/nkv
	scale := c.float("scale", 0)
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(dk))
	}
	if state == nil {
		state = c.b.g.Zeros(acc, batch, nkv, dk, dv)
	}
	xs := []*ops.Node{rows(q, nq), rows(k, nkv), rows(v, nkv)}
	if gated {
		xs = append(xs, ops.Exp(rows(decay, nkv)))
	}
	if delta {
		xs = append(xs, rows(beta, nkv))
	}
	last, ys := ops.Scan([]*ops.Node{ops.Cast(state, acc)}, xs, func(_ *ops.Node, s, x []*ops.Node) (next, y []*ops.Node) {
		m, key := s[0], ops.Unsqueeze(x[1], -1)
		if gated {
			m = ops.Mul(m, ops.Unsqueeze(x[3], -1))
		}
		write := x[2]
		if delta {
			read := ops.Sum(ops.Mul(m, key), 2)
			write = ops.Mul(x[len(x)-1], ops.Sub(write, read))
		}
		m = ops.Add(m, ops.Mul(key, ops.Unsqueeze(write, 2)))
		of := ops.RepeatInterleave(m, 1, nq/nkv)
		return []*ops.Node{m}, []*ops.Node{ops.Sum(ops.Mul(of, ops.Unsqueeze(x[0], -1)), 2)}
	}, nil)
	y := ops.Reshape(ops.Transpose(ops.Mul(ys[0], ops.ScalarLike(ys[0], scale)), 1, 0, 2, 3), batch, length, nq*dv)
	return out(ops.Cast(y, dt), ops.Cast(last[0], dt))
}

// causalConv is a depthwise convolution over a position and those before it, of which the last ones are kept for the next call.
func causalConv(c *call) []*value {
	x, w, bias, past := c.x(0), c.x(1), c.opt(2), c.opt(3)
	if x.Rank() != 3 || w.Rank() != 3 {
		c.fail("operands %v and %v have not 3 axes", x.Shape(), w.Shape())
	}
	k := w.Dim(2)
	if past == nil {
		past = c.b.g.Zeros(x.DType(), x.Dim(0), x.Dim(1), k-1)
	}
	all := ops.Concat(2, past, x)
	y := ops.Conv(all, w, bias, &ops.ConvOptions{Groups: x.Dim(1)})
	switch a := c.str("activation", "none"); a {
	case "none", "":
	case "silu", "swish":
		y = ops.SiLU(y)
	default:
		c.refuse("activation %q is not known", a)
	}
	n := all.Dim(2)
	return out(y, ops.Slice(all, ops.Range{Axis: 2, Start: n - k + 1, Stop: n, Exact: true}))
}

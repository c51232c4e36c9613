package importer

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

var _ = define(func() []*operator {
	return []*operator{
		{name: "Attention", since: 23, build: attention},
		{name: "RotaryEmbedding", since: 23, build: rotary},
		{name: "LinearAttention", since: 26, ignore: []string{"chunk_size"}, build: linearAttention},
		{name: "CausalConvWithState", since: 26, build: causalConv},
	}
})

// heads makes [N, H, L, D] of [N, L, H·D].
func heads(x *ops.Node, n int) *ops.Node {
	return ops.Transpose(ops.Reshape(x, x.Dim(0), x.Dim(1), n, -1), 0, 2, 1, 3)
}

// merged is the reverse of heads.
func merged(x *ops.Node) *ops.Node {
	return ops.Reshape(ops.Transpose(x, 0, 2, 1, 3), x.Dim(0), x.Dim(2), x.Dim(1)*x.Dim(3))
}

func attention(c *call) []*value {
	q, k, v := c.x(0), c.x(1), c.x(2)
	mask, pastK, pastV := c.opt(3), c.opt(4), c.opt(5)
	flat := q.Rank() == 3
	nq, nkv := c.int("q_num_heads", 0), c.int("kv_num_heads", 0)
	if flat {
		if nq < 1 || nkv < 1 || q.Dim(2)%nq != 0 || k.Dim(2)%nkv != 0 || v.Dim(2)%nkv != 0 {
			c.fail("%d and %d heads of operands %v, %v and %v", nq, nkv, q.Shape(), k.Shape(), v.Shape())
		}
		q, k, v = heads(q, nq), heads(k, nkv), heads(v, nkv)
	}
	past := 0
	if pastK != nil && pastV != nil {
		past = pastK.Dim(2)
		k, v = ops.Concat(2, pastK, k), ops.Concat(2, pastV, v)
	}
	presentK, presentV := k, v
	if q.Rank() != 4 || k.Rank() != 4 || k.Dim(1) < 1 || q.Dim(1)%k.Dim(1) != 0 {
		c.fail("queries %v and keys %v do not fit", q.Shape(), k.Shape())
	}
	if n := q.Dim(1) / k.Dim(1); n > 1 {
		k, v = ops.RepeatInterleave(k, 1, n), ops.RepeatInterleave(v, 1, n)
	}
	scale := c.float("scale", 1/math.Sqrt(float64(q.Dim(3))))
	cap, mode := c.float("softcap", 0), c.int("qk_matmul_output_mode", 0)
	precision := tensor.Float32
	if c.given("softmax_precision") {
		precision = c.dtype(c.int("softmax_precision", 1))
	}
	if q.DType() == tensor.Float64 {
		precision = tensor.Float64
	}
	mask, seen := attentionMasks(c, mask, c.flag("is_causal", false), q.Dim(2), k.Dim(2), past)
	var y *ops.Node
	var scores [4]*ops.Node
	if cap == 0 && !c.wants(3) && (seen == nil || mask == nil) {
		o := &ops.AttentionOptions{Scale: scale, Mask: mask}
		if seen != nil {
			o.Mask = seen
		}
		y = ops.Attention(q, k, v, o)
	} else {
		scores = attentionScores(q, k, mask, seen, scale, cap, precision)
		y = ops.MatMul(scores[3], v)
	}
	if flat {
		y = merged(y)
	}
	outs := []*ops.Node{y, presentK, presentV, nil}
	if c.wants(3) {
		if mode < 0 || mode > 3 {
			c.refuse("qk_matmul_output_mode is %d", mode)
		}
		outs[3] = scores[mode]
	}
	return out(outs...)
}

// attentionMasks divides what hides keys from queries, of rows x columns behind past keys, into a mask that is added to scores and
// one that is true where a key is seen. Either may be nil.
func attentionMasks(c *call, mask *ops.Node, causal bool, rows, columns, past int) (added, seen *ops.Node) {
	if mask != nil && mask.Dim(-1) < columns { // shorter ones hide the keys behind them
		p := ops.Padding{Axis: mask.Rank() - 1, After: columns - mask.Dim(-1)}
		fill := math.Inf(-1)
		if mask.DType() == tensor.Bool {
			fill = 0
		}
		mask = ops.Pad(mask, fill, p)
	}
	if causal {
		at := c.b.g.Iota(tensor.Int64, 0, rows, columns)
		seen = ops.LessEqual(c.b.g.Iota(tensor.Int64, 1, rows, columns), ops.Add(at, past))
	}
	if lengths := c.opt(6); lengths != nil { // keys that are there, by batch
		if seen != nil {
			c.refuse("is_causal together with lengths of keys is not supported")
		}
		l := ops.Reshape(ops.Cast(lengths, tensor.Int64), -1, 1, 1, 1)
		seen = ops.Less(c.b.g.Iota(tensor.Int64, 1, 1, columns), l)
	}
	if mask == nil || mask.DType() != tensor.Bool {
		return mask, seen
	}
	if seen != nil {
		mask = ops.LogicalAnd(mask, seen)
	}
	return nil, mask
}

// attentionScores are the scores as products, after the cap, after the masks, and after the softmax, which is computed in precision.
func attentionScores(q, k, mask, seen *ops.Node, scale, cap float64, precision tensor.DType) (scores [4]*ops.Node) {
	root := math.Sqrt(scale)
	s := ops.MatMul(ops.Mul(q, ops.ScalarLike(q, root)), ops.Mul(ops.Transpose(k, 0, 1, 3, 2), ops.ScalarLike(k, root)))
	scores[0] = s
	if cap > 0 {
		s = ops.Mul(ops.Tanh(ops.Div(s, ops.ScalarLike(s, cap))), ops.ScalarLike(s, cap))
	}
	scores[1] = s
	if mask != nil {
		s = ops.Add(s, mask)
	}
	if seen != nil {
		s = ops.Where(seen, s, ops.FullLike(s, math.Inf(-1)))
	}
	scores[2] = s
	weights := ops.Cast(ops.Softmax(ops.Cast(s, precision), -1), q.DType())
	if mask != nil || seen != nil { // a query that sees no key gets nothing, as by ops.Attention
		none := ops.Equal(ops.KeepDims(ops.Max(s, -1)), ops.ScalarLike(s, math.Inf(-1)))
		weights = ops.Where(none, ops.ZerosLike(weights), weights)
	}
	scores[3] = weights
	return scores
}

func rotary(c *call) []*value {
	x, cos, sin := c.x(0), c.x(1), c.x(2)
	n := c.int("num_heads", 0)
	interleaved, features := c.flag("interleaved", false), c.int("rotary_embedding_dim", 0)
	flat := x.Rank() == 3
	if flat {
		if n < 1 || x.Dim(2)%n != 0 {
			c.fail("%d heads of %v", n, x.Shape())
		}
		x = heads(x, n)
	}
	if ids := c.opt(3); ids != nil { // [N, L]
		cos, sin = ops.Gather(cos, 0, ids), ops.Gather(sin, 0, ids)
	}
	cos, sin = ops.Unsqueeze(cos, 1), ops.Unsqueeze(sin, 1)
	y := ops.RotaryEmbedding(x, cos, sin, &ops.RotaryOptions{Interleaved: interleaved, Features: features})
	if flat {
		y = merged(y)
	}
	return out(y)
}

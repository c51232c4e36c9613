package nn

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// MultiheadAttention is attention of Heads heads, each of Embed/Heads features of queries, keys and values:
//
//	y = out_proj(concat over h of Attention(q·Wqᵀ + bq, k·Wkᵀ + bk, v·Wvᵀ + bv) of head h)
//
// Queries are [N, L, Embed], keys [N, S, KeyDim], values [N, S, ValueDim], the result [N, L, Embed]: batches come first. Parameters, as in
// PyTorch: in_proj_weight [3·Embed, Embed], or q_proj_weight, k_proj_weight and v_proj_weight where KeyDim or ValueDim
// differ, drawn from Xavier's uniform distribution; in_proj_bias [3·Embed], zeros; out_proj.weight [Embed, Embed], drawn from ±1/√Embed;
// out_proj.bias, zeros. With KeyHeads, keys and values have that many heads, which neighbours share. See [ops.Attention].
type MultiheadAttention struct {
	Embed, Heads     int
	KeyHeads         int // of keys and values, which divide Heads; 0: Heads
	KeyDim, ValueDim int // 0: Embed
	NoBias           bool
	Dropout          float64 // of the weights of the values, in training
	Rotary           *Rotary // turns queries and keys by their positions; nil: nothing does

	InWeight, Query, Key, Value *ops.Node // made by New: either the first or the others
	InBias                      *ops.Node
	Out                         Linear
}

// AttendOptions say which keys the queries of an attention see. The zero value is all keys.
type AttendOptions struct {
	// Causal lets a query see no later key.
	Causal bool
	// Window, if not 0, lets a query see only keys less than Window away.
	Window int
	// Mask broadcasts to [N, Heads, L, S]. A bool says which keys are seen, as in ops and other than PyTorch's bool masks; a
	// float is added to the scores.
	Mask *ops.Node
	// Padding is [N, S], a bool that is true where a key is none but padding, as PyTorch's key_padding_mask.
	Padding *ops.Node
	// Cache has the keys and values of earlier steps of decoding: see [MultiheadAttention.NewCache].
	Cache *Cache
}

// Build declares the projections.
func (l *MultiheadAttention) Build(s *Scope) {
	*l = MultiheadAttention{Embed: l.Embed, Heads: l.Heads, KeyHeads: l.KeyHeads, KeyDim: l.KeyDim, ValueDim: l.ValueDim, NoBias: l.NoBias,
		Dropout: l.Dropout, Rotary: l.Rotary}
	if l.Heads < 1 || l.Embed < 1 || l.Embed%l.Heads != 0 || l.keyHeads() < 0 || l.Heads%l.keyHeads() != 0 {
		s.Fail("attention of %d features with %d heads, and %d of keys: heads must divide features, and heads of keys the heads", l.Embed,
			l.Heads, l.keyHeads())
		return
	}
	e, kv := l.Embed, l.keyFeatures()
	xavier := XavierUniform(1)
	if l.keyDim() == e && l.valueDim() == e {
		l.InWeight = s.Param("in_proj_weight", xavier, e+2*kv, e)
	} else {
		l.Query = s.Param("q_proj_weight", xavier, e, e)
		l.Key = s.Param("k_proj_weight", xavier, kv, l.keyDim())
		l.Value = s.Param("v_proj_weight", xavier, kv, l.valueDim())
	}
	if !l.NoBias {
		l.InBias = s.Param("in_proj_bias", Zeros, e+2*kv)
	}
	l.Out = Linear{In: e, Out: e, NoBias: l.NoBias, BiasInit: Zeros}
	s.Child("out_proj", &l.Out)
}

func (l *MultiheadAttention) keyHeads() int {
	if l.KeyHeads == 0 {
		return l.Heads
	}
	return l.KeyHeads
}

// head is how many features a head has.
func (l *MultiheadAttention) head() int { return l.Embed / l.Heads }

func (l *MultiheadAttention) keyFeatures() int { return l.head() * l.keyHeads() }

func (l *MultiheadAttention) keyDim() int {
	if l.KeyDim == 0 {
		return l.Embed
	}
	return l.KeyDim
}

func (l *MultiheadAttention) valueDim() int {
	if l.ValueDim == 0 {
		return l.Embed
	}
	return l.ValueDim
}

// Apply is attention of x to itself.
func (l *MultiheadAttention) Apply(p *Pass, x *ops.Node) *ops.Node {
	return l.Run(p, x, x, x, AttendOptions{})
}

// Run is attention of queries q to keys k, with the values v.
func (l *MultiheadAttention) Run(p *Pass, q, k, v *ops.Node, o AttendOptions) *ops.Node {
	if l.Out.Weight == nil {
		return p.fail("attention", errNotBuilt, q, k, v)
	}
	for _, x := range []*ops.Node{q, k, v} {
		if x == nil || x.Rank() != 3 {
			return p.fail("attention", fmt.Errorf("queries, keys and values must be [N, L, features]"), q, k, v)
		}
	}
	q, k, v = l.project(p, q, k, v)
	first := (*ops.Node)(nil) // position of the first query
	if o.Cache != nil {
		first = o.Cache.Position
	}
	if l.Rotary != nil {
		q, k = l.Rotary.At(p, q, first), l.Rotary.At(p, k, first)
	}
	mask := o.Mask
	if o.Padding != nil { // [N, 1, 1, S]
		mask = both(ops.ExpandDims(ops.Not(o.Padding), 1, 2), mask, q)
	}
	if o.Cache != nil {
		var seen *ops.Node
		k, v, seen = o.Cache.extend(p, k, v, o.Window)
		mask = both(seen, mask, q)
		o.Causal, o.Window = false, 0 // which seen says
	}
	if mask != nil && mask.DType().IsFloat() {
		mask = castFloat(mask, q.DType())
	}
	var y *ops.Node
	if a := (&ops.AttentionOptions{Causal: o.Causal, Window: o.Window, Mask: mask}); p.training && l.Dropout > 0 {
		y = l.dropping(p, q, k, v, a)
	} else {
		y = ops.Attention(q, k, v, a)
	}
	y = ops.Transpose(y, 0, 2, 1, 3)
	y = ops.Reshape(y, y.Dim(0), y.Dim(1), l.Embed)
	return p.did(l, p.linear(y, l.Out.Weight, l.Out.Bias))
}

// both is the conjunction of two masks, of which the second may be nil, or a float that is added to scores.
func both(seen, mask, like *ops.Node) *ops.Node {
	switch {
	case mask == nil:
		return seen
	case mask.DType().IsFloat():
		return ops.Where(seen, castFloat(mask, like.DType()), ops.ScalarLike(like, math.Inf(-1)))
	}
	return ops.And(seen, mask)
}

// project is queries, keys and values of every head: [N, heads, L, features of a head].
func (l *MultiheadAttention) project(p *Pass, q, k, v *ops.Node) (_, _, _ *ops.Node) {
	e, kv := l.Embed, l.keyFeatures()
	rows := func(n *ops.Node, from, to int) *ops.Node {
		if n == nil {
			return nil
		}
		return ops.Slice(n, ops.Between(0, from, to))
	}
	heads := func(x *ops.Node, n int) *ops.Node {
		return ops.Transpose(ops.Reshape(x, x.Dim(0), x.Dim(1), n, l.head()), 0, 2, 1, 3)
	}
	ends := []int{0, e, e + kv, e + 2*kv}
	var x [3]*ops.Node
	// The gradient of one product is put together from those of its slices, by a kernel that would undo the rotation of queries and keys for
	// every element of all three.
	turned := p.training && l.Rotary != nil
	if in := [3]*ops.Node{q, k, v}; l.InWeight != nil && q == k && k == v && !turned { // one product
		all := p.linear(q, l.InWeight, l.InBias)
		for i := range x {
			x[i] = ops.Slice(all, ops.Between(2, ends[i], ends[i+1]))
		}
	} else {
		w := [3]*ops.Node{l.Query, l.Key, l.Value}
		for i := range x {
			if l.InWeight != nil {
				w[i] = rows(l.InWeight, ends[i], ends[i+1])
			}
			x[i] = p.linear(in[i], w[i], rows(l.InBias, ends[i], ends[i+1]))
		}
	}
	return heads(x[0], l.Heads), heads(x[1], l.keyHeads()), heads(x[2], l.keyHeads())
}

// dropping is attention whose weights are dropped at random, so that their matrix is in memory.
func (l *MultiheadAttention) dropping(p *Pass, q, k, v *ops.Node, o *ops.AttentionOptions) *ops.Node {
	if n := l.Heads / l.keyHeads(); n > 1 {
		k, v = ops.RepeatInterleave(k, 1, n), ops.RepeatInterleave(v, 1, n)
	}
	s := ops.Mul(p.Full(ops.MatMul(q, ops.SwapAxes(k, -1, -2))), 1/math.Sqrt(float64(l.head())))
	hide := func(seen *ops.Node) { s = ops.Where(seen, s, ops.ScalarLike(s, math.Inf(-1))) }
	switch m := o.Mask; {
	case m == nil:
	case m.DType() == tensor.Bool:
		hide(m)
	default:
		s = ops.Add(s, p.Full(m))
	}
	if o.Causal || o.Window > 0 {
		// Key j is seen from query i of L where j - i - (S - L) is not above 0 and above -Window.
		g := q.Graph()
		ends := ops.Sub(ops.Reshape(g.Iota(tensor.Int32, 0, k.Dim(2)), 1, k.Dim(2)), ops.Reshape(g.Iota(tensor.Int32, 0, q.Dim(2)), q.Dim(2), 1))
		last := ops.Sub(ops.Max(g.Iota(tensor.Int32, 0, k.Dim(2)), 0), ops.Max(g.Iota(tensor.Int32, 0, q.Dim(2)), 0))
		away := ops.Sub(ends, last)
		if o.Causal {
			hide(ops.LessEqual(away, ops.ScalarLike(away, 0)))
		}
		if o.Window > 0 {
			hide(ops.Less(ops.Abs(away), ops.ScalarLike(away, float64(o.Window))))
		}
	}
	w := ops.Dropout(ops.Softmax(s, -1), l.Dropout)
	return ops.MatMul(p.Compute(w), v)
}

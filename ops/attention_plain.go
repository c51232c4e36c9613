package ops

import (
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// Attention out of other ops, with the matrix of queries by keys in memory: for
// features too many for one task, for queries too few to fill one, and for the
// gradient of a mask, which is such a matrix itself.

// together reports whether the single queries of the heads that share one of k
// and v are the rows of one product, which reads k and v once.
func (s attentionShape) together() bool { return s.Group > 1 && s.M == 1 }

// grouped gives x, of q's heads or of those of k and v, an axis that tells
// neighbours which share a head of k and v apart.
func (s attentionShape) grouped(x *Node) *Node {
	if s.Group == 1 {
		return x
	}
	h := x.Rank() - 3
	each := s.Group
	if x.shape[h] == s.Own[len(s.Own)-1] || x.shape[h] == 1 {
		each = 1
	}
	switch {
	case s.together() && each == 1:
		return x
	case s.together():
		return Reshape(x, slices.Concat(x.shape[:h], []int{x.shape[h] / each, each, x.shape[h+2]})...)
	}
	return Reshape(x, slices.Concat(x.shape[:h], []int{x.shape[h] / each, each}, x.shape[h+1:])...)
}

// ungrouped undoes grouped for a result.
func (s attentionShape) ungrouped(x *Node) *Node {
	if s.Group == 1 {
		return x
	}
	h := x.Rank() - 4
	if s.together() {
		h++
		return Reshape(x, slices.Concat(x.shape[:h], []int{x.shape[h] * x.shape[h+1], 1}, x.shape[h+2:])...)
	}
	return Reshape(x, slices.Concat(x.shape[:h], []int{x.shape[h] * x.shape[h+1]}, x.shape[h+2:])...)
}

// attentionScores are the scores, -∞ where a key is not seen, in float32 or
// float64.
func attentionScores(c *Call, s attentionShape) *Node {
	a := c.Attr.(ir.AttentionAttr)
	q, k := widen(c.In[0]), widen(c.In[1])
	x := s.ungrouped(MatMul(s.grouped(q), swapLast(s.grouped(k))))
	x = Mul(x, ScalarLike(x, a.ScaleOf(s.D)))
	if mask := c.mask(); mask != nil && mask.dtype == tensor.Bool {
		x = Where(mask, x, ScalarLike(x, math.Inf(-1)))
	} else if mask != nil {
		x = Add(x, widen(mask))
	}
	return s.hideUnseen(c, x)
}

// attentionWeights are the softmax of scores, zeros where all are -∞.
func attentionWeights(x *Node) *Node {
	least, zero, one := ScalarLike(x, math.Inf(-1)), ScalarLike(x, 0), ScalarLike(x, 1)
	top := StopGradient(foldAlong(Max, x, -1)) // the weights do not depend on it
	e := Exp(Sub(x, Where(Equal(top, least), zero, top)))
	sum := foldAlong(Sum, e, -1)
	return Div(e, Where(Equal(sum, zero), one, sum))
}

func plainAttention(c *Call, s attentionShape) *Node {
	if s.N == 0 {
		return c.In[0].graph.Full(c.dt(0), 0, s.Result()...)
	}
	p := attentionWeights(attentionScores(c, s))
	return Cast(s.ungrouped(MatMul(s.grouped(p), s.grouped(widen(c.In[2])))), c.dt(0))
}

// attentionSlopes is the gradient by the scores, from the weights p and D.
func attentionSlopes(c *Call, s attentionShape, p, grad, rows *Node) *Node {
	up := s.ungrouped(MatMul(s.grouped(widen(grad)), swapLast(s.grouped(widen(c.In[2])))))
	return Mul(p, Sub(up, ExpandDims(rows, -1)))
}

// plainBack is the gradient of an attention out of other ops, from the derivative of its result and D.
type plainBack struct {
	c       *Call
	s       attentionShape
	p, grad *Node
	t       *Node // by the scores
}

func plainBackOf(c *Call, s attentionShape, grad, rows *Node) *plainBack {
	p := attentionWeights(attentionScores(c, s))
	return &plainBack{c, s, p, grad, attentionSlopes(c, s, p, grad, rows)}
}

// shared sums x over the group of heads that share one of k and v.
func (x *plainBack) shared(d *Node) *Node {
	if x.s.Group > 1 && !x.s.together() {
		d = Sum(d, -3)
	}
	return d
}

func (x *plainBack) scaled(d *Node) *Node {
	return Cast(Mul(d, ScalarLike(x.t, x.c.Attr.(ir.AttentionAttr).ScaleOf(x.s.D))), x.c.dt(0))
}

func (x *plainBack) byQ() *Node {
	return x.scaled(x.s.ungrouped(MatMul(x.s.grouped(x.t), x.s.grouped(widen(x.c.In[1])))))
}

func (x *plainBack) byK() *Node {
	return x.scaled(x.shared(MatMul(swapLast(x.s.grouped(x.t)), x.s.grouped(widen(x.c.In[0])))))
}

func (x *plainBack) byV() *Node {
	return Cast(x.shared(MatMul(swapLast(x.s.grouped(x.p)), x.s.grouped(widen(x.grad)))), x.c.dt(0))
}

func plainAttentionGrad(b *Back, c *Call, s attentionShape) {
	if s.N == 0 {
		return // nothing depends on anything
	}
	x := plainBackOf(c, s, b.Grad(), Sum(Mul(widen(b.Grad()), widen(b.Out())), -1))
	for i, by := range []func() *Node{x.byQ, x.byK, x.byV} {
		if b.Wants(i) {
			b.Add(i, by())
		}
	}
	if len(b.node.in) > 3 && b.In(3).dtype.IsFloat() && b.Wants(3) {
		b.Add(3, Cast(x.t, b.In(3).dtype))
	}
}

// coreGrad is the gradient of one pass of an attention, for second derivatives: the gradient of the same pass composed of other ops,
// which compute the weights anew from the scores.
func coreGrad(b *Back) {
	n, t := b.node, b.tape
	c := &Call{Op: n.op, In: slices.Clone(n.in), Attr: n.attr}
	s, err := c.attention()
	if err != nil || s.N == 0 {
		return // nothing depends on anything
	}
	var leaves, like []*Node
	for i, x := range n.in {
		if x.dtype.IsFloat() && t.wanted[x] {
			c.In[i] = gradientPlaceholder(x)
			leaves, like = append(leaves, c.In[i]), append(like, x)
		}
	}
	var outs, ds []*Node
	for i, y := range corePlain(c, s) {
		if d := t.picked[n][i]; d != nil {
			outs, ds = append(outs, Reshape(y(), d.shape...)), append(ds, d)
		}
	}
	for i, d := range pullBack(outs, ds, leaves) {
		if d != nil {
			t.accumulate(like[i], d)
		}
	}
}

// corePlain makes the results of a pass out of other ops.
func corePlain(c *Call, s attentionShape) []func() *Node {
	switch c.Attr.(ir.AttentionAttr).Pass {
	case engine.AttentionGradQ:
		return []func() *Node{plainBackOf(c, s, c.In[3], c.In[6]).byQ}
	case engine.AttentionGradKV:
		x := plainBackOf(c, s, c.In[3], c.In[6])
		return []func() *Node{x.byK, x.byV}
	}
	// gradients do not depend on the other results: weights are computed anew
	return []func() *Node{func() *Node { return plainAttention(c, s) }}
}

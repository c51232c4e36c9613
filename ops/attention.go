package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// AttentionOptions say which keys a query sees. The zero value and nil are
// attention to all keys.
type AttentionOptions struct {
	// Scale of the scores; 0 means 1/√D.
	Scale float64
	// Causal lets a query see no later key. Where there are more keys than
	// queries, the last query is aligned with the last key, as it is where
	// earlier keys are cached: query i of M sees key j of N where
	// j <= i + N - M. (FlashAttention 2.1 aligns so. Where lengths differ,
	// PyTorch's is_causal aligns the first query with the first key.)
	Causal bool
	// Window, if not 0, lets a query see only the keys less than Window away
	// from where it is aligned: with Causal, the last Window of them.
	Window int
	// Mask broadcasts to [..., M, N]. A bool says which keys are seen; a mask
	// of q's dtype is added to the scores and may need a gradient.
	Mask *Node
}

// Attention returns scaled dot-product attention, the mean of the values of
// the keys that each query sees, weighted by how well query and key agree:
//
//	S[..., i, j] = scale · Σ_d q[..., i, d]·k[..., j, d] + mask[..., i, j]
//	y[..., i, e] = Σ_j softmax_j(S)[..., i, j] · v[..., j, e]
//
// q is [..., M, D], k is [..., N, D], v is [..., N, E], the result [..., M, E].
// The axes before these broadcast by the NumPy rules; besides, the last of them,
// the heads, may be G times as many for q as for k and v, and then every G
// neighbours share a head of k and v (grouped-query attention). A row that sees
// no key, or none whose score is above -∞, is zero; a row with a score of +∞ or
// NaN is NaN. Masked keys are weighted with 0, which hides finite values only. Where all
// keys that a query sees are masked by a number, as by -1e9 or the lowest of a dtype, they are weighted by their scores: a
// number added to all of a row does not change its softmax, and scores are not lost in it.
// All three are floats of one dtype; 16-bit floats are computed in float32. Sums over
// more than 2048 keys or queries are taken in blocks whose sums are compensated,
// so that their rounding error does not grow with their number.
//
// Neither it nor its gradients have a matrix of queries by keys in memory, except
// the gradient of a mask, and except where there are no more than four queries a
// head of k and v, as in decoding with a cache of keys. Errors: shapes that do not fit; dtypes that
// differ; D is 0; a scale that is not finite; a negative window; a mask that
// does not broadcast to [..., M, N], or that is neither bool nor of q's dtype.
//
// Source: Vaswani et al., Attention Is All You Need (2017), section 3.2; Dao et
// al., FlashAttention (2022); Dao, FlashAttention-2 (2023); Ainslie et al., GQA
// (2023).
func Attention(q, k, v *Node, o *AttentionOptions) *Node {
	a := ir.AttentionAttr{}
	in := []*Node{q, k, v}
	if o != nil {
		a.Scale, a.Causal, a.Window = o.Scale, o.Causal, o.Window
		if o.Mask != nil {
			in = append(in, o.Mask)
		}
	}
	return apply("attention", a, in...)
}

// maxHead is the longest D or E that one task takes: its tile of queries must
// stay in the nearest memory.
const maxHead = 1024

var _ = define(Op{
	Name: "attention", Category: "attention",
	Attributes: AttributesOf[ir.AttentionAttr](),
	Operands:   []Operand{{Name: "q"}, {Name: "k"}, {Name: "v"}, {Name: "mask", DTypes: every, Optional: true}}, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		s, err := c.attention()
		return s.Result(), c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		s, _ := c.attention() // checked by the rule
		c.In = c.shifted(s)
		if s.plain() {
			return plainAttention(c, s)
		}
		return pickOf(apply("attention_core", c.Attr, c.In...), 0)
	},
	Grad: attentionGrad,
})

var _ = define(Op{
	Name: "attention_core", Operands: operandsAny, hidden: true, kind: ir.KindAttention,
	Attributes: AttributesOf[ir.AttentionAttr](), Grad: coreGrad,
	Results: func(c *Call) ([]Result, error) {
		s, _ := c.attention() // checked where a user called
		dt, rows := c.dt(0), append(slices.Clone(s.Batch), s.M)
		switch a := c.Attr.(ir.AttentionAttr); a.Pass {
		case engine.AttentionGradQ:
			return []Result{{dt, append(rows, s.D)}}, nil
		case engine.AttentionGradKV:
			own := append(slices.Clone(s.Own), s.N)
			return []Result{{dt, append(own[:len(own):len(own)], s.D)}, {dt, append(own, s.E)}}, nil
		default:
			return []Result{{dt, s.Result()}, {engine.AccType(dt), rows}, {engine.AccType(dt), rows}}, nil
		}
	},
})

// attentionGrad is the gradient: D needs the result, the rest comes from the
// largest scores and the sums of weights that the forward pass leaves.
func attentionGrad(b *Back) {
	c := &Call{Op: b.node.op, In: b.node.in, Attr: b.node.attr}
	s, _ := c.attention() // checked by the rule
	if s.plain() {
		c.In = c.shifted(s)
		plainAttentionGrad(b, c, s)
		return
	}
	core := b.node.composition().in[0]
	c.In = core.in
	rows := Sum(Mul(widen(b.Grad()), widen(b.Out())), -1)
	in := slices.Concat(c.In[:3], []*Node{b.Grad(), pickOf(core, 1), pickOf(core, 2), rows}, c.In[3:])
	a := b.Attr().(ir.AttentionAttr)
	if b.Wants(0) {
		a.Pass = engine.AttentionGradQ
		b.Add(0, pickOf(apply("attention_core", a, in...), 0))
	}
	if b.Wants(1) || b.Wants(2) {
		a.Pass = engine.AttentionGradKV
		both := apply("attention_core", a, in...)
		for i := range 2 {
			d, x := pickOf(both, i), b.In(1+i)
			if d.Size() == x.Size() {
				d = Reshape(d, x.shape...)
			}
			b.Add(1+i, d)
		}
	}
	if len(b.node.in) > 3 && b.In(3).dtype.IsFloat() && b.Wants(3) {
		p := attentionWeights(attentionScores(c, s))
		b.Add(3, Cast(attentionSlopes(c, s, p, b.Grad(), rows), b.In(3).dtype))
	}
}

// shifted are the operands of a call for the op that computes it. A mask that is added loses the part that is the same for all keys that a
// query sees, which changes no weight: a query from which all keys are masked by numbers such as -1e9 has the scores of one that sees all,
// in which these are not lost in rounding.
func (c *Call) shifted(s attentionShape) []*Node {
	mask := c.mask()
	if mask == nil || !mask.dtype.IsFloat() || mask.Rank() == 0 || s.N == 0 {
		return c.In
	}
	mask = widen(mask)
	top := StopGradient(foldAlong(Max, s.hideUnseen(c, mask), -1))
	shifted := Sub(mask, Where(IsFinite(top), top, ScalarLike(top, 0)))
	if shifted.Size() == mask.Size() && !s.plain() { // a matrix of queries by keys stays a difference of two loads
		shifted = materialize(shifted)
	}
	n := len(c.In) - 1
	return append(slices.Clone(c.In[:n]), shifted)
}

// hideUnseen is x with -∞ where the options of c let a query not see a key.
func (s attentionShape) hideUnseen(c *Call, x *Node) *Node {
	low, high := c.Attr.(ir.AttentionAttr).Band(s.M, s.N)
	if low <= -s.M && high >= s.N-1 {
		return x
	}
	i, j := x.graph.Iota(tensor.Int64, 0, s.M, s.N), x.graph.Iota(tensor.Int64, 1, s.M, s.N)
	away := Sub(j, i)
	seen := And(GreaterEqual(away, ScalarLike(away, float64(low))), LessEqual(away, ScalarLike(away, float64(high))))
	return Where(seen, x, ScalarLike(x, math.Inf(-1)))
}

// attentionShape is how the operands of a call fit together.
type attentionShape struct{ ir.AttentionShape }

// fewQueries are too few for the lanes of a tile, and manyKeys enough for three
// launches: with a cache of keys, products of vectors and matrices are faster.
const fewQueries, manyKeys = 4, 64

// plain reports whether attention is composed of other ops.
func (s attentionShape) plain() bool {
	return max(s.D, s.E) > maxHead || s.M*s.Group <= fewQueries && s.N >= manyKeys
}

// attention checks the operands.
func (c *Call) attention() (s attentionShape, err error) {
	a := c.Attr.(ir.AttentionAttr)
	q, k, v := c.shape(0), c.shape(1), c.shape(2)
	if s.AttentionShape, err = ir.NewAttentionShape(q, k, v); err != nil {
		return s, err
	}
	switch {
	case a.Window < 0:
		return s, fmt.Errorf("the window is %d", a.Window)
	case math.IsNaN(a.Scale) || math.IsInf(a.Scale, 0):
		return s, fmt.Errorf("the scale is %v", a.Scale)
	}
	return s, c.attentionMask(s)
}

// mask is the mask of an attention, or nil.
func (c *Call) mask() *Node {
	if n := c.Attr.(ir.AttentionAttr).Operands(); len(c.In) > n {
		return c.In[n]
	}
	return nil
}

func (c *Call) attentionMask(s attentionShape) error {
	mask := c.mask()
	if mask == nil {
		return nil
	}
	if mask.dtype != tensor.Bool && mask.dtype != c.dt(0) && !c.Op.hidden { // a task adds it in the type of its sums
		return fmt.Errorf("the mask is %v, not bool or %v", mask.dtype, c.dt(0))
	}
	scores := append(slices.Clone(s.Batch), s.M, s.N)
	if all, err := tensor.Broadcast(scores, mask.shape); err != nil || !slices.Equal(all, scores) {
		return fmt.Errorf("the mask %v does not broadcast to the scores %v", mask.shape, scores)
	}
	return nil
}

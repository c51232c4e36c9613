package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/engine"
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
// NaN is NaN. What is masked is weighted with 0, which hides finite values only.
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
	a := attentionAttr{}
	in := []*Node{q, k, v}
	if o != nil {
		a.scale, a.causal, a.window = o.Scale, o.Causal, o.Window
		if o.Mask != nil {
			in = append(in, o.Mask)
		}
	}
	return apply("attention", a, in...)
}

// attentionAttr is what is fixed about a call. Operands are q, k, v, then for
// the gradients dO, L and D as engine.AttentionTask has them, then the mask.
type attentionAttr struct {
	scale  float64
	causal bool
	window int
	pass   engine.AttentionPass
}

// operands is how many there are without the mask.
func (a attentionAttr) operands() int {
	if a.pass == engine.AttentionForward {
		return 3
	}
	return 6
}

// maxHead is the longest D or E that one task takes: its tile of queries must
// stay in the nearest memory.
const maxHead = 1024

var _ = define(Op{
	Name: "attention", Arity: -1, Least: 3, Most: 4, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		s, err := c.attention()
		return s.result(), c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		s, err := c.attention()
		if err != nil || s.plain() {
			return plainAttention(c, s)
		}
		return pickOf(apply("attention_core", c.Attr, c.In...), 0)
	},
	Grad: attentionGrad,
})

var _ = define(Op{
	Name: "attention_core", Arity: -1, hidden: true, lower: lowerAttention,
	Result: firstResult,
	results: func(c *Call) []Result {
		s, _ := c.attention() // checked where a user called
		dt, rows := c.dt(0), append(slices.Clone(s.batch), s.m)
		switch a := c.Attr.(attentionAttr); a.pass {
		case engine.AttentionGradQ:
			return []Result{{dt, append(rows, s.d)}}
		case engine.AttentionGradKV:
			own := append(slices.Clone(s.own), s.n)
			return []Result{{dt, append(own[:len(own):len(own)], s.d)}, {dt, append(own, s.e)}}
		default:
			return []Result{{dt, s.result()}, {engine.AccType(dt), rows}}
		}
	},
})

// attentionGrad is the gradient: D needs the result, the rest comes from the
// logarithms that the forward pass leaves.
func attentionGrad(b *Back) {
	c := &Call{Op: b.node.op, In: b.node.in, Attr: b.node.attr}
	s, err := c.attention()
	if err != nil || s.plain() {
		plainAttentionGrad(b, c, s)
		return
	}
	core := b.node.composition().in[0]
	l := pickOf(core, 1)
	rows := Sum(Mul(widen(b.Grad()), widen(b.Out())), -1)
	in := slices.Concat(b.node.in[:3], []*Node{b.Grad(), l, rows}, b.node.in[3:])
	a := b.node.attr.(attentionAttr)
	if b.Wants(0) {
		a.pass = engine.AttentionGradQ
		b.Add(0, pickOf(apply("attention_core", a, in...), 0))
	}
	if b.Wants(1) || b.Wants(2) {
		a.pass = engine.AttentionGradKV
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
		p := Exp(Sub(attentionScores(c, s), ExpandDims(l, -1)))
		b.Add(3, Cast(attentionSlopes(c, s, p, b.Grad(), rows), b.In(3).dtype))
	}
}

// attentionShape is how the operands of a call fit together.
type attentionShape struct {
	batch      []int // of the result: the axes before M and E
	own        []int // of k and v together
	group      int   // heads of q that share one of k and v; 1 if the axis does not say so
	m, n, d, e int
}

// fewQueries are too few for the lanes of a tile, and manyKeys enough for three
// launches: with a cache of keys, products of vectors and matrices are faster.
const fewQueries, manyKeys = 4, 64

// plain reports whether attention is composed of other ops.
func (s attentionShape) plain() bool {
	return max(s.d, s.e) > maxHead || s.m*s.group <= fewQueries && s.n >= manyKeys
}

func (s attentionShape) result() []int { return append(slices.Clone(s.batch), s.m, s.e) }

// attention checks the operands.
func (c *Call) attention() (s attentionShape, err error) {
	a := c.Attr.(attentionAttr)
	if n := len(c.In); n != a.operands() && n != a.operands()+1 {
		return s, fmt.Errorf("takes 3 operands and a mask, not %d", n)
	}
	q, k, v := c.shape(0), c.shape(1), c.shape(2)
	for i := range 3 {
		switch {
		case c.dt(i) != c.dt(0):
			return s, fmt.Errorf("dtypes differ: %v%v, %v%v and %v%v (cast with ops.Cast)", c.dt(0), q, c.dt(1), k, c.dt(2), v)
		case len(c.shape(i)) < 2:
			return s, fmt.Errorf("q %v, k %v and v %v need two axes at least: positions and features", q, k, v)
		}
	}
	nq, nk, nv := len(q)-2, len(k)-2, len(v)-2
	s.m, s.d, s.n, s.e, s.group = q[nq], q[nq+1], k[nk], v[nv+1], 1
	switch {
	case k[nk+1] != s.d:
		return s, fmt.Errorf("q %v and k %v have other features: %d and %d", q, k, s.d, k[nk+1])
	case v[nv] != s.n:
		return s, fmt.Errorf("k %v and v %v have other positions: %d and %d", k, v, s.n, v[nv])
	case s.d == 0:
		return s, fmt.Errorf("q %v and k %v have no features", q, k)
	case a.window < 0:
		return s, fmt.Errorf("the window is %d", a.window)
	case math.IsNaN(a.scale) || math.IsInf(a.scale, 0):
		return s, fmt.Errorf("the scale is %v", a.scale)
	}
	if s.own, err = tensor.Broadcast(k[:nk], v[:nv]); err != nil {
		return s, fmt.Errorf("k %v and v %v do not broadcast", k, v)
	}
	if h, o := nq-1, len(s.own)-1; h >= 0 && o >= 0 && s.own[o] > 1 && q[h] > s.own[o] && q[h]%s.own[o] == 0 {
		s.group = q[h] / s.own[o]
	}
	stretched := slices.Clone(s.own)
	if s.group > 1 {
		stretched[len(stretched)-1] *= s.group
	}
	if s.batch, err = tensor.Broadcast(q[:nq], stretched); err != nil {
		return s, fmt.Errorf("q %v does not broadcast with k %v and v %v, nor has it a multiple of their heads", q, k, v)
	}
	s.batch = slices.Clone(s.batch)
	s.own = slices.Concat(slices.Repeat([]int{1}, len(s.batch)-len(s.own)), s.own)
	return s, c.attentionMask(s)
}

// mask is the mask of an attention, or nil.
func (c *Call) mask() *Node {
	if n := c.Attr.(attentionAttr).operands(); len(c.In) > n {
		return c.In[n]
	}
	return nil
}

func (c *Call) attentionMask(s attentionShape) error {
	mask := c.mask()
	if mask == nil {
		return nil
	}
	if mask.dtype != tensor.Bool && mask.dtype != c.dt(0) {
		return fmt.Errorf("the mask is %v, not bool or %v", mask.dtype, c.dt(0))
	}
	scores := append(slices.Clone(s.batch), s.m, s.n)
	if all, err := tensor.Broadcast(scores, mask.shape); err != nil || !slices.Equal(all, scores) {
		return fmt.Errorf("the mask %v does not broadcast to the scores %v", mask.shape, scores)
	}
	return nil
}

// scaleOf is the scale of the scores.
func (a attentionAttr) scaleOf(d int) float64 {
	if a.scale == 0 {
		return 1 / math.Sqrt(float64(d))
	}
	return a.scale
}

// band is which keys a query sees: i + low <= j <= i + high, no further than
// makes a difference.
func (a attentionAttr) band(m, n int) (low, high int) {
	low, high = -m, n
	if a.window > 0 {
		reach := min(a.window, m+n) - 1
		low, high = max(low, n-m-reach), min(high, n-m+reach)
	}
	if a.causal {
		high = n - m
	}
	return low, high
}

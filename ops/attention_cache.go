package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// AttentionWithCache is [Attention] of a step of decoding: keys and values of earlier steps stand before those of this one, and all are
// returned for the next.
//
//	keys = pastK, k;  values = pastV, v;  y = Attention(q, keys, values, o)
//
// pastK is [..., P, D] and pastV [..., P, E], with the other axes of k and v; both may be nil in the first step. With Causal the last
// query sees the last key. Errors: as there; shapes of past and new keys differ beside the positions. Source: ONNX, operator Attention;
// Pope et al., Efficiently Scaling Transformer Inference (2022).
func AttentionWithCache(q, k, v, pastK, pastV *Node, o *AttentionOptions) (y, keys, values *Node) {
	keys, values = k, v
	if pastK != nil {
		keys = Concat(-2, pastK, k)
	}
	if pastV != nil {
		values = Concat(-2, pastV, v)
	}
	return Attention(q, keys, values, o), keys, values
}

// RotaryOptions say which features of [RotaryEmbedding] turn together. The zero value and nil: those of the first and of the second half,
// all of them.
type RotaryOptions struct {
	// Interleaved turns neighbours, 2i and 2i+1, in place of i and i + D/2.
	Interleaved bool
	// Features is how many of the features turn, the first of them; 0: all.
	Features int
}

type rotaryAttr struct {
	Interleaved bool `default:"false" doc:"neighbours turn together, in place of features of both halves"`
	Features    int  `default:"0" doc:"how many turn; 0: all"`
}

// RotaryEmbedding returns x with pairs of features turned by the angles of their position:
//
//	y[..., i] = x[..., i] · cos[..., i] - x[..., i + D/2] · sin[..., i]
//	y[..., i + D/2] = x[..., i + D/2] · cos[..., i] + x[..., i] · sin[..., i]
//
// x is [..., L, D], a float; cos and sin are of its dtype and broadcast to [..., L, D/2]: [L, D/2] where all heads and batches have the
// same positions. Features behind those that turn stay. o may be nil. Errors: shapes; dtypes; an odd number of features.
// Source: Su et al., RoFormer (2021), section 3.2; ONNX, operator RotaryEmbedding.
func RotaryEmbedding(x, cos, sin *Node, o *RotaryOptions) *Node {
	return apply("rotary_embedding", rotaryAttr(valueOf(o)), x, cos, sin)
}

var _ = define(Op{
	Name: "rotary_embedding", Category: "attention", Attributes: AttributesOf[rotaryAttr](), DTypes: floats,
	Operands: []Operand{{Name: "x"}, {Name: "cos"}, {Name: "sin"}},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		x := c.shape(0)
		if len(x) < 1 {
			return nil, 0, fmt.Errorf("x is %v, not [... D]", x)
		}
		n := c.Attr.(rotaryAttr).turning(x)
		if n < 0 || n > x[len(x)-1] || n%2 != 0 {
			return nil, 0, fmt.Errorf("%d features of %v do not turn in pairs", n, x)
		}
		half := append(slices.Clone(x[:len(x)-1]), n/2)
		for i := 1; i < 3; i++ {
			if s, err := tensor.Broadcast(c.shape(i), half); err != nil || !slices.Equal(s, half) {
				return nil, 0, fmt.Errorf("%s is %v, which does not broadcast to %v", c.Op.Operands[i].Name, c.shape(i), half)
			}
		}
		return same(c)
	},
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(rotaryAttr), widen(c.In[0])
		cos, sin := widen(c.In[1]), widen(c.In[2])
		shape := x.shape
		n, last := a.turning(shape), x.Rank()-1
		turning := x
		if n < shape[last] {
			turning = Slice(x, Range{Axis: last, Stop: n})
		}
		// Pairs as an axis of 2: behind the features where they are neighbours, else before them.
		pairs, axis := slices.Concat(shape[:last], []int{2, n / 2}), last
		if a.Interleaved {
			pairs, axis = slices.Concat(shape[:last], []int{n / 2, 2}), last+1
		}
		p := Reshape(turning, pairs...)
		other := Flip(p, axis)
		// The first of a pair takes -sin of the other, the second +sin.
		sign := ExpandDims(constOf(x.graph, x.dtype, []float64{-1, 1}, 2), trailing(1, last+1-axis)...)
		y := Add(Mul(p, ExpandDims(cos, axis-(last+2))), Mul(Mul(other, sign), ExpandDims(sin, axis-(last+2))))
		y = Reshape(y, turning.shape...)
		switch {
		case n == 0:
			return c.In[0]
		case n < shape[last]:
			y = Concat(last, y, Slice(x, Range{Axis: last, Start: n}))
		}
		return Cast(y, c.dt(0))
	},
})

// turning is how many features of x turn.
func (a rotaryAttr) turning(x []int) int {
	if a.Features == 0 {
		return x[len(x)-1]
	}
	return a.Features
}

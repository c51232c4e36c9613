package nn

import (
	"errors"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// positions returns the positions of the L rows of x, [..., L, features], from first on; nil: 0.
func positions(x, first *ops.Node) *ops.Node {
	n := x.Graph().Iota(tensor.Int32, 0, x.Dim(-2))
	if first != nil {
		n = ops.Add(n, ops.Cast(first, tensor.Int32))
	}
	return n
}

// Sinusoidal adds to x, [..., L, Dim], waves that depend on the position:
//
//	y[..., t, 2i] = x[..., t, 2i] + sin(t / 10000^(2i/Dim)),   y[..., t, 2i+1] = x[..., t, 2i+1] + cos(t / 10000^(2i/Dim))
//
// of up to Length positions; those behind get nothing. Source: Vaswani et al., Attention Is All You Need (2017), section 3.5.
type Sinusoidal struct {
	Length, Dim int

	table *tensor.Tensor
}

// Build computes the waves.
func (l *Sinusoidal) Build(s *Scope) {
	if l.Length < 1 || l.Dim < 1 {
		s.Fail("positions up to %d of %d features", l.Length, l.Dim)
		return
	}
	t, err := tensor.New(tensor.Float32, l.Length, l.Dim)
	if err != nil {
		s.Fail("%w", err)
		return
	}
	for at := range l.Length {
		for j := range l.Dim {
			angle := float64(at) * math.Pow(10000, -float64(j-j%2)/float64(l.Dim))
			v := math.Sin(angle)
			if j%2 == 1 {
				v = math.Cos(angle)
			}
			t.SetFloat64(at*l.Dim+j, v)
		}
	}
	l.table = t
}

// Apply is x with the waves of positions from 0 on.
func (l *Sinusoidal) Apply(p *Pass, x *ops.Node) *ops.Node { return l.At(p, x, nil) }

// At is x with the waves of positions from first on, an integer scalar.
func (l *Sinusoidal) At(p *Pass, x, first *ops.Node) *ops.Node {
	if l.table == nil {
		return p.fail("sinusoidal", errNotBuilt, x)
	}
	if x == nil || x.Rank() < 2 {
		return p.fail("sinusoidal", errNoRows, x)
	}
	return ops.Add(x, castFloat(ops.Embedding(p.model.graph.Const(l.table), positions(x, first)), x.DType()))
}

var errNoRows = errors.New("x must be [..., L, features]")

// LearnedPosition adds to x, [..., L, Dim], a vector for each position, of up to Length; those behind get nothing. Parameter: weight
// [Length, Dim], drawn from the normal distribution with a deviation of 0.02, as of GPT-2.
type LearnedPosition struct {
	Length, Dim int
	WeightInit  Init

	Weight *ops.Node // made by New
}

// Build declares the weight.
func (l *LearnedPosition) Build(s *Scope) {
	l.Weight = s.Param("weight", orInit(l.WeightInit, Normal(0, 0.02)), l.Length, l.Dim)
}

// Apply is x with the vectors of positions from 0 on.
func (l *LearnedPosition) Apply(p *Pass, x *ops.Node) *ops.Node { return l.At(p, x, nil) }

// At is x with the vectors of positions from first on, an integer scalar.
func (l *LearnedPosition) At(p *Pass, x, first *ops.Node) *ops.Node {
	if l.Weight == nil {
		return p.fail("learned_position", errNotBuilt, x)
	}
	if x == nil || x.Rank() < 2 {
		return p.fail("learned_position", errNoRows, x)
	}
	return p.did(l, ops.Add(x, castFloat(ops.Embedding(l.Weight, positions(x, first)), x.DType())))
}

// Rotary turns pairs of features by an angle that grows with the position:
//
//	angle of pair i at position t = t · Base^(-2i/D)
//
// of the first D = Features of x, [..., L, features]. [MultiheadAttention] applies it to queries and keys. See [ops.RotaryEmbedding].
type Rotary struct {
	Base        float64 // 0: 10000
	Features    int     // how many of a head's turn; 0: all
	Interleaved bool    // neighbours turn together, and not features of both halves
}

// Apply turns x by positions from 0 on.
func (l *Rotary) Apply(p *Pass, x *ops.Node) *ops.Node { return l.At(p, x, nil) }

// At turns x by positions from first on, an integer scalar.
func (l *Rotary) At(p *Pass, x, first *ops.Node) *ops.Node {
	if x == nil || x.Rank() < 2 {
		return p.fail("rotary", errNoRows, x)
	}
	d := l.Features
	if d == 0 {
		d = x.Dim(-1)
	}
	rates := make([]float32, max(d/2, 1))
	for i := range rates {
		rates[i] = float32(math.Pow(orDefault(l.Base, 10000), -2*float64(i)/float64(d)))
	}
	t, err := tensor.FromSlice(rates)
	if err != nil {
		return p.fail("rotary", err, x)
	}
	angles := ops.Mul(ops.ExpandDims(ops.Cast(positions(x, first), tensor.Float32), 1), p.model.graph.Const(t))
	return ops.RotaryEmbedding(x, castFloat(ops.Cos(angles), x.DType()), castFloat(ops.Sin(angles), x.DType()),
		&ops.RotaryOptions{Interleaved: l.Interleaved, Features: l.Features})
}

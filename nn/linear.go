package nn

import "github.com/anycl/anycl/ops"

// Linear is a fully connected layer:
//
//	y[..., o] = Σ_i x[..., i] · weight[o, i] + bias[o]
//
// x is [..., In], y is [..., Out]. Parameters: weight [Out, In], bias [Out], both drawn from ±1/√In, as in PyTorch.
type Linear struct {
	In, Out    int
	NoBias     bool
	WeightInit Init       // nil: ±1/√In
	BiasInit   Init       // nil: ±1/√In
	Tie        **ops.Node // the weight of another module in place of one of its own, as of an Embedding: &embedding.Weight

	Weight, Bias *ops.Node // made by New
}

// Build declares weight and bias.
func (l *Linear) Build(s *Scope) {
	l.Weight, l.Bias = nil, nil
	d := fanUniform(float64(l.In))
	if l.Tie != nil {
		l.Weight = *l.Tie
	} else {
		l.Weight = s.Param("weight", orInit(l.WeightInit, d), l.Out, l.In)
	}
	if !l.NoBias {
		l.Bias = s.Param("bias", orInit(l.BiasInit, d), l.Out)
	}
}

// Apply is the layer of x.
func (l *Linear) Apply(p *Pass, x *ops.Node) *ops.Node {
	if l.Weight == nil {
		return p.fail("linear", errNotBuilt, x)
	}
	return p.did(l, p.linear(x, l.Weight, l.Bias))
}

// linear is x·wᵀ + b in the dtype that is computed in.
func (p *Pass) linear(x, w, b *ops.Node) *ops.Node {
	y := ops.MatMul(p.Compute(x), ops.Transpose(p.Compute(w)))
	if b != nil {
		y = ops.Add(y, p.Compute(b))
	}
	return y
}

// Bilinear is a layer of two operands:
//
//	y[..., o] = Σ_ij a[..., i] · weight[o, i, j] · b[..., j] + bias[o]
//
// a is [..., In1], b is [..., In2]. Parameters: weight [Out, In1, In2], bias [Out], both drawn from ±1/√In1.
type Bilinear struct {
	In1, In2, Out int
	NoBias        bool

	Weight, Bias *ops.Node // made by New
}

// Build declares weight and bias.
func (l *Bilinear) Build(s *Scope) {
	l.Weight, l.Bias = nil, nil
	d := fanUniform(float64(l.In1))
	l.Weight = s.Param("weight", d, l.Out, l.In1, l.In2)
	if !l.NoBias {
		l.Bias = s.Param("bias", d, l.Out)
	}
}

// Run is the layer of a and b.
func (l *Bilinear) Run(p *Pass, a, b *ops.Node) *ops.Node {
	if l.Weight == nil {
		return p.fail("bilinear", errNotBuilt, a, b)
	}
	return p.did(l, ops.Bilinear(p.Compute(a), p.Compute(b), p.Compute(l.Weight), p.Compute(l.Bias)))
}

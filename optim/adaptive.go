package optim

import (
	"errors"
	"fmt"

	"github.com/anycl/anycl/ops"
)

// RMSProp divides by an average of the gradient's size:
//
//	g ← g + λ·p
//	v ← α·v + (1 - α)·g²
//	d = g / (√v + ε)                    (Centered: √(v - a²), with a ← α·a + (1 - α)·g)
//	b ← μ·b + d,  p ← p - rate · b      (without momentum: p ← p - rate · d)
//
// State: "rmsprop.v", "rmsprop.mean" if centered, "rmsprop.momentum" with a momentum. Source: Tieleman and Hinton, Neural Networks for
// Machine Learning, lecture 6.5 (2012); Graves, Generating Sequences With Recurrent Neural Networks (2013).
type RMSProp struct {
	LearningRate float64 // 0 means 0.01
	Alpha        float64 // in [0, 1); 0 means 0.99
	Epsilon      float64 // 0 means 1e-8
	WeightDecay  float64 // λ, 0 or more
	Momentum     float64 // μ in [0, 1)
	Centered     bool
}

// Name is rmsprop.
func (RMSProp) Name() string { return "rmsprop" }

// Rate is the learning rate.
func (r RMSProp) Rate() float64 { return value(r.LearningRate, 0.01) }

// Check finds options that are out of range.
func (r RMSProp) Check() error {
	return errors.Join(within("alpha", r.Alpha, 0, below1), notNegative("epsilon", r.Epsilon), notNegative("weight decay", r.WeightDecay),
		within("momentum", r.Momentum, 0, below1))
}

// Step is one step.
func (r RMSProp) Step(s *Slot) *ops.Node {
	alpha, g := value(r.Alpha, 0.99), s.Decay(value(r.WeightDecay, 0))
	oldV := s.State("v", 0)
	v := s.Average(oldV, ops.Square(g), alpha)
	s.Keep(oldV, v)
	if r.Centered {
		old := s.State("mean", 0)
		mean := s.Average(old, g, alpha)
		s.Keep(old, mean)
		v = ops.Sub(v, ops.Square(mean))
	}
	d := ops.Div(g, ops.Add(ops.Sqrt(v), s.Scalar(value(r.Epsilon, 1e-8))))
	if mu := value(r.Momentum, 0); mu != 0 {
		old := s.State("momentum", 0)
		d = ops.Add(ops.Mul(old, s.Scalar(mu)), d)
		s.Keep(old, d)
	}
	return ops.Mul(s.Rate, d)
}

// Adagrad divides by the root of the sum of all squares:
//
//	g ← g + λ·p
//	v ← v + g²
//	p ← p - rate/(1 + (t-1)·η) · g / (√v + ε)
//
// State: "adagrad.v". Source: Duchi, Hazan and Singer, Adaptive Subgradient Methods (2011).
type Adagrad struct {
	LearningRate float64 // 0 means 0.01
	RateDecay    float64 // η, 0 or more
	WeightDecay  float64 // λ, 0 or more
	Start        float64 // of v, 0 or more
	Epsilon      float64 // 0 means 1e-10
}

// Name is adagrad.
func (Adagrad) Name() string { return "adagrad" }

// Rate is the learning rate.
func (r Adagrad) Rate() float64 { return value(r.LearningRate, 0.01) }

// Check finds options that are out of range.
func (r Adagrad) Check() error {
	return errors.Join(notNegative("rate decay", r.RateDecay), notNegative("weight decay", r.WeightDecay), notNegative("start", r.Start),
		notNegative("epsilon", r.Epsilon))
}

// Step is one step.
func (r Adagrad) Step(s *Slot) *ops.Node {
	g := s.Decay(value(r.WeightDecay, 0))
	old := s.State("v", value(r.Start, 0))
	v := ops.Add(old, ops.Square(g))
	s.Keep(old, v)
	rate := s.Rate
	if eta := value(r.RateDecay, 0); eta != 0 {
		one := s.Scalar(1)
		rate = ops.Div(rate, ops.Add(one, ops.Mul(ops.Sub(s.T(), one), s.Scalar(eta))))
	}
	return ops.Mul(rate, ops.Div(g, ops.Add(ops.Sqrt(v), s.Scalar(value(r.Epsilon, 1e-10)))))
}

// Adadelta has steps in the units of the parameter:
//
//	g ← g + λ·p
//	v ← ρ·v + (1 - ρ)·g²
//	d = √(u + ε) / √(v + ε) · g
//	u ← ρ·u + (1 - ρ)·d²,  p ← p - rate · d
//
// State: "adadelta.v", "adadelta.u". Source: Zeiler, ADADELTA: An Adaptive Learning Rate Method (2012).
type Adadelta struct {
	LearningRate float64 // 0 means 1
	Rho          float64 // ρ in [0, 1); 0 means 0.9
	Epsilon      float64 // 0 means 1e-6
	WeightDecay  float64 // λ, 0 or more
}

// Name is adadelta.
func (Adadelta) Name() string { return "adadelta" }

// Rate is the learning rate.
func (r Adadelta) Rate() float64 { return value(r.LearningRate, 1) }

// Check finds options that are out of range.
func (r Adadelta) Check() error {
	return errors.Join(within("rho", r.Rho, 0, below1), notNegative("epsilon", r.Epsilon), notNegative("weight decay", r.WeightDecay))
}

// Step is one step.
func (r Adadelta) Step(s *Slot) *ops.Node {
	rho, eps, g := value(r.Rho, 0.9), s.Scalar(value(r.Epsilon, 1e-6)), s.Decay(value(r.WeightDecay, 0))
	oldV, oldU := s.State("v", 0), s.State("u", 0)
	v := s.Average(oldV, ops.Square(g), rho)
	d := ops.Mul(ops.Div(ops.Sqrt(ops.Add(oldU, eps)), ops.Sqrt(ops.Add(v, eps))), g)
	s.Keep(oldV, v)
	s.Keep(oldU, s.Average(oldU, ops.Square(d), rho))
	return ops.Mul(s.Rate, d)
}

// LAMB is Adam whose step has, for each parameter, the length of the parameter:
//
//	m ← β1·m + (1 - β1)·g,  v ← β2·v + (1 - β2)·g²
//	d = m/(1 - β1^t) / (√(v/(1 - β2^t)) + ε) + λ·p
//	p ← p - rate · ‖p‖/‖d‖ · d          (rate · d where either norm is 0)
//
// State: "lamb.m", "lamb.v". Source: You et al., Large Batch Optimization for Deep Learning: Training BERT in 76 minutes (2020),
// algorithm 2, with φ(z) = z.
type LAMB struct {
	LearningRate float64 // 0 means 0.001
	Beta1        float64 // in [0, 1); 0 means 0.9
	Beta2        float64 // in [0, 1); 0 means 0.999
	Epsilon      float64 // 0 means 1e-6
	WeightDecay  float64 // λ, 0 or more
}

// Name is lamb.
func (LAMB) Name() string { return "lamb" }

// Rate is the learning rate.
func (r LAMB) Rate() float64 { return value(r.LearningRate, 0.001) }

// Check finds options that are out of range.
func (r LAMB) Check() error {
	return errors.Join(betas(r.Beta1, r.Beta2), notNegative("epsilon", r.Epsilon), notNegative("weight decay", r.WeightDecay))
}

// Step is one step.
func (r LAMB) Step(s *Slot) *ops.Node {
	eps := r.Epsilon
	if eps == 0 {
		eps = 1e-6
	}
	d := Adam{Beta1: r.Beta1, Beta2: r.Beta2, Epsilon: eps}.direction(s)
	if lambda := value(r.WeightDecay, 0); lambda != 0 {
		d = ops.Add(d, ops.Mul(s.P, s.Scalar(lambda)))
	}
	size, length := ops.Sqrt(ops.Sum(ops.Square(s.P))), ops.Sqrt(ops.Sum(ops.Square(d)))
	zero, one := ops.ScalarLike(size, 0), ops.ScalarLike(size, 1)
	trust := ops.Where(ops.And(ops.Greater(size, zero), ops.Greater(length, zero)),
		ops.Div(size, ops.Where(ops.Greater(length, zero), length, one)), one)
	return ops.Mul(ops.Mul(s.Rate, trust), d)
}

// Lion goes by the sign of an average:
//
//	p ← p - rate·λ·p - rate · sign(β1·m + (1 - β1)·g)
//	m ← β2·m + (1 - β2)·g
//
// State: "lion.m". Source: Chen et al., Symbolic Discovery of Optimization Algorithms (2023), program 1.
type Lion struct {
	LearningRate float64 // 0 means 0.0001
	Beta1        float64 // in [0, 1); 0 means 0.9
	Beta2        float64 // in [0, 1); 0 means 0.99
	WeightDecay  float64 // λ, 0 or more
}

// Name is lion.
func (Lion) Name() string { return "lion" }

// Rate is the learning rate.
func (r Lion) Rate() float64 { return value(r.LearningRate, 1e-4) }

// Check finds options that are out of range.
func (r Lion) Check() error {
	return errors.Join(betas(r.Beta1, r.Beta2), notNegative("weight decay", r.WeightDecay))
}

// Step is one step.
func (r Lion) Step(s *Slot) *ops.Node {
	old := s.State("m", 0)
	s.Keep(old, s.Average(old, s.G, value(r.Beta2, 0.99)))
	d := ops.Mul(s.Rate, ops.Sign(s.Average(old, s.G, value(r.Beta1, 0.9))))
	return s.DecayApart(d, value(r.WeightDecay, 0))
}

// Adafactor keeps, of a parameter of two axes or more, averages of squares for rows and for columns in place of all elements:
//
//	ρ = min(rate, 1/√t),  α = max(ε2, RMS(p))·ρ,  β = 1 - t^κ,  p ← p - rate·λ·p
//	r ← β·r + (1 - β)·mean of g² along rows,  c ← β·c + (1 - β)·mean of g² along columns
//	u = g / √max(r·cᵀ/mean(r), ε1²)
//	p ← p - α · u / max(1, RMS(u)/D)
//
// Of other parameters it keeps an average of all squares. State: "adafactor.row" and "adafactor.column", or "adafactor.v".
// Source: Shazeer and Stern, Adafactor: Adaptive Learning Rates with Sublinear Memory Cost (2018); PyTorch, torch.optim.Adafactor.
type Adafactor struct {
	LearningRate float64 // 0 means 0.01
	BetaDecay    float64 // κ, below 0; 0 means -0.8
	Epsilon1     float64 // 0 means 2⁻²³
	Epsilon2     float64 // 0 means 0.001
	Threshold    float64 // D, 1 or more; 0 means 1
	WeightDecay  float64 // λ, 0 or more
}

// Name is adafactor.
func (Adafactor) Name() string { return "adafactor" }

// Rate is the learning rate.
func (r Adafactor) Rate() float64 { return value(r.LearningRate, 0.01) }

// Check finds options that are out of range.
func (r Adafactor) Check() error {
	err := errors.Join(notNegative("epsilon1", r.Epsilon1), notNegative("epsilon2", r.Epsilon2), notNegative("weight decay", r.WeightDecay))
	if !(r.BetaDecay <= 0) {
		err = errors.Join(err, fmt.Errorf("beta decay %v is not below 0", r.BetaDecay))
	}
	if r.Threshold != 0 && !(r.Threshold >= 1) {
		err = errors.Join(err, fmt.Errorf("threshold %v is below 1", r.Threshold))
	}
	return err
}

// Step is one step.
func (r Adafactor) Step(s *Slot) *ops.Node {
	one, t := s.Scalar(1), s.T()
	beta := ops.Sub(one, ops.Pow(t, s.Scalar(value(r.BetaDecay, -0.8))))
	mix := func(old, x *ops.Node) *ops.Node {
		x = ops.Add(ops.Mul(old, beta), ops.Mul(x, ops.Sub(one, beta)))
		s.Keep(old, x)
		return x
	}
	e1 := value(r.Epsilon1, 0x1p-23)
	var v *ops.Node
	square := ops.Square(s.G)
	if k := s.P.Rank(); k > 1 {
		row := mix(s.StateOf("row", 0, s.P.Shape()[:k-1]...), ops.Mean(square, -1))
		column := mix(s.StateOf("column", 0, append(s.P.Shape()[:k-2], s.P.Dim(-1))...), ops.Mean(square, -2))
		mean := ops.Maximum(ops.ExpandDims(ops.Mean(row, -1), -1), s.Scalar(e1))
		v = ops.Mul(ops.ExpandDims(ops.Div(row, mean), -1), ops.ExpandDims(column, -2))
	} else {
		v = mix(s.State("v", 0), square)
	}
	u := ops.Mul(s.G, ops.Rsqrt(ops.Maximum(v, s.Scalar(e1*e1))))
	rho := ops.Minimum(s.Rate, ops.Rsqrt(t))
	alpha := ops.Mul(ops.Maximum(s.Scalar(value(r.Epsilon2, 1e-3)), rms(s.P)), rho)
	over := ops.Maximum(one, ops.Div(rms(u), s.Scalar(value(r.Threshold, 1))))
	return s.DecayApart(ops.Mul(ops.Div(alpha, over), u), value(r.WeightDecay, 0))
}

// rms is the root of the mean square of all elements.
func rms(x *ops.Node) *ops.Node { return ops.Sqrt(ops.Mean(ops.Square(x))) }

package optim

import (
	"errors"
	"math"

	"github.com/anycl/anycl/ops"
)

// Adam keeps averages of the gradient and of its square:
//
//	g ← g + λ·p
//	m ← β1·m + (1 - β1)·g
//	v ← β2·v + (1 - β2)·g²
//	p ← p - rate/(1 - β1^t) · m / (√v/√(1 - β2^t) + ε)
//
// With AMSGrad, the largest v that there was takes the place of v in the last line. State: "adam.m", "adam.v", and "adam.vmax" with
// AMSGrad.
// Source: Kingma and Ba, Adam (2015), algorithm 1; Reddi, Kale and Kumar, On the Convergence of Adam and Beyond (2018).
type Adam struct {
	LearningRate float64 // 0 means 0.001
	Beta1        float64 // in [0, 1); 0 means 0.9
	Beta2        float64 // in [0, 1); 0 means 0.999
	Epsilon      float64 // 0 means 1e-8
	WeightDecay  float64 // λ, 0 or more, in the gradient; AdamW has it apart
	AMSGrad      bool
}

// Name is adam.
func (Adam) Name() string { return "adam" }

// Rate is the learning rate.
func (r Adam) Rate() float64 { return value(r.LearningRate, 0.001) }

// Check finds options that are out of range.
func (r Adam) Check() error {
	return errors.Join(betas(r.Beta1, r.Beta2), notNegative("epsilon", r.Epsilon), notNegative("weight decay", r.WeightDecay))
}

// Step is one step.
func (r Adam) Step(s *Slot) *ops.Node {
	s.G = s.Decay(value(r.WeightDecay, 0))
	return r.step(s)
}

func (r Adam) step(s *Slot) *ops.Node {
	m, size := r.moments(s)
	rate := ops.Mul(s.Rate, ops.Reciprocal(s.Unbias(value(r.Beta1, 0.9))))
	return ops.Mul(rate, ops.Div(m, size))
}

// direction is the step before it is multiplied by the rate.
func (r Adam) direction(s *Slot) *ops.Node {
	m, size := r.moments(s)
	return ops.Div(ops.Mul(m, ops.Reciprocal(s.Unbias(value(r.Beta1, 0.9)))), size)
}

// moments are m, and the root of the unbiased v with ε.
func (r Adam) moments(s *Slot) (m, size *ops.Node) {
	b1, b2, eps := value(r.Beta1, 0.9), value(r.Beta2, 0.999), value(r.Epsilon, 1e-8)
	oldM, oldV := s.State("m", 0), s.State("v", 0)
	m = s.Average(oldM, s.G, b1)
	v := s.Average(oldV, ops.Square(s.G), b2)
	s.Keep(oldM, m)
	s.Keep(oldV, v)
	if r.AMSGrad {
		most := s.State("vmax", 0)
		v = ops.Maximum(most, v)
		s.Keep(most, v)
	}
	// What is the same for all elements is divided by once.
	return m, ops.Add(ops.Mul(ops.Sqrt(v), ops.Reciprocal(ops.Sqrt(s.Unbias(b2)))), s.Scalar(eps))
}

// AdamW is [Adam] with weight decay apart from the gradient:
//
//	p ← p - rate·λ·p - rate/(1 - β1^t) · m / (√v/√(1 - β2^t) + ε)
//
// State: as Adam, with "adamw" in the names. Source: Loshchilov and Hutter, Decoupled Weight Decay Regularization (2019), algorithm 2.
type AdamW struct {
	LearningRate float64 // 0 means 0.001
	Beta1        float64 // in [0, 1); 0 means 0.9
	Beta2        float64 // in [0, 1); 0 means 0.999
	Epsilon      float64 // 0 means 1e-8
	WeightDecay  float64 // λ, 0 or more; 0 means 0.01
	AMSGrad      bool
}

// Name is adamw.
func (AdamW) Name() string { return "adamw" }

// Rate is the learning rate.
func (r AdamW) Rate() float64 { return value(r.LearningRate, 0.001) }

// Check finds options that are out of range.
func (r AdamW) Check() error { return Adam(r).Check() }

// Step is one step.
func (r AdamW) Step(s *Slot) *ops.Node {
	return s.DecayApart(Adam(r).step(s), value(r.WeightDecay, 0.01))
}

// Adamax is [Adam] with the infinity norm:
//
//	g ← g + λ·p
//	m ← β1·m + (1 - β1)·g
//	u ← max(β2·u, |g| + ε)
//	p ← p - rate/(1 - β1^t) · m/u
//
// State: "adamax.m", "adamax.u". Source: Kingma and Ba, Adam (2015), algorithm 2, with PyTorch's ε.
type Adamax struct {
	LearningRate float64 // 0 means 0.002
	Beta1        float64 // in [0, 1); 0 means 0.9
	Beta2        float64 // in [0, 1); 0 means 0.999
	Epsilon      float64 // 0 means 1e-8
	WeightDecay  float64 // λ, 0 or more
}

// Name is adamax.
func (Adamax) Name() string { return "adamax" }

// Rate is the learning rate.
func (r Adamax) Rate() float64 { return value(r.LearningRate, 0.002) }

// Check finds options that are out of range.
func (r Adamax) Check() error {
	return errors.Join(betas(r.Beta1, r.Beta2), notNegative("epsilon", r.Epsilon), notNegative("weight decay", r.WeightDecay))
}

// Step is one step.
func (r Adamax) Step(s *Slot) *ops.Node {
	b1, b2 := value(r.Beta1, 0.9), value(r.Beta2, 0.999)
	g := s.Decay(value(r.WeightDecay, 0))
	oldM, oldU := s.State("m", 0), s.State("u", 0)
	m := s.Average(oldM, g, b1)
	u := ops.Maximum(ops.Mul(oldU, s.Scalar(b2)), ops.Add(ops.Abs(g), s.Scalar(value(r.Epsilon, 1e-8))))
	s.Keep(oldM, m)
	s.Keep(oldU, u)
	return ops.Mul(ops.Mul(s.Rate, ops.Reciprocal(s.Unbias(b1))), ops.Div(m, u))
}

// NAdam is [Adam] that looks ahead along the momentum:
//
//	g ← g + λ·p
//	μ_t = β1·(1 - ½·0.96^(t·ψ)),  Π ← Π·μ_t
//	m ← β1·m + (1 - β1)·g,  v ← β2·v + (1 - β2)·g²
//	p ← p - rate · (μ_{t+1}/(1 - Π·μ_{t+1})·m + (1 - μ_t)/(1 - Π)·g) / (√(v/(1 - β2^t)) + ε)
//
// State: "nadam.m", "nadam.v", and "nadam.product" for all parameters together. Source: Dozat, Incorporating Nesterov Momentum into Adam
// (2016).
type NAdam struct {
	LearningRate  float64 // 0 means 0.002
	Beta1         float64 // in [0, 1); 0 means 0.9
	Beta2         float64 // in [0, 1); 0 means 0.999
	Epsilon       float64 // 0 means 1e-8
	WeightDecay   float64 // λ, 0 or more
	MomentumDecay float64 // ψ, 0 or more; 0 means 0.004
}

// Name is nadam.
func (NAdam) Name() string { return "nadam" }

// Rate is the learning rate.
func (r NAdam) Rate() float64 { return value(r.LearningRate, 0.002) }

// Check finds options that are out of range.
func (r NAdam) Check() error {
	return errors.Join(betas(r.Beta1, r.Beta2), notNegative("epsilon", r.Epsilon), notNegative("weight decay", r.WeightDecay),
		notNegative("momentum decay", r.MomentumDecay))
}

// Step is one step.
func (r NAdam) Step(s *Slot) *ops.Node {
	b1, b2, psi := value(r.Beta1, 0.9), value(r.Beta2, 0.999), value(r.MomentumDecay, 0.004)
	g := s.Decay(value(r.WeightDecay, 0))
	oldM, oldV, old := s.State("m", 0), s.State("v", 0), s.Shared("product", 1)
	m, v := s.Average(oldM, g, b1), s.Average(oldV, ops.Square(g), b2)
	mu := func(t *ops.Node) *ops.Node {
		fall := ops.Exp(ops.Mul(t, s.Scalar(psi*math.Log(0.96))))
		return ops.Mul(ops.Sub(s.Scalar(1), ops.Mul(fall, s.Scalar(0.5))), s.Scalar(b1))
	}
	one := s.Scalar(1)
	now, next := mu(s.T()), mu(ops.Add(s.T(), one))
	product := ops.Mul(old, now)
	s.Keep(oldM, m)
	s.Keep(oldV, v)
	s.Keep(old, product)
	ahead := ops.Div(next, ops.Sub(one, ops.Mul(product, next)))
	here := ops.Div(ops.Sub(one, now), ops.Sub(one, product))
	size := ops.Add(ops.Mul(ops.Sqrt(v), ops.Reciprocal(ops.Sqrt(s.Unbias(b2)))), s.Scalar(value(r.Epsilon, 1e-8)))
	return ops.Div(ops.Add(ops.Mul(ops.Mul(s.Rate, ahead), m), ops.Mul(ops.Mul(s.Rate, here), g)), size)
}

// RAdam is [Adam] that makes steps without v while too few gradients were seen to know their variance:
//
//	g ← g + λ·p;  m, v as Adam;  m̂ = m/(1 - β1^t)
//	ρ∞ = 2/(1 - β2) - 1,  ρ = ρ∞ - 2·t·β2^t/(1 - β2^t)
//	p ← p - rate · m̂ · √((ρ-4)(ρ-2)ρ∞ / ((ρ∞-4)(ρ∞-2)ρ)) · √(1 - β2^t)/(√v + ε)   where ρ > 5, else rate · m̂
//
// State: "radam.m", "radam.v". Source: Liu et al., On the Variance of the Adaptive Learning Rate and Beyond (2020), algorithm 2, with
// PyTorch's ε and its bound of 5.
type RAdam struct {
	LearningRate float64 // 0 means 0.001
	Beta1        float64 // in [0, 1); 0 means 0.9
	Beta2        float64 // in [0, 1); 0 means 0.999
	Epsilon      float64 // 0 means 1e-8
	WeightDecay  float64 // λ, 0 or more
}

// Name is radam.
func (RAdam) Name() string { return "radam" }

// Rate is the learning rate.
func (r RAdam) Rate() float64 { return value(r.LearningRate, 0.001) }

// Check finds options that are out of range.
func (r RAdam) Check() error {
	return errors.Join(betas(r.Beta1, r.Beta2), notNegative("epsilon", r.Epsilon), notNegative("weight decay", r.WeightDecay))
}

// Step is one step.
func (r RAdam) Step(s *Slot) *ops.Node {
	b1, b2 := value(r.Beta1, 0.9), value(r.Beta2, 0.999)
	g := s.Decay(value(r.WeightDecay, 0))
	oldM, oldV := s.State("m", 0), s.State("v", 0)
	m, v := s.Average(oldM, g, b1), s.Average(oldV, ops.Square(g), b2)
	s.Keep(oldM, m)
	s.Keep(oldV, v)
	left := s.Unbias(b2)
	far := 2/(1-b2) - 1
	// 2·t·β2^t/(1 - β2^t) = 2·t·(1/(1 - β2^t) - 1)
	t2 := ops.Mul(s.T(), s.Scalar(2))
	rho := ops.Sub(s.Scalar(far), ops.Mul(t2, ops.Sub(ops.Reciprocal(left), s.Scalar(1))))
	known := ops.Greater(rho, s.Scalar(5))
	safe := ops.Maximum(rho, s.Scalar(5))
	part := ops.Div(ops.Mul(ops.Sub(safe, s.Scalar(4)), ops.Sub(safe, s.Scalar(2))), safe)
	rectified := ops.Sqrt(ops.Mul(part, ops.Mul(left, s.Scalar(far/((far-4)*(far-2))))))
	by := ops.Div(rectified, ops.Add(ops.Sqrt(v), s.Scalar(value(r.Epsilon, 1e-8))))
	rate := ops.Mul(s.Rate, ops.Reciprocal(s.Unbias(b1)))
	return ops.Mul(ops.Mul(rate, m), ops.Where(known, by, s.Scalar(1)))
}

package ops

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// LossReduction says how the losses of single elements are combined.
type LossReduction string

// The reductions of losses.
const (
	LossMean      LossReduction = "mean"       // their mean; the default
	LossSum       LossReduction = "sum"        // their sum
	LossNone      LossReduction = "none"       // each stays
	LossBatchMean LossReduction = "batch_mean" // their sum over the extent of the first axis, of KLDivLoss
)

// LossOptions say how the losses of single elements are combined. The zero value and nil are their mean.
type LossOptions struct {
	Reduction LossReduction
	// Weight multiplies the loss of each element and broadcasts to them. The mean divides by their number, not by the sum of
	// the weights.
	Weight *Node
}

// lossAttr is the attribute that all losses share.
type lossAttr struct {
	Reduction LossReduction `default:"mean" doc:"of the losses of single elements: mean, sum, none, batch_mean"`
}

func (a lossAttr) reduction() LossReduction {
	if a.Reduction == "" {
		return LossMean
	}
	return a.Reduction
}

// shape returns the shape of a loss whose elements, before the reduction, have the shape each.
func (a lossAttr) shape(each []int) ([]int, error) {
	switch a.reduction() {
	case LossNone:
		return each, nil
	case LossMean, LossSum:
		return []int{}, nil
	case LossBatchMean:
		if len(each) > 0 {
			return []int{}, nil
		}
		return nil, fmt.Errorf("a loss without axes has no batch")
	}
	return nil, fmt.Errorf("the reduction %q is none of mean, sum, none and batch_mean", a.Reduction)
}

// fold is the reduction of losses of single elements.
func (a lossAttr) fold(each *Node) *Node {
	switch a.reduction() {
	case LossNone:
		return each
	case LossSum:
		return Sum(each)
	case LossBatchMean:
		return Div(Sum(each), float64(each.shape[0]))
	}
	return Mean(each)
}

// loss calls a loss with options.
func loss(name string, attr func(a lossAttr) any, o *LossOptions, in ...*Node) *Node {
	v := valueOf(o)
	return apply(name, attr(lossAttr{v.Reduction}), given(in, v.Weight)...)
}

// elementLoss defines a loss whose elements are computed each on its own, of operands that broadcast, and may be weighted by
// one more.
func elementLoss[A any](name string, operands []string, of func(a A) lossAttr, check func(a A) error,
	each func(a A, in []*Node) *Node) *Op {
	o := Op{Name: name, Category: "loss", Attributes: AttributesOf[A](), DTypes: floats}
	for _, n := range operands {
		o.Operands = append(o.Operands, Operand{Name: n})
	}
	o.Operands = append(o.Operands, Operand{Name: "weight", Optional: true})
	o.Result = func(c *Call) ([]int, tensor.DType, error) {
		shape, err := broadcastShapes(c)
		if err == nil && check != nil {
			err = check(c.Attr.(A))
		}
		if err == nil {
			shape, err = of(c.Attr.(A)).shape(shape)
		}
		return shape, c.dt(0), err
	}
	o.Compose = func(c *Call) *Node {
		in := make([]*Node, len(c.In))
		for i, n := range c.In {
			in[i] = widen(n)
		}
		l := each(c.Attr.(A), in[:len(operands)])
		if len(in) > len(operands) {
			l = Mul(l, in[len(operands)])
		}
		return Cast(of(c.Attr.(A)).fold(l), c.dt(0))
	}
	return define(o)
}

func plainLoss(a lossAttr) lossAttr { return a }

func plainAttr(a lossAttr) any { return a }

// MSELoss returns squared differences and their mean, or another reduction by the options:
//
//	l = (x - target)²
//
// x and target are floats that broadcast. o may be nil. Errors: dtypes; shapes; an unknown reduction.
func MSELoss(x, target *Node, o *LossOptions) *Node { return loss("mse_loss", plainAttr, o, x, target) }

var _ = elementLoss("mse_loss", []string{"x", "target"}, plainLoss, nil, func(_ lossAttr, in []*Node) *Node {
	return Square(Sub(in[0], in[1]))
})

// L1Loss returns absolute differences, l = |x - target|. Otherwise as [MSELoss].
func L1Loss(x, target *Node, o *LossOptions) *Node { return loss("l1_loss", plainAttr, o, x, target) }

var _ = elementLoss("l1_loss", []string{"x", "target"}, plainLoss, nil, func(_ lossAttr, in []*Node) *Node {
	return Abs(Sub(in[0], in[1]))
})

type thresholdLossAttr struct {
	lossAttr
	Threshold float64 `default:"1" doc:"difference up to which the loss is a square"`
}

func (a thresholdLossAttr) check() error {
	if !(a.Threshold >= 0) || math.IsInf(a.Threshold, 1) {
		return fmt.Errorf("the threshold is %v", a.Threshold)
	}
	return nil
}

// SmoothL1Loss returns differences that are squared where they are small, with d = |x - target|:
//
//	l = d² / (2·beta) where d < beta, else d - beta/2
//
// beta = 0 gives [L1Loss]. Otherwise as [MSELoss]. Errors: as there; beta is negative.
// Source: Girshick, Fast R-CNN (2015), equation 3.
func SmoothL1Loss(x, target *Node, beta float64, o *LossOptions) *Node {
	return loss("smooth_l1_loss", func(a lossAttr) any { return thresholdLossAttr{a, beta} }, o, x, target)
}

var _ = elementLoss("smooth_l1_loss", []string{"x", "target"}, thresholdLossAttr.common, thresholdLossAttr.check,
	func(a thresholdLossAttr, in []*Node) *Node {
		d := Abs(Sub(in[0], in[1]))
		if a.Threshold == 0 {
			return d
		}
		return Where(Less(d, a.Threshold), Mul(Square(d), 0.5/a.Threshold), Sub(d, a.Threshold/2))
	})

// HuberLoss returns differences that are squared where they are small, with d = |x - target|:
//
//	l = d² / 2 where d <= delta, else delta · (d - delta/2)
//
// Otherwise as [MSELoss]. Errors: as there; delta is negative.
// Source: Huber, Robust Estimation of a Location Parameter (1964).
func HuberLoss(x, target *Node, delta float64, o *LossOptions) *Node {
	return loss("huber_loss", func(a lossAttr) any { return thresholdLossAttr{a, delta} }, o, x, target)
}

var _ = elementLoss("huber_loss", []string{"x", "target"}, thresholdLossAttr.common, thresholdLossAttr.check,
	func(a thresholdLossAttr, in []*Node) *Node {
		d := Abs(Sub(in[0], in[1]))
		return Where(LessEqual(d, a.Threshold), Mul(Square(d), 0.5), Mul(Sub(d, a.Threshold/2), a.Threshold))
	})

func (a thresholdLossAttr) common() lossAttr { return a.lossAttr }

// BCELoss returns the binary cross-entropy of probabilities x:
//
//	l = -(target · log x + (1 - target) · log(1 - x))
//
// Logarithms are taken as -100 where they are below. x is in [0, 1]. Otherwise as [MSELoss]; of logits [BCEWithLogitsLoss] is more exact.
// Source: PyTorch, torch.nn.BCELoss.
func BCELoss(x, target *Node, o *LossOptions) *Node { return loss("bce_loss", plainAttr, o, x, target) }

var _ = elementLoss("bce_loss", []string{"x", "target"}, plainLoss, nil, func(_ lossAttr, in []*Node) *Node {
	return apply("bce_each", nil, in...)
})

// bce_each is the loss of one element, whose derivative is finite at 0 and 1 too.
var _ = define(Op{
	Name: "bce_each", Operands: []Operand{{Name: "x"}, {Name: "target"}}, hidden: true, Result: broadcast,
	Compose: func(c *Call) *Node {
		x, t := c.In[0], c.In[1]
		least := func(n *Node) *Node { return Maximum(n, -100.0) }
		return Neg(Add(Mul(t, least(Log(x))), Mul(Sub(ScalarLike(t, 1), t), least(Log1p(Neg(x))))))
	},
	Grad: func(b *Back) {
		x, t := b.In(0), b.In(1)
		b.Add(0, Mul(b.Grad(), Div(Sub(x, t), Maximum(Mul(x, Sub(ScalarLike(x, 1), x)), 1e-12))))
		b.Add(1, Mul(b.Grad(), Sub(Maximum(Log1p(Neg(x)), -100.0), Maximum(Log(x), -100.0))))
	},
})

type bceLogitsAttr struct {
	lossAttr
	PosWeight bool `default:"false" doc:"operand 2 is the weight of positive targets"`
}

// BCEWithLogitsLoss returns the binary cross-entropy of the logistic function of x, computed without overflow:
//
//	l = (1 - target) · x + (1 + (posWeight - 1) · target) · log(1 + e^-x)
//
// posWeight, which may be nil for 1, weights positive targets and broadcasts. Otherwise as [MSELoss].
// Source: PyTorch, torch.nn.BCEWithLogitsLoss.
func BCEWithLogitsLoss(x, target, posWeight *Node, o *LossOptions) *Node {
	v := valueOf(o)
	return apply("bce_with_logits_loss", bceLogitsAttr{lossAttr{v.Reduction}, posWeight != nil},
		given([]*Node{x, target}, posWeight, v.Weight)...)
}

var _ = define(Op{
	Name: "bce_with_logits_loss", Category: "loss", Attributes: AttributesOf[bceLogitsAttr](), DTypes: floats,
	Operands: []Operand{{Name: "x"}, {Name: "target"}, {Name: "weights", Optional: true, Repeated: true}},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(bceLogitsAttr)
		if n := len(c.In) - 2 - ir.Btoi(a.PosWeight); n < 0 || n > 1 {
			return nil, 0, fmt.Errorf("%d operands, with a weight of positive targets: %v", len(c.In), a.PosWeight)
		}
		shape, err := broadcastShapes(c)
		if err == nil {
			shape, err = a.shape(shape)
		}
		return shape, c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		a, x, t := c.Attr.(bceLogitsAttr), widen(c.In[0]), widen(c.In[1])
		log := Add(Log1p(Exp(Neg(Abs(x)))), Maximum(Neg(x), 0.0)) // log(1 + e^-x)
		rest := c.In[2:]
		if a.PosWeight {
			log = Mul(log, Add(Mul(Sub(widen(rest[0]), 1.0), t), 1.0))
			rest = rest[1:]
		}
		l := Add(Mul(Sub(ScalarLike(t, 1), t), x), log)
		if len(rest) > 0 {
			l = Mul(l, widen(rest[0]))
		}
		return Cast(a.fold(l), c.dt(0))
	},
})

type klAttr struct {
	lossAttr
	LogTarget bool `default:"false" doc:"the target is the logarithm of probabilities"`
}

// KLDivLoss returns the terms of the Kullback-Leibler divergence of log-probabilities x from target:
//
//	l = target · (log target - x), 0 where target is 0;  with logTarget  l = e^target · (target - x)
//
// The divergence itself is the sum over the classes and the mean over the rest: the reduction [LossBatchMean]. Otherwise as [MSELoss].
// Source: PyTorch, torch.nn.KLDivLoss.
func KLDivLoss(x, target *Node, logTarget bool, o *LossOptions) *Node {
	return loss("kl_div_loss", func(a lossAttr) any { return klAttr{a, logTarget} }, o, x, target)
}

var _ = elementLoss("kl_div_loss", []string{"x", "target"}, func(a klAttr) lossAttr { return a.lossAttr }, nil,
	func(a klAttr, in []*Node) *Node {
		x, t := in[0], in[1]
		if a.LogTarget {
			return Mul(Exp(t), Sub(t, x))
		}
		zero := Equal(t, ScalarLike(t, 0))
		return Where(zero, ScalarLike(t, 0), Mul(t, Sub(Log(Where(zero, ScalarLike(t, 1), t)), x)))
	})

type poissonAttr struct {
	lossAttr
	LogInput bool    `default:"true" doc:"x is the logarithm of the expectation"`
	Full     bool    `default:"false" doc:"Stirling's approximation of log target! is added"`
	Eps      float64 `default:"1e-8" doc:"added to x in the logarithm"`
}

// PoissonNLLOptions say whether x of [PoissonNLLLoss] is the rate or its logarithm. The zero value is the logarithm.
type PoissonNLLOptions struct {
	Plain bool    // x is the expectation itself, not its logarithm
	Full  bool    // add Stirling's approximation of log target! where target is above 1
	Eps   float64 // added to x in the logarithm where Plain; 0: 1e-8
}

// PoissonNLLLoss returns the negative log-likelihood of counts that have a Poisson distribution:
//
//	l = e^x - target · x;  where x is the expectation itself  l = x - target · log(x + eps)
//
// Otherwise as [MSELoss]. Source: PyTorch, torch.nn.PoissonNLLLoss.
func PoissonNLLLoss(x, target *Node, p PoissonNLLOptions, o *LossOptions) *Node {
	if p.Eps == 0 {
		p.Eps = 1e-8
	}
	return loss("poisson_nll_loss", func(a lossAttr) any { return poissonAttr{a, !p.Plain, p.Full, p.Eps} }, o, x, target)
}

var _ = elementLoss("poisson_nll_loss", []string{"x", "target"}, func(a poissonAttr) lossAttr { return a.lossAttr }, nil,
	func(a poissonAttr, in []*Node) *Node {
		x, t := in[0], in[1]
		var l *Node
		if a.LogInput {
			l = Sub(Exp(x), Mul(t, x))
		} else {
			l = Sub(x, Mul(t, Log(Add(x, a.Eps))))
		}
		if a.Full {
			many := Greater(t, ScalarLike(t, 1))
			safe := Where(many, t, ScalarLike(t, 1))
			stirling := Add(Sub(Mul(safe, Log(safe)), safe), Mul(Log(Mul(safe, 2*math.Pi)), 0.5))
			l = Add(l, Where(many, stirling, ScalarLike(t, 0)))
		}
		return l
	})

type gaussianAttr struct {
	lossAttr
	Full bool    `default:"false" doc:"the constant log(2π)/2 is added"`
	Eps  float64 `default:"1e-6" doc:"least variance"`
}

// GaussianNLLLoss returns the negative log-likelihood of targets that have a normal distribution of mean x and a variance:
//
//	l = (log v + (x - target)² / v) / 2,  v = max(variance, eps)
//
// full adds log(2π)/2. The derivative of the variance is that of v, also below eps. Otherwise as [MSELoss]. Errors: as there; eps is
// negative.
// Source: Nix and Weigend, Estimating the mean and variance of the target probability distribution (1994); PyTorch,
// torch.nn.GaussianNLLLoss.
func GaussianNLLLoss(x, target, variance *Node, full bool, eps float64, o *LossOptions) *Node {
	return loss("gaussian_nll_loss", func(a lossAttr) any { return gaussianAttr{a, full, eps} }, o, x, target, variance)
}

var _ = elementLoss("gaussian_nll_loss", []string{"x", "target", "variance"}, func(a gaussianAttr) lossAttr { return a.lossAttr },
	func(a gaussianAttr) error {
		if !(a.Eps >= 0) || math.IsInf(a.Eps, 1) {
			return fmt.Errorf("eps is %v", a.Eps)
		}
		return nil
	}, func(a gaussianAttr, in []*Node) *Node {
		x, t, v := in[0], in[1], in[2]
		v = Add(v, StopGradient(Maximum(Sub(ScalarLike(v, a.Eps), v), 0.0)))
		l := Mul(Add(Log(v), Div(Square(Sub(x, t)), v)), 0.5)
		if a.Full {
			l = Add(l, 0.5*math.Log(2*math.Pi))
		}
		return l
	})

type marginAttr struct {
	lossAttr
	Margin float64 `default:"0" doc:"up to which a loss counts"`
}

func (a marginAttr) common() lossAttr { return a.lossAttr }

// HingeEmbeddingLoss returns x where target is 1, and how far x is below the margin where it is -1:
//
//	l = x where target = 1, max(0, margin - x) where target = -1, and the sum of both elsewhere
//
// Otherwise as [MSELoss]. Source: PyTorch, torch.nn.HingeEmbeddingLoss.
func HingeEmbeddingLoss(x, target *Node, margin float64, o *LossOptions) *Node {
	return loss("hinge_embedding_loss", func(a lossAttr) any { return marginAttr{a, margin} }, o, x, target)
}

var _ = elementLoss("hinge_embedding_loss", []string{"x", "target"}, marginAttr.common, nil, func(a marginAttr, in []*Node) *Node {
	x, t := in[0], in[1]
	zero := ScalarLike(x, 0)
	below := Where(NotEqual(t, 1.0), Maximum(Sub(ScalarLike(x, a.Margin), x), zero), zero)
	return Add(below, Where(NotEqual(t, -1.0), x, zero))
})

// MarginRankingLoss returns how far x1 fails to be above x2 by the margin where target is 1, below where it is -1:
//
//	l = max(0, -target · (x1 - x2) + margin)
//
// Otherwise as [MSELoss]. Source: PyTorch, torch.nn.MarginRankingLoss.
func MarginRankingLoss(x1, x2, target *Node, margin float64, o *LossOptions) *Node {
	return loss("margin_ranking_loss", func(a lossAttr) any { return marginAttr{a, margin} }, o, x1, x2, target)
}

var _ = elementLoss("margin_ranking_loss", []string{"x1", "x2", "target"}, marginAttr.common, nil, func(a marginAttr, in []*Node) *Node {
	return Maximum(Add(Mul(Neg(in[2]), Sub(in[0], in[1])), a.Margin), 0.0)
})

// SoftMarginLoss returns l = log(1 + e^(-target·x)), of targets 1 and -1. Otherwise as [MSELoss].
// Source: PyTorch, torch.nn.SoftMarginLoss.
func SoftMarginLoss(x, target *Node, o *LossOptions) *Node {
	return loss("soft_margin_loss", plainAttr, o, x, target)
}

var _ = elementLoss("soft_margin_loss", []string{"x", "target"}, plainLoss, nil, func(_ lossAttr, in []*Node) *Node {
	return Softplus(Neg(Mul(in[1], in[0])))
})

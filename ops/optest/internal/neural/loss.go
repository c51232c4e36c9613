package neural

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// Losses.

// lossCase is the attribute of a sample of a loss.
type lossCase struct {
	reduction ops.LossReduction
	v         [3]float64 // constants of the loss
	flag      bool
	weighted  bool // the last operand weights elements
}

var lossTolerance = spec.Tolerance{ULP: 16, ULP64: 8, Terms: 1, Stored: 2, Source: spec.Composition}

// reduce is the result of losses of single elements, with the magnitudes that their rounding errors are relative to.
func (l lossCase) reduce(c spec.Case, shape []int, each, size []float64, divisor float64) spec.Result {
	y := spec.NewArray(c.DType, c.Shape...)
	if l.reduction == ops.LossNone {
		copy(y.F, each)
		return spec.Result{Array: y, Terms: size, N: 16}
	}
	var terms float64
	for i := range each {
		y.F[0] += each[i]
		terms += size[i]
	}
	switch l.reduction {
	case ops.LossMean, "":
		y.F[0] /= divisor
		terms /= divisor
	case ops.LossBatchMean:
		y.F[0] /= float64(shape[0])
		terms /= float64(shape[0])
	}
	return spec.Result{Array: y, Terms: []float64{terms}, N: 24}
}

// eachLoss is a reference for a loss of single elements of operands that broadcast.
func eachLoss(each func(l lossCase, in []float64) (v, size float64)) spec.Reference {
	return func(c spec.Case) spec.Result {
		l := reference.Attr[lossCase](c)
		shape := c.In[0].Shape
		for _, in := range c.In[1:] {
			shape = reference.Broadcast(shape, in.Shape)
		}
		n := spec.Count(shape)
		vs, sizes := make([]float64, n), make([]float64, n)
		for p, at := range reference.Coordinates(shape) {
			var in []float64
			for _, a := range c.In {
				in = append(in, a.F[reference.Stretched(a.Shape, at)])
			}
			w := 1.0
			if l.weighted {
				w, in = in[len(in)-1], in[:len(in)-1]
			}
			v, size := each(l, in)
			vs[p], sizes[p] = w*v, math.Abs(w)*size
		}
		return l.reduce(c, shape, vs, sizes, float64(n))
	}
}

// sides are 1 and -1, by the sign of a value.
func sides(x *ops.Node) *ops.Node { return ops.Sign(x) }

func side(x float64) float64 { return math.Copysign(1, x) }

// softplusOf is log(1 + e^x).
func softplusOf(x float64) float64 { return math.Log1p(math.Exp(-math.Abs(x))) + max(x, 0) }

// pairOf are samples of a loss of n operands: one without a reduction and with a weight that broadcasts, one of a mean.
func pairOf(n int, l lossCase, ranges [][2]float64, build func(in []*ops.Node, o *ops.LossOptions) *ops.Node) []spec.Sample {
	var out []spec.Sample
	for _, r := range []ops.LossReduction{ops.LossNone, ops.LossMean} {
		l, s := l, spec.Sample{Label: string(r)}
		l.reduction, l.weighted = r, r == ops.LossNone
		for i := range n {
			shape := []int{5, 7}
			if i == 1 && r == ops.LossNone {
				shape = []int{3, 1, 7}
			}
			o := spec.Operand{Shape: shape}
			if i < len(ranges) {
				o.Lo, o.Hi = ranges[i][0], ranges[i][1]
			}
			s.Operands = append(s.Operands, o)
		}
		if l.weighted {
			s.Operands = append(s.Operands, spec.Operand{Shape: []int{7}})
		}
		s.Attr = l
		s.Build = func(in []*ops.Node) *ops.Node {
			o := &ops.LossOptions{Reduction: l.reduction}
			if l.weighted {
				o.Weight, in = in[len(in)-1], in[:len(in)-1]
			}
			return build(in, o)
		}
		out = append(out, s)
	}
	return out
}

func init() {
	reg := func(name string, each func(l lossCase, in []float64) (v, size float64), samples ...[]spec.Sample) {
		spec.Register(name, spec.Spec{Reference: eachLoss(each), Tolerance: lossTolerance, Samples: slices.Concat(samples...)})
	}
	difference := func(in []float64) (d, size float64) {
		return in[0] - in[1], math.Abs(in[0]) + math.Abs(in[1])
	}
	reg("mse_loss", func(_ lossCase, in []float64) (float64, float64) {
		d, s := difference(in)
		return d * d, s * s
	}, pairOf(2, lossCase{}, nil, func(in []*ops.Node, o *ops.LossOptions) *ops.Node { return ops.MSELoss(in[0], in[1], o) }), []spec.Sample{{
		Label: "scalar", Operands: []spec.Operand{{}, {}}, Attr: lossCase{reduction: ops.LossSum},
		Build: func(in []*ops.Node) *ops.Node {
			return ops.MSELoss(in[0], in[1], &ops.LossOptions{Reduction: ops.LossSum})
		},
	}})
	reg("l1_loss", func(_ lossCase, in []float64) (float64, float64) {
		d, s := difference(in)
		return math.Abs(d), s
	}, pairOf(2, lossCase{}, nil, func(in []*ops.Node, o *ops.LossOptions) *ops.Node { return ops.L1Loss(in[0], in[1], o) }))
	reg("smooth_l1_loss", func(l lossCase, in []float64) (float64, float64) {
		d, s := difference(in)
		if d = math.Abs(d); d < l.v[0] {
			return d * d / (2 * l.v[0]), s * s / l.v[0]
		}
		return d - l.v[0]/2, s + l.v[0]
	}, pairOf(2, lossCase{v: [3]float64{1.5}}, nil,
		func(in []*ops.Node, o *ops.LossOptions) *ops.Node { return ops.SmoothL1Loss(in[0], in[1], 1.5, o) }))
	reg("huber_loss", func(l lossCase, in []float64) (float64, float64) {
		d, s := difference(in)
		if d = math.Abs(d); d <= l.v[0] {
			return d * d / 2, s * s
		}
		return l.v[0] * (d - l.v[0]/2), l.v[0] * (s + l.v[0])
	}, pairOf(2, lossCase{v: [3]float64{1.5}}, nil,
		func(in []*ops.Node, o *ops.LossOptions) *ops.Node { return ops.HuberLoss(in[0], in[1], 1.5, o) }))
	reg("bce_loss", func(_ lossCase, in []float64) (float64, float64) {
		x, t := in[0], in[1]
		a, b := max(math.Log(x), -100), max(math.Log1p(-x), -100)
		return -(t*a + (1-t)*b), math.Abs(t*a) + (1+math.Abs(t))*math.Abs(b) + 1
	}, pairOf(2, lossCase{}, [][2]float64{{0.02, 0.98}, {0, 1}},
		func(in []*ops.Node, o *ops.LossOptions) *ops.Node { return ops.BCELoss(in[0], in[1], o) }))
	reg("bce_with_logits_loss", func(l lossCase, in []float64) (float64, float64) {
		x, t, pos := in[0], in[1], 1.0
		if l.flag {
			pos = in[2]
		}
		log := softplusOf(-x)
		f := 1 + (pos-1)*t
		return (1-t)*x + f*log, (1+math.Abs(t))*math.Abs(x) + (1+(math.Abs(pos)+1)*math.Abs(t))*(log+math.Abs(x))
	}, pairOf(2, lossCase{}, [][2]float64{{-30, 30}, {0, 1}}, func(in []*ops.Node, o *ops.LossOptions) *ops.Node {
		return ops.BCEWithLogitsLoss(in[0], in[1], nil, o)
	}), []spec.Sample{{
		Label:    "positive weight",
		Operands: []spec.Operand{{Shape: []int{4, 5}}, {Shape: []int{4, 5}, Lo: 0, Hi: 1}, {Shape: []int{5}, Lo: 1, Hi: 3}},
		Attr:     lossCase{reduction: ops.LossSum, flag: true},
		Build: func(in []*ops.Node) *ops.Node {
			return ops.BCEWithLogitsLoss(in[0], in[1], in[2], &ops.LossOptions{Reduction: ops.LossSum})
		},
	}})
	kl := func(l lossCase, in []float64) (float64, float64) {
		x, t := in[0], in[1]
		if l.flag {
			return math.Exp(t) * (t - x), math.Exp(t) * (math.Abs(t) + math.Abs(x)) * (1 + math.Abs(t))
		}
		if t == 0 {
			return 0, 0
		}
		return t * (math.Log(t) - x), math.Abs(t) * (math.Abs(math.Log(t)) + math.Abs(x))
	}
	reg("kl_div_loss", kl, pairOf(2, lossCase{}, [][2]float64{{-4, 0}, {0.1, 1}}, func(in []*ops.Node, o *ops.LossOptions) *ops.Node {
		return ops.KLDivLoss(in[0], in[1], false, o)
	}), []spec.Sample{{
		Label: "logarithms, mean of batch", Operands: []spec.Operand{{Shape: []int{4, 5}, Lo: -4, Hi: 0}, {Shape: []int{4, 5}, Lo: -4, Hi: 0}},
		Attr: lossCase{reduction: ops.LossBatchMean, flag: true},
		Build: func(in []*ops.Node) *ops.Node {
			return ops.KLDivLoss(in[0], in[1], true, &ops.LossOptions{Reduction: ops.LossBatchMean})
		},
	}})
	reg("poisson_nll_loss", func(l lossCase, in []float64) (float64, float64) {
		x, t := in[0], in[1]
		v, s := math.Exp(x)-t*x, math.Exp(x)*(1+math.Abs(x))+math.Abs(t*x)
		if l.flag {
			log := math.Log(x + 1e-8)
			v, s = x-t*log, math.Abs(x)+math.Abs(t)*(1+math.Abs(log))
			if t > 1 {
				more := 0.5 * math.Log(2*math.Pi*t)
				v += t*math.Log(t) - t + more
				s += 2*t*math.Log(t) + t + more
			}
		}
		return v, s
	}, pairOf(2, lossCase{}, nil, func(in []*ops.Node, o *ops.LossOptions) *ops.Node {
		return ops.PoissonNLLLoss(in[0], in[1], ops.PoissonNLLOptions{}, o)
	}), []spec.Sample{{
		Label: "expectation, full", Operands: []spec.Operand{{Shape: []int{4, 5}, Lo: 0.5, Hi: 5}, {Shape: []int{4, 5}, Lo: 0, Hi: 9}},
		Attr: lossCase{reduction: ops.LossNone, flag: true},
		Build: func(in []*ops.Node) *ops.Node {
			return ops.PoissonNLLLoss(in[0], in[1], ops.PoissonNLLOptions{Plain: true, Full: true}, &ops.LossOptions{Reduction: ops.LossNone})
		},
	}})
	reg("gaussian_nll_loss", func(_ lossCase, in []float64) (float64, float64) {
		d, s := difference(in)
		v := max(in[2], 1e-6)
		return 0.5*(math.Log(v)+d*d/v) + 0.5*math.Log(2*math.Pi), math.Abs(math.Log(v)) + s*s/v + 2
	}, pairOf(3, lossCase{}, [][2]float64{{-4, 4}, {-4, 4}, {0.5, 3}}, func(in []*ops.Node, o *ops.LossOptions) *ops.Node {
		return ops.GaussianNLLLoss(in[0], in[1], in[2], true, 1e-6, o)
	}))
	reg("hinge_embedding_loss", func(l lossCase, in []float64) (float64, float64) {
		if x := in[0]; side(in[1]) == 1 {
			return x, math.Abs(x)
		}
		return max(0, l.v[0]-in[0]), l.v[0] + math.Abs(in[0])
	}, pairOf(2, lossCase{v: [3]float64{1.5}}, nil, func(in []*ops.Node, o *ops.LossOptions) *ops.Node {
		return ops.HingeEmbeddingLoss(in[0], sides(in[1]), 1.5, o)
	}))
	reg("margin_ranking_loss", func(l lossCase, in []float64) (float64, float64) {
		d, s := difference(in)
		return max(0, -side(in[2])*d+l.v[0]), s + l.v[0]
	}, pairOf(3, lossCase{v: [3]float64{0.5}}, nil, func(in []*ops.Node, o *ops.LossOptions) *ops.Node {
		return ops.MarginRankingLoss(in[0], in[1], sides(in[2]), 0.5, o)
	}))
	reg("soft_margin_loss", func(_ lossCase, in []float64) (float64, float64) {
		z := -in[0] * in[1]
		return softplusOf(z), softplusOf(z) + math.Abs(z)
	}, pairOf(2, lossCase{}, nil, func(in []*ops.Node, o *ops.LossOptions) *ops.Node { return ops.SoftMarginLoss(in[0], in[1], o) }))
}

// vectorsOf are the vectors along the last axis of the operands, which broadcast to shape.
func vectorsOf(in []spec.Array, shape []int, visit func(p int, at []int, v [][]float64)) {
	lead, n := shape[:len(shape)-1], shape[len(shape)-1]
	for p, at := range reference.Coordinates(lead) {
		var all [][]float64
		for _, a := range in {
			v := make([]float64, n)
			for i := range v {
				v[i] = a.F[reference.Stretched(a.Shape, append(slices.Clone(at), i))]
			}
			all = append(all, v)
		}
		visit(p, at, all)
	}
}

// lossOfVectors is a reference for a loss of vectors, the last operand holding labels where labelled.
func lossOfVectors(labelled bool, each func(l lossCase, v [][]float64, t float64) (loss, size float64)) spec.Reference {
	return func(c spec.Case) spec.Result {
		l, vectors := reference.Attr[lossCase](c), c.In
		if labelled {
			vectors = c.In[:len(c.In)-1]
		}
		shape := vectors[0].Shape
		for _, a := range vectors[1:] {
			shape = reference.Broadcast(shape, a.Shape)
		}
		n := spec.Count(shape[:len(shape)-1])
		vs, sizes := make([]float64, n), make([]float64, n)
		vectorsOf(vectors, shape, func(p int, at []int, v [][]float64) {
			t := 0.0
			if labelled {
				a := c.In[len(c.In)-1]
				t = a.F[reference.Stretched(a.Shape, at)]
			}
			vs[p], sizes[p] = each(l, v, t)
		})
		return l.reduce(c, shape, vs, sizes, float64(n))
	}
}

// pNorm is the norm of a - b + eps, and a magnitude of its terms, which scales the rounding error.
func pNorm(a, b []float64, p, eps float64) (v, size float64) {
	var s, big float64
	for i := range a {
		d := a[i] - b[i] + eps
		if math.IsInf(p, 1) {
			v = max(v, math.Abs(d))
		}
		s += math.Pow(math.Abs(d), p)
		big = max(big, math.Abs(a[i])+math.Abs(b[i])+eps)
	}
	if !math.IsInf(p, 1) {
		v = math.Pow(s, 1/p)
	}
	return v, (big + v) * float64(len(a)+4)
}

func cosine(a, b []float64) (cos, size float64) {
	var dot, x, y, s float64
	for i := range a {
		dot += a[i] * b[i]
		s += math.Abs(a[i] * b[i])
		x += a[i] * a[i]
		y += b[i] * b[i]
	}
	return dot / math.Sqrt(x*y), s/math.Sqrt(x*y) + 2
}

func init() {
	spec.Register("pairwise_distance", spec.Spec{
		Reference: lossOfVectors(false, func(l lossCase, v [][]float64, _ float64) (float64, float64) { return pNorm(v[0], v[1], l.v[0], 1e-6) }),
		Tolerance: lossTolerance,
		Samples: []spec.Sample{
			distanceCase("euclidean", []int{3, 5, 7}, []int{5, 7}, 2), distanceCase("cubic", []int{4, 3}, []int{4, 3}, 3),
			distanceCase("largest", []int{9, 5}, []int{9, 5}, math.Inf(1)),
		},
	})
	spec.Register("cosine_similarity", spec.Spec{
		Reference: lossOfVectors(false, func(_ lossCase, v [][]float64, _ float64) (float64, float64) { return cosine(v[0], v[1]) }),
		Tolerance: lossTolerance,
		Samples: []spec.Sample{{
			Label: "last", Operands: []spec.Operand{{Shape: []int{3, 1, 7}}, {Shape: []int{5, 7}}}, Attr: lossCase{reduction: ops.LossNone},
			Build: func(in []*ops.Node) *ops.Node { return ops.CosineSimilarity(in[0], in[1], -1, 1e-8) },
		}, {
			Label: "one vector", Operands: []spec.Operand{{Shape: []int{7}}, {Shape: []int{7}}}, Attr: lossCase{reduction: ops.LossNone},
			Build: func(in []*ops.Node) *ops.Node { return ops.CosineSimilarity(in[0], in[1], 0, 1e-8) },
		}},
	})
	spec.Register("cosine_embedding_loss", spec.Spec{
		Reference: lossOfVectors(true, func(l lossCase, v [][]float64, t float64) (float64, float64) {
			cos, size := cosine(v[0], v[1])
			if side(t) == 1 {
				return 1 - cos, size
			}
			return max(0, cos-l.v[0]), size + l.v[0]
		}),
		Tolerance: lossTolerance,
		Samples: []spec.Sample{{
			Label: "rows", Operands: []spec.Operand{{Shape: []int{9, 5}}, {Shape: []int{9, 5}}, {Shape: []int{9}}},
			Attr: lossCase{v: [3]float64{0.25}},
			Build: func(in []*ops.Node) *ops.Node {
				return ops.CosineEmbeddingLoss(in[0], in[1], sides(in[2]), 0.25, nil)
			},
		}},
	})
	spec.Register("triplet_margin_loss", spec.Spec{
		Reference: lossOfVectors(false, func(l lossCase, v [][]float64, _ float64) (float64, float64) {
			near, a := pNorm(v[0], v[1], l.v[1], 1e-6)
			far, b := pNorm(v[0], v[2], l.v[1], 1e-6)
			if l.flag {
				other, c := pNorm(v[1], v[2], l.v[1], 1e-6)
				far, b = min(far, other), b+c
			}
			return max(0, near-far+l.v[0]), a + b + l.v[0]
		}),
		Tolerance: lossTolerance,
		Samples: []spec.Sample{{
			Label: "swapped", Operands: []spec.Operand{{Shape: []int{9, 5}}, {Shape: []int{9, 5}}, {Shape: []int{9, 5}}},
			Attr: lossCase{v: [3]float64{2, 2}, flag: true},
			Build: func(in []*ops.Node) *ops.Node {
				return ops.TripletMarginLoss(in[0], in[1], in[2], ops.TripletOptions{Margin: 2, Swap: true}, nil)
			},
		}, {
			Label: "each", Operands: []spec.Operand{{Shape: []int{2, 4, 5}}, {Shape: []int{4, 5}}, {Shape: []int{4, 5}}},
			Attr: lossCase{reduction: ops.LossNone, v: [3]float64{1, 1}},
			Build: func(in []*ops.Node) *ops.Node {
				return ops.TripletMarginLoss(in[0], in[1], in[2], ops.TripletOptions{P: 1}, &ops.LossOptions{Reduction: ops.LossNone})
			},
		}},
	})
	spec.Register("multilabel_soft_margin_loss", spec.Spec{
		Reference: lossOfVectors(false, func(l lossCase, v [][]float64, _ float64) (loss, size float64) {
			n := float64(len(v[0]))
			for i, x := range v[0] {
				w := 1.0
				if l.weighted {
					w = v[2][i]
				}
				t := v[1][i]
				loss += w * ((1-t)*x + softplusOf(-x)) / n
				size += math.Abs(w) * (2*math.Abs(x) + softplusOf(-x)) / n
			}
			return loss, size
		}),
		Tolerance: lossTolerance,
		Samples: []spec.Sample{{
			Label: "weighted", Operands: []spec.Operand{{Shape: []int{9, 5}}, {Shape: []int{9, 5}, Lo: 0, Hi: 1}, {Shape: []int{5}}},
			Attr: lossCase{reduction: ops.LossNone, weighted: true},
			Build: func(in []*ops.Node) *ops.Node {
				return ops.MultiLabelSoftMarginLoss(in[0], in[1], &ops.LossOptions{Reduction: ops.LossNone, Weight: in[2]})
			},
		}, {
			Label: "mean", Operands: []spec.Operand{{Shape: []int{9, 5}}, {Shape: []int{9, 5}, Lo: 0, Hi: 1}}, Attr: lossCase{},
			Build: func(in []*ops.Node) *ops.Node { return ops.MultiLabelSoftMarginLoss(in[0], in[1], nil) },
		}},
	})
}

func distanceCase(label string, a, b []int, p float64) spec.Sample {
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: a}, {Shape: b}}, Attr: lossCase{reduction: ops.LossNone, v: [3]float64{p}},
		Build: func(in []*ops.Node) *ops.Node { return ops.PairwiseDistance(in[0], in[1], p, 1e-6) },
	}
}

package neural

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Losses of classes.

// classCase is the attribute of a sample of such a loss.
type classCase struct {
	ops.ClassLossOptions
	weighted bool
	p        int
	margin   float64
}

// classLoss is the reference of nll_loss and, with logits, of cross_entropy_loss.
func classLoss(logits bool) spec.Reference {
	return func(c spec.Case) spec.Result {
		o, x, t := reference.Attr[classCase](c), c.In[0], c.In[1]
		axis := min(len(x.Shape)-1, 1)
		classes, inner := x.Shape[axis], spec.Count(x.Shape[axis+1:])
		n := x.Len() / max(classes, 1)
		each, size := make([]float64, n), make([]float64, n)
		var divisor float64
		weight := func(k int) float64 {
			if o.weighted {
				return c.In[2].F[k]
			}
			return 1
		}
		for p := range each {
			first := p/inner*classes*inner + p%inner
			row := make([]float64, classes)
			for k := range row {
				row[k] = x.F[first+k*inner]
			}
			extra := make([]float64, classes)
			if logits {
				s := reference.NewSlice(row)
				for k := range row {
					row[k] = s.Shifted[k] - math.Log(s.Sum)
					extra[k] = 2*math.Abs(s.Shifted[k]) + 4*math.Log(s.Sum) + s.N + 8
				}
			}
			add := func(k int, w float64) {
				each[p] -= w * row[k]
				size[p] += math.Abs(w) * (math.Abs(row[k]) + extra[k])
			}
			spread := o.Smoothing / float64(classes)
			if t.F != nil {
				for k := range row {
					add(k, weight(k)*(t.F[first+k*inner]*(1-o.Smoothing)+spread))
				}
				divisor++
				continue
			}
			k := reference.IndexAt(t, p)
			if k < 0 || k >= classes || o.Ignores && k == o.Ignore {
				continue
			}
			add(k, weight(k)*(1-o.Smoothing))
			if o.Smoothing > 0 {
				for k := range row {
					add(k, weight(k)*spread)
				}
			}
			divisor += weight(k)
		}
		return lossCase{reduction: o.Reduction}.reduce(c, nil, each, size, divisor)
	}
}

func classSample(label string, call func(x, t *ops.Node, o *ops.ClassLossOptions) *ops.Node, x []int, t spec.Operand, weighted bool,
	o ops.ClassLossOptions) spec.Sample {
	axis := min(len(x)-1, 1)
	s := spec.Sample{Label: label, Operands: []spec.Operand{{Shape: x}, t}, Attr: classCase{ClassLossOptions: o, weighted: weighted}}
	if weighted {
		s.Operands = append(s.Operands, spec.Operand{Shape: x[axis : axis+1], Lo: 0.5, Hi: 2})
	}
	s.Build = func(in []*ops.Node) *ops.Node {
		o := o
		if weighted {
			o.Weight = in[2]
		}
		return call(in[0], in[1], &o)
	}
	return s
}

func init() {
	labels := func(hi float64, shape ...int) spec.Operand {
		return spec.Operand{Shape: shape, DType: tensor.Int64, Lo: 0, Hi: hi}
	}
	spec.Register("nll_loss", spec.Spec{
		Reference: classLoss(false), Tolerance: lossTolerance,
		Samples: []spec.Sample{
			classSample("rows", ops.NLLLoss, []int{9, 5}, labels(4, 9), true, ops.ClassLossOptions{}),
			classSample("images, ignored", ops.NLLLoss, []int{3, 5, 4}, spec.Operand{Shape: []int{3, 4}, DType: tensor.Int32, Lo: -1, Hi: 5}, true,
				ops.ClassLossOptions{Reduction: ops.LossNone, Ignore: 2, Ignores: true}),
			classSample("one", ops.NLLLoss, []int{5}, labels(4), false, ops.ClassLossOptions{Reduction: ops.LossSum}),
		},
	})
	spec.Register("cross_entropy_loss", spec.Spec{
		Reference: classLoss(true), Tolerance: lossTolerance,
		Samples: []spec.Sample{
			classSample("smoothed, weighted, ignored", ops.CrossEntropyLoss, []int{9, 5},
				spec.Operand{Shape: []int{9}, DType: tensor.Int8, Lo: 0, Hi: 4}, true,
				ops.ClassLossOptions{Smoothing: 0.25, Ignore: 1, Ignores: true}),
			classSample("images", ops.CrossEntropyLoss, []int{3, 5, 2, 2}, labels(4, 3, 2, 2), false, ops.ClassLossOptions{Reduction: ops.LossNone}),
			classSample("probabilities", ops.CrossEntropyLoss, []int{3, 5, 2}, spec.Operand{Shape: []int{3, 5, 2}, Lo: 0, Hi: 1}, true,
				ops.ClassLossOptions{Smoothing: 0.125}),
		},
	})
	spec.Register("multi_margin_loss", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			o, x := reference.Attr[classCase](c), c.In[0]
			classes := x.Shape[len(x.Shape)-1]
			n := x.Len() / classes
			each, size := make([]float64, n), make([]float64, n)
			for p := range each {
				t := reference.IndexAt(c.In[1], p)
				if t < 0 || t >= classes {
					continue
				}
				for k := range classes {
					own, other := x.F[p*classes+t], x.F[p*classes+k]
					if d := o.margin - own + other; k != t {
						w := 1.0
						if o.weighted {
							w = c.In[2].F[t]
						}
						each[p] += w * math.Pow(max(0, d), float64(o.p)) / float64(classes)
						size[p] += w * math.Pow(o.margin+math.Abs(own)+math.Abs(other), float64(o.p)) / float64(classes)
					}
				}
			}
			return lossCase{reduction: o.Reduction}.reduce(c, nil, each, size, float64(n))
		},
		Tolerance: lossTolerance,
		Samples: []spec.Sample{{
			Label: "squared, weighted", Operands: []spec.Operand{{Shape: []int{9, 5}}, {Shape: []int{9}, DType: tensor.Int64, Lo: -1, Hi: 5},
				{Shape: []int{5}, Lo: 0.5, Hi: 2}},
			Attr: classCase{ClassLossOptions: ops.ClassLossOptions{Reduction: ops.LossNone}, weighted: true, p: 2, margin: 0.75},
			Build: func(in []*ops.Node) *ops.Node {
				return ops.MultiMarginLoss(in[0], in[1], 2, 0.75, &ops.LossOptions{Reduction: ops.LossNone, Weight: in[2]})
			},
		}, {
			Label: "one", Operands: []spec.Operand{{Shape: []int{5}}, {DType: tensor.Int32, Lo: 0, Hi: 4}}, Attr: classCase{p: 1, margin: 1},
			Build: func(in []*ops.Node) *ops.Node { return ops.MultiMarginLoss(in[0], in[1], 1, 1, nil) },
		}},
	})
	spec.Register("multilabel_margin_loss", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			o, x := reference.Attr[classCase](c), c.In[0]
			classes := x.Shape[len(x.Shape)-1]
			n := x.Len() / classes
			each, size := make([]float64, n), make([]float64, n)
			for p := range each {
				var labels []int
				for k := range classes {
					t := reference.IndexAt(c.In[1], p*classes+k)
					if t < 0 {
						break
					}
					labels = append(labels, t)
				}
				for _, t := range labels {
					for k := range classes {
						if !slices.Contains(labels, k) {
							a, b := x.F[p*classes+t], x.F[p*classes+k]
							each[p] += max(0, 1-a+b) / float64(classes)
							size[p] += (1 + math.Abs(a) + math.Abs(b)) / float64(classes)
						}
					}
				}
			}
			return lossCase{reduction: o.Reduction}.reduce(c, nil, each, size, float64(n))
		},
		Tolerance: lossTolerance,
		Samples: []spec.Sample{{
			Label: "rows", Operands: []spec.Operand{{Shape: []int{9, 5}}, {Shape: []int{9, 5}, DType: tensor.Int64, Lo: -1, Hi: 4}},
			Attr:  classCase{},
			Build: func(in []*ops.Node) *ops.Node { return ops.MultiLabelMarginLoss(in[0], in[1], nil) },
		}, {
			Label: "one", Operands: []spec.Operand{{Shape: []int{5}}, {Shape: []int{5}, DType: tensor.Int32, Lo: -1, Hi: 4}},
			Attr: classCase{ClassLossOptions: ops.ClassLossOptions{Reduction: ops.LossSum}},
			Build: func(in []*ops.Node) *ops.Node {
				return ops.MultiLabelMarginLoss(in[0], in[1], &ops.LossOptions{Reduction: ops.LossSum})
			},
		}},
	})
}

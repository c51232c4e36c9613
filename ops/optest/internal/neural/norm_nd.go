package neural

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// Normalisation over groups, vectors and neighbourhoods.

// normCase is the attribute of a sample: the axes that are normalised together, and the constants.
type normCase struct {
	group func(at []int) int // of an element
	which int                // of running statistics, which result
	v     [4]float64
	above bool
}

// grouped is a reference for a normalisation with the moments of groups, and scale and shift for each index of axis 1 or of the last axes.
func grouped(last, centred bool) spec.Reference {
	return func(c spec.Case) spec.Result {
		m, x := reference.Attr[normCase](c), c.In[0]
		groups := map[int][]float64{}
		for p, at := range reference.Coordinates(x.Shape) {
			v := x.F[p]
			if !centred {
				v *= v
			}
			groups[m.group(at)] = append(groups[m.group(at)], v)
		}
		of := map[int]moments{}
		for k, g := range groups {
			of[k] = momentsOf(g)
			if !centred {
				of[k] = moments{variance: of[k].mean, varianceError: of[k].meanError}
			}
		}
		y := spec.NewArray(x.DType, x.Shape...)
		terms := make([]float64, y.Len())
		for p, at := range reference.Coordinates(x.Shape) {
			scale, shift := 1.0, 0.0
			pick := func(i int) float64 {
				if last {
					return c.In[i].F[p%c.In[i].Len()]
				}
				return c.In[i].F[at[1]]
			}
			if len(c.In) > 1 {
				scale = pick(1)
			}
			if len(c.In) > 2 {
				shift = pick(2)
			}
			g := of[m.group(at)]
			slope, d := scale/math.Sqrt(g.variance+m.v[0]), x.F[p]-g.mean
			y.F[p] = slope*d + shift
			terms[p] = 16*(math.Abs(slope)*(math.Abs(x.F[p])+math.Abs(g.mean))+math.Abs(shift)) + math.Abs(slope)*g.meanError +
				math.Abs(slope*d)*g.varianceError/(2*(g.variance+m.v[0]))
		}
		return spec.Result{Array: y, Terms: terms, N: 2}
	}
}

func channelNorm(label string, shape []int, group func(at []int) int, params int,
	call func(x, scale, shift *ops.Node) *ops.Node) spec.Sample {
	s := spec.Sample{Label: label, Operands: []spec.Operand{{Shape: shape}}, Attr: normCase{group: group, v: [4]float64{1e-3}}}
	for range params {
		s.Operands = append(s.Operands, spec.Operand{Shape: shape[1:2]})
	}
	s.Build = func(in []*ops.Node) *ops.Node { return call(in[0], at(in, 1), at(in, 2)) }
	return s
}

func init() {
	type node = *ops.Node
	spec.Register("group_norm", spec.Spec{
		Reference: grouped(false, true), Tolerance: spec.NormTolerance,
		Samples: []spec.Sample{
			channelNorm("images", []int{2, 6, 3, 5}, func(at []int) int { return at[0]*2 + at[1]/3 }, 2,
				func(x, a, b node) node { return ops.GroupNorm(x, 2, a, b, 1e-3) }),
			channelNorm("rows", []int{3, 8}, func(at []int) int { return at[0]*4 + at[1]/2 }, 0,
				func(x, a, b node) node { return ops.GroupNorm(x, 4, nil, nil, 1e-3) }),
		},
	})
	spec.Register("instance_norm", spec.Spec{
		Reference: grouped(false, true), Tolerance: spec.NormTolerance,
		Samples: []spec.Sample{
			channelNorm("images", []int{2, 3, 5, 7}, func(at []int) int { return at[0]*3 + at[1] }, 2,
				func(x, a, b node) node { return ops.InstanceNorm(x, a, b, 1e-3) }),
			channelNorm("sequence", []int{2, 4, 9}, func(at []int) int { return at[0]*4 + at[1] }, 1,
				func(x, a, b node) node { return ops.InstanceNorm(x, a, nil, 1e-3) }),
		},
	})
	spec.Register("rms_norm", spec.Spec{
		Reference: grouped(true, false), Tolerance: spec.NormTolerance,
		Samples: []spec.Sample{
			{Label: "rows", Operands: []spec.Operand{{Shape: []int{4, 33}}, {Shape: []int{33}}},
				Attr:  normCase{group: func(at []int) int { return at[0] }, v: [4]float64{1e-3}},
				Build: func(in []node) node { return ops.RMSNorm(in[0], in[1], 1e-3) }},
			{Label: "two axes", Operands: []spec.Operand{{Shape: []int{3, 4, 5}}},
				Attr:  normCase{group: func(at []int) int { return at[0] }, v: [4]float64{1e-3}},
				Build: func(in []node) node { return ops.RMSNormOver(in[0], 2, nil, 1e-3) }},
		},
	})
	spec.Register("batch_norm_running", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			m, x := reference.Attr[normCase](c), c.In[0]
			channels := map[int][]float64{}
			for p, at := range reference.Coordinates(x.Shape) {
				channels[at[1]] = append(channels[at[1]], x.F[p])
			}
			if m.which == 0 {
				m.group = func(at []int) int { return at[1] }
				c.Attr, c.In = m, c.In[:3]
				return grouped(false, true)(c)
			}
			y := spec.NewArray(c.DType, c.Shape...)
			terms := make([]float64, y.Len())
			for k := range y.F {
				g := momentsOf(channels[k])
				n := float64(len(channels[k]))
				v, e := g.mean, g.meanError
				if m.which == 2 {
					v, e = g.variance*n/(n-1), g.varianceError*n/(n-1)
				}
				old := c.In[2+m.which].F[k]
				y.F[k] = (1-m.v[1])*old + m.v[1]*v
				terms[k] = 8*(math.Abs(old)+math.Abs(v)) + e
			}
			return spec.Result{Array: y, Terms: terms, N: 2}
		},
		Tolerance: spec.NormTolerance,
		Samples:   []spec.Sample{runningCase("result", 0), runningCase("mean", 1), runningCase("variance", 2)},
	})
	spec.Register("local_response_norm", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			m, x := reference.Attr[normCase](c), c.In[0]
			size, alpha, beta, k := int(m.v[0]), m.v[1], m.v[2], m.v[3]
			y := spec.NewArray(x.DType, x.Shape...)
			for p, at := range reference.Coordinates(x.Shape) {
				first := at[1] - size/2
				if m.above {
					first = at[1] - (size-1)/2
				}
				s := 0.0
				for j := first; j < first+size; j++ {
					if j >= 0 && j < x.Shape[1] {
						to := append([]int{}, at...)
						to[1] = j
						v := x.F[reference.Position(x.Shape, to)]
						s += v * v
					}
				}
				y.F[p] = x.F[p] / math.Pow(k+alpha/float64(size)*s, beta)
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Tolerance{ULP: 48, ULP64: 48, Stored: 3, Source: spec.Composition},
		Samples: []spec.Sample{
			lrnCase("even, below", []int{2, 5, 3}, ops.LocalResponseNormOptions{Size: 4, Alpha: 0.5, Beta: 0.6, K: 2}),
			lrnCase("even, above", []int{2, 5, 3, 2}, ops.LocalResponseNormOptions{Size: 2, Alpha: 0.5, Beta: 1, K: 1.5, Above: true}),
		},
	})
	spec.Register("normalize", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			m, x := reference.Attr[normCase](c), c.In[0]
			return reference.AlongAxis(x, 1, func(s reference.Slice) {
				zero := make([]float64, len(s.Shifted))
				v, _ := pNorm(s.Raw, zero, m.v[0], 0)
				for i, x := range s.Raw {
					s.Y[i] = x / max(v, m.v[1])
					s.Terms[i] = math.Abs(s.Y[i]) * (s.N + 16)
				}
			})
		},
		Tolerance: spec.NormTolerance,
		Samples: []spec.Sample{
			normalizeCase("euclidean", []int{5, 7}, 2, 1e-12), normalizeCase("sum", []int{3, 5, 2}, 1, 1e-12),
			normalizeCase("largest", []int{5, 7}, math.Inf(1), 1e-12),
			normalizeCase("least", []int{5, 3}, 3, 5),
		},
	})
	slices := func(c spec.Case, axis int, p float64, to func(norm float64, i int) float64) spec.Result {
		x := c.In[0]
		y := spec.NewArray(x.DType, x.Shape...)
		terms := make([]float64, y.Len())
		sums := make([][]float64, x.Shape[axis])
		for q, at := range reference.Coordinates(x.Shape) {
			sums[at[axis]] = append(sums[at[axis]], x.F[q])
		}
		for q, at := range reference.Coordinates(x.Shape) {
			v := sums[at[axis]]
			norm, _ := pNorm(v, make([]float64, len(v)), p, 0)
			y.F[q] = x.F[q] * to(norm, at[axis])
			terms[q] = math.Abs(y.F[q]) * float64(len(v)+16)
		}
		return spec.Result{Array: y, Terms: terms, N: 1}
	}
	spec.Register("renorm", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			m := reference.Attr[normCase](c)
			return slices(c, 1, m.v[0], func(norm float64, _ int) float64 {
				if norm > m.v[1] {
					return m.v[1] / (norm + 1e-7)
				}
				return 1
			})
		},
		Tolerance: spec.NormTolerance,
		Samples: []spec.Sample{
			{Label: "euclidean", Operands: []spec.Operand{{Shape: []int{3, 9, 2}}}, Attr: normCase{v: [4]float64{2, 5}},
				Build: func(in []node) node { return ops.Renorm(in[0], 2, 1, 5) }},
			{Label: "sum", Operands: []spec.Operand{{Shape: []int{4, 9}}}, Attr: normCase{v: [4]float64{1, 9}},
				Build: func(in []node) node { return ops.Renorm(in[0], 1, -1, 9) }},
		},
	})
	spec.Register("weight_norm", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			return slices(c, 0, 2, func(norm float64, i int) float64 { return c.In[1].F[i] / norm })
		},
		Tolerance: spec.NormTolerance,
		Samples: []spec.Sample{{
			Label: "rows", Operands: []spec.Operand{{Shape: []int{4, 3, 2}}, {Shape: []int{4, 1, 1}}}, Attr: normCase{},
			Build: func(in []node) node { return ops.WeightNorm(in[0], in[1], 0) },
		}},
	})
}

func runningCase(label string, which int) spec.Sample {
	channel := spec.Operand{Shape: []int{4}}
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: []int{3, 4, 5}}, channel, channel, channel, {Shape: []int{4}, Lo: 0.5, Hi: 2}},
		Attr: normCase{which: which, v: [4]float64{1e-3, 0.25}},
		Build: func(in []*ops.Node) *ops.Node {
			y, mean, variance := ops.BatchNormRunning(in[0], in[1], in[2], in[3], in[4], &ops.BatchNormOptions{Eps: 1e-3, Momentum: 0.25})
			return []*ops.Node{y, mean, variance}[which]
		},
	}
}

func lrnCase(label string, shape []int, o ops.LocalResponseNormOptions) spec.Sample {
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: shape}},
		Attr:  normCase{v: [4]float64{float64(o.Size), o.Alpha, o.Beta, o.K}, above: o.Above},
		Build: func(in []*ops.Node) *ops.Node { return ops.LocalResponseNorm(in[0], o) },
	}
}

func normalizeCase(label string, shape []int, p, eps float64) spec.Sample {
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: shape, Distinct: true}}, Attr: normCase{v: [4]float64{p, eps}},
		Build: func(in []*ops.Node) *ops.Node { return ops.Normalize(in[0], p, 1, eps) },
	}
}

package neural

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Normalisation: scale · (x - mean) / √(variance + eps) + shift.

func init() {
	spec.Register("batch_norm", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			n := newNorm(c)
			for p, at := range reference.Coordinates(c.In[0].Shape) {
				k := at[1]
				n.fill(p, k, moments{mean: c.In[3].F[k], variance: c.In[4].F[k]})
			}
			return n.Result
		},
		Tolerance: spec.Tolerance{ULP: 16, ULP64: 8, Terms: 1, Source: spec.Composition},
		Samples: []spec.Sample{
			batchNormCase("images", []int{3, 4, 5, 7}),
			batchNormCase("rows", []int{9, 5}),
			batchNormCase("sequence", []int{2, 3, 11}),
			batchNormCase("no images", []int{0, 4, 5, 5}),
			batchNormCase("one", []int{1, 1}),
		},
	})
	spec.Register("batch_norm_train", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x := c.In[0]
			groups := make([][]float64, x.Shape[1])
			for p, at := range reference.Coordinates(x.Shape) {
				groups[at[1]] = append(groups[at[1]], x.F[p])
			}
			channels := make([]moments, len(groups))
			for k, g := range groups {
				channels[k] = momentsOf(g)
			}
			if which, ok := c.Attr.(moment); ok {
				return which.of(x.DType, channels)
			}
			n := newNorm(c)
			for p, at := range reference.Coordinates(x.Shape) {
				n.fill(p, at[1], channels[at[1]])
			}
			return n.Result
		},
		Tolerance: spec.Tolerance{ULP: 32, ULP64: 8, Terms: 1, Source: spec.Composition},
		Samples: []spec.Sample{
			batchNormTrainCase("images", []int{3, 4, 5, 7}),
			batchNormTrainCase("rows", []int{33, 5}),
			batchNormTrainCase("sequence", []int{2, 3, 11}),
			batchMoment(momentMean, []int{3, 5, 7}),
			batchMoment(momentVariance, []int{3, 5, 7}),
		},
	})
	spec.Register("layer_norm", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, n := c.In[0], newNorm(c)
			width := x.Shape[len(x.Shape)-1]
			for p := range x.F {
				row := p / width * width
				n.fill(p, p%width, momentsOf(x.F[row:row+width]))
			}
			return n.Result
		},
		Tolerance: spec.Tolerance{ULP: 32, ULP64: 8, Terms: 1, Source: spec.Composition},
		Samples: []spec.Sample{
			layerNormCase("rows", []int{9, 33}),
			layerNormCase("tokens", []int{2, 5, 16}),
			layerNormCase("vector", []int{257}),
			layerNormCase("no rows", []int{0, 8}),
			layerNormCase("one", []int{4, 1}),
		},
	})
}

// moments are mean and variance of some numbers, each with the bound of its
// error in units of roundoff.
type moments struct {
	mean, variance           float64
	meanError, varianceError float64
}

func momentsOf(xs []float64) moments {
	var m moments
	n := float64(len(xs))
	var size float64 // Σ|x| / n
	for _, x := range xs {
		m.mean += x / n
		size += math.Abs(x) / n
	}
	m.meanError = (n + 2) * size
	var terms float64
	for _, x := range xs {
		d := x - m.mean
		m.variance += d * d / n
		terms += (d*d + 2*math.Abs(d)*size) / n
	}
	// The error of the mean counts twice where all are alike: of float32, and less of wider floats.
	m.varianceError = (n+6)*terms + m.meanError*m.meanError*0x1p-24
	return m
}

// norm is a normalisation that is being filled in.
type norm struct {
	spec.Result
	x, scale, shift []float64
	eps             float64
}

func newNorm(c spec.Case) norm {
	x := c.In[0]
	return norm{
		Result: spec.Result{Array: spec.NewArray(x.DType, x.Shape...), Terms: make([]float64, x.Len()), N: 1},
		x:      x.F, scale: c.In[1].F, shift: c.In[2].F, eps: reference.Attr[float64](c),
	}
}

// fill computes element p, whose parameters are at k.
func (n norm) fill(p, k int, m moments) {
	slope := n.scale[k] / math.Sqrt(m.variance+n.eps)
	d := n.x[p] - m.mean
	n.F[p] = slope*d + n.shift[k]
	n.Terms[p] = 16*(math.Abs(slope)*(math.Abs(n.x[p])+math.Abs(m.mean))+math.Abs(n.shift[k])) +
		math.Abs(slope)*m.meanError +
		math.Abs(slope*d)*m.varianceError/(2*(m.variance+n.eps))
}

func batchNormCase(label string, shape []int) spec.Sample {
	channel := spec.Operand{Shape: shape[1:2]}
	variance := spec.Operand{Shape: shape[1:2], Lo: 0.25, Hi: 4}
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: shape}, channel, channel, channel, variance}, Attr: 1e-3,
		Build: func(in []*ops.Node) *ops.Node { return ops.BatchNorm(in[0], in[1], in[2], in[3], in[4], 1e-3) },
	}
}

func batchNormTrainCase(label string, shape []int) spec.Sample {
	channel := spec.Operand{Shape: shape[1:2]}
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: shape}, channel, channel}, Attr: 1e-3,
		Build: func(in []*ops.Node) *ops.Node {
			y, _, _ := ops.BatchNormTrain(in[0], in[1], in[2], 1e-3)
			return y
		},
	}
}

// moment is one of the statistics of channels.
type moment string

const (
	momentMean     moment = "mean"
	momentVariance moment = "variance"
)

// of lists that moment of each channel.
func (m moment) of(dt tensor.DType, channels []moments) spec.Result {
	r := spec.Result{Array: spec.NewArray(dt, len(channels)), Terms: make([]float64, len(channels)), N: 1}
	for k, c := range channels {
		r.F[k], r.Terms[k] = c.mean, c.meanError
		if m == momentVariance {
			r.F[k], r.Terms[k] = c.variance, c.varianceError
		}
	}
	return r
}

func batchMoment(m moment, shape []int) spec.Sample {
	s := batchNormTrainCase(string(m), shape)
	s.Attr = m
	s.Build = func(in []*ops.Node) *ops.Node {
		_, mean, variance := ops.BatchNormTrain(in[0], in[1], in[2], 1e-3)
		if m == momentMean {
			return mean
		}
		return variance
	}
	return s
}

func layerNormCase(label string, shape []int) spec.Sample {
	last := spec.Operand{Shape: shape[len(shape)-1:]}
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: shape}, last, last}, Attr: 1e-3,
		Build: func(in []*ops.Node) *ops.Node { return ops.LayerNorm(in[0], in[1], in[2], 1e-3) },
	}
}

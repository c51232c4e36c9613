package neural

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/format"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Ops of neural networks.

func init() {
	// Errors are relative to the sums of the logarithms and exponents; 16-bit floats
	// are computed in float32.
	spec.Register("softmax", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			return reference.AlongAxis(c.In[0], reference.Attr[int](c), func(s reference.Slice) {
				for i, e := range s.Exps {
					s.Y[i] = e / s.Sum
					// The argument of exp is rounded; the sum has n terms of one sign.
					s.Terms[i] = s.Y[i] * (2*math.Abs(s.Shifted[i]) + s.N + 8)
				}
			})
		},
		Tolerance: spec.Tolerance{ULP: 16, ULP64: 8, Terms: 1, Source: spec.Composition},
		Samples:   sample.AlongAxes(ops.Softmax),
	})
	spec.Register("log_softmax", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			return reference.AlongAxis(c.In[0], reference.Attr[int](c), func(s reference.Slice) {
				for i, z := range s.Shifted {
					s.Y[i] = z - math.Log(s.Sum)
					s.Terms[i] = 2*math.Abs(z) + 4*math.Log(s.Sum) + s.N + 8
				}
			})
		},
		Tolerance: spec.Tolerance{ULP: 16, ULP64: 8, Terms: 1, Source: spec.Composition},
		Samples:   sample.AlongAxes(ops.LogSoftmax),
	})
	spec.Register("cross_entropy", spec.Spec{
		Call: sample.Two(ops.CrossEntropy),
		Reference: func(c spec.Case) spec.Result {
			logits, labels := c.In[0], c.In[1]
			rows, classes := logits.Shape[0], logits.Shape[1]
			y := spec.NewArray(logits.DType)
			terms := []float64{0}
			for r := range rows {
				label := reference.IndexAt(labels, r)
				if label < 0 || label >= classes {
					continue
				}
				s := reference.NewSlice(logits.F[r*classes : (r+1)*classes])
				y.F[0] += (math.Log(s.Sum) - s.Shifted[label]) / float64(rows)
				terms[0] += (2*math.Abs(s.Shifted[label]) + 4*math.Log(s.Sum) + s.N + 8) / float64(rows)
			}
			terms[0] += float64(rows) * math.Abs(y.F[0])
			return spec.Result{Array: y, Terms: terms, N: 1}
		},
		Tolerance: spec.Tolerance{ULP: 16, ULP64: 8, Terms: 1, Source: spec.Composition},
		Samples: []spec.Sample{
			{Label: "batch", Operands: []spec.Operand{{Shape: []int{33, 10}}, {Shape: []int{33}, DType: tensor.Int64, Lo: 0, Hi: 9}}},
			{Label: "labels outside", Operands: []spec.Operand{{Shape: []int{64, 5}}, {Shape: []int{64}, DType: tensor.Int32, Lo: -2, Hi: 7}}},
			{Label: "bytes", Operands: []spec.Operand{{Shape: []int{7, 300}}, {Shape: []int{7}, DType: tensor.Uint8, Lo: 0, Hi: 255}}},
			{Label: "one class", Operands: []spec.Operand{{Shape: []int{4, 1}}, {Shape: []int{4}, DType: tensor.Int32, Lo: 0, Hi: 0.5}}},
			{Label: "sure", Operands: []spec.Operand{{Shape: []int{9, 3}, Lo: -90, Hi: 90}, {Shape: []int{9}, DType: tensor.Int64, Lo: 0, Hi: 2}}},
		},
	})
	spec.Register("one_hot", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			ids, depth := c.In[0], reference.Attr[int](c)
			y := spec.NewArray(c.DType, append(slices.Clone(ids.Shape), depth)...)
			for p := range y.Len() {
				if reference.IndexAt(ids, p/depth) != p%depth {
					continue
				}
				switch {
				case y.F != nil:
					y.F[p] = 1
				case y.I != nil:
					y.I[p] = 1
				default:
					y.U[p] = 1
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Moved,
		Samples: []spec.Sample{
			oneHotCase("row", []int{9}, 5, tensor.Float32),
			oneHotCase("block", []int{3, 4}, 7, tensor.Int32),
			oneHotCase("scalar", []int{}, 3, tensor.Bool),
			oneHotCase("half", []int{5}, 4, tensor.Float16),
			oneHotCase("no classes", []int{4}, 0, tensor.Float32),
			oneHotCase("no ids", []int{0}, 4, tensor.Uint8),
		},
	})
	spec.Register("embedding", spec.Spec{
		Call: sample.Two(ops.Embedding),
		Reference: func(c spec.Case) spec.Result {
			table, ids := c.In[0], c.In[1]
			width := table.Shape[1]
			y := spec.NewArray(table.DType, append(slices.Clone(ids.Shape), width)...)
			for p := range y.Len() {
				if row := reference.IndexAt(ids, p/width); row >= 0 && row < table.Shape[0] {
					reference.CopyElement(y, p, table, row*width+p%width)
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Moved,
		Samples: []spec.Sample{
			{Label: "sentence", Operands: []spec.Operand{{Shape: []int{50, 8}}, {Shape: []int{17}, DType: tensor.Int32, Lo: 0, Hi: 49}}},
			{Label: "batch", Operands: []spec.Operand{{Shape: []int{9, 5}}, {Shape: []int{4, 6}, DType: tensor.Int64, Lo: -1, Hi: 9}}},
			{Label: "one", Operands: []spec.Operand{{Shape: []int{3, 4}}, {DType: tensor.Uint8, Lo: 0, Hi: 2}}},
			{Label: "nothing", Operands: []spec.Operand{{Shape: []int{3, 4}}, {Shape: []int{0, 2}, DType: tensor.Int32}}},
		},
	})
	spec.Register("dropout", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, rate := c.In[0], reference.Attr[float64](c)
			y := spec.NewArray(x.DType, x.Shape...)
			for p, v := range x.F {
				u := reference.Fraction(uint64(reference.Philox(uint64(p), c.Stream)[0]), 32, format.Of(tensor.Float32).Precision)
				if u >= rate {
					y.F[p] = v / (1 - rate)
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Composed(1, 1),
		Samples: []spec.Sample{
			dropoutCase("matrix", []int{37, 41}, 0.25),
			dropoutCase("never", []int{5, 7}, 0),
			dropoutCase("scalar", []int{}, 0.5),
			dropoutCase("empty", []int{0, 3}, 0.5),
		},
	})
}

func init() {
	spec.Register("feature_dropout", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, rate := c.In[0], reference.Attr[float64](c)
			y := spec.NewArray(x.DType, x.Shape...)
			for p, u := range draws(c, true) {
				if u >= rate {
					y.F[p] = x.F[p] / (1 - rate)
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Composed(1, 1),
		Samples: []spec.Sample{{
			Label: "images", Operands: []spec.Operand{{Shape: []int{7, 5, 3, 2}, Lo: 1, Hi: 2}}, Attr: 0.25,
			Build: func(in []*ops.Node) *ops.Node { return ops.FeatureDropout(in[0], 0.25) },
		}},
	})
	alpha := func(label string, shape []int, features bool, call func(x *ops.Node, rate float64) *ops.Node) spec.Sample {
		return spec.Sample{
			Label: label, Operands: []spec.Operand{{Shape: shape, Special: true}}, Attr: features, // it is not linear: no derivative is compared
			Build: func(in []*ops.Node) *ops.Node { return call(in[0], 0.25) },
		}
	}
	spec.Register("alpha_dropout", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			const rate, s = 0.25, -1.0507009873554805 * 1.6732632423543772
			x := c.In[0]
			y := spec.NewArray(x.DType, x.Shape...)
			a := 1 / math.Sqrt((1-rate)*(1+rate*s*s))
			terms := make([]float64, y.Len())
			for p, u := range draws(c, reference.Attr[bool](c)) {
				v := x.F[p]
				if u < rate {
					v = s
				}
				y.F[p] = a*v - a*rate*s
				terms[p] = math.Abs(a*v) + math.Abs(a*rate*s)
			}
			return spec.Result{Array: y, Terms: terms, N: 4}
		},
		Tolerance: spec.Tolerance{ULP: 4, ULP64: 4, Terms: 1, Stored: 1, Source: spec.Composition},
		Samples: []spec.Sample{alpha("matrix", []int{37, 11}, false, ops.AlphaDropout),
			alpha("channels", []int{7, 5, 9}, true, ops.FeatureAlphaDropout)},
	})
}

// draws are the numbers that decide which elements are dropped: one for each element, or for each channel of [N, C, ...].
func draws(c spec.Case, features bool) []float64 {
	x := c.In[0]
	out := make([]float64, x.Len())
	inner := 1
	if features {
		inner = spec.Count(x.Shape[2:])
	}
	for p := range out {
		out[p] = reference.Fraction(uint64(reference.Philox(uint64(p/inner), c.Stream)[0]), 32, format.Of(tensor.Float32).Precision)
	}
	return out
}

func dropoutCase(label string, shape []int, rate float64) spec.Sample {
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: shape, Lo: 1, Hi: 2}}, Attr: rate,
		Build: func(in []*ops.Node) *ops.Node { return ops.Dropout(in[0], rate) },
	}
}

// oneHotCase has ids outside the depth, where the dtype has negative ones too.
func oneHotCase(label string, shape []int, depth int, dt tensor.DType) spec.Sample {
	return spec.Sample{
		Label: label, Operands: []spec.Operand{{Shape: shape, Lo: -1, Hi: float64(depth + 1)}}, Attr: depth,
		Build: func(in []*ops.Node) *ops.Node { return ops.OneHot(in[0], depth, dt) },
	}
}

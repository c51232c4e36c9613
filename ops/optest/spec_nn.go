package optest

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Ops of neural networks.

func init() {
	// Errors are relative to what the logarithms and exponents add up to; 16-bit floats
	// are computed in float32.
	Register("softmax", Spec{
		Reference: func(c Case) Result {
			return alongAxis(c.In[0], attr[int](c), func(s slice) {
				for i, e := range s.exps {
					s.y[i] = e / s.sum
					// The argument of exp is rounded; the sum has n terms of one sign.
					s.terms[i] = s.y[i] * (2*math.Abs(s.shifted[i]) + s.n + 8)
				}
			})
		},
		Tolerance: Tolerance{ULP: 16, ULP64: 8, Terms: 1, Source: composition},
		Samples:   alongAxes(ops.Softmax),
	})
	Register("log_softmax", Spec{
		Reference: func(c Case) Result {
			return alongAxis(c.In[0], attr[int](c), func(s slice) {
				for i, z := range s.shifted {
					s.y[i] = z - math.Log(s.sum)
					s.terms[i] = 2*math.Abs(z) + 4*math.Log(s.sum) + s.n + 8
				}
			})
		},
		Tolerance: Tolerance{ULP: 16, ULP64: 8, Terms: 1, Source: composition},
		Samples:   alongAxes(ops.LogSoftmax),
	})
	Register("cross_entropy", Spec{
		Call: two(ops.CrossEntropy),
		Reference: func(c Case) Result {
			logits, labels := c.In[0], c.In[1]
			rows, classes := logits.Shape[0], logits.Shape[1]
			y := NewArray(logits.DType)
			terms := []float64{0}
			for r := range rows {
				label := labels.index(r)
				if label < 0 || label >= classes {
					continue
				}
				s := newSlice(logits.F[r*classes : (r+1)*classes])
				y.F[0] += (math.Log(s.sum) - s.shifted[label]) / float64(rows)
				terms[0] += (2*math.Abs(s.shifted[label]) + 4*math.Log(s.sum) + s.n + 8) / float64(rows)
			}
			terms[0] += float64(rows) * math.Abs(y.F[0])
			return Result{Array: y, Terms: terms, N: 1}
		},
		Tolerance: Tolerance{ULP: 16, ULP64: 8, Terms: 1, Source: composition},
		Samples: []Sample{
			{Label: "batch", Operands: []Operand{{Shape: []int{33, 10}}, {Shape: []int{33}, DType: tensor.Int64, Lo: 0, Hi: 9}}},
			{Label: "labels outside", Operands: []Operand{{Shape: []int{64, 5}}, {Shape: []int{64}, DType: tensor.Int32, Lo: -2, Hi: 7}}},
			{Label: "bytes", Operands: []Operand{{Shape: []int{7, 300}}, {Shape: []int{7}, DType: tensor.Uint8, Lo: 0, Hi: 255}}},
			{Label: "one class", Operands: []Operand{{Shape: []int{4, 1}}, {Shape: []int{4}, DType: tensor.Int32, Lo: 0, Hi: 0.5}}},
			{Label: "sure", Operands: []Operand{{Shape: []int{9, 3}, Lo: -90, Hi: 90}, {Shape: []int{9}, DType: tensor.Int64, Lo: 0, Hi: 2}}},
		},
	})
	Register("one_hot", Spec{
		Reference: func(c Case) Result {
			ids, depth := c.In[0], attr[int](c)
			y := NewArray(c.DType, append(slices.Clone(ids.Shape), depth)...)
			for p := range y.Len() {
				if ids.index(p/depth) != p%depth {
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
			return exactly(y)
		},
		Tolerance: moved,
		Samples: []Sample{
			oneHotCase("row", []int{9}, 5, tensor.Float32),
			oneHotCase("block", []int{3, 4}, 7, tensor.Int32),
			oneHotCase("scalar", []int{}, 3, tensor.Bool),
			oneHotCase("half", []int{5}, 4, tensor.Float16),
			oneHotCase("no classes", []int{4}, 0, tensor.Float32),
			oneHotCase("no ids", []int{0}, 4, tensor.Uint8),
		},
	})
	Register("embedding", Spec{
		Call: two(ops.Embedding),
		Reference: func(c Case) Result {
			table, ids := c.In[0], c.In[1]
			width := table.Shape[1]
			y := NewArray(table.DType, append(slices.Clone(ids.Shape), width)...)
			for p := range y.Len() {
				if row := ids.index(p / width); row >= 0 && row < table.Shape[0] {
					y.copy(p, table, row*width+p%width)
				}
			}
			return exactly(y)
		},
		Tolerance: moved,
		Samples: []Sample{
			{Label: "sentence", Operands: []Operand{{Shape: []int{50, 8}}, {Shape: []int{17}, DType: tensor.Int32, Lo: 0, Hi: 49}}},
			{Label: "batch", Operands: []Operand{{Shape: []int{9, 5}}, {Shape: []int{4, 6}, DType: tensor.Int64, Lo: -1, Hi: 9}}},
			{Label: "one", Operands: []Operand{{Shape: []int{3, 4}}, {DType: tensor.Uint8, Lo: 0, Hi: 2}}},
			{Label: "nothing", Operands: []Operand{{Shape: []int{3, 4}}, {Shape: []int{0, 2}, DType: tensor.Int32}}},
		},
	})
	Register("dropout", Spec{
		Reference: func(c Case) Result {
			x, rate := c.In[0], attr[float64](c)
			y := NewArray(x.DType, x.Shape...)
			for p, v := range x.F {
				u := fraction(uint64(philox(uint64(p), c.Stream)[0]), 32, formatOf(tensor.Float32).precision)
				if u >= rate {
					y.F[p] = v / (1 - rate)
				}
			}
			return exactly(y)
		},
		Tolerance: composed(1, 1),
		Samples: []Sample{
			dropoutCase("matrix", []int{37, 41}, 0.25),
			dropoutCase("never", []int{5, 7}, 0),
			dropoutCase("scalar", []int{}, 0.5),
			dropoutCase("empty", []int{0, 3}, 0.5),
		},
	})
}

func init() {
	Register("feature_dropout", Spec{
		Reference: func(c Case) Result {
			x, rate := c.In[0], attr[float64](c)
			y := NewArray(x.DType, x.Shape...)
			for p, u := range draws(c, true) {
				if u >= rate {
					y.F[p] = x.F[p] / (1 - rate)
				}
			}
			return exactly(y)
		},
		Tolerance: composed(1, 1),
		Samples: []Sample{{
			Label: "images", Operands: []Operand{{Shape: []int{7, 5, 3, 2}, Lo: 1, Hi: 2}}, Attr: 0.25,
			Build: func(in []*ops.Node) *ops.Node { return ops.FeatureDropout(in[0], 0.25) },
		}},
	})
	alpha := func(label string, shape []int, features bool, call func(x *ops.Node, rate float64) *ops.Node) Sample {
		return Sample{
			Label: label, Operands: []Operand{{Shape: shape, Special: true}}, Attr: features, // it is not linear: no derivative is compared
			Build: func(in []*ops.Node) *ops.Node { return call(in[0], 0.25) },
		}
	}
	Register("alpha_dropout", Spec{
		Reference: func(c Case) Result {
			const rate, s = 0.25, -1.0507009873554805 * 1.6732632423543772
			x := c.In[0]
			y := NewArray(x.DType, x.Shape...)
			a := 1 / math.Sqrt((1-rate)*(1+rate*s*s))
			terms := make([]float64, y.Len())
			for p, u := range draws(c, attr[bool](c)) {
				v := x.F[p]
				if u < rate {
					v = s
				}
				y.F[p] = a*v - a*rate*s
				terms[p] = math.Abs(a*v) + math.Abs(a*rate*s)
			}
			return Result{Array: y, Terms: terms, N: 4}
		},
		Tolerance: Tolerance{ULP: 4, ULP64: 4, Terms: 1, Stored: 1, Source: composition},
		Samples:   []Sample{alpha("matrix", []int{37, 11}, false, ops.AlphaDropout), alpha("channels", []int{7, 5, 9}, true, ops.FeatureAlphaDropout)},
	})
}

// slice is one run of a tensor along an axis, with what softmax needs of it.
type slice struct {
	raw     []float64 // x
	shifted []float64 // x - max x
	exps    []float64 // e^shifted
	sum     float64   // Σ exps
	n       float64
	y       []float64 // to be filled
	terms   []float64
}

func newSlice(x []float64) slice {
	n := len(x)
	s := slice{
		raw: x, shifted: make([]float64, n), exps: make([]float64, n), n: float64(n),
		y: make([]float64, n), terms: make([]float64, n),
	}
	top := math.Inf(-1)
	for _, v := range x {
		top = math.Max(top, v)
	}
	for i, v := range x {
		s.shifted[i] = v - top
		s.exps[i] = math.Exp(v - top)
		s.sum += s.exps[i]
	}
	return s
}

// alongAxis fills y and terms of every slice along an axis.
func alongAxis(x Array, axis int, fill func(s slice)) Result {
	axis = wrapAxis(axis, len(x.Shape))
	y := NewArray(x.DType, x.Shape...)
	terms := make([]float64, y.Len())
	n, inner := x.Shape[axis], count(x.Shape[axis+1:])
	for first := range x.Len() {
		if n == 0 || first/inner%n != 0 {
			continue // not the first element of a slice
		}
		run := make([]float64, n)
		for i := range run {
			run[i] = x.F[first+i*inner]
		}
		s := newSlice(run)
		fill(s)
		for i := range run {
			y.F[first+i*inner], terms[first+i*inner] = s.y[i], s.terms[i]
		}
	}
	return Result{Array: y, Terms: terms, N: 1}
}

// draws are the numbers that decide what is dropped: one for each element, or for each channel of [N, C, ...].
func draws(c Case, features bool) []float64 {
	x := c.In[0]
	out := make([]float64, x.Len())
	inner := 1
	if features {
		inner = count(x.Shape[2:])
	}
	for p := range out {
		out[p] = fraction(uint64(philox(uint64(p/inner), c.Stream)[0]), 32, formatOf(tensor.Float32).precision)
	}
	return out
}

func dropoutCase(label string, shape []int, rate float64) Sample {
	return Sample{
		Label: label, Operands: []Operand{{Shape: shape, Lo: 1, Hi: 2}}, Attr: rate,
		Build: func(in []*ops.Node) *ops.Node { return ops.Dropout(in[0], rate) },
	}
}

// oneHotCase has ids outside the depth, where the dtype has negative ones too.
func oneHotCase(label string, shape []int, depth int, dt tensor.DType) Sample {
	return Sample{
		Label: label, Operands: []Operand{{Shape: shape, Lo: -1, Hi: float64(depth + 1)}}, Attr: depth,
		Build: func(in []*ops.Node) *ops.Node { return ops.OneHot(in[0], depth, dt) },
	}
}

// alongAxes are samples of an op that normalises along an axis.
func alongAxes(op func(x *ops.Node, axis int) *ops.Node) []Sample {
	var out []Sample
	for _, s := range []struct {
		label string
		shape []int
		axis  int
		reach float64
	}{
		{"last", []int{7, 33}, -1, 4},
		{"first", []int{33, 7}, 0, 4},
		{"middle", []int{3, 17, 5}, 1, 4},
		{"one", []int{5, 1}, 1, 4},
		{"vector", []int{1031}, 0, 4},
		{"no rows", []int{0, 5}, 1, 4},
		{"far apart", []int{9, 21}, 1, 200},
	} {
		out = append(out, Sample{
			Label: s.label, Operands: []Operand{{Shape: s.shape, Lo: -s.reach, Hi: s.reach}}, Attr: s.axis,
			Build: func(in []*ops.Node) *ops.Node { return op(in[0], s.axis) },
		})
	}
	return append(out, Sample{
		Label: "transposed", Operands: []Operand{{Shape: []int{6, 11}}}, Attr: 1,
		Through: func(in []*ops.Node) []*ops.Node { return []*ops.Node{ops.Transpose(in[0])} },
		Build:   func(in []*ops.Node) *ops.Node { return op(in[0], 1) },
	})
}

package optest

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// foldPoints are ops that combine elements: at ties, at constant operands, and
// where a logit is minus infinity.
func foldPoints() []specialCase {
	zeros := func(n int) [][]float64 { return [][]float64{make([]float64, n)} }
	one := func(x []float64) [][]float64 { return [][]float64{x} }
	var out []specialCase
	// Ops that only choose or add elements have second derivatives of 0.
	for _, c := range []struct {
		op, label   string
		shape       []int
		x, w, first []float64
		build       func(x *ops.Node) *ops.Node
	}{
		{"max", "ties", nil, []float64{1, 3, 3, 0}, nil, []float64{0, 0.5, 0.5, 0}, func(x *ops.Node) *ops.Node { return ops.Max(x) }},
		{"max", "least", nil, []float64{-inf, -inf}, nil, []float64{0.5, 0.5}, func(x *ops.Node) *ops.Node { return ops.Max(x) }},
		{"min", "ties", nil, []float64{1, 0, 0, 0, 7, 0}, nil, []float64{0, 0.25, 0.25, 0.25, 0, 0.25},
			func(x *ops.Node) *ops.Node { return ops.Min(x) }},
		{
			"max_pool2d", "ties", []int{1, 1, 2, 4}, []float64{1, 1, 2, 3, 1, 1, 3, 3}, []float64{2, 5}, []float64{2, 0, 0, 5, 0, 0, 0, 0},
			func(x *ops.Node) *ops.Node { return ops.MaxPool2D(x, ops.PoolOptions{Size: [2]int{2, 2}}) },
		},
		{"sort", "ties", nil, []float64{2, 1, 1, 0}, []float64{1, 2, 3, 4}, []float64{4, 2, 3, 1},
			func(x *ops.Node) *ops.Node { y, _ := ops.Sort(x, 0, nil); return y }},
		{"top_k", "ties", nil, []float64{1, 2, 2, 2}, []float64{3, 5}, []float64{0, 3, 5, 0},
			func(x *ops.Node) *ops.Node { y, _ := ops.TopK(x, 2, 0, nil); return y }},
		{"cumsum", "zeros", nil, []float64{0, 0, 0}, []float64{1, 2, 4}, []float64{7, 6, 4},
			func(x *ops.Node) *ops.Node { return ops.CumSum(x, 0, nil) }},
		{"where", "bound", nil, []float64{0, 1}, nil, []float64{2, 1}, func(x *ops.Node) *ops.Node {
			return ops.Where(ops.Greater(x, ops.ScalarLike(x, 0)), x, ops.Add(x, x))
		}},
	} {
		n := len(c.x)
		out = append(out, specialCase{
			op: c.op, label: c.label, in: one(c.x), shape: c.shape, w: c.w, u: ramp(n, 1, 0.5),
			build: func(in []*ops.Node) *ops.Node { return c.build(in[0]) }, first: one(c.first), second: zeros(n),
		})
	}

	// Of constant elements, mean and deviation change linearly.
	const n, eps = 4, 0.25
	w, u := ramp(n, 1, 0.5), ramp(n, -1, 0.75)
	centred := func(x []float64, scale float64) []float64 {
		y, mean := make([]float64, n), 0.0
		for _, v := range x {
			mean += v / n
		}
		for i, v := range x {
			y[i] = scale * (v - mean)
		}
		return y
	}
	constant := []float64{3, 3, 3, 3}
	scaleShift := func(x *ops.Node, k int) (scale, shift *ops.Node) {
		return x.Graph().Full(x.DType(), 1, k), x.Graph().Full(x.DType(), 0, k)
	}
	out = append(out,
		specialCase{
			op: "variance", label: "constant", in: one(constant), u: u, first: zeros(n), second: one(centred(u, 2./n)), third: zeros(n),
			build: func(in []*ops.Node) *ops.Node { return ops.Variance(in[0]) },
		},
		specialCase{
			op: "layer_norm", label: "constant", in: one(constant), w: w, u: u, first: one(centred(w, 1/math.Sqrt(eps))), second: zeros(n),
			build: func(in []*ops.Node) *ops.Node {
				scale, shift := scaleShift(in[0], n)
				return ops.LayerNorm(in[0], scale, shift, eps)
			},
		},
		specialCase{
			op: "batch_norm_train", label: "constant", in: one(constant), shape: []int{n, 1}, w: w, u: u, first: one(centred(w, 1/math.Sqrt(eps))),
			second: zeros(n),
			build: func(in []*ops.Node) *ops.Node {
				scale, shift := scaleShift(in[0], 1)
				y, _, _ := ops.BatchNormTrain(in[0], scale, shift, eps)
				return y
			},
		},
	)

	// With a logit of minus infinity the others are alone.
	x := []float64{0, -inf, 1, -1}
	var sum float64
	for _, v := range x {
		sum += math.Exp(v)
	}
	var p, slope, change [n]float64 // softmax, and its change along w and along u
	for i, v := range x {
		p[i] = math.Exp(v) / sum
	}
	dot := func(a, b []float64) (s float64) {
		for i, v := range a {
			s += v * b[i]
		}
		return s
	}
	for i := range p {
		slope[i], change[i] = p[i]*(w[i]-dot(p[:], w)), p[i]*(u[i]-dot(p[:], u))
	}
	of := func(f func(i int) float64) [][]float64 {
		y := make([]float64, n)
		for i := range y {
			y[i] = f(i)
		}
		return one(y)
	}
	all := dot(w, []float64{1, 1, 1, 1})
	out = append(out,
		specialCase{
			op: "softmax", label: "a logit of minus infinity", in: one(x), w: w, u: u, first: one(slope[:]),
			second: of(func(i int) float64 { return change[i]*(w[i]-dot(p[:], w)) - p[i]*dot(change[:], w) }),
			build:  func(in []*ops.Node) *ops.Node { return ops.Softmax(in[0], 0) },
		},
		specialCase{
			op: "log_softmax", label: "a logit of minus infinity", in: one(x), w: w, u: u,
			first:  of(func(i int) float64 { return w[i] - p[i]*all }),
			second: of(func(i int) float64 { return -all * change[i] }),
			build:  func(in []*ops.Node) *ops.Node { return ops.LogSoftmax(in[0], 0) },
		},
		specialCase{
			op: "log_sum_exp", label: "minus infinity", in: one(x), u: u, first: one(p[:]), second: one(change[:]),
			build: func(in []*ops.Node) *ops.Node { return ops.LogSumExp(in[0]) },
		},
		specialCase{
			op: "log_sum_exp", label: "infinity", in: one([]float64{0, inf, 1, -inf}), u: u, first: one([]float64{0, 1, 0, 0}), second: zeros(n),
			build: func(in []*ops.Node) *ops.Node { return ops.LogSumExp(in[0]) },
		},
	)
	for _, at := range []int{2, 1} {
		out = append(out, specialCase{
			op: "cross_entropy", label: fmt.Sprintf("a logit of minus infinity, label %d", at), in: one(x), shape: []int{1, n}, u: u,
			second: one(change[:]),
			first: of(func(i int) float64 {
				if i == at {
					return p[i] - 1
				}
				return p[i]
			}),
			build: func(in []*ops.Node) *ops.Node {
				return ops.CrossEntropy(in[0], in[0].Graph().Full(tensor.Int64, float64(at), 1))
			},
		})
	}
	return out
}

package optest

import (
	"math"
	"slices"
	"sync"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
)

// specials are all special points.
var specials = sync.OnceValue(func() []specialCase {
	return slices.Concat(unaryPoints(), binaryPoints(), productPoints(), foldPoints())
})

var inf, nan = math.Inf(1), math.NaN()

// unaryPoints have for each x the first three derivatives.
func unaryPoints() []specialCase {
	const ln2, rootPi = math.Ln2, 1.7724538509055159 // √π
	e, flat := func(x float64) [4]float64 { return [4]float64{x, 1, 1, 1} },
		func(x, slope float64) [4]float64 { return [4]float64{x, slope, 0, 0} }
	var out []specialCase
	for _, c := range []struct {
		op    string
		build func(x *ops.Node) *ops.Node
		rows  [][4]float64
	}{
		{"abs", ops.Abs, [][4]float64{flat(0, 0), flat(-2, -1), flat(inf, 1), flat(-inf, -1)}},
		{"neg", ops.Neg, [][4]float64{flat(0, -1), flat(inf, -1)}},
		{"relu", ops.ReLU, [][4]float64{flat(0, 0), flat(2, 1), flat(inf, 1), flat(-inf, 0)}},
		{"leaky_relu", func(x *ops.Node) *ops.Node { return ops.LeakyReLU(x, 0.125) },
			[][4]float64{flat(0, 0.125), flat(inf, 1), flat(-inf, 0.125)}},
		{"elu", func(x *ops.Node) *ops.Node { return ops.ELU(x, 1.5) },
			[][4]float64{{0, 1.5, 1.5, 1.5}, flat(inf, 1), flat(200, 1), flat(-inf, 0)}},
		{"hardswish", ops.HardSwish, [][4]float64{flat(-3, 0), flat(3, 1), {0, 0.5, 1. / 3, 0}, flat(inf, 1), flat(-inf, 0)}},
		{"clip", func(x *ops.Node) *ops.Node { return ops.Clip(x, -1.5, 2.25) },
			[][4]float64{flat(-1.5, 1), flat(2.25, 1), flat(0, 1), flat(inf, 0), flat(-inf, 0)}},
		{"sigmoid", ops.Sigmoid, [][4]float64{{0, 0.25, 0, -0.125}, flat(inf, 0), flat(-inf, 0)}},
		{"softplus", ops.Softplus, [][4]float64{{0, 0.5, 0.25, 0}, flat(inf, 1), flat(-inf, 0)}},
		{"silu", ops.SiLU, [][4]float64{{0, 0.5, 0.5, 0}, flat(inf, 1), flat(-inf, 0), flat(1e30, 1)}},
		{"gelu", ops.GELU, [][4]float64{{0, 0.5, math.Sqrt2 / rootPi, 0}, flat(inf, 1), flat(-inf, 0), flat(1e30, 1), flat(-1e30, 0)}},
		{"gelu_tanh", ops.GELUTanh, [][4]float64{{0, 0.5, math.Sqrt2 / rootPi, 0}, flat(inf, 1), flat(-inf, 0), flat(1e30, 1), flat(-1e30, 0)}},
		{"tanh", ops.Tanh, [][4]float64{{0, 1, 0, -2}, flat(inf, 0), flat(-inf, 0)}},
		{"erf", ops.Erf, [][4]float64{{0, 2 / rootPi, 0, -4 / rootPi}, flat(inf, 0), flat(-inf, 0), flat(1e30, 0)}},
		{"sinh", ops.Sinh, [][4]float64{{0, 1, 0, 1}, {inf, inf, inf, inf}, {-inf, inf, -inf, inf}}},
		{"cosh", ops.Cosh, [][4]float64{{0, 0, 1, 0}, {inf, inf, inf, inf}, {-inf, -inf, inf, -inf}}},
		{"sin", ops.Sin, [][4]float64{{0, 1, 0, -1}}},
		{"cos", ops.Cos, [][4]float64{{0, 0, -1, 0}}},
		{"tan", ops.Tan, [][4]float64{{0, 1, 0, 2}}},
		{"asin", ops.Asin, [][4]float64{{0, 1, 0, 1}, {1, inf, inf, inf}, {-1, inf, -inf, inf}}},
		{"acos", ops.Acos, [][4]float64{{0, -1, 0, -1}, {1, -inf, -inf, -inf}, {-1, -inf, inf, -inf}}},
		{"atan", ops.Atan, [][4]float64{{0, 1, 0, -2}, flat(inf, 0), flat(-inf, 0), flat(1e30, 0), flat(-3e38, 0)}},
		{"exp", ops.Exp, [][4]float64{e(0), flat(-inf, 0), {inf, inf, inf, inf}}},
		{"expm1", ops.Expm1, [][4]float64{e(0), flat(-inf, 0), {inf, inf, inf, inf}}},
		{"exp2", ops.Exp2, [][4]float64{{0, ln2, ln2 * ln2, ln2 * ln2 * ln2}, flat(-inf, 0), {inf, inf, inf, inf}}},
		{"log", ops.Log, [][4]float64{{0, inf, -inf, inf}, {2, 0.5, -0.25, 0.25}, flat(inf, 0)}},
		{"log2", ops.Log2, [][4]float64{{0, inf, -inf, inf}, {2, 0.5 / ln2, -0.25 / ln2, 0.25 / ln2}, flat(inf, 0)}},
		{"log1p", ops.Log1p, [][4]float64{{-1, inf, -inf, inf}, {0, 1, -1, 2}, flat(inf, 0)}},
		{"sqrt", ops.Sqrt, [][4]float64{{0, inf, -inf, inf}, {4, 0.25, -1. / 32, 3. / 256}, flat(inf, 0)}},
		{"rsqrt", ops.Rsqrt, [][4]float64{{0, -inf, inf, -inf}, {4, -1. / 16, 3. / 128, -15. / 1024}, flat(inf, 0)}},
		{"reciprocal", ops.Reciprocal, [][4]float64{{0, -inf, inf, -inf}, {2, -0.25, 0.25, -0.375}, flat(inf, 0), flat(-inf, 0)}},
		{"square", ops.Square, [][4]float64{{0, 0, 2, 0}, {inf, inf, 2, 0}, {-inf, -inf, 2, 0}}},
	} {
		column := func(k int) (all []float64) {
			for _, r := range c.rows {
				all = append(all, r[k])
			}
			return all
		}
		out = append(out, specialCase{
			op: c.op, build: func(in []*ops.Node) *ops.Node { return c.build(in[0]) }, in: [][]float64{column(0)},
			first: [][]float64{column(1)}, second: [][]float64{column(2)}, third: [][]float64{column(3)},
		})
	}
	return out
}

// binaryPoints have for each a and b the derivatives by a, b, aa, ab, bb, aaa and bbb.
func binaryPoints() []specialCase {
	const tiny = 1e-30
	l := math.Log(tiny)
	atan2 := func(a, b float64) [9]float64 {
		r := a*a + b*b
		return [9]float64{a, b, b / r, -a / r, -2 * a * b / r / r, (a*a - b*b) / r / r, 2 * a * b / r / r, open, open}
	}
	var out []specialCase
	for _, c := range []struct {
		op    string
		build func(a, b *ops.Node) *ops.Node
		rows  [][9]float64
	}{
		{"maximum", ofNodes(ops.Maximum), [][9]float64{{1, 1, 0.5, 0.5}, {0, 0, 0.5, 0.5}, {-inf, 2, 0, 1}, {inf, inf, 0.5, 0.5}, {3, 2, 1, 0}}},
		{"minimum", ofNodes(ops.Minimum), [][9]float64{{1, 1, 0.5, 0.5}, {0, 0, 0.5, 0.5}, {-inf, 2, 1, 0}, {inf, inf, 0.5, 0.5}, {3, 2, 0, 1}}},
		{"logaddexp", ofNodes(ops.LogAddExp), [][9]float64{
			{0, 0, 0.5, 0.5, 0.25, -0.25, 0.25, 0, 0}, {-3, -3, 0.5, 0.5, 0.25, -0.25, 0.25, 0, 0},
			{inf, inf, 0.5, 0.5, open, open, open, open, open}, {-inf, -inf, 0.5, 0.5, open, open, open, open, open},
			{-inf, 2, 0, 1}, {inf, 2, 1, 0},
		}},
		{"logaddexp2", ofNodes(ops.LogAddExp2), [][9]float64{
			{1, 1, 0.5, 0.5, math.Ln2 / 4, -math.Ln2 / 4, math.Ln2 / 4, 0, 0}, {-inf, 2, 0, 1}, {inf, 2, 1, 0},
		}},
		{"add", ofNodes(ops.Add), [][9]float64{{0, 0, 1, 1}, {inf, 1, 1, 1}}},
		{"sub", ofNodes(ops.Sub), [][9]float64{{0, 0, 1, -1}, {inf, 1, 1, -1}}},
		{"mul", ofNodes(ops.Mul), [][9]float64{{0, 0, 0, 0, 0, 1}, {0, 3, 3, 0, 0, 1}, {inf, 2, 2, inf, 0, 1}}},
		{"div", ofNodes(ops.Div), [][9]float64{
			{0, 2, 0.5, 0, 0, -0.25, 0}, {2, inf, 0, 0}, {0, inf, 0, 0},
			{1, 0, inf, -inf, 0, -inf, inf, 0, -inf}, {-1, 0, inf, inf, 0, -inf, -inf, 0, inf},
		}},
		{"rem", ofNodes(ops.Rem), [][9]float64{{6, 3, 1, -2}, {-6, 3, 1, 2}, {0, 3, 1, 0}, {5, inf, 1, 0}}},
		{"atan2", ofNodes(ops.Atan2), [][9]float64{
			atan2(1, 0), atan2(0, 1), atan2(-1, 0), atan2(0, -1), atan2(1, 1), atan2(-1, 1), atan2(1, -1), atan2(-3, -3),
			{1, inf}, {inf, 1}, {1, -inf}, {inf, inf},
		}},
		{"pow", ofNodes(ops.Pow), [][9]float64{
			{0, 0}, {0, 1, 1, 0, 0, -inf, 0}, {0, 2, 0, 0, 2}, {0, 3, 0, 0, 0, 0, 0, 6}, {0, 4},
			{0, 0.5, inf, 0, -inf, -inf, 0, inf}, {0, 1.5, 0, 0, inf, 0, 0, -inf}, {0, -1, -inf, -inf, inf, inf, inf, -inf, -inf},
			{-2, 0, 0, nan, 0, open, nan, 0, nan}, {-2, 1, 1, nan, 0, nan, nan, 0, nan}, {-2, 2, -4, nan, 2, nan, nan, 0, nan},
			{-2, 3, 12, nan, -12, nan, nan, 6, nan}, {-2, -1, -0.25, nan, -0.25, nan, nan, -0.375, nan},
			{1, 0, 0, 0, 0, 1, 0, 0, 0}, {1, 5, 5, 0, 20, 1, 0, 60, 0},
			{2, 0, 0, math.Ln2, 0, 0.5, math.Ln2 * math.Ln2, 0, math.Ln2 * math.Ln2 * math.Ln2},
			{tiny, 0, 0, l, 0, 1 / tiny, l * l, 0, l * l * l}, {tiny, 1, 1, tiny * l, 0, 1 + l, tiny * l * l, 0, tiny * l * l * l},
			{inf, 0, 0, inf, 0, 0, inf, 0, inf}, {inf, 1, 1, inf, 0, inf, inf, 0, inf}, {inf, 2, inf, inf, 2, inf, inf, 0, inf}, {inf, -1},
			{0.5, inf}, {2, -inf},
		}},
	} {
		column := func(k int) (all []float64) {
			for _, r := range c.rows {
				all = append(all, r[k])
			}
			return all
		}
		out = append(out, specialCase{
			op: c.op, build: func(in []*ops.Node) *ops.Node { return c.build(in[0], in[1]) }, in: [][]float64{column(0), column(1)},
			first:  [][]float64{column(2), column(3)},
			second: [][]float64{column(4), column(5), column(5), column(6)},
			third:  [][]float64{column(7), column(8)},
		})
	}
	return out
}

// productPoints are products with no zero, one, two and more: derivatives are
// products of the factors that are left when as many different ones are taken out.
func productPoints() []specialCase {
	var out []specialCase
	for _, c := range []struct {
		label string
		shape []int
		axes  []int
		x     []float64
	}{
		{"of two", []int{2}, nil, []float64{0, 3}},
		{"of three", []int{3, 3}, []int{1}, []float64{1, 2, 3, 0, 2, 3, 0, 0, 3}},
		{"of many", []int{4, 7}, []int{1}, []float64{2, -3, 1, 5, 4, -1, 0.5, 2, 3, 0, 5, 1, -1, 0.5, 2, 0, 3, 5, 0, -1, 0.5, 0, 2, 3, 5, 0, -1,
			0}},
		{"columns", []int{5, 3}, []int{0}, []float64{1, 0, 0, 2, 2, 0, 0, 0, 0, 4, 1, 2, 5, 3, 3}},
		{"two axes apart", []int{2, 3, 3}, []int{0, 2}, []float64{0, 2, 3, 1, 1, 2, 0, 1, 0, 4, 5, 6, 0, 2, 1, 3, 2, 0}},
		{"all axes", []int{2, 3}, nil, []float64{0, 2, 3, 1, 0, 4}},
	} {
		n := len(c.x)
		w, u, v := ramp(n, 1, 0.5), ramp(n, -1, 0.75), ramp(n, 2, -0.5)
		result := foldNumbers(c.shape, c.axes)
		s := specialCase{
			op: "prod", label: c.label, long: c.label != "of three" && c.label != "of many", in: [][]float64{c.x}, shape: c.shape, w: w, u: u, v: v,
			build: func(in []*ops.Node) *ops.Node { return ops.Prod(in[0], c.axes...) },
		}
		// left is the product of those that are folded with i but for the ones taken out.
		left := func(i int, out ...int) float64 {
			p := w[result[i]]
			for j, x := range c.x {
				if result[j] == result[i] && j != i && !slices.Contains(out, j) {
					p *= x
				}
			}
			return p
		}
		d1, d2, d3 := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			d1[i] = left(i)
			for j := range n {
				if j == i || result[j] != result[i] {
					continue
				}
				d2[i] += u[j] * left(i, j)
				for k := range n {
					if k != i && k != j && result[k] == result[i] {
						d3[i] += u[j] * v[k] * left(i, j, k)
					}
				}
			}
		}
		s.first, s.second, s.third = [][]float64{d1}, [][]float64{d2}, [][]float64{d3}
		out = append(out, s)
	}
	return out
}

// ramp is n numbers from a on, a step apart.
func ramp(n int, a, step float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = a + step*float64(i)
	}
	return x
}

// foldNumbers tells for each element of shape to which result of a fold over axes
// it belongs; over all where axes is nil.
func foldNumbers(shape, axes []int) []int {
	out := make([]int, spec.Count(shape))
	for i := range out {
		for a, at := range reference.Coordinate(shape, i) {
			if axes != nil && !slices.Contains(axes, a) {
				out[i] = out[i]*shape[a] + at
			}
		}
	}
	return out
}

// ofNodes gives a generic function of two operands the type of one of nodes.
func ofNodes(f func(a, b *ops.Node) *ops.Node) func(a, b *ops.Node) *ops.Node { return f }

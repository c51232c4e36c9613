package linalg_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/tensor"
)

// onHost computes outputs of a graph on the CPU path.
func onHost(t *testing.T, g *ops.Graph, feeds ops.Feeds, outs ...*ops.Node) []*tensor.Tensor {
	t.Helper()
	require.NoError(t, g.Err())
	exe, err := g.Compile(t.Context(), ops.NewRuntime(fallback.New(nil)), ops.Target{Outputs: outs})
	require.NoError(t, err)
	defer exe.Close()
	values, err := exe.Run(t.Context(), feeds)
	require.NoError(t, err)
	return values
}

func matrix(g *ops.Graph, rows, columns int, v ...float64) *ops.Node {
	return g.Const(tensor.Must(tensor.FromSlice(v, rows, columns)))
}

// LAPACK loops without end or panics on some of these.
func TestDecompositionsOfWhatIsNotFiniteEnd(t *testing.T) {
	t.Parallel()
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, 5e-324, 0} {
		g := ops.NewGraph("not finite")
		x, b := matrix(g, 3, 3, 2, v, 1, v, 3, 0.5, 1, 0.5, 4), matrix(g, 3, 1, 1, v, 2)
		outs := []*ops.Node{linalg.Inverse(x), linalg.Det(x), linalg.Solve(x, b, nil), linalg.Pinv(x, nil), linalg.MatrixExp(x), linalg.SVDVals(x),
			linalg.Eigvalsh(x, false), linalg.CholeskyInverse(x, true), linalg.LogDet(x), linalg.Cholesky(x, false)}
		add := func(all ...*ops.Node) { outs = append(outs, all...) }
		q, r := linalg.QR(x, linalg.QRComplete)
		w, vectors := linalg.Eigh(x, true)
		u, s, vt := linalg.SVD(x, true)
		lu, _, _ := linalg.LUFactor(x)
		y, residuals, _ := linalg.Lstsq(x, b, nil)
		add(q, r, w, vectors, u, s, vt, lu, y, residuals)
		for _, y := range outs {
			add(ops.Gradients(ops.Sum(y), x)[0])
		}
		factors, tau := linalg.Geqrf(x)
		ld, pivots, info := linalg.LDLFactor(x)
		add(factors, tau, ld, pivots, info, linalg.MatrixRank(x, nil), linalg.LDLSolve(ld, pivots, b))
		onHost(t, g, nil, outs...)
	}
}

func TestSingularMatricesAreReported(t *testing.T) {
	t.Parallel()
	g := ops.NewGraph("singular")
	one := matrix(g, 3, 3, 1, 2, 3, 2, 4, 6, 1, 0, 1) // row 1 is twice row 0
	saddle := matrix(g, 2, 2, 1, 2, 2, 1)
	x, solved := linalg.SolveEx(one, matrix(g, 3, 1, 1, 1, 1), nil)
	_, inverted := linalg.InverseEx(one)
	_, _, factored := linalg.LUFactor(one)
	l, positive := linalg.CholeskyEx(saddle, false)
	sign, log := linalg.SlogDet(one)
	det := linalg.Det(one)
	cofactors := ops.Gradients(det, one)[0]
	out := onHost(t, g, nil, solved, inverted, factored, positive, x, l, sign, log, linalg.Cond(one, linalg.OneNorm), cofactors, ops.Reshape(det, 1))
	for i, want := range []int32{3, 3, 3, 2} {
		require.Equal(t, []int32{want}, must(tensor.ToSlice[int32](out[i])))
	}
	require.True(t, math.IsNaN(out[4].Float64At(0)))
	require.True(t, math.IsNaN(out[5].Float64At(0)))
	require.Zero(t, out[6].Float64At(0))
	require.True(t, math.IsInf(out[7].Float64At(0), -1))
	require.True(t, math.IsInf(out[8].Float64At(0), 1))
	want := []float64{4, 4, -4, -2, -2, 2, 0, 0, 0}
	for i, v := range want {
		require.InDelta(t, v, out[9].Float64At(i), 1e-13)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// The derivative of a derivative, against differences of derivatives.
func TestSecondDerivativesOfDecompositions(t *testing.T) {
	t.Parallel()
	square := []float64{4, 1, 0.5, -1, 5, 0.25, 0.75, -0.5, 6}
	symmetric := func(x *ops.Node) *ops.Node { return ops.Add(x, ops.Transpose(x)) }
	for name, c := range map[string]struct {
		rows, columns int
		f             func(x *ops.Node) *ops.Node
	}{
		"cholesky": {3, 3, func(x *ops.Node) *ops.Node { return linalg.Cholesky(symmetric(x), true) }},
		"lu":       {3, 2, func(x *ops.Node) *ops.Node { lu, _, _ := linalg.LUFactor(x); return lu }},
		"lu wide":  {2, 3, func(x *ops.Node) *ops.Node { lu, _, _ := linalg.LUFactor(x); return lu }},
		"solve":    {3, 3, func(x *ops.Node) *ops.Node { return linalg.Solve(x, ops.Square(x), nil) }},
		"triangular": {3, 3, func(x *ops.Node) *ops.Node {
			return linalg.SolveTriangular(x, ops.Square(x), &linalg.TriangularOptions{Upper: true, Transposed: true, Right: true})
		}},
		"inverse": {3, 3, linalg.Inverse},
		"det":     {3, 3, linalg.Det},
		"slogdet": {3, 3, linalg.LogDet},
		"qr":      {3, 2, func(x *ops.Node) *ops.Node { q, r := linalg.QR(x, linalg.QRReduced); return ops.Concat(0, q, r) }},
		"qr wide": {2, 3, func(x *ops.Node) *ops.Node { q, r := linalg.QR(x, linalg.QRReduced); return ops.Concat(1, q, r) }},
		"svd": {3, 2, func(x *ops.Node) *ops.Node {
			u, s, vt := linalg.SVD(x, false)
			return ops.Concat(0, ops.Square(u), ops.ExpandDims(s, 0), ops.Square(vt))
		}},
		"svdvals": {2, 3, linalg.SVDVals},
		"eigh": {3, 3, func(x *ops.Node) *ops.Node {
			w, v := linalg.Eigh(symmetric(x), false)
			return ops.Concat(0, ops.ExpandDims(w, 0), ops.Square(v))
		}},
		"pinv":       {3, 2, func(x *ops.Node) *ops.Node { return linalg.Pinv(x, nil) }},
		"lstsq":      {3, 2, func(x *ops.Node) *ops.Node { y, _, _ := linalg.Lstsq(x, ops.Square(x), nil); return y }},
		"matrix_exp": {3, 3, func(x *ops.Node) *ops.Node { return linalg.MatrixExp(ops.Mul(x, ops.ScalarLike(x, 0.2))) }},
		"ormqr": {3, 2, func(x *ops.Node) *ops.Node {
			return linalg.Ormqr(x, ops.Slice(ops.Reshape(x, 6), ops.Range{Stop: 2}), ops.Square(x), nil)
		}},
		"cdist": {3, 2, func(x *ops.Node) *ops.Node { return linalg.Cdist(x, ops.Square(x), 2, linalg.CdistProduct) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := ops.NewGraph(name)
			x := g.Input("x", tensor.Float64, c.rows, c.columns)
			weighted := func(y *ops.Node, phase float64) *ops.Node {
				w := make([]float64, y.Size())
				for i := range w {
					w[i] = math.Sin(phase + 2*float64(i))
				}
				return ops.Sum(ops.Mul(y, g.Const(tensor.Must(tensor.FromSlice(w, y.Shape()...)))))
			}
			first := weighted(ops.Gradients(weighted(c.f(x), 1), x)[0], 2)
			second := ops.Gradients(first, x)[0]
			require.NoError(t, g.Err())
			exe, err := g.Compile(t.Context(), ops.NewRuntime(fallback.New(nil)), ops.Target{Outputs: []*ops.Node{first, second}})
			require.NoError(t, err)
			defer exe.Close()
			at := func(i int, h float64) []*tensor.Tensor {
				v := append([]float64{}, square[:c.rows*c.columns]...)
				v[i] += h
				out, err := exe.Run(t.Context(), ops.Feeds{x: tensor.Must(tensor.FromSlice(v, c.rows, c.columns))})
				require.NoError(t, err)
				return out
			}
			const h = 1e-5
			for i := range c.rows * c.columns {
				slope := (at(i, h)[0].Float64At(0) - at(i, -h)[0].Float64At(0)) / (2 * h)
				require.InDelta(t, slope, at(i, 0)[1].Float64At(i), 1e-7*(1+math.Abs(slope)), "element %d", i)
			}
		})
	}
}

func TestMistakesInLinearAlgebraAreErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want string
		call func(g *ops.Graph, x *ops.Node) *ops.Node // x is [2 3]
	}{
		{"not square", func(g *ops.Graph, x *ops.Node) *ops.Node { return linalg.Inverse(x) }},
		{"not a matrix", func(g *ops.Graph, x *ops.Node) *ops.Node { return linalg.Det(ops.Sum(x, 0)) }},
		{"does not fit", func(g *ops.Graph, x *ops.Node) *ops.Node {
			return linalg.Solve(ops.MatMul(ops.Transpose(x), x), x, nil)
		}},
		{"the mode", func(g *ops.Graph, x *ops.Node) *ops.Node { q, _ := linalg.QR(x, "half"); return q }},
		{"the order", func(g *ops.Graph, x *ops.Node) *ops.Node { return linalg.MatrixNorm(x, "3") }},
		{"inner sizes differ", func(g *ops.Graph, x *ops.Node) *ops.Node { return linalg.MultiDot(x, x) }},
		{"not 3", func(g *ops.Graph, x *ops.Node) *ops.Node { return linalg.Cross(x, x, 0) }},
		{"no derivative", func(g *ops.Graph, x *ops.Node) *ops.Node {
			q, _ := linalg.QR(ops.Transpose(x), linalg.QRComplete)
			return ops.Gradients(ops.Sum(q), x)[0]
		}},
	} {
		g := ops.NewGraph(c.want)
		c.call(g, g.Input("x", tensor.Float64, 2, 3))
		require.ErrorContains(t, g.Err(), c.want)
		require.ErrorContains(t, g.Err(), "linalg_test.go:", "the line of the caller")
	}
}

package linalg_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/tensor"
)

func complexNumbers(n int) []complex128 {
	r, v := rand.New(rand.NewPCG(9, uint64(n))), make([]complex128, n)
	for i := range v {
		v[i] = complex(r.NormFloat64(), r.NormFloat64())
	}
	return v
}

// product is a·b of n x n and n x k matrices; of the conjugate transpose of b with turned.
func product(a, b []complex128, n, k int, turned bool) []complex128 {
	c := make([]complex128, n*k)
	for i := range n {
		for j := range k {
			for l := range n {
				v := b[min(l*k+j, len(b)-1)]
				if turned {
					v = cmplx.Conj(b[j*n+l])
				}
				c[i*k+j] += a[i*n+l] * v
			}
		}
	}
	return c
}

func near(t *testing.T, want, got []complex128) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.Less(t, cmplx.Abs(want[i]-got[i]), 1e-12*(1+cmplx.Abs(want[i])), "element %d: %v, not %v", i, got[i], want[i])
	}
}

func TestComplexMatrices(t *testing.T) {
	t.Parallel()
	const n, k = 5, 2
	a, x := complexNumbers(n*n), complexNumbers(n*k)
	positive := product(a, a, n, n, true)
	for i := range n {
		positive[i*n+i] += 1
	}
	g := ops.NewGraph("complex")
	matrix := func(v []complex128, shape ...int) *ops.Node {
		return g.Const(tensor.Must(tensor.FromSlice(v, shape...)))
	}
	m, p := matrix(a, n, n), matrix(positive, n, n)
	flat := func(y *ops.Node) *ops.Node { return ops.Reshape(y, -1) }
	turned := ops.Transpose(matrix(product(a, x, n, k, false), n, k))
	right := linalg.Solve(ops.Transpose(m), turned, &linalg.SolveOptions{Right: true})
	singular, info := linalg.SolveEx(matrix([]complex128{1, 1i, 1i, -1}, 2, 2), matrix([]complex128{1, 2}, 2), nil)
	_, second := linalg.CholeskyEx(matrix([]complex128{1, 0, 2i, 1}, 2, 2), false)
	out := onHost(t, g, nil, flat(linalg.Solve(m, matrix(product(a, x, n, k, false), n, k), nil)), linalg.Solve(m, matrix(product(a, x[:n], n, 1, false), n), nil),
		flat(ops.MatMul(m, linalg.Inverse(m))), flat(linalg.Cholesky(p, false)), flat(linalg.Cholesky(p, true)), linalg.Eigvalsh(p, false), flat(ops.Transpose(right)),
		singular, ops.Reshape(info, 1), ops.Reshape(second, 1), linalg.Solve(matrix(nil, 0, 0), matrix(nil, 0), nil))
	at := func(i int) []complex128 { return tensor.MustSlice[complex128](out[i]) }
	near(t, x, at(0))
	near(t, x[:n], at(1))
	unit := make([]complex128, n*n)
	for i := range n {
		unit[i*n+i] = 1
	}
	near(t, unit, at(2))
	near(t, positive, product(at(3), at(3), n, n, true))
	for i := range n {
		require.Zero(t, imag(at(3)[i*n+i]))
		for j := range n {
			require.Equal(t, at(3)[i*n+j], cmplx.Conj(at(4)[j*n+i]))
			if j > i {
				require.Zero(t, at(3)[i*n+j])
			}
		}
	}
	// Eigenvalues: their sum and their sum of squares are those of the matrix.
	sum, squares, trace, norm := 0.0, 0.0, 0.0, 0.0
	for _, w := range tensor.MustSlice[float64](out[5]) {
		sum, squares = sum+w, squares+w*w
	}
	for i, v := range positive {
		if norm += real(v)*real(v) + imag(v)*imag(v); i%(n+1) == 0 {
			trace += real(v)
		}
	}
	require.Equal(t, []int{n}, out[5].Shape())
	require.InDelta(t, trace, sum, 1e-11)
	require.InDelta(t, norm, squares, 1e-9)
	near(t, x, at(6))
	require.True(t, cmplx.IsNaN(at(7)[0]))
	require.NotZero(t, out[8].Float64At(0))
	require.Equal(t, 2.0, out[9].Float64At(0))
}

// By parts of the matrix, as of any function of two variables.
func TestDerivativesOfComplexMatrices(t *testing.T) {
	t.Parallel()
	const n = 3
	base := complexNumbers(n * n)
	build := func(v []complex128) (*ops.Graph, *ops.Node, *ops.Node) {
		g := ops.NewGraph("derivatives")
		a := g.Const(tensor.Must(tensor.FromSlice(v, n, n)))
		h := ops.Add(ops.MatMul(a, ops.Conj(ops.Transpose(a))), linalgUnit(g, n))
		sum := func(y *ops.Node) *ops.Node { return ops.Sum(ops.Sin(ops.Add(ops.Real(y), ops.Mul(2, ops.Imag(y))))) }
		loss := ops.Add(sum(linalg.Solve(a, h, nil)), ops.Add(sum(linalg.Cholesky(h, false)), ops.Add(sum(linalg.Inverse(h)), ops.Sum(ops.Sin(linalg.Eigvalsh(h, false))))))
		return g, loss, ops.Gradients(loss, a)[0]
	}
	g, _, d := build(base)
	slopes := tensor.MustSlice[complex128](onHost(t, g, nil, d)[0])
	value := func(i int, by complex128) float64 {
		v := append([]complex128(nil), base...)
		v[i] += by
		g, loss, _ := build(v)
		return onHost(t, g, nil, loss)[0].Float64At(0)
	}
	const h = 1e-6
	for i := range n * n {
		re, im := (value(i, h)-value(i, -h))/(2*h), (value(i, 1i*h)-value(i, -1i*h))/(2*h)
		scale := 1 + math.Hypot(re, im)
		require.InDelta(t, re, real(slopes[i]), 1e-6*scale)
		require.InDelta(t, im, imag(slopes[i]), 1e-6*scale)
	}
}

func linalgUnit(g *ops.Graph, n int) *ops.Node {
	at := func(axis int) *ops.Node { return g.Iota(tensor.Int32, axis, n, n) }
	return ops.Cast(ops.Equal(at(0), at(1)), tensor.Complex128)
}

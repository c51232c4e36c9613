package linalg_test

import (
	"math"
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/tensor"
)

// expanded is the determinant of a by its first row.
func expanded(a []complex128, n int) complex128 {
	if n == 0 {
		return 1
	}
	sum := 0i
	for j := range n {
		var minor []complex128
		for i := 1; i < n; i++ {
			for k := range n {
				if k != j {
					minor = append(minor, a[i*n+k])
				}
			}
		}
		term := a[j] * expanded(minor, n-1)
		if j%2 != 0 {
			term = -term
		}
		sum += term
	}
	return sum
}

func TestComplexDeterminants(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 5} {
		a := complexNumbers(n * n)
		g := ops.NewGraph("det")
		x := g.Const(tensor.Must(tensor.FromSlice(a, n, n)))
		sign, log := linalg.SlogDet(x)
		out := onHost(t, g, nil, ops.Reshape(linalg.Det(x), 1), ops.Reshape(sign, 1), ops.Reshape(log, 1))
		want := expanded(a, n)
		near(t, []complex128{want}, tensor.MustSlice[complex128](out[0]))
		near(t, []complex128{want / complex(cmplx.Abs(want), 0)}, tensor.MustSlice[complex128](out[1]))
		require.InDelta(t, math.Log(cmplx.Abs(want)), out[2].Float64At(0), 1e-13)
	}
	g := ops.NewGraph("singular")
	det := linalg.Det(g.Const(tensor.Must(tensor.FromSlice([]complex128{1, 1i, 1i, -1}, 2, 2))))
	require.Equal(t, []complex128{0}, tensor.MustSlice[complex128](onHost(t, g, nil, ops.Reshape(det, 1))[0]))
}

func TestHermitianEigenvectors(t *testing.T) {
	t.Parallel()
	const n = 6
	vectors := complexNumbers(n * n)
	for name, w := range map[string][]float64{"apart": {-3, -1, 0, 0.5, 2, 7}, "equal": {1, 1, 1, 2, 2, 5}, "all equal": {4, 4, 4, 4, 4, 4}, "zero": make([]float64, n)} {
		// An orthogonal basis by Gram and Schmidt.
		q := append([]complex128(nil), vectors...)
		for i := range n {
			row := q[i*n : (i+1)*n]
			for range 2 {
				for j := range i {
					dot := 0i
					for k := range n {
						dot += row[k] * cmplx.Conj(q[j*n+k])
					}
					for k := range n {
						row[k] -= dot * q[j*n+k]
					}
				}
			}
			size := 0.0
			for _, v := range row {
				size += real(v)*real(v) + imag(v)*imag(v)
			}
			for k := range row {
				row[k] /= complex(math.Sqrt(size), 0)
			}
		}
		a := make([]complex128, n*n)
		for i := range n {
			for j := range n {
				for k := range n {
					a[i*n+j] += complex(w[k], 0) * q[k*n+i] * cmplx.Conj(q[k*n+j])
				}
			}
		}
		for _, upper := range []bool{false, true} {
			read := append([]complex128(nil), a...) // the other triangle is not read
			for i := range n {
				for j := range i {
					if upper {
						read[i*n+j] = cmplx.NaN()
					} else {
						read[j*n+i] = cmplx.NaN()
					}
				}
			}
			g := ops.NewGraph("eigh")
			values, v := linalg.Eigh(g.Const(tensor.Must(tensor.FromSlice(read, n, n))), upper)
			vh := ops.Conj(ops.Transpose(v))
			scaled := ops.Mul(v, ops.ExpandDims(ops.Cast(values, tensor.Complex128), 0))
			out := onHost(t, g, nil, values, ops.Reshape(ops.MatMul(scaled, vh), -1), ops.Reshape(ops.MatMul(vh, v), -1))
			for k := range n {
				require.InDelta(t, w[k], out[0].Float64At(k), 1e-13, name)
			}
			near(t, a, tensor.MustSlice[complex128](out[1]))
			unit := make([]complex128, n*n)
			for i := range n {
				unit[i*n+i] = 1
			}
			near(t, unit, tensor.MustSlice[complex128](out[2]))
		}
	}
}

// Derivatives equal differences for small changes, in the direction in which the result grows fastest.
func TestDerivativesOfComplexDecompositions(t *testing.T) {
	t.Parallel()
	const n, small = 3, 1e-6
	a, weight := complexNumbers(n*n), complexNumbers(n * n * 2)[n*n:]
	for i := range n {
		for j := range i {
			a[j*n+i] = cmplx.Conj(a[i*n+j])
		}
		a[i*n+i] = complex(real(a[i*n+i])+float64(3*i), 0)
	}
	for name, f := range map[string]func(x *ops.Node) *ops.Node{
		"slogdet": func(x *ops.Node) *ops.Node {
			x = ops.Add(x, ops.Mul(x, 0.3i)) // not Hermitian
			sign, log := linalg.SlogDet(x)
			return ops.Add(ops.Reshape(log), ops.Mul(2, ops.Imag(ops.Reshape(sign))))
		},
		"det": func(x *ops.Node) *ops.Node { return ops.Real(ops.Mul(linalg.Det(ops.Mul(x, 1+0.2i)), 0.3+1i)) },
		"eigh": func(x *ops.Node) *ops.Node { // exp of the matrix, which no angle of a vector changes
			x = ops.Mul(0.5, ops.Add(x, ops.Conj(ops.Transpose(x))))
			w, v := linalg.Eigh(x, false)
			e := ops.MatMul(ops.Mul(v, ops.ExpandDims(ops.Cast(ops.Exp(ops.Mul(w, 0.3)), tensor.Complex128), 0)), ops.Conj(ops.Transpose(v)))
			return ops.Sum(ops.Real(ops.Mul(e, x.Graph().Const(tensor.Must(tensor.FromSlice(weight, n, n))))))
		},
		"cumprod": func(x *ops.Node) *ops.Node {
			y := ops.CumProd(ops.Reshape(x, -1), 0, &ops.CumSumOptions{Reverse: true})
			return ops.Sum(ops.Real(ops.Mul(y, x.Graph().Const(tensor.Must(tensor.FromSlice(weight, n*n))))))
		},
	} {
		value := func(a []complex128) float64 {
			g := ops.NewGraph(name)
			return onHost(t, g, nil, ops.Reshape(f(g.Const(tensor.Must(tensor.FromSlice(a, n, n)))), 1))[0].Float64At(0)
		}
		g := ops.NewGraph(name)
		x := g.Variable("x", tensor.Must(tensor.FromSlice(a, n, n)))
		d := tensor.MustSlice[complex128](onHost(t, g, nil, ops.Reshape(ops.Gradients(f(x), x)[0], -1))[0])
		for i := range a {
			var slope [2]float64
			for part, by := range []complex128{small, 1i * small} {
				up, down := append([]complex128(nil), a...), append([]complex128(nil), a...)
				up[i] += by
				down[i] -= by
				slope[part] = (value(up) - value(down)) / (2 * small)
			}
			require.Less(t, cmplx.Abs(complex(slope[0], slope[1])-d[i]), 1e-6*(1+cmplx.Abs(d[i])), "%s: element %d: %v, not %v", name, i, d[i], slope)
		}
	}
}

func TestRunningProductsOfComplexNumbers(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 7, 8} {
		for _, o := range []ops.CumSumOptions{{}, {Exclusive: true}, {Reverse: true}, {Exclusive: true, Reverse: true}} {
			a := complexNumbers(2 * n)
			want := make([]complex128, 2*n)
			for q := range 2 {
				product := 1 + 0i
				for k := range n {
					i := k
					if o.Reverse {
						i = n - 1 - k
					}
					if o.Exclusive {
						want[i*2+q] = product
					}
					product *= a[i*2+q]
					if !o.Exclusive {
						want[i*2+q] = product
					}
				}
			}
			g := ops.NewGraph("cumprod")
			x := g.Const(tensor.Must(tensor.FromSlice(a, n, 2)))
			near(t, want, tensor.MustSlice[complex128](onHost(t, g, nil, ops.Reshape(ops.CumProd(x, 0, &o), 2*n))[0]))
		}
	}
}

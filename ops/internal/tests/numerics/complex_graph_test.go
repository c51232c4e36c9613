package numerics_test

import (
	"math/cmplx"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/dtypes"
	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/internal/opstest"
	"github.com/anycl/anycl/tensor"
)

func complexes64(t testing.TB, x *tensor.Tensor) []complex64 {
	t.Helper()
	v, err := tensor.ToSlice[complex64](x)
	require.NoError(t, err)
	return v
}

func TestComplexNumbersAreMovedAndReduced(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, rt *Runtime) {
		g := NewGraph("moved")
		x := g.Input("x", tensor.Complex64, 2, 3)
		c := g.Const(complexTensor(t, tensor.Complex64, []complex128{1i, 2}, 2, 1))
		at := g.Const(tensor.Must(tensor.FromSlice([]int64{2, 0})))
		named := map[string]*Node{
			"transpose": Reshape(Transpose(x), 6), "slice": Flip(Narrow(x, 1, 1, 2), 1), "pad": Pad(Select(x, 0, 0), 5, Padding{Axis: 0, Before: 1, After: 1}),
			"concat": Concat(0, x, Mul(x, c)), "gather": Gather(x, 1, at), "tile": Roll(Select(x, 0, 1), []int{1}, 0),
			"sum": Sum(x), "rows": Sum(x, 1), "mean": Mean(x, 0), "prod": Prod(x, 1), "all": Prod(x), "none": Sum(x, []int{}...),
			"cumsum": CumSum(x, 1, nil), "equal": Equal(x, BroadcastTo(Select(x, 0, 0), 2, 3)), "cast": Cast(x, tensor.Float32), "bool": Cast(x, tensor.Bool),
			"up": Cast(Cast(x, tensor.Bool), tensor.Complex64), "scalar": Mul(Add(x, 1-2i), 2), "full": FullLike(x, 3), "nan": IsNaN(Div(x, ZerosLike(x))),
			"empty": Prod(Narrow(x, 1, 0, 0), 1), "tril": Tril(x, 0),
			"resampled": Interpolate(Reshape(Narrow(Select(x, 0, 0), 0, 0, 2), 1, 1, 2), InterpolateOptions{Mode: InterpolateLinear, Size: []int{4}}),
		}
		var names []string
		var outs []*Node
		for name, n := range named {
			names, outs = append(names, name), append(outs, n)
		}
		in := []complex128{1, 2i, 3 + 1i, -1, 0, 1 - 1i}
		got := map[string]any{}
		for k, y := range complexRun(t, rt, g, Feeds{x: complexTensor(t, tensor.Complex64, in, 2, 3)}, outs...) {
			switch y.DType() {
			case tensor.Complex64:
				got[names[k]] = complexes64(t, y)
			case tensor.Float32:
				got[names[k]] = opstest.FloatsOf(t, y)
			default:
				got[names[k]], _ = tensor.ToSlice[bool](y)
			}
		}
		require.Equal(t, map[string]any{
			"transpose": []complex64{1, -1, 2i, 0, 3 + 1i, 1 - 1i},
			"slice":     []complex64{3 + 1i, 2i, 1 - 1i, 0},
			"pad":       []complex64{5, 1, 2i, 3 + 1i, 5},
			"concat":    []complex64{1, 2i, 3 + 1i, -1, 0, 1 - 1i, 1i, -2, -1 + 3i, -2, 0, 2 - 2i},
			"gather":    []complex64{3 + 1i, 1, 1 - 1i, -1},
			"tile":      []complex64{1 - 1i, -1, 0},
			"sum":       []complex64{4 + 2i}, "rows": []complex64{4 + 3i, -1i}, "mean": []complex64{0, 1i, 2},
			"prod": []complex64{-2 + 6i, 0}, "all": []complex64{0}, "none": []complex64{1, 2i, 3 + 1i, -1, 0, 1 - 1i},
			"cumsum": []complex64{1, 1 + 2i, 4 + 3i, -1, -1, -1i}, "equal": []bool{true, true, true, false, false, false},
			"cast": []float32{1, 0, 3, -1, 0, 1}, "bool": []bool{true, true, true, true, false, true},
			"up": []complex64{1, 1, 1, 1, 0, 1}, "scalar": []complex64{4 - 4i, 2, 8 - 2i, -4i, 2 - 4i, 4 - 6i},
			"full": []complex64{3, 3, 3, 3, 3, 3}, "nan": []bool{true, true, false, true, true, false}, "empty": []complex64{1, 1},
			"tril": []complex64{1, 0, 0, -1, 0, 0}, "resampled": []complex64{1, 0.75 + 0.5i, 0.25 + 1.5i, 2i},
		}, got)
	})
}

func TestComplexProducts(t *testing.T) {
	t.Parallel()
	const b, m, k, n = 2, 3, 5, 4
	av, bv := complexValues(b*m*k), complexValues(b*k*n + 1)[1:]
	want := make([]complex128, b*m*n)
	for i := range want {
		for j := range k {
			want[i] += av[i/n*k+j] * bv[i/(m*n)*k*n+j*n+i%n]
		}
	}
	onEngines(t, func(t *testing.T, rt *Runtime) {
		for _, dt := range dtypes.Complex {
			g := NewGraph("product")
			x, y := g.Input("x", dt, b, m, k), g.Input("y", dt, b, k, n)
			row := Select(Select(x, 0, 0), 0, 0)
			got := complexRun(t, rt, g, Feeds{x: complexTensor(t, dt, av, b, m, k), y: complexTensor(t, dt, bv, b, k, n)},
				MatMul(x, y), Einsum("bij,bjk->bik", x, y), MatMul(row, Select(y, 0, 0)), Outer(row, row))
			for i, v := range want {
				require.InDelta(t, 0, cmplx.Abs(got[0].Complex128At(i)-v), 1e-5*max(1, cmplx.Abs(v)))
				require.InDelta(t, 0, cmplx.Abs(got[1].Complex128At(i)-v), 1e-5*max(1, cmplx.Abs(v)))
				if i < n {
					require.InDelta(t, 0, cmplx.Abs(got[2].Complex128At(i)-v), 1e-5*max(1, cmplx.Abs(v)))
				}
			}
			require.InDelta(t, 0, cmplx.Abs(got[3].Complex128At(k+2)-av[1]*av[2]), 1e-5)
		}
	})
}

// The derivative of a real number by a complex one is ∂/∂re + i ∂/∂im.
func TestComplexDerivativesAgreeWithDifferences(t *testing.T) {
	t.Parallel()
	const n = 5
	functions := map[string]func(x, w *Node) *Node{
		"mul": func(x, w *Node) *Node { return Mul(x, w) }, "div": func(x, w *Node) *Node { return Div(w, x) }, "conj": func(x, w *Node) *Node { return Mul(Conj(x), x) },
		"exp": func(x, _ *Node) *Node { return Exp(x) }, "log": func(x, _ *Node) *Node { return Log(x) }, "sqrt": func(x, _ *Node) *Node { return Sqrt(x) },
		"pow": func(x, w *Node) *Node { return Pow(x, w) }, "tanh": func(x, _ *Node) *Node { return Tanh(x) }, "sin": func(x, _ *Node) *Node { return Sin(x) },
		"abs": func(x, w *Node) *Node { return Mul(Complex(Abs(x), Angle(x)), w) }, "sign": func(x, _ *Node) *Node { return Sign(x) },
		"matmul": func(x, w *Node) *Node { return MatMul(Reshape(x, 1, n), Reshape(Mul(w, x), n, 1)) }, "prod": func(x, w *Node) *Node { return Prod(Add(x, w)) },
		"cumsum": func(x, w *Node) *Node { return Mul(CumSum(x, 0, nil), w) }, "where": func(x, w *Node) *Node { return Where(Greater(Real(x), 0), Mul(x, x), w) },
		"views": func(x, w *Node) *Node { return ViewAsComplex(Flip(ViewAsReal(Mul(x, w)), -1)) },
	}
	values := []complex128{0.7 + 0.4i, -1.2 + 0.3i, 0.5 - 1.1i, -0.6 - 0.8i, 1.3 + 0.2i}
	weights := []complex128{0.3 - 0.5i, 1 + 0.25i, -0.75 + 0.5i, 0.2 + 0.9i, -0.4 - 0.3i}
	rt := opstest.CPUOnly(t)
	g := NewGraph("derivatives")
	x := g.Input("x", tensor.Complex128, n)
	w := g.Const(complexTensor(t, tensor.Complex128, weights))
	var names []string
	var outs []*Node
	for name, f := range functions {
		y := f(x, w)
		l := Sum(Add(Real(y), Mul(Imag(y), 0.5)))
		names = append(names, name)
		outs = append(outs, l, Gradients(l, x)[0])
	}
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: outs})
	require.NoError(t, err)
	defer exe.Close()
	at := func(v []complex128) []*tensor.Tensor {
		out, err := exe.Run(t.Context(), Feeds{x: complexTensor(t, tensor.Complex128, v)})
		require.NoError(t, err)
		return out
	}
	here := at(values)
	const h = 1e-6
	for i := range values {
		var d [2][]*tensor.Tensor
		slope := func(step complex128) func(k int) float64 {
			for s, sign := range []complex128{1, -1} {
				moved := append([]complex128{}, values...)
				moved[i] += sign * step
				d[s] = at(moved)
			}
			a, b := d[0], d[1]
			return func(k int) float64 { return (a[2*k].Float64At(0) - b[2*k].Float64At(0)) / (2 * h) }
		}
		re, im := slope(h), slope(complex(0, h))
		for k, name := range names {
			got := here[2*k+1].Complex128At(i)
			require.InDelta(t, re(k), real(got), 1e-6, "%s, real part of %d", name, i)
			require.InDelta(t, im(k), imag(got), 1e-6, "%s, imaginary part of %d", name, i)
		}
	}
}

func TestComplexVariablesLoopsAndBranches(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, rt *Runtime) {
		g := NewGraph("state")
		v := g.Variable("v", complexTensor(t, tensor.Complex64, []complex128{1, 1i}))
		require.True(t, IsVariable(v))
		x := g.Input("x", tensor.Complex64, 3, 2)
		last, ys := Scan([]*Node{v}, []*Node{x}, func(_ *Node, s, row []*Node) (next, y []*Node) {
			z := Mul(s[0], row[0])
			return []*Node{z}, []*Node{Conj(z), Abs(z)}
		}, nil)
		powers := While([]*Node{v, g.Full(tensor.Int32, 0)}, func(s []*Node) *Node { return Less(s[1], 3) },
			func(s []*Node) []*Node { return []*Node{Mul(s[0], 2i), Add(s[1], 1)} }, &LoopOptions{Limit: 5})
		branch := If(Greater(Sum(Abs(x)), 0), func() []*Node { return []*Node{Mul(v, 3)} }, func() []*Node { return []*Node{v} })
		d := Gradients(Sum(Real(last[0])), v)[0]
		exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{last[0], ys[0], ys[1], powers[0], branch[0], d}, Updates: []*Node{Assign(v, Mul(v, 1i))}})
		require.NoError(t, err)
		defer exe.Close()
		rows := []complex128{2, 1, 1i, -1, 1, 2}
		require.Equal(t, []*Node{x}, exe.Inputs())
		out, err := exe.Run(t.Context(), Feeds{x: complexTensor(t, tensor.Complex64, rows, 3, 2)})
		require.NoError(t, err)
		require.Equal(t, []complex64{2i, -2i}, complexes64(t, out[0]))
		require.Equal(t, []complex64{2, -1i, -2i, 1i, -2i, 2i}, complexes64(t, out[1]))
		require.Equal(t, []float32{2, 1, 2, 1, 2, 2}, opstest.FloatsOf(t, out[2]))
		require.Equal(t, []complex64{-8i, 8}, complexes64(t, out[3]))
		require.Equal(t, []complex64{3, 3i}, complexes64(t, out[4]))
		require.Equal(t, []complex64{-2i, -2}, complexes64(t, out[5]), "the conjugates of the products of rows")
		now, err := Value(t.Context(), v)
		require.NoError(t, err)
		require.Equal(t, []complex64{1i, -1}, complexes64(t, now))
		require.NoError(t, Set(t.Context(), v, complexTensor(t, tensor.Complex64, []complex128{5, 6i})))
		into := []*tensor.Tensor{tensor.Must(tensor.New(tensor.Complex64, 2)), out[1], out[2], out[3], out[4], out[5]}
		require.NoError(t, exe.RunInto(t.Context(), Feeds{x: complexTensor(t, tensor.Complex64, rows, 3, 2)}, into))
		require.Equal(t, []complex64{10i, -12i}, complexes64(t, into[0]))
		require.Error(t, Set(t.Context(), v, tensor.Must(tensor.New(tensor.Float32, 2, 2))))

		for _, wrong := range []*tensor.Tensor{tensor.Must(tensor.New(tensor.Float32, 3, 2, 2)), tensor.Must(tensor.New(tensor.Complex128, 3, 2)), tensor.Must(tensor.New(tensor.Complex64, 2))} {
			_, err = exe.Run(t.Context(), Feeds{x: wrong})
			require.ErrorIs(t, err, ErrFeed)
			require.ErrorContains(t, err, "input x is complex64[3 2], not ")
		}
		_, err = exe.Run(t.Context(), nil)
		require.ErrorContains(t, err, "input x (complex64[3 2], declared at numerics/complex_graph_test.go:")
	})
}

// What loops and branches read from around has its derivative too.
func TestComplexNumbersAroundLoopsHaveDerivatives(t *testing.T) {
	t.Parallel()
	rt := opstest.CPUOnly(t)
	g := NewGraph("around")
	x, w := g.Input("x", tensor.Complex128, 2), g.Input("w", tensor.Complex128, 2)
	last, _ := Scan([]*Node{x}, nil, func(_ *Node, s, _ []*Node) (next, y []*Node) { return []*Node{Mul(s[0], w)}, nil }, &ScanOptions{Trips: 3})
	y := If(Less(Real(Sum(x)), 100), func() []*Node { return []*Node{Mul(last[0], w)} }, func() []*Node { return []*Node{x} })[0]
	loss := Sum(Real(y))
	written := Sum(Real(Mul(x, Mul(Square(w), Square(w)))))
	a, b := Gradients(loss, x, w), Gradients(written, x, w)
	got := complexRun(t, rt, g, Feeds{
		x: complexTensor(t, tensor.Complex128, []complex128{1 + 2i, -0.5i}), w: complexTensor(t, tensor.Complex128, []complex128{0.5 - 1i, 2 + 0.25i}),
	}, a[0], a[1], b[0], b[1])
	for i := range 2 {
		ok, why := tensor.AllClose(got[i], got[i+2], 1e-12, 1e-12)
		require.True(t, ok, why)
	}
}

func TestComplexNumbersOfOpenSizes(t *testing.T) {
	t.Parallel()
	rt := opstest.CPUOnly(t)
	g := NewGraph("open")
	x := g.Input("x", tensor.Complex64, Dynamic, 2)
	y := Mul(MatMul(x, Conj(Transpose(x))), 2i)
	exe, err := g.Compile(t.Context(), rt, Target{Outputs: []*Node{y, Sum(Abs(x), 1)}})
	require.NoError(t, err)
	defer exe.Close()
	for n := range 4 {
		v := complexValues(2*n + 1)[1:]
		out, err := exe.Run(t.Context(), Feeds{x: complexTensor(t, tensor.Complex64, v, n, 2)})
		require.NoError(t, err)
		require.Equal(t, []int{n, n}, []int(out[0].Shape()))
		for i := range n * n {
			a, b := i/n, i%n
			want := 2i * (v[2*a]*cmplx.Conj(v[2*b]) + v[2*a+1]*cmplx.Conj(v[2*b+1]))
			require.InDelta(t, 0, cmplx.Abs(out[0].Complex128At(i)-want), 1e-6)
		}
	}
}

func TestOpsWithoutAComplexFormSayWhatToUse(t *testing.T) {
	t.Parallel()
	g := NewGraph("refused")
	x := g.Input("x", tensor.Complex64, 3)
	for name, f := range map[string]func() *Node{
		"relu": func() *Node { return ReLU(x) }, "less": func() *Node { return Less(x, x) }, "max": func() *Node { return Max(x) },
		"sort": func() *Node { return Apply("sort", nil, x) }, "erf": func() *Node { return Erf(x) },
	} {
		n := f()
		require.True(t, opstest.Failed(n), name)
	}
	require.True(t, opstest.Failed(Complex(g.Input("h", tensor.Float16, 3), 1)))
	require.True(t, opstest.Failed(Add(x, g.Input("f", tensor.Float32, 3))))
	require.True(t, opstest.Failed(Mul(g.Input("i", tensor.Int32, 3), 2i)))
	require.True(t, opstest.Failed(ViewAsComplex(g.Input("three", tensor.Float32, 3))))
	require.True(t, opstest.Failed(Gradients(Sum(x), x)[0]))
	require.ErrorContains(t, g.Err(), "the op has no complex form (use ops.Real")
	require.ErrorContains(t, g.Err(), "parts")
}

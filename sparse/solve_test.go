package sparse_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/sparse"
)

// flow is a Laplacian with a wind: not symmetric.
func flow[T sparse.Number](m int, wind T) *sparse.CSR[T] {
	a := laplacian[T](m)
	for r := range a.Rows {
		for i := a.Ptr[r]; i < a.Ptr[r+1]; i++ {
			switch int(a.Col[i]) - r {
			case 1:
				a.Value[i] += wind
			case -1:
				a.Value[i] -= wind
			}
		}
	}
	return a
}

type method func(a sparse.Operator, b *ops.Node, o *sparse.Options) *sparse.Solution

// solved is a solution in numbers.
type solved struct {
	x, history           []float64
	iterations, residual float64
	converged, broken    bool
}

func (e engine) solve(t *testing.T, s *sparse.Solution) solved {
	t.Helper()
	outs := []*ops.Node{s.X, s.Iterations, s.Residual, s.Converged, s.Broken}
	if s.History != nil {
		outs = append(outs, s.History)
	}
	v := e.values(t, outs...)
	r := solved{x: v[0], iterations: v[1][0], residual: v[2][0], converged: v[3][0] == 1, broken: v[4][0] == 1}
	if s.History != nil {
		r.history = v[5]
	}
	return r
}

// The residual is computed again on the host, in float64.
func TestSystemsAreSolved(t *testing.T) {
	t.Run("float32", func(t *testing.T) {
		everywhere(t, func(t *testing.T, e engine) { testSystems[float32](t, e, 1e-5) })
	})
	t.Run("float64", func(t *testing.T) {
		testdevices.UnoptimizeTest(t) // the same passes are optimized in float32
		everywhere(t, func(t *testing.T, e engine) { testSystems[float64](t, e, 1e-10) })
	})
}

func testSystems[T sparse.Number](t *testing.T, e engine, bound float64) {
	const m = 20
	symmetric, wind := laplacian[T](m), flow[T](m, 0.4)
	b := numbers[T](m*m, 1)
	for _, c := range []struct {
		name   string
		solve  method
		a      *sparse.CSR[T]
		factor func(g *ops.Graph, a *sparse.CSR[T]) sparse.Preconditioner
		most   float64
	}{
		{"CG", sparse.CG, symmetric, nil, 100},
		{"CG, Jacobi", sparse.CG, symmetric, jacobi[T], 100},
		{"CG, IC", sparse.CG, symmetric, cholesky[T], 40},
		{"BiCGSTAB", sparse.BiCGSTAB, wind, nil, 100},
		{"BiCGSTAB, ILU", sparse.BiCGSTAB, wind, lowerUpper[T], 40},
		{"GMRES", sparse.GMRES, wind, nil, 400},
		{"GMRES, ILU", sparse.GMRES, wind, lowerUpper[T], 100},
	} {
		g := ops.NewGraph(c.name)
		a := sparse.Const(g, c.a)
		o := &sparse.Options{History: true}
		if c.factor != nil {
			o.Precondition = c.factor(g, c.a)
		}
		s := e.solve(t, c.solve(a.Apply, constant(g, b, m*m), o))
		assert.True(t, s.converged, c.name)
		assert.False(t, s.broken, c.name)
		assert.Less(t, s.iterations, c.most, c.name)
		assert.LessOrEqual(t, relative(t, c.a, s.x, b), 3*bound, c.name)
		assert.InDelta(t, relative(t, c.a, s.x, b), s.residual, bound, c.name)
		assert.Equal(t, 1.0, s.history[0], c.name)
		var last float64
		for _, h := range s.history {
			if !math.IsNaN(h) {
				last = h
			}
		}
		assert.LessOrEqual(t, last, bound, c.name)
	}
}

// The first step of conjugate gradients from 0 goes by b·b / b·A·b along b, and the product below is computed by the kernel of the one with A: of
// matrices with rows in order and sorted by length, and with a last part of few rows.
func TestTheFirstStepOfConjugateGradientsIsTheBest(t *testing.T) {
	withGPUs(t, func(t *testing.T, e engine) {
		testFirstStep[float64](t, e, 1e-13)
		testFirstStep[float32](t, e, 1e-6)
	})
}

// An iteration has the product, which computes p·q too, a pass for the residual and its square, and one for the solution and the direction. The
// values of the matrix are laid out before all of them.
func TestAnIterationOfConjugateGradientsIsThreePasses(t *testing.T) {
	everywhere(t, func(t *testing.T, e engine) {
		g := ops.NewGraph("passes")
		a := sparse.Const(g, laplacian[float32](200))
		x := sparse.CG(a.Apply, g.Input("b", a32, 40_000), nil).X
		exe, err := g.Compile(t.Context(), e.rt, ops.Target{Outputs: []*ops.Node{x}, Place: e.place})
		require.NoError(t, err)
		defer func() { require.NoError(t, exe.Close()) }()
		_, loop, found := strings.Cut(exe.Explain(), "while at")
		require.True(t, found)
		loop, _, _ = strings.Cut(loop, "while hands on")
		assert.NotContains(t, loop, "sparse.kept")
		assert.Contains(t, loop, "sparse.multiply_sliced_dot")
		assert.Equal(t, 2, strings.Count(loop, "  40000  "), loop)
	})
}

func testFirstStep[T sparse.Number](t *testing.T, e engine, bound float64) {
	banded := &sparse.COO[T]{Rows: 1003, Cols: 1003}
	for i := range 1003 {
		banded.Add(i, i, 4)
		banded.Add(i, (i+1)%1003, 1)
		banded.Add(i, (i+1002)%1003, 1)
	}
	rows, err := banded.CSR()
	require.NoError(t, err)
	uneven := &sparse.COO[T]{Rows: 700, Cols: 700}
	for i := range 700 {
		uneven.Add(i, i, 4)
		for k := range i % 4 {
			uneven.Add(i, (i*37+k*101)%700, 0.5)
		}
	}
	sorted, err := uneven.CSR()
	require.NoError(t, err)
	for _, a := range []*sparse.CSR[T]{rows, sorted, laplacian[T](33), laplacian[T](5)} {
		b := numbers[T](a.Rows, 3)
		g := ops.NewGraph("step")
		s := e.solve(t, sparse.CG(sparse.Const(g, a).Apply, constant(g, b, len(b)), &sparse.Options{Limit: 1, Tolerance: 1e-20}))
		wide := make([]float64, len(b))
		for i, v := range b {
			wide[i] = float64(v)
		}
		q, err := a.Float64().Mul(wide)
		require.NoError(t, err)
		var bb, bq float64
		for i, v := range wide {
			bb += v * v
			bq += v * q[i]
		}
		for i := range wide {
			wide[i] *= bb / bq
		}
		near(t, wide, s.x, bound)
	}
}

func jacobi[T sparse.Number](g *ops.Graph, a *sparse.CSR[T]) sparse.Preconditioner {
	return sparse.Jacobi(sparse.Const(g, a))
}

func cholesky[T sparse.Number](g *ops.Graph, a *sparse.CSR[T]) sparse.Preconditioner {
	l, err := sparse.IC0(a)
	if err != nil {
		panic(err)
	}
	return sparse.LowerLower(g, l)
}

func lowerUpper[T sparse.Number](g *ops.Graph, a *sparse.CSR[T]) sparse.Preconditioner {
	lu, err := sparse.ILU0(a)
	if err != nil {
		panic(err)
	}
	return sparse.LowerUpper(g, lu)
}

// relative is ‖b - a·x‖ / ‖b‖.
func relative[T sparse.Number](t *testing.T, a *sparse.CSR[T], x []float64, b []T) float64 {
	y, err := a.Float64().Mul(x)
	require.NoError(t, err)
	var r, n float64
	for i, v := range y {
		r += (float64(b[i]) - v) * (float64(b[i]) - v)
		n += float64(b[i]) * float64(b[i])
	}
	return math.Sqrt(r / n)
}

func TestSystemsThatCannotBeSolvedAreReported(t *testing.T) {
	testdevices.UnoptimizeTest(t) // the same passes are optimized where systems are solved
	everywhere(t, func(t *testing.T, e engine) {
		dense := func(v ...float64) *sparse.CSR[float64] {
			a, err := sparse.FromDense(2, 2, v)
			require.NoError(t, err)
			return a
		}
		methods := map[string]method{"CG": sparse.CG, "BiCGSTAB": sparse.BiCGSTAB, "GMRES": sparse.GMRES}
		for name, solve := range methods {
			run := func(a *sparse.CSR[float64], b []float64, o *sparse.Options) solved {
				g := ops.NewGraph(name)
				s := e.solve(t, solve(sparse.Const(g, a).Apply, constant(g, b, len(b)), o))
				return s
			}
			s := run(dense(2, 0, 0, 3), []float64{0, 0}, nil)
			assert.Equal(t, solved{x: []float64{0, 0}, converged: true}, s, "%s of nothing", name)
			s = run(dense(1, 0, 0, 0), []float64{0, 1}, &sparse.Options{Limit: 20})
			assert.False(t, s.converged, "%s of a singular matrix", name)
			assert.Equal(t, []float64{0, 0}, s.x, name)
			s = run(dense(math.NaN(), 1, 1, 2), []float64{1, 1}, nil)
			assert.False(t, s.converged, "%s of NaN", name)
			assert.True(t, s.broken, "%s of NaN", name)
			s = run(dense(2, 0, 0, 3), []float64{1, math.Inf(1)}, nil)
			assert.False(t, s.converged, "%s of Inf", name)
			s = run(laplacian[float64](8), numbers[float64](64, 1), &sparse.Options{Limit: 3})
			assert.False(t, s.converged, "%s with a limit", name)
			assert.False(t, s.broken, "%s with a limit", name)
			assert.Equal(t, 3.0, s.iterations, name)
			start := numbers[float64](64, 2)
			g := ops.NewGraph(name)
			a := sparse.Const(g, laplacian[float64](8))
			x := constant(g, start, 64)
			s = e.solve(t, solve(a.Apply, sparse.Mul(a, x), &sparse.Options{Start: x}))
			assert.Zero(t, s.iterations, "%s from the solution", name)
			assert.True(t, s.converged, name)
		}
		g := ops.NewGraph("CG")
		s := e.solve(t, sparse.CG(sparse.Const(g, dense(1, 0, 0, -1)).Apply, constant(g, []float64{0, 1}, 2), nil))
		assert.True(t, s.broken, "CG of a matrix that is not positive")
		assert.False(t, s.converged)
	})
}

func TestMistakesOfSolvers(t *testing.T) {
	t.Parallel()
	for what, solve := range map[string]func(g *ops.Graph, a *sparse.Matrix) *sparse.Solution{
		"not float32 or float64": func(g *ops.Graph, a *sparse.Matrix) *sparse.Solution { return sparse.CG(a.Apply, g.Ones(i32, 9), nil) },
		"9 x 9 times x [8]":      func(g *ops.Graph, a *sparse.Matrix) *sparse.Solution { return sparse.CG(a.Apply, g.Ones(a32, 8), nil) },
		"a tolerance of -1": func(g *ops.Graph, a *sparse.Matrix) *sparse.Solution {
			return sparse.GMRES(a.Apply, g.Ones(a32, 9), &sparse.Options{Tolerance: -1})
		},
		"operator is nil": func(g *ops.Graph, _ *sparse.Matrix) *sparse.Solution {
			return sparse.BiCGSTAB(nil, g.Ones(a32, 9), nil)
		},
		"A·x float32[3]": func(g *ops.Graph, a *sparse.Matrix) *sparse.Solution {
			return sparse.CG(func(*ops.Node) *ops.Node { return g.Ones(a32, 3) }, g.Ones(a32, 9), nil)
		},
	} {
		g := ops.NewGraph("mistakes")
		s := solve(g, sparse.Const(g, laplacian[float32](3)))
		require.NotNil(t, s.X)
		require.ErrorContains(t, g.Err(), what)
		require.NotContains(t, g.Err().Error(), "an operand is nil", "which no operand is")
	}
}

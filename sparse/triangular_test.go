package sparse_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/sparse"
)

// regular is a random square matrix with a large diagonal.
func regular[T sparse.Number](t *testing.T, n, count int, seed uint64) *sparse.CSR[T] {
	a := random[T](t, n, n, count, seed)
	d := &sparse.COO[T]{Rows: n, Cols: n}
	for i := range n {
		d.Add(i, i, 4+T(i%3))
	}
	c, err := d.CSR()
	require.NoError(t, err)
	a, err = a.Plus(1, c)
	require.NoError(t, err)
	return a
}

// With their gradients beside those of dense matrices.
func TestTriangularSystems(t *testing.T) {
	withGPUs(t, func(t *testing.T, e engine) {
		const n = 40
		a := regular[float64](t, n, 200, 1)
		var outs, dense []*ops.Node
		g := ops.NewGraph("triangles")
		for _, tri := range []sparse.Triangle{{}, {Upper: true}, {Unit: true}, {Upper: true, Unit: true}} {
			s, d := sparse.Const(g, a), constant(g, a.Dense(), n, n)
			for _, k := range []int{1, 3} {
				b := constant(g, numbers[float64](n*k, 2), n, k)
				vector := b
				if k == 1 {
					vector = ops.Reshape(b, n)
				}
				x := sparse.SolveTriangular(s, vector, tri)
				y := linalg.SolveTriangular(d, b, &linalg.TriangularOptions{Upper: tri.Upper, Unit: tri.Unit})
				gx, gy := ops.Gradients(ops.Sum(ops.Sin(x)), s.Values, b), ops.Gradients(ops.Sum(ops.Sin(y)), d, b)
				outs = append(outs, x, sparse.Dense(sparse.New(s.Pattern, gx[0])), gx[1])
				dense = append(dense, y, ops.Mul(gy[0], ops.Cast(ops.NotEqual(d, 0.0), d.DType())), gy[1])
			}
		}
		got, want := e.values(t, outs...), engine{e.rt, ops.OnCPU}.values(t, dense...) // LAPACK is there
		for i := range got {
			near(t, want[i], got[i], 1e-13)
		}
	})
}

// Rows of a band have runs of columns side by side, taken sixteen at a time: no, one and several sixteens, and a rest; a hole ends a run.
func TestTrianglesOfABand(t *testing.T) {
	withGPUs(t, func(t *testing.T, e engine) {
		const n, band = 90, 53
		value := numbers[float64](n*n, 3)
		c := &sparse.COO[float64]{Rows: n, Cols: n}
		for i := range n {
			for j := max(0, i-band); j < min(n, i+band+1); j++ {
				switch {
				case i == j:
					c.Add(i, j, 40)
				case i%7 != 3 || j%29 != 5:
					c.Add(i, j, value[i*n+j])
				}
			}
		}
		a, err := c.CSR()
		require.NoError(t, err)
		g := ops.NewGraph("band")
		b := constant(g, numbers[float64](n, 2), n)
		var outs, dense []*ops.Node
		for _, tri := range []sparse.Triangle{{}, {Upper: true}} {
			outs = append(outs, sparse.SolveTriangular(sparse.Const(g, a), b, tri))
			dense = append(dense, linalg.SolveTriangular(constant(g, a.Dense(), n, n), ops.Reshape(b, n, 1), &linalg.TriangularOptions{Upper: tri.Upper}))
		}
		got, want := e.values(t, outs...), engine{e.rt, ops.OnCPU}.values(t, dense...)
		for i := range got {
			near(t, want[i], got[i], 1e-13)
		}
	})
}

func TestATriangleWithoutADiagonalIsAMistake(t *testing.T) {
	t.Parallel()
	a := random[float32](t, 5, 5, 3, 1)
	g := ops.NewGraph("triangle")
	sparse.SolveTriangular(sparse.Const(g, a), g.Ones(a32, 5), sparse.Triangle{})
	require.ErrorContains(t, g.Err(), "diagonal")
	g = ops.NewGraph("triangle")
	sparse.SolveTriangular(sparse.Const(g, a), g.Ones(a32, 4), sparse.Triangle{Unit: true})
	require.ErrorContains(t, g.Err(), "5 x 5 and b [4]")
}

// Where a has the elements of its factors, incomplete ones are complete: of a matrix with three diagonals. Elsewhere they agree with a where a has elements.
func TestIncompleteFactors(t *testing.T) {
	t.Parallel()
	for _, a := range []*sparse.CSR[float64]{laplacian[float64](1), laplacian[float64](7), tridiagonal(20)} {
		lu, err := sparse.ILU0(a)
		require.NoError(t, err)
		l, err := sparse.IC0(a)
		require.NoError(t, err)
		lower, upper := lu.Dense(), lu.Dense()
		n := a.Rows
		for r := range n {
			for c := range n {
				switch {
				case r == c:
					lower[r*n+c] = 1
				case c > r:
					lower[r*n+c] = 0
				default:
					upper[r*n+c] = 0
				}
			}
		}
		p, q := product(lower, n, n, upper, n), product(l.Dense(), n, n, l.Transpose().Dense(), n)
		for r := range n {
			for i := a.Ptr[r]; i < a.Ptr[r+1]; i++ {
				assert.InDelta(t, a.Value[i], p[r*n+int(a.Col[i])], 1e-13)
				assert.InDelta(t, a.Value[i], q[r*n+int(a.Col[i])], 1e-13)
			}
		}
		if n == 20 {
			near(t, a.Dense(), p, 1e-14)
			near(t, a.Dense(), q, 1e-14)
		}
	}
	for _, v := range [][]float64{{0, 1, 1, 0}, {1, 2, 2, 4}, {1, 0, 0, 0}} {
		a, err := sparse.FromDense(2, 2, v)
		require.NoError(t, err)
		_, err = sparse.ILU0(a)
		assert.ErrorIs(t, err, sparse.ErrPivot)
		_, err = sparse.IC0(a)
		assert.ErrorIs(t, err, sparse.ErrPivot)
	}
	a, err := sparse.FromDense(2, 2, []float64{-1, 0, 0, 1})
	require.NoError(t, err)
	_, err = sparse.IC0(a)
	assert.ErrorIs(t, err, sparse.ErrPivot)
	_, err = sparse.IC0(random[float64](t, 2, 3, 1, 1))
	assert.ErrorContains(t, err, "not square")
}

func tridiagonal(n int) *sparse.CSR[float64] {
	a := &sparse.COO[float64]{Rows: n, Cols: n}
	for i := range n {
		a.Add(i, i, 2+float64(i%3)/4)
		if i > 0 {
			a.Add(i, i-1, -1)
			a.Add(i-1, i, -1)
		}
	}
	c, _ := a.CSR()
	return c
}

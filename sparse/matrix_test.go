package sparse_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/sparse"
)

func TestProductsAreThoseOfDenseMatrices(t *testing.T) {
	withGPUs(t, func(t *testing.T, e engine) {
		t.Run("float32", func(t *testing.T) { testProducts[float32](t, e, 4e-6) })
		t.Run("float64", func(t *testing.T) { testProducts[float64](t, e, 1e-14) })
	})
}

func testProducts[T sparse.Number](t *testing.T, e engine, bound float64) {
	g := ops.NewGraph("products")
	var outs []*ops.Node
	var want [][]float64
	for i, s := range [][4]int{{70, 50, 300, 0}, {70, 50, 300, 1}, {33, 200, 1000, 19}, {9, 9, 0, 3}, {1, 1, 1, 0}, {5, 1000, 3000, 0}, {1000, 300, 9000, 0}, {777, 50, 3000, 0}} {
		a := random[T](t, s[0], s[1], s[2], uint64(i))
		x := numbers[T](s[1]*max(s[3], 1), 3)
		shape := []int{s[1], s[3]}
		if s[3] == 0 {
			shape = shape[:1]
		}
		outs = append(outs, sparse.Mul(sparse.Const(g, a), constant(g, x, shape...)))
		want = append(want, product(a.Dense(), s[0], s[1], x, max(s[3], 1)))
	}
	for _, m := range []int{16, 20, 41} { // rows of like lengths, in whole slices and not, and with columns that follow each other
		a := laplacian[T](m)
		x := numbers[T](m*m, 4)
		outs = append(outs, sparse.Mul(sparse.Const(g, a), constant(g, x, m*m)))
		want = append(want, product(a.Dense(), m*m, m*m, x, 1))
	}
	got := e.values(t, outs...)
	for i := range want {
		near(t, want[i], got[i], bound)
	}
}

func TestSkewedRowsAreComputedInPieces(t *testing.T) {
	withGPUs(t, func(t *testing.T, e engine) {
		const n = 30000
		a := &sparse.COO[float64]{Rows: n, Cols: n}
		for i := range n {
			a.Add(i, i, 1)
			a.Add(7, i, float64(i%5)-2)
			if i < 3000 {
				a.Add(n-1, 3*i, float64(i%3)) // long, but not to be cut
			}
		}
		m, err := a.CSR()
		require.NoError(t, err)
		x := numbers[float64](2*n, 3)
		want, err := m.MulDense(x, 2)
		require.NoError(t, err)
		wantOne, err := m.Mul(x[:n])
		require.NoError(t, err)
		g := ops.NewGraph("skewed")
		b := sparse.Const(g, m)
		got := e.values(t, sparse.Mul(b, constant(g, x, n, 2)), sparse.Mul(b, constant(g, x[:n], n)))
		near(t, want, got[0], 1e-14)
		near(t, wantOne, got[1], 1e-14)
	})
}

func TestBatchesAreColumns(t *testing.T) {
	everywhere(t, func(t *testing.T, e engine) {
		a := random[float32](t, 6, 5, 12, 1)
		x := numbers[float32](4*5*3, 2)
		g := ops.NewGraph("batches")
		got := e.values(t, sparse.Mul(sparse.Const(g, a), constant(g, x, 4, 5, 3)))[0]
		for b := range 4 {
			near(t, product(a.Dense(), 6, 5, x[b*15:(b+1)*15], 3), got[b*18:(b+1)*18], 1e-6)
		}
	})
}

// The same functions of dense matrices are differentiated beside, on the CPU path.
func TestGradientsAreThoseOfDenseMatrices(t *testing.T) {
	everywhere(t, func(t *testing.T, e engine) {
		a, b := random[float64](t, 8, 6, 20, 1), random[float64](t, 6, 9, 20, 2)
		c := random[float64](t, 8, 9, 30, 3)
		g := ops.NewGraph("gradients")
		sa, sb, sc := sparse.Const(g, a), sparse.Const(g, b), sparse.Const(g, c)
		da, db, dc := constant(g, a.Dense(), 8, 6), constant(g, b.Dense(), 6, 9), constant(g, c.Dense(), 8, 9)
		x, y := constant(g, numbers[float64](9*2, 4), 9, 2), constant(g, numbers[float64](6, 5), 6)
		loss := func(p, q, r, s *ops.Node) *ops.Node { // of four results
			return ops.Add(ops.Add(ops.Sum(ops.Sin(p)), ops.Sum(ops.Mul(q, q))), ops.Add(ops.Sum(ops.Cos(r)), ops.Sum(ops.Mul(s, s))))
		}
		ab := sparse.MatMul(sa, sb)
		l := loss(sparse.Mul(ab, x), sparse.Mul(sa, y), sparse.Dense(sparse.Times(sparse.Add(ab, sc), sc)), sparse.SumRows(sparse.Transpose(sc)))
		dab := ops.MatMul(da, db)
		ld := loss(ops.MatMul(dab, x), ops.Reshape(ops.MatMul(da, ops.Reshape(y, 6, 1)), 8), ops.Mul(ops.Add(dab, dc), dc), ops.Sum(dc, 0))
		gs := ops.Gradients(l, sa.Values, sb.Values, sc.Values, x, y)
		gd := ops.Gradients(ld, da, db, dc, x, y)
		got := e.values(t, append([]*ops.Node{l}, gs...)...)
		dense := engine{e.rt, ops.OnCPU}.values(t, append([]*ops.Node{ld}, gd...)...)
		near(t, dense[0], got[0], 1e-14)
		for i, m := range []*sparse.CSR[float64]{a, b, c} {
			var want []float64
			for r := range m.Rows {
				for _, col := range m.Col[m.Ptr[r]:m.Ptr[r+1]] {
					want = append(want, dense[1+i][r*m.Cols+int(col)])
				}
			}
			near(t, want, got[1+i], 1e-13)
		}
		near(t, dense[1+3], got[1+3], 1e-13)
		near(t, dense[1+4], got[1+4], 1e-13)
	})
}

// A second derivative goes through the transposed product and the sampled one.
func TestSecondGradients(t *testing.T) {
	everywhere(t, func(t *testing.T, e engine) {
		a := random[float64](t, 5, 5, 12, 1)
		g := ops.NewGraph("second")
		s, d, x := sparse.Const(g, a), constant(g, a.Dense(), 5, 5), constant(g, numbers[float64](10, 2), 5, 2)
		twice := func(y *ops.Node) *ops.Node {
			first := ops.Gradients(ops.Sum(ops.Sin(y)), x)[0]
			return ops.Gradients(ops.Sum(ops.Mul(first, first)), x)[0]
		}
		got, want := e.values(t, twice(sparse.Mul(s, x))), engine{e.rt, ops.OnCPU}.values(t, twice(ops.MatMul(d, x)))
		near(t, want[0], got[0], 1e-13)
	})
}

func TestMistakesAreThoseOfTheGraph(t *testing.T) {
	t.Parallel()
	a, b := random[float32](t, 3, 4, 5, 1), random[float64](t, 4, 3, 5, 1)
	for what, build := range map[string]func(g *ops.Graph) *ops.Node{
		"3 x 4 times x [3]": func(g *ops.Graph) *ops.Node {
			return sparse.Mul(sparse.Const(g, a), constant(g, make([]float32, 3), 3))
		},
		"float32 and x float64": func(g *ops.Graph) *ops.Node {
			return sparse.Mul(sparse.Const(g, a), constant(g, make([]float64, 4), 4))
		},
		"nil": func(g *ops.Graph) *ops.Node { return sparse.Mul(sparse.Const(g, a), nil) },
		"an operand is nil": func(g *ops.Graph) *ops.Node {
			return ops.Add(sparse.Mul(nil, constant(g, make([]float32, 4), 4)), g.Ones(0, 3))
		},
		"float64 4 x 3": func(g *ops.Graph) *ops.Node { return sparse.MatMul(sparse.Const(g, a), sparse.Const(g, b)).Values },
		"beside": func(g *ops.Graph) *ops.Node {
			return sparse.Add(sparse.Const(g, a), sparse.Const(g, a.Transpose())).Values
		},
		"outside of":  func(g *ops.Graph) *ops.Node { return sparse.Const(g, &sparse.CSR[float32]{Rows: 1}).Values },
		"not float32": func(g *ops.Graph) *ops.Node { return sparse.New(pattern(t, a), g.Ones(a32, 2)).Values },
		"not [rows + 1]": func(g *ops.Graph) *ops.Node {
			return sparse.Multiply(g.Ones(i32), g.Ones(i32, 1), g.Ones(a32, 1), g.Ones(a32, 1))
		},
		"not of one length": func(g *ops.Graph) *ops.Node {
			return sparse.Multiply(g.Ones(i32, 2), g.Ones(i32, 1), g.Ones(a32, 2), g.Ones(a32, 1))
		},
	} {
		g := ops.NewGraph("mistakes")
		y := build(g)
		ops.Add(g.Ones(a32), y) // brings mistakes of nil operands to this graph
		if what == "outside of" {
			what = "0 bounds"
		}
		require.ErrorContains(t, g.Err(), what, fmt.Sprint(what))
	}
}

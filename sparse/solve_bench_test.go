package sparse_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/sparse"
	"github.com/anycl/anycl/tensor"
)

// cube is the 27-point Laplacian of m x m x m points.
func cube[T sparse.Number](m int) *sparse.CSR[T] {
	a := &sparse.CSR[T]{Rows: m * m * m, Cols: m * m * m, Ptr: make([]int32, 1, m*m*m+1)}
	for i := range m {
		for j := range m {
			for k := range m {
				for n := range 27 {
					x, y, z := i+n/9-1, j+n/3%3-1, k+n%3-1
					if min(x, y, z) >= 0 && max(x, y, z) < m {
						v := T(-1)
						if n == 13 {
							v = 26
						}
						a.Col, a.Value = append(a.Col, int32((x*m+y)*m+z)), append(a.Value, v)
					}
				}
				a.Ptr = append(a.Ptr, int32(len(a.Col)))
			}
		}
	}
	return a
}

// Each iteration makes 50 products with a matrix and 50 iterations of conjugate gradients, in turns; the metric per-product is the ratio.
func BenchmarkCGBesideItsProducts(b *testing.B) {
	b.Run("5 points/float32", func(b *testing.B) { besideProducts(b, laplacian[float32](1000)) })
	b.Run("27 points/float32", func(b *testing.B) { besideProducts(b, cube[float32](80)) })
	b.Run("27 points/float64", func(b *testing.B) { besideProducts(b, cube[float64](80)) })
}

func besideProducts[T sparse.Number](b *testing.B, a *sparse.CSR[T]) {
	rt, err := ops.Open(b.Context(), nil)
	require.NoError(b, err)
	defer rt.Close()
	place := ops.OnDevice
	if rt.Device() == nil {
		place = ops.OnCPU
	}
	const count = 50
	rhs := make([]T, a.Rows)
	for i := range rhs {
		rhs[i] = T(i%7) - 3
	}
	compile := func(build func(g *ops.Graph, m *sparse.Matrix, x *ops.Node) *ops.Node) *ops.Executable {
		g := ops.NewGraph("cg")
		x := g.Variable("x", tensor.Must(tensor.FromSlice(rhs, a.Rows)))
		y := g.Variable("y", tensor.Must(tensor.FromSlice(rhs, a.Rows)))
		exe, err := g.Compile(b.Context(), rt, ops.Target{Updates: []*ops.Node{ops.Assign(y, build(g, sparse.Const(g, a), x))}, Place: place})
		require.NoError(b, err)
		return exe
	}
	products := compile(func(_ *ops.Graph, m *sparse.Matrix, x *ops.Node) *ops.Node {
		last, _ := ops.Scan([]*ops.Node{x}, nil, func(_ *ops.Node, s, _ []*ops.Node) (next, y []*ops.Node) {
			return []*ops.Node{sparse.Mul(m, sparse.Mul(m, s[0]))}, nil
		}, &ops.ScanOptions{Trips: count / 2})
		return last[0]
	})
	defer products.Close()
	cg := compile(func(_ *ops.Graph, m *sparse.Matrix, x *ops.Node) *ops.Node {
		return sparse.CG(m.Apply, x, &sparse.Options{Tolerance: 1e-30, Limit: count}).X
	})
	defer cg.Close()
	both := [2]*ops.Executable{products, cg}
	var times [2]time.Duration
	least := [2]time.Duration{time.Hour, time.Hour}
	for range 2 {
		for _, exe := range both {
			_, err := exe.Run(b.Context(), nil)
			require.NoError(b, err)
		}
	}
	for b.Loop() {
		for i, exe := range both {
			start := time.Now()
			_, err := exe.Run(b.Context(), nil)
			require.NoError(b, err)
			d := time.Since(start)
			times[i] += d
			least[i] = min(least[i], d)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(least[0].Seconds()*1e3/count, "ms-product")
	b.ReportMetric(times[1].Seconds()/times[0].Seconds(), "per-product")
	b.ReportMetric(least[1].Seconds()/least[0].Seconds(), "per-product-least")
	if b.N == 1 {
		b.Log(cg.Explain())
	}
}

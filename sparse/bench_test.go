package sparse_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/sparse"
	"github.com/anycl/anycl/tensor"
)

// laplacian is the 5-point one of m x m points.
func laplacian[T sparse.Number](m int) *sparse.CSR[T] {
	a := &sparse.CSR[T]{Rows: m * m, Cols: m * m, Ptr: make([]int32, 1, m*m+1)}
	for i := range m {
		for j := range m {
			add := func(i, j int, v T) {
				if i >= 0 && i < m && j >= 0 && j < m {
					a.Col, a.Value = append(a.Col, int32(i*m+j)), append(a.Value, v)
				}
			}
			add(i-1, j, -1)
			add(i, j-1, -1)
			add(i, j, 4)
			add(i, j+1, -1)
			add(i+1, j, -1)
			a.Ptr = append(a.Ptr, int32(len(a.Col)))
		}
	}
	return a
}

// skewed is a matrix of a million elements, one row in 100 of which has 500, and one has 200,000.
func skewed[T sparse.Number](b testing.TB) *sparse.CSR[T] {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 100_000
	a := &sparse.COO[T]{Rows: n, Cols: n}
	for i := range n {
		count := 3
		switch {
		case i == n/3:
			count = 200_000
		case i%100 == 0:
			count = 500
		}
		for range count {
			a.Add(i, r.IntN(n), 1)
		}
	}
	c, err := a.CSR()
	require.NoError(b, err)
	return c
}

// bytesOf is the number of bytes that a product of a with k columns touches.
func bytesOf[T sparse.Number](a *sparse.CSR[T], size, k int) float64 {
	return float64(len(a.Value)*(size+4) + 4*len(a.Ptr) + size*k*(a.Rows+a.Cols))
}

// Each iteration runs the product and a copy of as many bytes in turns; the metric of-copy is the ratio of bytes per time.
func BenchmarkProductBesideCopy(b *testing.B) {
	b.Run("laplacian/float32", func(b *testing.B) { besideCopy(b, laplacian[float32](1000), 1) })
	b.Run("laplacian/float64", func(b *testing.B) { besideCopy(b, laplacian[float64](1000), 1) })
	b.Run("laplacian x 16/float32", func(b *testing.B) { besideCopy(b, laplacian[float32](500), 16) })
	b.Run("skewed/float32", func(b *testing.B) { besideCopy(b, skewed[float32](b), 1) })
}

func besideCopy[T sparse.Number](b *testing.B, a *sparse.CSR[T], k int) {
	rt, err := ops.Open(b.Context(), nil)
	require.NoError(b, err)
	defer rt.Close()
	if rt.Device() == nil {
		b.Skip("there is no device")
	}
	g := ops.NewGraph("product")
	x := make([]T, a.Cols*k)
	for i := range x {
		x[i] = T(i%7) - 3
	}
	shape := []int{a.Cols, k}
	if k == 1 {
		shape = shape[:1]
	}
	xn := g.Variable("x", tensor.Must(tensor.FromSlice(x, shape...)))
	y := g.Variable("y", tensor.Must(tensor.FromSlice(make([]T, a.Rows*k), append([]int{a.Rows}, shape[1:]...)...)))
	size := y.DType().Size()
	product, err := g.Compile(b.Context(), rt, ops.Target{Updates: []*ops.Node{ops.Assign(y, sparse.Mul(sparse.Const(g, a), xn))}, Place: ops.OnDevice})
	require.NoError(b, err)
	defer product.Close()
	bytes := bytesOf(a, size, k)
	c := ops.NewGraph("copy")
	n := int(bytes) / 2 / size
	from := c.Variable("from", tensor.Must(tensor.FromSlice(make([]T, n), n)))
	to := c.Variable("to", tensor.Must(tensor.FromSlice(make([]T, n), n)))
	copied, err := c.Compile(b.Context(), rt, ops.Target{Updates: []*ops.Node{ops.Assign(to, ops.Add(from, 1))}, Place: ops.OnDevice})
	require.NoError(b, err)
	defer copied.Close()
	both := [2]*ops.Executable{product, copied}
	for range 3 {
		for _, exe := range both {
			_, err := exe.Run(b.Context(), nil)
			require.NoError(b, err)
		}
	}
	var times [2]time.Duration
	least := [2]time.Duration{time.Hour, time.Hour}
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
	b.ReportMetric(bytes/times[0].Seconds()*float64(b.N)/1e9, "GB/s")
	b.ReportMetric(least[0].Seconds()*1e3, "ms-least")
	b.ReportMetric(times[1].Seconds()/times[0].Seconds(), "of-copy")
	b.ReportMetric(least[1].Seconds()/least[0].Seconds(), "of-copy-least")
	b.Logf("%d elements, %.0f MB", len(a.Value), bytes/1e6)
}

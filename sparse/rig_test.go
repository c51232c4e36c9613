package sparse_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/testcache"
	"github.com/anycl/anycl/internal/testdevices"
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/sparse"
	"github.com/anycl/anycl/tensor"
)

func TestMain(m *testing.M) { os.Exit(testcache.Run(m, testdevices.Hold)) }

// engine is where graphs of a test run.
type engine struct {
	rt    *ops.Runtime
	place ops.Place
}

// everywhere runs f on the device, where there is one, and on the CPU path.
func everywhere(t *testing.T, f func(t *testing.T, e engine)) {
	rt, err := ops.Open(t.Context(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	if rt.Device() != nil {
		t.Run("device", func(t *testing.T) { f(t, engine{rt, ops.OnDevice}) })
	}
	t.Run("cpu path", func(t *testing.T) { f(t, engine{rt, ops.OnCPU}) })
}

// withGPUs is everywhere, and on the device with the kernels for GPUs.
func withGPUs(t *testing.T, f func(t *testing.T, e engine)) {
	everywhere(t, f)
	t.Run("kernels for GPUs", func(t *testing.T) {
		t.Setenv(variant.EnvVariant, "class=gpu,"+testdevices.Unoptimized())
		rt, err := ops.Open(t.Context(), nil)
		require.NoError(t, err)
		defer rt.Close()
		if rt.Device() == nil {
			t.Skip("there is no OpenCL device")
		}
		f(t, engine{rt, ops.OnDevice})
	})
}

// values are outputs of a graph, in float64.
func (e engine) values(t *testing.T, outs ...*ops.Node) [][]float64 {
	t.Helper()
	g := outs[0].Graph()
	require.NoError(t, g.Err())
	exe, err := g.Compile(t.Context(), e.rt, ops.Target{Outputs: outs, Place: e.place})
	require.NoError(t, err)
	defer func() { require.NoError(t, exe.Close()) }()
	all, err := exe.Run(t.Context(), nil)
	require.NoError(t, err)
	lists := make([][]float64, len(all))
	for i, x := range all {
		for _, v := range x.All() {
			lists[i] = append(lists[i], v)
		}
	}
	return lists
}

// random is a matrix with elements at a given number of random places, and empty rows.
func random[T sparse.Number](t testing.TB, rows, cols, count int, seed uint64) *sparse.CSR[T] {
	r := rand.New(rand.NewPCG(seed, 5))
	a := &sparse.COO[T]{Rows: rows, Cols: cols}
	for range count {
		a.Add(r.IntN(rows), r.IntN(cols), T(r.Float64()*2-1))
	}
	c, err := a.CSR()
	require.NoError(t, err)
	return c
}

func numbers[T sparse.Number](n int, seed uint64) []T {
	r := rand.New(rand.NewPCG(seed, 6))
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.Float64()*2 - 1)
	}
	return x
}

func constant[T sparse.Number](g *ops.Graph, x []T, shape ...int) *ops.Node {
	return g.Const(tensor.Must(tensor.FromSlice(x, shape...)))
}

// product is a·b of dense matrices in float64.
func product[T sparse.Number](a []T, rows, inner int, b []T, cols int) []float64 {
	y := make([]float64, rows*cols)
	for r := range rows {
		for k := range inner {
			for c := range cols {
				y[r*cols+c] += float64(a[r*inner+k]) * float64(b[k*cols+c])
			}
		}
	}
	return y
}

// near compares lists of numbers; bound is relative to the largest one that is wanted.
func near[A, B sparse.Number](t *testing.T, want []A, got []B, bound float64) {
	t.Helper()
	require.Len(t, got, len(want))
	largest := 1e-300
	for _, w := range want {
		largest = max(largest, float64(w), -float64(w))
	}
	for i, w := range want {
		require.InDelta(t, float64(w), float64(got[i]), bound*largest, "element %d", i)
	}
}

const (
	a32 = tensor.Float32
	i32 = tensor.Int32
)

func pattern[T sparse.Number](t *testing.T, a *sparse.CSR[T]) *sparse.Pattern {
	p, err := sparse.NewPattern(a)
	require.NoError(t, err)
	return p
}

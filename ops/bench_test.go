package ops

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"github.com/anycl/anycl/tensor"
)

// BenchmarkSGEMM is C = A·B in float32 end to end: A and B are variables, so
// that they lie where they are used, and C is read back. gonum stands beside it.
func BenchmarkSGEMM(b *testing.B) {
	for _, n := range []int{256, 512, 1024} {
		a, c := random(b, n, n), random(b, n, n)
		b.Run(fmt.Sprintf("n=%d/device", n), func(b *testing.B) { sgemm(b, device(b), OnDevice, a, c) })
		b.Run(fmt.Sprintf("n=%d/cpu", n), func(b *testing.B) { sgemm(b, cpuOnly(b), OnCPU, a, c) })
		b.Run(fmt.Sprintf("n=%d/gonum", n), func(b *testing.B) {
			x, err := a.General32()
			require.NoError(b, err)
			y, err := c.General32()
			require.NoError(b, err)
			z := blas32.General{Rows: n, Cols: n, Stride: n, Data: make([]float32, n*n)}
			for b.Loop() {
				blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, x, y, 0, z)
			}
			gflops(b, 2*float64(n)*float64(n)*float64(n))
		})
	}
}

func sgemm(b *testing.B, rt *Runtime, where Place, a, c *tensor.Tensor) {
	n := a.Shape()[0]
	g := NewGraph("sgemm")
	y := MatMul(g.Variable("a", a), g.Variable("b", c))
	exe, err := g.Compile(b.Context(), rt, Target{Outputs: []*Node{y}, Place: where})
	require.NoError(b, err)
	out := []*tensor.Tensor{random(b, n, n)}
	require.NoError(b, exe.RunInto(b.Context(), nil, out))
	b.ReportAllocs()
	for b.Loop() {
		if err := exe.RunInto(b.Context(), nil, out); err != nil {
			b.Fatal(err)
		}
	}
	gflops(b, 2*float64(n)*float64(n)*float64(n))
}

// BenchmarkTinyRun is what one run costs beside its work.
func BenchmarkTinyRun(b *testing.B) {
	for _, where := range []Place{OnDevice, OnCPU} {
		b.Run(where.String(), func(b *testing.B) {
			rt := cpuOnly(b)
			if where == OnDevice {
				rt = device(b)
			}
			g := NewGraph("tiny")
			x := g.Input("x", tensor.Float32, 4, 4)
			exe, err := g.Compile(b.Context(), rt, Target{Outputs: []*Node{MatMul(x, x)}, Place: where})
			require.NoError(b, err)
			feeds, out := Feeds{x: random(b, 4, 4)}, []*tensor.Tensor{random(b, 4, 4)}
			b.ReportAllocs()
			for b.Loop() {
				if err := exe.RunInto(b.Context(), feeds, out); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func random(t testing.TB, shape ...int) *tensor.Tensor {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	x, err := tensor.New(tensor.Float32, shape...)
	require.NoError(t, err)
	for i := range x.Len() {
		x.SetFloat64(i, r.Float64()*2-1)
	}
	return x
}

func gflops(b *testing.B, flops float64) {
	b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOPS")
}

package linalg_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/tensor"
)

// BenchmarkDecompositions reports billions of operations a second, as LAPACK counts them, on the default runtime.
//
//	go test ./ops/linalg -run '^$' -bench Decompositions/cholesky/float32/1024
func BenchmarkDecompositions(b *testing.B) {
	rt, err := ops.Open(b.Context(), nil)
	require.NoError(b, err)
	defer rt.Close()
	for _, c := range []struct {
		name  string
		flops float64 // for n = 1
		f     func(x *ops.Node) []*ops.Node
	}{
		{"cholesky", 1. / 3, func(x *ops.Node) []*ops.Node { return []*ops.Node{linalg.Cholesky(x, false)} }},
		{"lu", 2. / 3, func(x *ops.Node) []*ops.Node { lu, _, _ := linalg.LUFactor(x); return []*ops.Node{lu} }},
		{"qr", 4. / 3, func(x *ops.Node) []*ops.Node { _, r := linalg.QR(x, linalg.QRFactorR); return []*ops.Node{r} }},
		{"qr-q", 8. / 3, func(x *ops.Node) []*ops.Node { q, r := linalg.QR(x, linalg.QRReduced); return []*ops.Node{q, r} }},
		{"triangle", 1, func(x *ops.Node) []*ops.Node { return []*ops.Node{linalg.SolveTriangular(x, x, nil)} }},
		{"solve", 8. / 3, func(x *ops.Node) []*ops.Node { return []*ops.Node{linalg.Solve(x, x, nil)} }},
	} {
		for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
			for _, s := range [][]int{{1000, 8, 8}, {1000, 32, 32}, {100, 64, 64}, {256, 256}, {512, 512}, {1024, 1024}, {2048, 2048}} {
				b.Run(fmt.Sprintf("%s/%v/%v", c.name, dt, s), func(b *testing.B) {
					n := s[len(s)-1]
					g := ops.NewGraph(c.name)
					x := g.Input("x", dt, s...)
					exe, err := g.Compile(b.Context(), rt, ops.Target{Outputs: c.f(x)})
					require.NoError(b, err)
					defer exe.Close()
					feed := tensor.Must(tensor.New(dt, s...))
					seed := uint32(1)
					for i := range feed.Len() {
						seed = seed*1664525 + 1013904223
						feed.SetFloat64(i, float64(seed>>8)/(1<<24)-0.5)
						if i%(n*n)%(n+1) == 0 {
							feed.SetFloat64(i, float64(n))
						}
					}
					feeds := ops.Feeds{x: feed}
					out, err := exe.Run(b.Context(), feeds)
					require.NoError(b, err)
					for b.Loop() {
						require.NoError(b, exe.RunInto(b.Context(), feeds, out))
					}
					flops := c.flops * float64(feed.Len()) * float64(n)
					b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOPS")
				})
			}
		}
	}
}

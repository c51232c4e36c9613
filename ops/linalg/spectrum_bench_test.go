package linalg_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/tensor"
)

// BenchmarkSpectra has batches decomposed by the device and by the CPU path in turns, and reports the median time of a matrix on either.
//
//	go test ./ops/linalg -run '^$' -bench Spectra/eigh/float32/8
func BenchmarkSpectra(b *testing.B) {
	rt, err := ops.Open(b.Context(), nil)
	require.NoError(b, err)
	defer rt.Close()
	for _, c := range []struct {
		name string
		f    func(x *ops.Node) []*ops.Node
	}{
		{"svd", func(x *ops.Node) []*ops.Node { u, s, vt := linalg.SVD(x, false); return []*ops.Node{u, s, vt} }},
		{"svdvals", func(x *ops.Node) []*ops.Node { return []*ops.Node{linalg.SVDVals(x)} }},
		{"eigh", func(x *ops.Node) []*ops.Node { w, v := linalg.Eigh(x, false); return []*ops.Node{w, v} }},
	} {
		for _, dt := range []tensor.DType{tensor.Float32, tensor.Float64} {
			for _, s := range [][2]int{{10000, 3}, {4096, 8}, {1024, 16}, {256, 32}, {64, 64}, {1, 32}, {1, 128}, {16, 128}, {1, 256}} {
				b.Run(fmt.Sprintf("%s/%v/%d/%d", c.name, dt, s[1], s[0]), func(b *testing.B) {
					feed := tensor.Must(tensor.New(dt, s[0], s[1], s[1]))
					seed := uint32(1)
					for i := range feed.Len() {
						seed = seed*1664525 + 1013904223
						feed.SetFloat64(i, float64(seed>>8)/(1<<24)-0.5)
					}
					var runs []func()
					for _, place := range []ops.Place{ops.OnDevice, ops.OnCPU} {
						g := ops.NewGraph(c.name)
						x := g.Input("x", dt, feed.Shape()...)
						exe, err := g.Compile(b.Context(), rt, ops.Target{Outputs: c.f(x), Place: place})
						require.NoError(b, err)
						defer exe.Close()
						feeds := ops.Feeds{x: feed}
						out, err := exe.Run(b.Context(), feeds)
						require.NoError(b, err)
						runs = append(runs, func() { require.NoError(b, exe.RunInto(b.Context(), feeds, out)) })
					}
					times := make([][]float64, len(runs))
					for b.Loop() {
						for i, run := range runs {
							start := time.Now()
							run()
							times[i] = append(times[i], time.Since(start).Seconds()*1e6/float64(s[0]))
						}
					}
					for i, name := range []string{"device-us/matrix", "cpu-us/matrix"} {
						slices.Sort(times[i])
						b.ReportMetric(times[i][len(times[i])/2], name)
					}
				})
			}
		}
	}
}

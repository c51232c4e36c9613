package attention_test

import (
	"fmt"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// BenchmarkAttention counts the products and 20 operations for each weight.
func BenchmarkAttention(b *testing.B) {
	f32 := tensor.Float32
	for _, c := range []sample.Attention{
		{B: 4, M: 128, N: 128, D: 64}, {B: 8, M: 512, N: 512, D: 64}, {B: 4, M: 2048, N: 2048, D: 64},
		{B: 16, M: 512, N: 512, D: 32}, {B: 8, M: 512, N: 512, D: 128},
		{B: 8, M: 1024, N: 1024, D: 64, Low: -1024, High: 0},
		{B: 64, M: 128, N: 128, D: 64}, {B: 48, M: 256, N: 256, D: 64},
		{B: 12, M: 1, N: 4096, D: 64}, {B: 1, M: 1, N: 16384, D: 64}, {B: 12, M: 1, N: 256, D: 64},
		{B: 2, G: 4, M: 1, N: 4096, D: 64}, {B: 1, M: 16, N: 8192, D: 64},
	} {
		for pass := range engine.AttentionGradKV + 1 {
			c.DType, c.G, c.E, c.Pass = f32, max(c.G, 1), c.D, pass
			b.Run(fmt.Sprintf("b%d g%d m%d n%d d%d band %d pass %d", c.B, c.G, c.M, c.N, c.D, c.High, pass),
				func(b *testing.B) { ocltest.Benchmark(b, device(b, variant.ForcedByEnv(), nil), c.Task()) })
		}
	}
}

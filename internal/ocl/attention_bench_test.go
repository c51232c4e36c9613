package ocl

import (
	"fmt"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// BenchmarkAttention counts the products and 20 operations for each weight.
func BenchmarkAttention(b *testing.B) {
	f32 := tensor.Float32
	for _, c := range []attending{
		{b: 4, m: 128, n: 128, d: 64}, {b: 8, m: 512, n: 512, d: 64}, {b: 4, m: 2048, n: 2048, d: 64},
		{b: 16, m: 512, n: 512, d: 32}, {b: 8, m: 512, n: 512, d: 128},
		{b: 8, m: 1024, n: 1024, d: 64, low: -1024, high: 0},
		{b: 64, m: 128, n: 128, d: 64}, {b: 48, m: 256, n: 256, d: 64},
		{b: 12, m: 1, n: 4096, d: 64}, {b: 1, m: 1, n: 16384, d: 64}, {b: 12, m: 1, n: 256, d: 64},
		{b: 2, g: 4, m: 1, n: 4096, d: 64}, {b: 1, m: 16, n: 8192, d: 64},
	} {
		for pass := range engine.AttentionGradKV + 1 {
			c.dt, c.g, c.e, c.pass = f32, max(c.g, 1), c.d, pass
			b.Run(fmt.Sprintf("b%d g%d m%d n%d d%d band %d pass %d", c.b, c.g, c.m, c.n, c.d, c.high, pass), func(b *testing.B) { benchmark(b, c.task()) })
		}
	}
}

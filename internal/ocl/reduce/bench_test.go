package reduce_test

import (
	"fmt"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// BenchmarkFolds sweeps the shapes outer x folds x inner of about as many values,
// so that one that falls out of proportion shows, and the dtypes along rows and
// down them.
func BenchmarkFolds(b *testing.B) {
	run := func(dt tensor.DType, f engine.Monoid, s [3]int) {
		b.Run(fmt.Sprintf("%v-%v/%dx%dx%d", f, dt, s[0], s[1], s[2]), func(b *testing.B) {
			task, _ := sample.Middle(dt, f, s[0], s[1], s[2])
			ocltest.Benchmark(b, device(b, variant.ForcedByEnv(), nil), task)
		})
	}
	along, down := [3]int{2048, 4096, 1}, [3]int{1, 2048, 4096}
	for _, s := range [][3]int{
		along, {1, 1 << 23, 1}, {1 << 16, 128, 1}, {1 << 20, 8, 1}, {1 << 18, 31, 1}, {2730, 3072, 1},
		down, {1, 1 << 23 / 3, 3}, {1, 1 << 19, 16}, {1, 1 << 15, 256}, {1, 83886, 100}, {1, 64, 1 << 17}, {1, 8, 1 << 20}, {1, 16777, 500},
		{64, 256, 512}, {2048, 64, 64}, {1 << 14, 32, 16}, {1 << 15, 8, 32}, {800, 100, 100}, {1 << 19, 5, 3}, {4, 1 << 19, 4}, {16384, 100, 5},
		{32, 1 << 13, 31},
		{16, 1 << 12, 1}, {1, 1 << 16, 1}, {1, 1 << 8, 1 << 8}, {1, 1 << 12, 16}, {1, 20000, 3}, {64, 16, 64}, // in caches of cores
	} {
		run(tensor.Float32, engine.Sum, s)
	}
	for _, f := range []engine.Monoid{engine.Prod, engine.Min, engine.ArgMax} {
		run(tensor.Float32, f, along)
		run(tensor.Float32, f, down)
		run(tensor.Float32, f, [3]int{2048, 64, 64})
	}
	for _, dt := range tensor.DTypes() {
		run(dt, engine.Sum, along)
		run(dt, engine.Sum, down)
		run(dt, engine.Max, down)
		run(dt, engine.ArgMax, along)
	}
}

package contract_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/gonum"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// benchmarkTask times the chosen plan of task, from the first launch to the
// end of the last.
func benchmarkTask(b *testing.B, task *engine.Task, force string) {
	dev := ocltest.OpenBench(b)
	p, err := variant.MakePlan(facts.New(dev.Dev.Device(), dev.Dev.Caps()), nil, task, force)
	if err != nil {
		b.Fatal(err)
	}
	r := dev.Prepare(b, task, p, ocltest.RandomInputs(task, 1))
	r.Run(b)
	r.Finish(b)
	best := time.Duration(math.MaxInt64)
	for b.Loop() {
		start := time.Now()
		r.Run(b)
		r.Finish(b)
		best = min(best, time.Since(start))
	}
	b.ReportMetric(task.Cost().Flops/1e9*float64(b.N)/b.Elapsed().Seconds(), "GFLOPS")
	b.ReportMetric(task.Cost().Flops/1e9/best.Seconds(), "best-GFLOPS") // on a shared machine
}

func BenchmarkMatMul(b *testing.B) {
	for _, n := range []int{16, 32, 64, 128, 256, 512, 1024, 2048} {
		b.Run(fmt.Sprintf("%d/device", n), func(b *testing.B) {
			benchmarkTask(b, sample.Matmul(tensor.Float32, 1, n, n, n, false, false), "")
		})
		if n > 1024 {
			continue
		}
		b.Run(fmt.Sprintf("%d/gonum", n), func(b *testing.B) {
			x, y, z := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
			for i := range x {
				x[i], y[i] = float32(i%17)-8, float32(i%13)-6
			}
			for b.Loop() {
				gonum.Implementation{}.Sgemm('N', 'N', n, n, n, 1, x, n, y, n, 0, z, n)
			}
			b.ReportMetric(2*float64(n*n*n)/1e9*float64(b.N)/b.Elapsed().Seconds(), "GFLOPS")
		})
	}
}

func BenchmarkMatMulOfBytes(b *testing.B) {
	for _, n := range []int{512, 1024} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			benchmarkTask(b, sample.Bytes(tensor.Uint8, tensor.Int8, 1, n, n, n, false, false), "")
		})
		b.Run(fmt.Sprintf("%d signed", n), func(b *testing.B) {
			benchmarkTask(b, sample.Bytes(tensor.Int8, tensor.Int8, 1, n, n, n, false, false), "")
		})
		b.Run(fmt.Sprintf("%d kept", n), func(b *testing.B) {
			t := sample.Bytes(tensor.Uint8, tensor.Int8, 1, n, n, n, false, false)
			t.Ins[1].Steady = true
			benchmarkTask(b, t, "")
		})
	}
	b.Run("16x1024x4096", func(b *testing.B) {
		benchmarkTask(b, sample.Bytes(tensor.Uint8, tensor.Int8, 1, 16, 4096, 1024, false, false), "")
	})
}

func BenchmarkMatMulShapes(b *testing.B) {
	for name, task := range map[string]*engine.Task{
		"nt 512":            sample.Matmul(tensor.Float32, 1, 512, 512, 512, false, true),
		"nt 1024":           sample.Matmul(tensor.Float32, 1, 1024, 1024, 1024, false, true),
		"tn 512":            sample.Matmul(tensor.Float32, 1, 512, 512, 512, true, false),
		"tn 1024":           sample.Matmul(tensor.Float32, 1, 1024, 1024, 1024, true, false),
		"tn 2048":           sample.Matmul(tensor.Float32, 1, 2048, 2048, 2048, true, false),
		"tt 777":            sample.Matmul(tensor.Float32, 1, 777, 777, 777, true, true),
		"odd 1021":          sample.Matmul(tensor.Float32, 1, 1021, 1021, 1021, false, false),
		"float64 512":       sample.Matmul(tensor.Float64, 1, 512, 512, 512, false, false),
		"float16 512":       sample.Matmul(tensor.Float16, 1, 512, 512, 512, false, false),
		"bfloat16 512":      sample.Matmul(tensor.BFloat16, 1, 512, 512, 512, false, false),
		"int32 256":         sample.Matmul(tensor.Int32, 1, 256, 256, 256, false, false),
		"int8 256":          sample.Matmul(tensor.Int8, 1, 256, 256, 256, false, true),
		"attention qk":      sample.Matmul(tensor.Float32, 64, 128, 128, 64, false, true),
		"attention pv":      sample.Matmul(tensor.Float32, 64, 128, 64, 128, false, false),
		"batched 8":         sample.Matmul(tensor.Float32, 4096, 8, 8, 8, false, false),
		"dense 128x784x512": sample.Matmul(tensor.Float32, 1, 128, 512, 784, false, false),
		"dense 128x512x10":  sample.Matmul(tensor.Float32, 1, 128, 10, 512, false, false),
		"dense 1x4096x4096": sample.Matmul(tensor.Float32, 1, 1, 4096, 4096, false, false),
		"nt 1x4096x4096":    sample.Matmul(tensor.Float32, 1, 1, 4096, 4096, false, true),
		"4096x4096x1":       sample.Matmul(tensor.Float32, 1, 4096, 1, 4096, false, false),
		"tn 4096x4096x1":    sample.Matmul(tensor.Float32, 1, 4096, 1, 4096, true, false),
		"nt 4x4096x4096":    sample.Matmul(tensor.Float32, 1, 4, 4096, 4096, false, true),
		"nt 8x2048x2048":    sample.Matmul(tensor.Float32, 1, 8, 2048, 2048, false, true),
		"nt 16x2048x2048":   sample.Matmul(tensor.Float32, 1, 16, 2048, 2048, false, true),
		"16x2048x2048":      sample.Matmul(tensor.Float32, 1, 16, 2048, 2048, false, false),
		"long dot 4x4x1M":   sample.Matmul(tensor.Float32, 1, 4, 4, 1<<20, false, true),
		"tn 64x64x100k":     sample.Matmul(tensor.Float32, 1, 64, 64, 100_000, true, false),
	} {
		b.Run(name, func(b *testing.B) { benchmarkTask(b, task, "") })
	}
}

func BenchmarkEpilogue(b *testing.B) {
	for name, make := range map[string]func() *engine.Task{
		"512":                func() *engine.Task { return sample.Matmul(tensor.Float32, 1, 512, 512, 512, false, false) },
		"512x512x64":         func() *engine.Task { return sample.Matmul(tensor.Float32, 1, 512, 512, 64, false, false) },
		"3x3 1x64x56x56 64":  func() *engine.Task { return sample.Convolution(1, 1, 64, 58, 58, 64, 3, 1, 1) },
		"3x3 128x1x28x28 32": func() *engine.Task { return sample.Convolution(128, 1, 1, 30, 30, 32, 3, 1, 1) },
	} {
		b.Run(name+"/plain", func(b *testing.B) { benchmarkTask(b, make(), "") })
		b.Run(name+"/fused", func(b *testing.B) { benchmarkTask(b, sample.Biased(make()), "") })
	}
}

func BenchmarkConvolution(b *testing.B) {
	for name, task := range map[string]*engine.Task{
		"3x3 1x64x56x56 64":        sample.Convolution(1, 1, 64, 58, 58, 64, 3, 1, 1),
		"3x3 128x32x14x14 64":      sample.Convolution(128, 1, 32, 16, 16, 64, 3, 1, 1),
		"3x3 128x1x28x28 32":       sample.Convolution(128, 1, 1, 30, 30, 32, 3, 1, 1),
		"7x7s2 1x3x224x224 64":     sample.Convolution(1, 1, 3, 230, 230, 64, 7, 2, 1),
		"1x1 8x512x7x7 2048":       sample.Convolution(8, 1, 512, 7, 7, 2048, 1, 1, 1),
		"1x1 1x512x7x7 2048":       sample.Convolution(1, 1, 512, 7, 7, 2048, 1, 1, 1),
		"depthwise 1x256x28x28":    sample.Convolution(1, 256, 1, 30, 30, 1, 3, 1, 1),
		"weights 128x32x14x14 64":  sample.WeightGradient(128, 32, 14, 64),
		"weights 128x1x28x28 32":   sample.WeightGradient(128, 1, 28, 32),
		"weights 1024x64x14x14 64": sample.WeightGradient(200, 64, 14, 64),
	} {
		b.Run(name, func(b *testing.B) { benchmarkTask(b, task, "") })
	}
}

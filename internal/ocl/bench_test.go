package ocl

import (
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

func BenchmarkTasks(b *testing.B) {
	f32 := tensor.Float32
	const rows, cols = 4096, 4096
	dom := engine.Domain{rows, cols}
	in := engine.Operand{DType: f32, Len: dom.Size()}
	x := engine.Load(0, f32, sample.DenseAt(dom, 0, 1), nil)
	bias := engine.Operand{DType: f32, Len: cols}
	half := engine.Operand{DType: tensor.Float16, Len: dom.Size()}
	xh := engine.Load(0, tensor.Float16, sample.DenseAt(dom, 0, 1), nil)
	perm := engine.Load(0, f32, engine.AxisIndex(1).Mul(rows).Add(engine.AxisIndex(0)), nil)
	inPlace := sample.Map(dom, engine.Apply(sample.Sub, f32, engine.Load(1, f32, sample.DenseAt(dom, 0, 1), nil),
		engine.Load(0, f32, engine.AxisIndex(1), nil)), bias, in)
	inPlace.Alias = []int{1}
	small := engine.Domain{1 << 20, 10}
	smallIn := engine.Operand{DType: f32, Len: small.Size()}
	images := engine.Domain{32, 64, 56, 56}
	imagesIn := engine.Operand{DType: f32, Len: images.Size()}
	channel := engine.Operand{DType: f32, Len: 64}
	tall := engine.Domain{64, 1 << 18}
	for _, c := range []struct {
		name string
		task *engine.Task
	}{
		{"map/scale", sample.Map(dom, engine.Apply(sample.Mul, f32, x, sample.Constant(f32, 2)), in)},
		{"map/exp", sample.Map(dom, engine.Apply(sample.Exp, f32, x), in)},
		{"map/bias", sample.Map(dom, engine.Apply(sample.Add, f32, x, engine.Load(1, f32, engine.AxisIndex(1), nil)), in, bias)},
		{"map/channel", sample.Map(images, engine.Apply(sample.Add, f32, engine.Load(0, f32, sample.DenseAt(images, 0, 1, 2, 3), nil),
			engine.Load(1, f32, engine.AxisIndex(1), nil)), imagesIn, channel)},
		{"map/inplace", inPlace},
		{"map/half", sample.Map(dom, engine.Apply(sample.Add, tensor.Float16, xh, xh), half)},
		{"map/transpose", sample.Map(dom, perm, in)},
		{"reduce/rows", sample.Reduce(dom, 1, engine.Sum, x, in)},
		{"reduce/all", sample.Reduce(dom, 0, engine.Sum, x, in)},
		{"reduce/columns", sample.Reduce(dom, 1, engine.Sum, perm, in)},
		{"reduce/argmax", sample.Reduce(dom, 1, engine.ArgMax, x, in)},
		{"reduce/max", sample.Reduce(dom, 1, engine.Max, x, in)},
		{"reduce/short", sample.Reduce(small, 1, engine.Max, engine.Load(0, f32, sample.DenseAt(small, 0, 1), nil), smallIn)},
		{"reduce/tall", sample.Reduce(tall, 1, engine.Sum, engine.Load(0, f32, engine.AxisIndex(1).Mul(64).Add(engine.AxisIndex(0)), nil), in)},
		{"reduce/half", sample.Reduce(dom, 1, engine.Sum, xh, half)},
		{"scatter/embedding", sample.Scatter(10000, 4096, 256, f32, tensor.Int32)},
	} {
		b.Run(c.name, func(b *testing.B) { ocltest.Benchmark(b, device(b, variant.ForcedByEnv(), nil), c.task) })
	}
}

package ocl

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/tensor"
)

// benchmark runs one task again and again; the rate counts each operand once.
func benchmark(b *testing.B, task *engine.Task) { benchmarkOn(b, task, nil) }

// benchmarkOn is benchmark with the content of some inputs.
func benchmarkOn(b *testing.B, task *engine.Task, content map[int][]byte) {
	e := device(b, variant.ForcedByEnv(), nil)
	bound := engine.Bound{Task: task}
	slot := func(o engine.Operand, content []byte) engine.Slot {
		m, err := e.Alloc(o.Bytes())
		require.NoError(b, err)
		b.Cleanup(func() { _ = m.Close() })
		data := make([]byte, o.Bytes())
		for i := range data {
			data[i] = byte(i*7) & 0x3f
		}
		copy(data, content)
		require.NoError(b, e.Write(b.Context(), m, 0, data))
		return engine.Slot{Mem: m}
	}
	for i, o := range task.Ins {
		bound.Ins = append(bound.Ins, slot(o, content[i]))
	}
	for _, o := range task.Outs {
		bound.Outs = append(bound.Outs, slot(o, nil))
	}
	if task.Alias != nil {
		bound.Outs[0] = bound.Ins[task.Alias[0]]
	}
	s, err := e.Prepare(b.Context(), []engine.Bound{bound})
	require.NoError(b, err)
	require.NoError(b, s.Run(b.Context(), 0, 1, 0))
	require.NoError(b, e.Wait(b.Context()))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		if err := s.Run(b.Context(), 0, 1, 0); err != nil {
			b.Fatal(err)
		}
		if n%4 == 0 {
			require.NoError(b, e.Wait(b.Context()))
		}
	}
	require.NoError(b, e.Wait(b.Context()))
	c := task.Cost()
	b.ReportMetric(c.Flops/1e9*float64(b.N)/b.Elapsed().Seconds(), "GFLOPS")
	b.ReportMetric((c.BytesRead+c.BytesWrite)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
	b.Log(s.Describe(0).Variant)
	require.NoError(b, s.Close())
}

func BenchmarkTasks(b *testing.B) {
	f32 := tensor.Float32
	const rows, cols = 4096, 4096
	dom := engine.Domain{rows, cols}
	in := engine.Operand{DType: f32, Len: dom.Size()}
	x := engine.Load(0, f32, denseAt(dom, 0, 1), nil)
	bias := engine.Operand{DType: f32, Len: cols}
	half := engine.Operand{DType: tensor.Float16, Len: dom.Size()}
	xh := engine.Load(0, tensor.Float16, denseAt(dom, 0, 1), nil)
	perm := engine.Load(0, f32, engine.AxisIndex(1).Mul(rows).Add(engine.AxisIndex(0)), nil)
	inPlace := mapTask(dom, engine.Apply(fnSub, f32, engine.Load(1, f32, denseAt(dom, 0, 1), nil), engine.Load(0, f32, engine.AxisIndex(1), nil)), bias, in)
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
		{"map/scale", mapTask(dom, engine.Apply(fnMul, f32, x, constant(f32, 2)), in)},
		{"map/exp", mapTask(dom, engine.Apply(fnExp, f32, x), in)},
		{"map/bias", mapTask(dom, engine.Apply(fnAdd, f32, x, engine.Load(1, f32, engine.AxisIndex(1), nil)), in, bias)},
		{"map/channel", mapTask(images, engine.Apply(fnAdd, f32, engine.Load(0, f32, denseAt(images, 0, 1, 2, 3), nil), engine.Load(1, f32, engine.AxisIndex(1), nil)), imagesIn, channel)},
		{"map/inplace", inPlace},
		{"map/half", mapTask(dom, engine.Apply(fnAdd, tensor.Float16, xh, xh), half)},
		{"map/transpose", mapTask(dom, perm, in)},
		{"reduce/rows", reduceTask(dom, 1, engine.Sum, x, in)},
		{"reduce/all", reduceTask(dom, 0, engine.Sum, x, in)},
		{"reduce/columns", reduceTask(dom, 1, engine.Sum, perm, in)},
		{"reduce/argmax", reduceTask(dom, 1, engine.ArgMax, x, in)},
		{"reduce/max", reduceTask(dom, 1, engine.Max, x, in)},
		{"reduce/short", reduceTask(small, 1, engine.Max, engine.Load(0, f32, denseAt(small, 0, 1), nil), smallIn)},
		{"reduce/tall", reduceTask(tall, 1, engine.Sum, engine.Load(0, f32, engine.AxisIndex(1).Mul(64).Add(engine.AxisIndex(0)), nil), in)},
		{"reduce/half", reduceTask(dom, 1, engine.Sum, xh, half)},
		{"scatter/embedding", scatterTask(10000, 4096, 256, f32, tensor.Int32)},
	} {
		b.Run(c.name, func(b *testing.B) { benchmark(b, c.task) })
	}
}

package ocltest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
)

// Benchmark runs one task again and again; the rate counts each operand once.
func Benchmark(b *testing.B, e Engine, task *engine.Task) { BenchmarkOn(b, e, task, nil) }

// BenchmarkOn is Benchmark with the content of some inputs.
func BenchmarkOn(b *testing.B, e Engine, task *engine.Task, content map[int][]byte) {
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

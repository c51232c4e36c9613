package routine_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/fallback"
	"github.com/anycl/anycl/internal/ocl"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// routineBench runs task on the CPU path and on the device, again and again.
func routineBench(b *testing.B, task *engine.Task, ins [][]byte, variants ...string) {
	engines := map[string]engine.Engine{"cpu": fallback.New(nil)}
	for _, v := range variants {
		o, err := ocltest.SharedDevice()
		if err != nil {
			b.Skipf("no OpenCL device: %v", err)
		}
		engines["device "+v] = ocl.NewForced(o, v)
	}
	for name, e := range engines {
		b.Run(name, func(b *testing.B) {
			bound := engine.Bound{Task: task}
			for _, in := range ins {
				m, err := e.Alloc(int64(len(in)))
				require.NoError(b, err)
				require.NoError(b, e.Write(b.Context(), m, 0, in))
				bound.Ins = append(bound.Ins, engine.Slot{Mem: m})
			}
			for _, o := range task.Outs {
				m, err := e.Alloc(o.Bytes())
				require.NoError(b, err)
				bound.Outs = append(bound.Outs, engine.Slot{Mem: m})
			}
			s, err := e.Prepare(b.Context(), []engine.Bound{bound})
			require.NoError(b, err)
			for range 2 { // the driver compiles at the first launch
				require.NoError(b, s.Run(b.Context(), 0, 1, 0))
				require.NoError(b, e.Wait(b.Context()))
			}
			for b.Loop() {
				require.NoError(b, s.Run(b.Context(), 0, 1, 0))
				require.NoError(b, e.Wait(b.Context()))
			}
			b.ReportMetric(float64(task.Ins[0].Len)/float64(b.Elapsed().Nanoseconds())*float64(b.N)*1e3, "Melem/s")
			b.ReportMetric(float64(e.Estimate(task).Microseconds()), "predicted-us")
			require.NoError(b, s.Close())
			for _, m := range append(bound.Ins, bound.Outs...) {
				require.NoError(b, m.Mem.Close())
			}
		})
		require.NoError(b, e.Close())
	}
}

func BenchmarkSort(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Int64} {
		for _, c := range [][2]int64{{1, 1 << 8}, {1, 1 << 12}, {1, 1 << 16}, {1, 1 << 20}, {1, 1 << 24}, {1 << 16, 16}, {1 << 14, 100},
			{1 << 10, 1000}, {100, 10000}} {
			if dt == tensor.Int64 && c[0]*c[1] > 1<<20 {
				continue
			}
			b.Run(fmt.Sprintf("%v/%dx%d", dt, c[0], c[1]), func(b *testing.B) {
				routineBench(b, sample.Rank(dt, engine.Rank{Rows: c[0], Length: c[1], Keep: c[1]}), [][]byte{ocltest.RandomBytes(r, dt, c[0]*c[1])}, "",
					"rank=radix")
			})
		}
	}
}

func BenchmarkRunningSums(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range [][3]int64{{1, 1 << 10, 1}, {1, 1 << 16, 1}, {1, 1 << 24, 1}, {1 << 12, 1 << 10, 1}, {1, 1 << 12, 1 << 10},
		{1 << 10, 64, 16}} {
		a := engine.Scan{Outer: c[0], Length: c[1], Inner: c[2]}
		b.Run(a.String(), func(b *testing.B) {
			routineBench(b, sample.Scan(tensor.Float32, a), [][]byte{ocltest.RandomBytes(r, tensor.Float32, c[0]*c[1]*c[2])}, "")
		})
	}
}

func BenchmarkFirst(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range [][3]int64{{1, 1 << 12, 10}, {1, 1 << 17, 50}, {1, 1 << 22, 100}, {1 << 10, 1000, 5}, {128, 50257, 50},
		{1 << 14, 100, 3}, {1 << 12, 256, 8}, {1 << 12, 40, 16}} {
		b.Run(fmt.Sprintf("%d-of-%dx%d", c[2], c[0], c[1]), func(b *testing.B) {
			a := engine.Rank{Rows: c[0], Length: c[1], Keep: c[2], Descending: true}
			routineBench(b, sample.Rank(tensor.Float32, a), [][]byte{ocltest.RandomBytes(r, tensor.Float32, c[0]*c[1])}, "")
		})
	}
}

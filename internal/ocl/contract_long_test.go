package ocl

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// longProduct is m x n sums of k terms, of operands that are the same all along k, or where they
// must lie along it in memory, do.
func longProduct(dt tensor.DType, m, n, k int, along, columns bool) *engine.Task {
	dims := []int{1, m, n, k}
	a, b := view{dt, 0, make([]int64, 4), 1}, view{dt, 0, make([]int64, 4), 1}
	if along {
		a, b = view{dt, 0, []int64{0, 0, 0, 1}, int64(k)}, view{dt, 0, []int64{0, 0, 0, 1}, int64(k)}
	}
	if columns {
		b = view{dt, 0, []int64{0, 0, 1, 0}, int64(n)}
	}
	out := tensor.Float32
	if dt == tensor.Float64 {
		out = dt
	}
	return product([4]int{1, 1, 1, 1}, dims, a, b, out)
}

// filled is n elements v of dt.
func filled(dt tensor.DType, n int64, v float64) []byte {
	mem := make([]byte, n*int64(dt.Size()))
	for i := range int(n) {
		at := mem[i*dt.Size():]
		switch dt {
		case tensor.Float64:
			binary.NativeEndian.PutUint64(at, math.Float64bits(v))
		case tensor.Float16:
			binary.NativeEndian.PutUint16(at, uint16(tensor.HalfFrom64(v)))
		default:
			binary.NativeEndian.PutUint32(at, math.Float32bits(float32(v)))
		}
	}
	return mem
}

// A sum of equal terms is where rounding errors all go one way: one after the other, the terms of
// these lose more than 1e-5.
func TestLongContractionsKeepTheirDigits(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	const long = 1 << 17
	f, cpu := tensor.Float32, cpuFacts(16)
	for _, c := range []struct {
		name, variant string
		dev           *deviceFacts
		task          *engine.Task
		bound         float64
	}{
		{"item", "item", cpu, longProduct(f, 2, 1, long, false, false), 1e-6},
		{"row", "row", cpu, longProduct(f, 2, 1, 16*long, false, false), 1e-6},
		{"row of groups", "row", gpuFacts(256), longProduct(f, 1, 2, 16*long, false, false), 1e-6},
		{"row of one item", "row", gpuFacts(1), longProduct(f, 1, 2, 4*long, false, false), 1e-6},
		{"dot", "dot", cpu, longProduct(f, 2, 3, 8*long, true, false), 1e-6},
		{"stream", "stream", cpu, longProduct(f, 1, 100, long, false, true), 1e-6},
		{"block", "block", cpu, longProduct(f, 9, 33, long, false, false), 1e-6},
		{"block in place", "block", cpu, longProduct(f, 5, 70, long, false, true), 1e-6},
		{"panel", "panel", cpu, longProduct(f, 9, 33, long, false, false), 1e-6},
		{"panel in place", "panel", cpu, longProduct(f, 5, 70, long, false, true), 1e-6},
		{"tile", "tile", gpuFacts(64), longProduct(f, 3, 5, long, false, false), 2e-6},
		{"subgroup", "subgroup", gpuFacts(256), longProduct(f, 3, 5, long, false, false), 2e-6},
		{"mma", "mma", gpuFacts(256), longProduct(tensor.Float16, 3, 5, 20_000, false, false), 2e-6},
		{"moderately long", "block", cpu, longProduct(f, 9, 33, 9000, false, false), 4e-6},
		{"strip", "strip", cpu, slid{1, 1, 400, 3, 34, 2, 3, 3, 1, 1}.task(f), 4e-6},
		{"winograd", "winograd", cpu, channelsLast(f, 1, 1, 6000, 4, 4, 16, false), 4e-6},
		{"lines", "lines", cpu, slid{1, 1, 1, 6000, 34, 3, 3, 3, 1, 1}.weights(f, 5, 0, 4, 6, 7), 1e-6},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := useBench(t)
			p, err := makePlan(c.dev, c.task, "contract="+c.variant)
			require.NoError(t, err)
			require.Equal(t, c.variant, p.variant)
			for _, v := range []float64{0.1, 0.7, math.Inf(1), math.Inf(-1), math.NaN()} {
				ins := [][]byte{filled(c.task.Ins[0].DType, c.task.Ins[0].Len, v), filled(c.task.Ins[1].DType, c.task.Ins[1].Len, 1)}
				r := b.prepare(t, c.task, p, ins)
				r.run(t)
				got := r.read(t)
				dt := c.task.Outs[0].DType
				want := numberAt(c.task.Ins[0].DType, ins[0], 0) * float64(c.task.Size(3))
				for i := range len(got) / dt.Size() {
					switch g := numberAt(dt, got, i); {
					case math.IsInf(v, 0):
						require.Equal(t, v, g)
					case math.IsNaN(v):
						require.True(t, math.IsNaN(g), "%v", g)
					default:
						require.InEpsilon(t, want, g, c.bound, "of %v", v)
					}
				}
			}
		})
	}
}

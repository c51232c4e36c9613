package contract_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/tuning"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// longProduct is a task of m x n sums of k terms, whose operands are constant along k or, if along is set, lie along it in
// memory.
func longProduct(dt tensor.DType, m, n, k int, along, columns bool) *engine.Task {
	dims := []int{1, m, n, k}
	a, b := sample.View{DType: dt, Offset: 0, Strides: make([]int64, 4), Len: 1},
		sample.View{DType: dt, Offset: 0, Strides: make([]int64, 4), Len: 1}
	if along {
		a, b = sample.View{DType: dt, Offset: 0, Strides: []int64{0, 0, 0, 1}, Len: int64(k)},
			sample.View{DType: dt, Offset: 0, Strides: []int64{0, 0, 0, 1}, Len: int64(k)}
	}
	if columns {
		b = sample.View{DType: dt, Offset: 0, Strides: []int64{0, 0, 1, 0}, Len: int64(n)}
	}
	out := tensor.Float32
	if dt == tensor.Float64 {
		out = dt
	}
	return sample.Product([4]int{1, 1, 1, 1}, dims, a, b, out)
}

// A sum of equal terms is where rounding errors all go one way: added one after the other, the terms of each of
// these, 0.1 or 0.7, lose three to a thousand times the bound.
func TestLongContractionsKeepTheirDigits(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	const long = 1 << 17
	f, cpu := tensor.Float32, ocltest.CPU(16)
	plain := kernels.Params{"splits": 1} // chunks that are summed apart would keep digits too
	weights := func(h, w int) *engine.Task {
		return sample.Sliding{Images: 1, Groups: 1, C: 1, H: h, W: w, O: 3, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Weights(f, 5, 0, 4, 6, 7)
	}
	for _, c := range []struct {
		name, variant string
		dev           *facts.Device
		params        kernels.Params // nil: by rule
		task          *engine.Task
		bound         float64
	}{
		{"item", "item", cpu, nil, longProduct(f, 2, 1, long, false, false), 2e-6},
		{"row", "row", cpu, plain, longProduct(f, 2, 1, 16*long, false, false), 2e-6},
		{"row of groups", "row", ocltest.GPU(256), plain, longProduct(f, 1, 2, 64*long, false, false), 2e-6},
		{"row of one item", "row", ocltest.GPU(1), plain, longProduct(f, 1, 2, 4*long, false, false), 2e-6},
		{"dot", "dot", cpu, plain, longProduct(f, 2, 3, 8*long, true, false), 2e-6},
		{"many chunks", "dot", cpu, nil, longProduct(f, 2, 3, 16*long, true, false), 2e-6},
		{"stream", "stream", cpu, plain, longProduct(f, 1, 100, long, false, true), 2e-6},
		{"block", "block", cpu, plain, longProduct(f, 9, 33, long, false, false), 2e-6},
		{"block in place", "block", cpu, plain, longProduct(f, 5, 70, long, false, true), 2e-6},
		{"block of short steps", "block", cpu, kernels.Params{"splits": 1, "depth": 64}, longProduct(f, 9, 33, 8*long, false, false), 2e-6},
		{"panel", "panel", cpu, plain, longProduct(f, 9, 33, long, false, false), 2e-6},
		{"panel in place", "panel", cpu, plain, longProduct(f, 5, 70, long, false, true), 2e-6},
		{"panel of long runs", "panel", cpu, kernels.Params{"splits": 1, "pack_a": 0}, weights(302, 502), 2e-6},
		{"panel of short runs", "panel", cpu, kernels.Params{"splits": 1, "pack_a": 0}, weights(6002, 32), 2e-6},
		{"tile", "tile", ocltest.GPU(64), plain, longProduct(f, 3, 5, long, false, false), 2e-6},
		{"subgroup", "subgroup", ocltest.GPU(256), plain, longProduct(f, 3, 5, long, false, false), 2e-6},
		{"mma", "mma", ocltest.GPU(256), plain, longProduct(tensor.Float16, 3, 5, 20_000, false, false), 2e-6},
		{"moderately long", "panel", cpu, plain, longProduct(f, 9, 33, 9000, false, false), 8e-6},
		{"strip", "strip", cpu, nil, sample.Sliding{Images: 1, Groups: 1, C: 400, H: 3, W: 34, O: 2, KH: 3, KW: 3, Stride: 1,
			Dilation: 1}.Task(f), 4e-6},
		{"winograd", "winograd", cpu, nil, sample.ChannelsLast(f, 1, 1, 12_000, 4, 4, 16, false), 4e-6},
		{"lines", "lines", cpu, kernels.Params{"splits": 1, "lines": 1}, weights(6000, 34), 2e-6},
		{"long lines", "lines", cpu, kernels.Params{"splits": 1, "lines": 1}, weights(8, 16_002), 2e-6},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := ocltest.OpenBench(t)
			var table *tuning.Table
			force := "contract=" + c.variant
			if c.params != nil {
				table, force = ocltest.Table(c.dev, c.task, c.variant, c.params), ""
			}
			p, err := variant.MakePlan(c.dev, table, c.task, force)
			require.NoError(t, err)
			require.Equal(t, c.variant, p.Variant)
			require.Equal(t, c.params != nil, p.Tuned)
			for _, v := range []float64{0.1, 0.7, math.Inf(1), math.Inf(-1), math.NaN()} {
				other := 1.0
				if c.task.Ins[1].DType == tensor.Float16 {
					other = 0.7 // sums of many numbers of 11 bits are exact, those of products are not
				}
				ins := [][]byte{ocltest.Filled(c.task.Ins[0].DType, c.task.Ins[0].Len, v),
					ocltest.Filled(c.task.Ins[1].DType, c.task.Ins[1].Len, other)}
				tb := testing.TB(t)
				if c.variant == "tile" || c.task.Size(3) >= 8*long {
					tb = ocltest.Optimized(t)
				}
				r := b.Prepare(tb, c.task, p, ins)
				r.Run(t)
				got := r.Read(t)
				dt := c.task.Outs[0].DType
				want := ocltest.NumberAt(c.task.Ins[0].DType, ins[0], 0) * ocltest.NumberAt(c.task.Ins[1].DType, ins[1], 0) * float64(c.task.Size(3))
				for i := range len(got) / dt.Size() {
					switch g := ocltest.NumberAt(dt, got, i); {
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

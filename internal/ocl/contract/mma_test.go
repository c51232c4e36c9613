package contract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// mmaPlan is contract/gpu_mma.cl for task with the units that any device has.
func mmaPlan(t *testing.T, task *engine.Task, shape kernels.MMAShape, splits int64, change func(*facts.Device)) *variant.Plan {
	t.Helper()
	d := ocltest.GPU(256)
	d.LocalMem = 64 << 10
	if change != nil {
		change(d)
	}
	c := contract.Separate(d, access.Collapse(task), false)
	p, err := c.PlanMMA(contract.MMAChoice{Shape: shape, Chunk: variant.RoundUp(variant.CeilDiv(c.K, splits), int64(shape.K)), Splits: splits})
	require.NoError(t, err)
	return p
}

// requirePlan runs a plan of task against the reference.
func requirePlan(t *testing.T, task *engine.Task, p *variant.Plan) {
	t.Helper()
	b := ocltest.OpenBench(t)
	ins := ocltest.RandomInputs(task, 1)
	want, err := taskref.Eval(task, ins)
	require.NoError(t, err)
	r := b.Prepare(t, task, p, ins)
	r.Run(t)
	ocltest.RequireClose(t, task.Outs[0].DType, task.Size(3), want[0], r.Read(t))
}

// The kernel and the layout of fragments, swizzled chunks and transposed loads
// are those of the matrix units; what moves values among the lanes is written out.
func TestMatrixUnitsMultiplyEveryLayout(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	for _, dt := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		for i := range 4 {
			if dt == tensor.BFloat16 && i != 1 {
				continue // the bits of a value do not change where it goes
			}
			for j, size := range []int{72, 67} { // chunks that are aligned, and that are not
				if !ocltest.OneIn(i+i/2+j, 2) {
					continue
				}
				t.Run(fmt.Sprintf("%v %d %02b", dt, size, i), func(t *testing.T) {
					t.Parallel()
					task := sample.Matmul(dt, 2, size, 40, size+1-size%2, i&1 != 0, i&2 != 0)
					p := mmaPlan(t, task, kernels.MMAShape{M: 64, N: 32, K: 32, X: 1, Y: 2, Stages: 3}, 1, nil)
					require.Contains(t, p.Launches[0].Program.Text(), "#define COPY_A 1\n")
					requirePlan(t, task, p)
				})
			}
		}
	}
}

// Descriptors find the elements of tiles along k, in swizzles of three widths, and of panels along the other axes.
func TestWarpgroupsMultiplyEveryLayout(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	for i, s := range []kernels.MMAShape{
		{M: 64, N: 64, K: 64, X: 1, Y: 4, Stages: 2, Warpgroups: true}, {M: 128, N: 64, K: 32, X: 1, Y: 8, Stages: 3, Warpgroups: true},
		{M: 64, N: 128, K: 16, X: 1, Y: 4, Stages: 4, Warpgroups: true}, {M: 128, N: 256, K: 32, X: 1, Y: 8, Stages: 2, Warpgroups: true},
	} {
		dt := []tensor.DType{tensor.Float16, tensor.BFloat16}[i/2]
		t.Run(fmt.Sprintf("%v %+v", dt, s), func(t *testing.T) {
			t.Parallel()
			task := sample.Matmul(dt, 2, 72+i, 88, 70+s.N, i%2 == 0, i < 2)
			requirePlan(t, task, mmaPlan(t, task, s, int64(1+i%2), func(d *facts.Device) { d.LocalMem = 96 << 10 }))
		})
	}
}

func TestMatrixUnitsMultiplyInEveryShape(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	task := sample.Matmul(tensor.Float16, 1, 70, 88, 150, false, false)
	for i, s := range []kernels.MMAShape{
		{M: 16, N: 16, K: 16, X: 1, Y: 1, Stages: 2}, {M: 16, N: 64, K: 64, X: 4, Y: 1, Stages: 4}, {M: 64, N: 16, K: 64, X: 1, Y: 4, Stages: 4},
		{M: 64, N: 64, K: 32, X: 2, Y: 2, Stages: 3}, {M: 128, N: 128, K: 32, X: 2, Y: 4, Stages: 2},
	} {
		if !ocltest.OneIn(i+1, 2) {
			continue
		}
		t.Run(fmt.Sprintf("%+v", s), func(t *testing.T) {
			t.Parallel()
			requirePlan(t, task, mmaPlan(t, task, s, int64(1+i%2), nil))
		})
	}
}

func TestMatrixUnitsTakeFusedOperandsAndLongPositions(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	shape := kernels.MMAShape{M: 32, N: 32, K: 32, X: 1, Y: 1, Stages: 2}
	for _, dt := range []tensor.DType{tensor.Float16, tensor.BFloat16} {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			requirePlan(t, sample.Fused(dt), mmaPlan(t, sample.Fused(dt), shape, 1, nil))
		})
	}
	t.Run("long", func(t *testing.T) {
		t.Parallel()
		task := sample.Matmul(tensor.Float16, 3, 1, 33, 19, false, true)
		requirePlan(t, task, mmaPlan(t, task, shape, 1, func(d *facts.Device) { d.ForceWide = true }))
	})
	t.Run("windows", func(t *testing.T) {
		t.Parallel()
		task := sample.Convolution(2, 1, 3, 9, 11, 33, 3, 1, 1)
		for i := range task.Ins {
			task.Ins[i].DType = tensor.Float16
		}
		task.A, task.B = engine.Load(0, tensor.Float16, task.A.Addr, nil), engine.Load(1, tensor.Float16, task.B.Addr, nil)
		requirePlan(t, task, mmaPlan(t, task, shape, 2, nil))
	})
}

func TestMatrixUnitsAreTakenWhereTheyAreProven(t *testing.T) {
	t.Parallel()
	variantFor := func(mma int, dt tensor.DType) *variant.Plan {
		p, err := variant.MakePlan(ocltest.WithMatrixUnits(mma), nil, sample.Matmul(dt, 1, 700, 900, 300, false, false), "")
		require.NoError(t, err)
		return p
	}
	for mma, dts := range map[int][]tensor.DType{
		0: nil, 75: {tensor.Float16}, 80: {tensor.Float16, tensor.BFloat16}, 90: {tensor.Float16, tensor.BFloat16},
	} {
		for _, dt := range []tensor.DType{tensor.Float16, tensor.BFloat16, tensor.Float32} {
			want := "tile"
			for _, d := range dts {
				if d == dt {
					want = "mma"
				}
			}
			p := variantFor(mma, dt)
			require.Equal(t, want, p.Variant, "%v with units %d", dt, mma)
			require.Equal(t, want == "mma", strings.Contains(p.Launches[0].Program.Text(), "mma.sync"), "%v with units %d", dt, mma)
			require.Equal(t, want == "mma" && mma == 90, strings.Contains(p.Launches[0].Program.Text(), "#define WARPGROUPS 1\n"),
				"%v with units %d", dt, mma)
		}
	}
}

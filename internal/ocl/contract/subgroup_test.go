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
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// subgroupPlan is contract/gpu_subgroup.cl for task with the sub-groups that any device has.
func subgroupPlan(t *testing.T, task *engine.Task, shape kernels.SubgroupShape, splits int64, change func(*facts.Device)) *variant.Plan {
	t.Helper()
	d := ocltest.GPU(256)
	if change != nil {
		change(d)
	}
	c := contract.Separate(d, access.Collapse(task), false)
	p, err := c.PlanSubgroup(contract.SubgroupChoice{Shape: shape, Chunk: variant.RoundUp(variant.CeilDiv(c.K, splits), int64(shape.K)),
		Splits: splits})
	require.NoError(t, err)
	return p
}

// The tiles, the edges and the blocks are those of a device's own sub-groups; what
// lanes show one another goes through local memory.
func TestSubgroupsMultiplyEveryLayout(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	shape := kernels.SubgroupShape{Rows: 16, Vectors: 2, K: 16, X: 1, Y: 1, Lanes: 8}
	for _, dt := range []tensor.DType{tensor.Float32, tensor.Float16, tensor.BFloat16} {
		for i := range 4 {
			if dt == tensor.BFloat16 && i != 1 {
				continue // the bits of a value do not change where it goes
			}
			for j, size := range []int{72, 67} { // blocks that are aligned, and that are not
				if !ocltest.OneIn(i+i/2+j+int(dt), 2) {
					continue
				}
				t.Run(fmt.Sprintf("%v %d %02b", dt, size, i), func(t *testing.T) {
					t.Parallel()
					task := sample.Matmul(dt, 2, size, 40, size, i&1 != 0, i&2 != 0)
					p := subgroupPlan(t, task, shape, 1, nil)
					if size == 72 {
						require.Contains(t, p.Launches[0].Program.Text(), "#define NEAR_B 1\n")
						require.False(t, strings.Contains(p.Launches[0].Program.Text(), "#define READS_A 0\n"))
					}
					requirePlan(t, task, p)
				})
			}
		}
	}
}

func TestSubgroupsMultiplyInEveryShape(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	for i, s := range []kernels.SubgroupShape{
		{Rows: 24, Vectors: 2, K: 16, Lanes: 8}, {Rows: 24, Vectors: 4, K: 32, Lanes: 16}, {Rows: 8, Vectors: 1, K: 8, Lanes: 8},
		{Rows: 1, Vectors: 2, K: 16, Lanes: 16},
	} {
		s.X, s.Y = 1, 1
		for j, task := range []*engine.Task{
			sample.Matmul(tensor.Float32, 1, 61, 75, 90, i%2 != 0, false),
			sample.Matmul(tensor.Float32, 2, 5, 3, 40, i%2 != 0, false), // no tile is whole
		} {
			if !ocltest.OneIn(i/2+j, 2) {
				continue
			}
			t.Run(fmt.Sprintf("%v %+v", task.Axes, s), func(t *testing.T) {
				t.Parallel()
				requirePlan(t, task, subgroupPlan(t, task, s, int64(1+i%2), nil))
			})
		}
	}
}

func TestSubgroupsTakeEveryOperand(t *testing.T) {
	ocltest.NumbersOnly(t)
	t.Parallel()
	shape := kernels.SubgroupShape{Rows: 8, Vectors: 2, K: 16, X: 1, Y: 1, Lanes: 8}
	for _, dt := range []tensor.DType{tensor.Float16, tensor.Float64, tensor.Int32} {
		t.Run("fused "+dt.String(), func(t *testing.T) {
			t.Parallel()
			requirePlan(t, sample.Fused(dt), subgroupPlan(t, sample.Fused(dt), shape, 1, nil))
		})
	}
	t.Run("long", func(t *testing.T) {
		t.Parallel()
		task := sample.Matmul(tensor.Float32, 3, 9, 33, 19, false, true)
		requirePlan(t, task, subgroupPlan(t, task, shape, 1, func(d *facts.Device) { d.ForceWide = true }))
	})
	t.Run("windows", func(t *testing.T) {
		t.Parallel()
		task := sample.Biased(sample.Convolution(2, 1, 3, 9, 11, 33, 3, 1, 1))
		requirePlan(t, task, subgroupPlan(t, task, shape, 2, nil))
	})
}

func TestSubgroupsAreTakenWhereTheyAreProven(t *testing.T) {
	t.Parallel()
	for _, lanes := range []int{0, 8, 16} {
		d := ocltest.WithSubgroups(lanes)
		for _, i := range []int{0, 1, 2, 3} {
			task := sample.Matmul(tensor.Float32, 1, 700, 900, 300, i&1 != 0, i&2 != 0)
			p, err := variant.MakePlan(d, nil, task, "")
			require.NoError(t, err)
			source := p.Launches[0].Program.Text()
			if lanes == 0 {
				require.Equal(t, "tile", p.Variant)
				continue
			}
			require.Equal(t, "subgroup", p.Variant)
			require.Contains(t, source, "intel_sub_group_block_read")
			require.Contains(t, source, "#define NEAR_B 1\n")
			// Of two transposed operands the other one is shared.
			require.Equal(t, i&1 == 0 && i&2 != 0, strings.Contains(source, "#define B_BY_K 1\n"), "layout %02b", i)
			require.Equal(t, 0, p.Launches[0].Local[0]%lanes)
			require.LessOrEqual(t, p.Launches[0].Local[0], d.WorkGroup)
		}
		p, err := variant.MakePlan(d, nil, sample.Matmul(tensor.Float32, 1, 1, 5, 90_000, false, true), "")
		require.NoError(t, err)
		require.Equal(t, "row", p.Variant)
		p, err = variant.MakePlan(d, nil, sample.Matmul(tensor.Float32, 1, 4, 4000, 300, false, false), "contract=subgroup")
		require.NoError(t, err)
		require.Contains(t, p.Params, "tile 4x", "no tile is taller than the matrix")
	}
}

package ocl

import (
	"fmt"
	"strings"
	"testing"

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

// Cells of contractions: every way of multiplying that tests force, and those of their
// own shapes.

// planned is a cell of a way whose plan a test makes by hand.
func planned(variantName, name string, task *engine.Task, plan func() (*variant.Plan, error)) cell {
	return cell{family: "contract", variant: variantName, name: name, task: task, plan: plan}
}

func contractCells() (all []cell) {
	f32, f16 := tensor.Float32, tensor.Float16
	everyWay := func(name string, e sample.Effort, task *engine.Task) {
		for _, w := range sample.Ways(task, e) {
			variantName, _, _ := strings.Cut(w.Name, " ")
			all = append(all, planned(variantName, w.Name+", "+name, task, func() (*variant.Plan, error) { return w.Plan(task) }))
		}
	}
	everyWay("odd", sample.EveryOption, sample.Matmul(f32, 2, 5, 19, 11, false, false))
	everyWay("transposed", sample.EveryOption, sample.Matmul(f32, 1, 6, 17, 9, true, true))
	everyWay("along k", sample.EveryOption, sample.Matmul(f32, 1, 3, 5, 35, false, true))
	everyWay("halves", sample.EachKernel, sample.Matmul(f16, 1, 5, 18, 7, false, true))
	everyWay("bytes", sample.ChosenWays, sample.Matmul(tensor.Int8, 1, 3, 17, 5, false, false))
	everyWay("windows", sample.EachKernel, sample.Convolution(1, 1, 2, 5, 6, 5, 3, 1, 1))
	everyWay("runs of columns", sample.ChosenWays, sample.ChannelGradient(1, 18, 3, 4))
	everyWay("sum that is split", sample.EachKernel, sample.WeightGradient(2, 1, 3, 5))
	everyWay("fused", sample.EachKernel, smallFused(f32))
	one := sample.Matmul(f32, 1, 1, 37, 21, false, false)
	everyWay("one row", sample.EachKernel, one)

	window := sample.Sliding{Images: 1, Groups: 1, C: 2, H: 5, W: 19, O: 3, KH: 3, KW: 3, Stride: 1, Dilation: 1}
	strided, far := window, sample.Sliding{Images: 2, Groups: 1, C: 2, H: 7, W: 23, O: 3, KH: 3, KW: 3, Stride: 2, Dilation: 1}
	strided.Stride = 2
	for i, c := range []struct {
		name string
		task *engine.Task
	}{
		{"lines", window.Task(f32)}, {"stride", strided.Task(f32)}, {"images", far.Task(f32)}, {"halves", window.Task(f16)}, {"shortest", sample.Sliding{Images: 2, Groups: 1, C: 2, H: 4, W: 4, O: 3, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Task(f32)},
		{"stride of 3", sample.Sliding{Images: 1, Groups: 1, C: 2, H: 8, W: 31, O: 4, KH: 2, KW: 2, Stride: 3, Dilation: 1}.Task(f32)}, {"dilated", sample.Sliding{Images: 1, Groups: 2, C: 2, H: 9, W: 20, O: 3, KH: 3, KW: 2, Stride: 1, Dilation: 3}.Task(f32)}, {"biased", sample.Biased(window.Task(f32))},
	} {
		d := tinyCPU()
		if i == 2 {
			d.ForceWide = true
		}
		all = append(all, forced(d, "contract=strip", c.name, c.task))
	}
	for _, force := range []string{"contract=panel", "contract=block"} {
		all = append(all, forced(tinyCPU(tinyCache), force, "streamed", sample.Matmul(f32, 1, 9, 48, 11, false, false)))
	}
	lines := []int{5, 0, 4, 6, 7}
	for _, c := range []struct {
		name string
		task *engine.Task
	}{
		{"lines", window.Weights(f32, lines...)}, {"stride", far.Weights(f32, lines...)}, {"halves", strided.Weights(f16, lines...)},
		{"across", window.Weights(f32, 5, 6, 7, 0, 4)}, {"groups", sample.Sliding{Images: 1, Groups: 3, C: 2, H: 5, W: 18, O: 3, KH: 3, KW: 3, Stride: 1, Dilation: 1}.Weights(f32, lines...)}, {"biased", sample.Biased(window.Weights(f32, lines...))},
	} {
		all = append(all, forced(tinyCPU(), "contract=lines", c.name, c.task))
	}
	little := ocltest.CPU(8)
	little.LocalMem = 64 << 10
	for _, c := range []struct {
		name string
		d    *facts.Device
		task *engine.Task
	}{
		{"even", ocltest.CPU(16), sample.ChannelsLast(f32, 1, 1, 3, 4, 6, 8, false)}, {"odd", little, sample.ChannelsLast(f32, 1, 1, 5, 3, 5, 5, false)},
		{"along rows", ocltest.CPU(4), sample.ChannelsLast(f32, 2, 1, 3, 3, 5, 5, true)}, {"groups", little, sample.ChannelsLast(f32, 1, 2, 2, 3, 4, 3, false)},
		{"halves", ocltest.CPU(8), sample.ChannelsLast(f16, 1, 1, 3, 3, 4, 3, true)},
	} {
		all = append(all, forced(c.d, "contract=winograd", c.name, c.task))
	}
	return append(all, unitCells()...)
}

// unitCells are products by matrix units and sub-groups with the lanes that any device has,
// and products of bytes by words.
func unitCells() (all []cell) {
	f32, f16 := tensor.Float32, tensor.Float16
	mma := func(name string, task *engine.Task, s kernels.MMAShape, splits int64, change ...func(*facts.Device)) {
		all = append(all, planned("mma", name, task, func() (*variant.Plan, error) {
			d := tinyGPU(change...)
			d.LocalMem = 64 << 10
			c := contract.Separate(d, access.Collapse(task), false)
			return c.PlanMMA(contract.MMAChoice{Shape: s, Chunk: variant.RoundUp(variant.CeilDiv(c.K, splits), int64(s.K)), Splits: splits})
		}))
	}
	small := kernels.MMAShape{M: 16, N: 16, K: 16, X: 1, Y: 1, Stages: 2}
	for i := range 4 {
		mma(fmt.Sprintf("layout %02b", i), sample.Matmul(f16, 1, 24, 16, 24, i&1 != 0, i&2 != 0), small, 1)
	}
	mma("odd", sample.Matmul(tensor.BFloat16, 2, 17, 9, 19, false, false), small, 1)
	mma("split", sample.Matmul(f16, 1, 16, 8, 40, false, false), small, 2)
	mma("two warps", sample.Matmul(f16, 1, 33, 17, 35, false, true), kernels.MMAShape{M: 32, N: 32, K: 16, X: 2, Y: 1, Stages: 3}, 1)
	mma("warpgroup", sample.Matmul(f16, 1, 40, 16, 33, false, true), kernels.MMAShape{M: 64, N: 64, K: 16, X: 1, Y: 4, Stages: 2, Warpgroups: true}, 1)
	mma("fused", smallFused(f16), small, 1)
	mma("long", sample.Matmul(f16, 1, 3, 9, 19, false, true), small, 1, longPositions)
	subgroup := func(name string, task *engine.Task, s kernels.SubgroupShape, splits int64, change ...func(*facts.Device)) {
		all = append(all, planned("subgroup", name, task, func() (*variant.Plan, error) {
			c := contract.Separate(tinyGPU(change...), access.Collapse(task), false)
			return c.PlanSubgroup(contract.SubgroupChoice{Shape: s, Chunk: variant.RoundUp(variant.CeilDiv(c.K, splits), int64(s.K)), Splits: splits})
		}))
	}
	eight := kernels.SubgroupShape{Rows: 8, Vectors: 2, K: 8, X: 1, Y: 1, Lanes: 8}
	for i := range 4 {
		subgroup(fmt.Sprintf("layout %02b", i), sample.Matmul(f32, 1, 16, 16, 16, i&1 != 0, i&2 != 0), eight, 1)
	}
	subgroup("odd", sample.Matmul(f32, 2, 9, 17, 11, false, false), eight, 1)
	subgroup("halves", sample.Matmul(f16, 1, 16, 24, 16, false, true), eight, 1)
	subgroup("narrow, split", sample.Matmul(f32, 1, 17, 33, 20, true, false), kernels.SubgroupShape{Rows: 8, Vectors: 1, K: 8, X: 1, Y: 1, Lanes: 8}, 2)
	subgroup("fused", smallFused(f32), eight, 1)
	subgroup("long", sample.Matmul(f32, 1, 3, 9, 19, false, true), eight, 1, longPositions)

	words := func(variantName, name string, d *facts.Device, task *engine.Task, swap bool, plan func(c *contract.Contraction) (*variant.Plan, error)) {
		c := planned(variantName, name, task, wordsPlan(d, task, swap, plan))
		c.ins = func(*testing.T) [][]byte { return sample.ByteInputs(task) }
		c.want = func(_ *testing.T, ins [][]byte) [][]byte { return [][]byte{sample.ExactProduct(task, ins)} }
		all = append(all, c)
	}
	const i8, u8 = tensor.Int8, tensor.Uint8
	block := func(depth int64) func(c *contract.Contraction) (*variant.Plan, error) {
		return func(c *contract.Contraction) (*variant.Plan, error) {
			p := c.ChooseBlock()
			p.Depth = min(p.Depth, p.Chunk, depth)
			return c.PlanBlock(p)
		}
	}
	words("block", "words", sample.WithDot(tinyCPU(), "any"), sample.Bytes(i8, u8, 1, 5, 19, 21, false, false), false, block(1<<20))
	words("block", "words in steps", sample.WithDot(tinyCPU(), "any mixed"), sample.Bytes(i8, i8, 1, 5, 19, 23, false, true), false, block(8))
	words("block", "words of columns", sample.WithDot(ocltest.CPU(8), "any mixed"), sample.Bytes(u8, u8, 1, 5, 11, 22, true, false), false, block(1<<20))
	words("panel", "words", sample.WithDot(tinyCPU(), "any"), sample.Bytes(u8, i8, 1, 5, 19, 21, false, false), false, func(c *contract.Contraction) (*variant.Plan, error) { return c.PlanPanel(c.ChoosePanel()) })
	words("panel", "words packed", sample.WithDot(ocltest.CPU(8), "any mixed"), sample.Bytes(i8, i8, 1, 5, 11, 22, false, true), true, func(c *contract.Contraction) (*variant.Plan, error) {
		p := c.ChoosePanel()
		p.PackA = true
		p.Split(c, 2)
		return c.PlanPanel(p)
	})
	words("tile", "words", sample.WithDot(tinyGPU(), "any"), sample.Bytes(i8, i8, 1, 9, 11, 21, false, true), false, func(c *contract.Contraction) (*variant.Plan, error) { return c.PlanTile(c.ChooseTile()) })
	return all
}

func wordsPlan(d *facts.Device, task *engine.Task, swap bool, make func(c *contract.Contraction) (*variant.Plan, error)) func() (*variant.Plan, error) {
	return func() (*variant.Plan, error) {
		unit := contract.DotUnits[d.DotUnit]
		c := contract.InWords(d, access.Collapse(task), swap, &unit)
		if c == nil {
			return nil, fmt.Errorf("%s has no words", task)
		}
		return make(c)
	}
}

// smallFused is fused of fewer elements: conditions and a gather on the way in, a bias and a
// residual in place on the way out.
func smallFused(dt tensor.DType) *engine.Task { return sample.FusedOf(dt, 1, 5, 18, 9) }

package ocl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/contract"
	"github.com/anycl/anycl/internal/ocl/facts"
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
	everyWay := func(name string, e effort, task *engine.Task) {
		for _, w := range ways(task, e) {
			variantName, _, _ := strings.Cut(w.name, " ")
			all = append(all, planned(variantName, w.name+", "+name, task, func() (*variant.Plan, error) { return w.plan(task) }))
		}
	}
	everyWay("odd", everyOption, matmul(f32, 2, 5, 19, 11, false, false))
	everyWay("transposed", everyOption, matmul(f32, 1, 6, 17, 9, true, true))
	everyWay("along k", everyOption, matmul(f32, 1, 3, 5, 35, false, true))
	everyWay("halves", eachKernel, matmul(f16, 1, 5, 18, 7, false, true))
	everyWay("bytes", chosenWays, matmul(tensor.Int8, 1, 3, 17, 5, false, false))
	everyWay("windows", eachKernel, convolution(1, 1, 2, 5, 6, 5, 3, 1, 1))
	everyWay("runs of columns", chosenWays, channelGradient(1, 18, 3, 4))
	everyWay("sum that is split", eachKernel, weightGradient(2, 1, 3, 5))
	everyWay("fused", eachKernel, smallFused(f32))
	one := matmul(f32, 1, 1, 37, 21, false, false)
	everyWay("one row", eachKernel, one)

	window := slid{1, 1, 2, 5, 19, 3, 3, 3, 1, 1}
	strided, far := window, slid{2, 1, 2, 7, 23, 3, 3, 3, 2, 1}
	strided.stride = 2
	for i, c := range []struct {
		name string
		task *engine.Task
	}{
		{"lines", window.task(f32)}, {"stride", strided.task(f32)}, {"images", far.task(f32)}, {"halves", window.task(f16)}, {"shortest", slid{2, 1, 2, 4, 4, 3, 3, 3, 1, 1}.task(f32)},
		{"stride of 3", slid{1, 1, 2, 8, 31, 4, 2, 2, 3, 1}.task(f32)}, {"dilated", slid{1, 2, 2, 9, 20, 3, 3, 2, 1, 3}.task(f32)}, {"biased", biased(window.task(f32))},
	} {
		d := tinyCPU()
		if i == 2 {
			d.ForceWide = true
		}
		all = append(all, forced(d, "contract=strip", c.name, c.task))
	}
	for _, force := range []string{"contract=panel", "contract=block"} {
		all = append(all, forced(tinyCPU(tinyCache), force, "streamed", matmul(f32, 1, 9, 48, 11, false, false)))
	}
	lines := []int{5, 0, 4, 6, 7}
	for _, c := range []struct {
		name string
		task *engine.Task
	}{
		{"lines", window.weights(f32, lines...)}, {"stride", far.weights(f32, lines...)}, {"halves", strided.weights(f16, lines...)},
		{"across", window.weights(f32, 5, 6, 7, 0, 4)}, {"groups", slid{1, 3, 2, 5, 18, 3, 3, 3, 1, 1}.weights(f32, lines...)}, {"biased", biased(window.weights(f32, lines...))},
	} {
		all = append(all, forced(tinyCPU(), "contract=lines", c.name, c.task))
	}
	little := cpuFacts(8)
	little.LocalMem = 64 << 10
	for _, c := range []struct {
		name string
		d    *facts.Device
		task *engine.Task
	}{
		{"even", cpuFacts(16), channelsLast(f32, 1, 1, 3, 4, 6, 8, false)}, {"odd", little, channelsLast(f32, 1, 1, 5, 3, 5, 5, false)},
		{"along rows", cpuFacts(4), channelsLast(f32, 2, 1, 3, 3, 5, 5, true)}, {"groups", little, channelsLast(f32, 1, 2, 2, 3, 4, 3, false)},
		{"halves", cpuFacts(8), channelsLast(f16, 1, 1, 3, 3, 4, 3, true)},
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
		mma(fmt.Sprintf("layout %02b", i), matmul(f16, 1, 24, 16, 24, i&1 != 0, i&2 != 0), small, 1)
	}
	mma("odd", matmul(tensor.BFloat16, 2, 17, 9, 19, false, false), small, 1)
	mma("split", matmul(f16, 1, 16, 8, 40, false, false), small, 2)
	mma("two warps", matmul(f16, 1, 33, 17, 35, false, true), kernels.MMAShape{M: 32, N: 32, K: 16, X: 2, Y: 1, Stages: 3}, 1)
	mma("warpgroup", matmul(f16, 1, 40, 16, 33, false, true), kernels.MMAShape{M: 64, N: 64, K: 16, X: 1, Y: 4, Stages: 2, Warpgroups: true}, 1)
	mma("fused", smallFused(f16), small, 1)
	mma("long", matmul(f16, 1, 3, 9, 19, false, true), small, 1, longPositions)
	subgroup := func(name string, task *engine.Task, s kernels.SubgroupShape, splits int64, change ...func(*facts.Device)) {
		all = append(all, planned("subgroup", name, task, func() (*variant.Plan, error) {
			c := contract.Separate(tinyGPU(change...), access.Collapse(task), false)
			return c.PlanSubgroup(contract.SubgroupChoice{Shape: s, Chunk: variant.RoundUp(variant.CeilDiv(c.K, splits), int64(s.K)), Splits: splits})
		}))
	}
	eight := kernels.SubgroupShape{Rows: 8, Vectors: 2, K: 8, X: 1, Y: 1, Lanes: 8}
	for i := range 4 {
		subgroup(fmt.Sprintf("layout %02b", i), matmul(f32, 1, 16, 16, 16, i&1 != 0, i&2 != 0), eight, 1)
	}
	subgroup("odd", matmul(f32, 2, 9, 17, 11, false, false), eight, 1)
	subgroup("halves", matmul(f16, 1, 16, 24, 16, false, true), eight, 1)
	subgroup("narrow, split", matmul(f32, 1, 17, 33, 20, true, false), kernels.SubgroupShape{Rows: 8, Vectors: 1, K: 8, X: 1, Y: 1, Lanes: 8}, 2)
	subgroup("fused", smallFused(f32), eight, 1)
	subgroup("long", matmul(f32, 1, 3, 9, 19, false, true), eight, 1, longPositions)

	words := func(variantName, name string, d *facts.Device, task *engine.Task, swap bool, plan func(c *contract.Contraction) (*variant.Plan, error)) {
		c := planned(variantName, name, task, wordsPlan(d, task, swap, plan))
		c.ins = func(*testing.T) [][]byte { return bytesFor(task) }
		c.want = func(_ *testing.T, ins [][]byte) [][]byte { return [][]byte{exactProduct(task, ins)} }
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
	words("block", "words", dotFacts(tinyCPU(), "any"), quantised(i8, u8, 1, 5, 19, 21, false, false), false, block(1<<20))
	words("block", "words in steps", dotFacts(tinyCPU(), "any mixed"), quantised(i8, i8, 1, 5, 19, 23, false, true), false, block(8))
	words("block", "words of columns", dotFacts(cpuFacts(8), "any mixed"), quantised(u8, u8, 1, 5, 11, 22, true, false), false, block(1<<20))
	words("panel", "words", dotFacts(tinyCPU(), "any"), quantised(u8, i8, 1, 5, 19, 21, false, false), false, func(c *contract.Contraction) (*variant.Plan, error) { return c.PlanPanel(c.ChoosePanel()) })
	words("panel", "words packed", dotFacts(cpuFacts(8), "any mixed"), quantised(i8, i8, 1, 5, 11, 22, false, true), true, func(c *contract.Contraction) (*variant.Plan, error) {
		p := c.ChoosePanel()
		p.PackA = true
		p.Split(c, 2)
		return c.PlanPanel(p)
	})
	words("tile", "words", dotFacts(tinyGPU(), "any"), quantised(i8, i8, 1, 9, 11, 21, false, true), false, func(c *contract.Contraction) (*variant.Plan, error) { return c.PlanTile(c.ChooseTile()) })
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
func smallFused(dt tensor.DType) *engine.Task { return fusedOf(dt, 1, 5, 18, 9) }

package routine

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// fewSamples are those that go down several trees at once on the CPU path, which sums in another order:
// a device wins nothing with so few.
const fewSamples = 8

// checkTrees says why the device cannot walk, or "".
func checkTrees(d *facts.Device, t *engine.Task) string {
	switch a := t.Algorithm.(*engine.Trees); {
	case !d.FP64:
		return "the device has no float64, in which weights are summed"
	case a.Samples < fewSamples:
		return "few samples go down several trees at once, which only the CPU path does"
	}
	return ""
}

func init() {
	variant.Register(variant.Family{
		Name: "trees", Kind: engine.Routine, Algorithm: (*engine.Trees)(nil), Variants: []string{"block", "item"},
		Choose: treesVariants, Check: checkTrees, Cost: treesCost,
	})
}

func treesVariants(d *facts.Device, t *engine.Task) []variant.Variant {
	a := t.Algorithm.(*engine.Trees)
	plan := func(cpu bool) func() (*variant.Plan, error) {
		return func() (*variant.Plan, error) { return planTrees(d, t, a, cpu) }
	}
	block := variant.Variant{Name: "block", Why: "a CPU driver: eight samples side by side, a block of them a tree", Plan: plan(true)}
	item := variant.Variant{Name: "item", Why: "an item walks one sample", Plan: plan(false)}
	if d.CPU {
		return []variant.Variant{block, item}
	}
	return []variant.Variant{item, block}
}

func planTrees(d *facts.Device, t *engine.Task, a *engine.Trees, cpu bool) (*variant.Plan, error) {
	dt := t.Ins[0].DType
	size := int64(dt.Size())
	s := kernels.Trees(a.Samples, a.Features, size, cpu, d.Units, d.WorkGroup)
	padded := variant.RoundUp(a.Samples, s.Block)
	g := codegen.New(d, t, padded*max(2*a.Features, 2*a.Targets))
	g.Double = true
	bits, inf, largest := "int", "0x7f800000", "0x7fffffff"
	if dt == tensor.Float64 {
		bits, inf, largest = "long", "0x7ff0000000000000L", "0x7fffffffffffffffL"
	}
	g.Macro("SBITS", bits)
	g.Macro("INF", inf)
	g.Macro("LARGEST", largest)
	g.Macro("WIDE_KEY", codegen.OneIf(dt == tensor.Float64))
	g.Macro("LANES", s.Lanes)
	g.Macro("BLOCK", s.Block)
	g.Macro("STAGED", codegen.OneIf(cpu))
	g.Macro("SINGLE", codegen.OneIf(a.Targets == 1 && a.Weights == a.Leaves && a.Aggregate <= engine.AggregateMean))
	g.Macro("FOLD", a.Aggregate)
	g.Macro("X_BITS(i)", g.Start(0, bits)+"[i]")
	g.Macro("NODES", g.Start(1, "int"))
	g.Macro("ROOTS", g.Start(2, "int"))
	g.Macro("STARTS", g.Start(3, "int"))
	g.Macro("TARGET_OF", g.Start(4, "int"))
	g.Macro("WEIGHT(i)", g.Start(5, codegen.RegType(dt))+"[i]")
	g.Macro("PUT(i, v)", fmt.Sprintf("%s[i] = (%s)(v)", g.Start(6, codegen.RegType(dt)), codegen.RegType(dt)))
	g.Size("SAMPLES", a.Samples)
	g.Size("FEATURES", a.Features)
	g.Size("TARGETS", a.Targets)
	g.Size("COUNT", a.Count)
	g.ScratchArg("SUMS", 0, "double")
	scratch := []int64{16 * padded * a.Targets}
	if cpu {
		g.ScratchArg("KEYS", 1, bits)
		scratch = append(scratch, padded*2*a.Features*size)
	}
	return &variant.Plan{
		Params: fmt.Sprintf("%d trees, %d samples an item", a.Count, s.Block), Scratch: scratch,
		Launches: []variant.Launch{{Program: g.Assemble("trees/any_walk.cl"), Kernel: "trees_walk", Global: s.Global, Local: s.Local}},
	}, nil
}

// treesCost counts steps, which wait for the cache where a tree is large.
func treesCost(t *engine.Task, _ variant.AlgorithmCost) variant.AlgorithmCost {
	a := t.Algorithm.(*engine.Trees)
	step := 1.5
	if nodes := float64(a.Nodes) / math.Max(float64(a.Count), 1); nodes > 1<<11 {
		step = 3
	}
	n := float64(a.Samples)
	return variant.AlgorithmCost{Nanoseconds: n * (4*float64(a.Features) + step*a.Steps + 4*float64(a.Count)), Parts: n / fewSamples,
		Launches: 1}
}

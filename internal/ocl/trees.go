package ocl

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// fewSamples are those that go down several trees at once on the CPU path, which sums in another order:
// a device wins nothing with so few.
const fewSamples = 8

// checkTrees says why the device cannot walk, or "".
func (d *deviceFacts) checkTrees(a *engine.Trees) string {
	switch {
	case !d.fp64:
		return "the device has no float64, in which weights are summed"
	case a.Samples < fewSamples:
		return "few samples go down several trees at once, which only the CPU path does"
	}
	return ""
}

func treesVariants(d *deviceFacts, t *engine.Task, a *engine.Trees) []variant {
	plan := func(cpu bool) func() (*plan, error) {
		return func() (*plan, error) { return planTrees(d, t, a, cpu) }
	}
	block := variant{name: "block", why: "a CPU driver: eight samples side by side, a block of them a tree", plan: plan(true)}
	item := variant{name: "item", why: "an item walks one sample", plan: plan(false)}
	if d.cpu {
		return []variant{block, item}
	}
	return []variant{item, block}
}

func planTrees(d *deviceFacts, t *engine.Task, a *engine.Trees, cpu bool) (*plan, error) {
	dt := t.Ins[0].DType
	size := int64(dt.Size())
	s := kernels.Trees(a.Samples, a.Features, size, cpu, d.units, d.workGroup)
	padded := roundUp(a.Samples, s.Block)
	g := newGen(d, t, padded*max(2*a.Features, 2*a.Targets))
	g.double = true
	bits, inf, largest := "int", "0x7f800000", "0x7fffffff"
	if dt == tensor.Float64 {
		bits, inf, largest = "long", "0x7ff0000000000000L", "0x7fffffffffffffffL"
	}
	g.macro("SBITS", bits)
	g.macro("INF", inf)
	g.macro("LARGEST", largest)
	g.macro("WIDE_KEY", oneIf(dt == tensor.Float64))
	g.macro("LANES", s.Lanes)
	g.macro("BLOCK", s.Block)
	g.macro("STAGED", oneIf(cpu))
	g.macro("SINGLE", oneIf(a.Targets == 1 && a.Weights == a.Leaves && a.Aggregate <= engine.AggregateMean))
	g.macro("FOLD", a.Aggregate)
	g.macro("X_BITS(i)", g.start(0, bits)+"[i]")
	g.macro("NODES", g.start(1, "int"))
	g.macro("ROOTS", g.start(2, "int"))
	g.macro("STARTS", g.start(3, "int"))
	g.macro("TARGET_OF", g.start(4, "int"))
	g.macro("WEIGHT(i)", g.start(5, regType(dt))+"[i]")
	g.macro("PUT(i, v)", fmt.Sprintf("%s[i] = (%s)(v)", g.start(6, regType(dt)), regType(dt)))
	g.size("SAMPLES", a.Samples)
	g.size("FEATURES", a.Features)
	g.size("TARGETS", a.Targets)
	g.size("COUNT", a.Count)
	g.scratchArg("SUMS", 0, "double")
	scratch := []int64{16 * padded * a.Targets}
	if cpu {
		g.scratchArg("KEYS", 1, bits)
		scratch = append(scratch, padded*2*a.Features*size)
	}
	return &plan{
		params: fmt.Sprintf("%d trees, %d samples an item", a.Count, s.Block), scratch: scratch,
		launches: []launch{{prog: g.assemble("trees/any_walk.cl"), kernel: "trees_walk", global: s.Global, local: s.Local}},
	}, nil
}

// treesLabour counts steps, which wait for the cache where a tree is large.
func treesLabour(a *engine.Trees) labour {
	step := 1.5
	if nodes := float64(a.Nodes) / math.Max(float64(a.Count), 1); nodes > 1<<11 {
		step = 3
	}
	n := float64(a.Samples)
	return labour{ns: n * (4*float64(a.Features) + step*a.Steps + 4*float64(a.Count)), parts: n / fewSamples, launches: 1}
}

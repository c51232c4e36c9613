package ocl

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/internal/taskref"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// attending describes a task of attention.
type attending struct {
	dt               tensor.DType
	b, g, m, n, d, e int
	low, high        int64 // both 0: all keys
	mask             tensor.DType
	maskAxes         []int
	headsLast        bool // K is [n][b][d], as it comes out of a dense layer
	pass             engine.AttentionPass
	withL            bool
}

func (c attending) String() string {
	return fmt.Sprintf("%v pass %d b%d g%d m%d n%d d%d e%d band %d %d mask %v %v last %v", c.dt, c.pass, c.b, c.g, c.m, c.n, c.d, c.e, c.low, c.high, c.mask, c.maskAxes, c.headsLast)
}

// blocked reports whether the kernels by blocks take it.
func (c attending) blocked() bool {
	owned := c.g * c.m
	if c.pass == engine.AttentionGradKV {
		owned = c.n
	}
	return c.dt != tensor.Float64 && min(c.d, c.e) >= 16 && max(c.d, c.e) <= 128 && owned >= 16
}

func (c attending) task() *engine.Task {
	dom := engine.Domain{c.b, c.g, c.m, c.n, c.d, c.e}
	acc := engine.AccType(c.dt)
	t := &engine.Task{Kind: engine.Attention, Name: "attention", Axes: dom, Groups: []int{1, 1, 1, 1, 1, 1}, Acc: acc}
	load := func(dt tensor.DType, axes ...int) *engine.Expr {
		size := int64(1)
		for _, a := range axes {
			size *= int64(dom[a])
		}
		t.Ins = append(t.Ins, engine.Operand{DType: dt, Len: size})
		return engine.Load(len(t.Ins)-1, dt, denseAt(dom, axes...), nil)
	}
	a := &engine.AttentionTask{Pass: c.pass, Scale: 0.4, Low: -int64(c.m), High: int64(c.n)}
	if c.low != 0 || c.high != 0 {
		a.Low, a.High = c.low, c.high
	}
	a.Q = load(c.dt, 0, 1, 2, 4)
	if a.K = load(c.dt, 0, 3, 4); c.headsLast {
		t.Ins = t.Ins[:1]
		a.K = load(c.dt, 3, 0, 4)
	}
	a.V = load(c.dt, 0, 3, 5)
	if c.mask != tensor.Invalid {
		a.Mask = load(c.mask, c.maskAxes...)
	}
	t.Attention = a
	if c.pass != engine.AttentionForward {
		a.DO, a.L, a.D = load(c.dt, 0, 1, 2, 5), load(acc, 0, 1, 2), load(acc, 0, 1, 2)
	}
	for i := range map[engine.AttentionPass]int{engine.AttentionForward: 1 + codegen.OneIf(c.withL), engine.AttentionGradQ: 1, engine.AttentionGradKV: 2}[c.pass] {
		dt := c.dt
		if c.pass == engine.AttentionForward && i == 1 {
			dt = acc
		}
		t.Outs = append(t.Outs, engine.Operand{DType: dt, Len: t.OutSize(i)})
	}
	return t
}

// inputs are random; the logarithms are what the forward pass gives.
func (c attending) inputs(t *testing.T, seed uint64) [][]byte {
	r := rand.New(rand.NewPCG(seed, 3))
	task := c.task()
	var ins [][]byte
	for _, in := range task.Ins {
		ins = append(ins, randomBytes(r, in.DType, in.Len))
	}
	if c.pass != engine.AttentionForward {
		f := c
		f.pass, f.withL = engine.AttentionForward, true
		forward := f.task()
		outs, err := taskref.Eval(forward, ins[:len(forward.Ins)])
		require.NoError(t, err)
		ins[len(ins)-2] = outs[1]
	}
	return ins
}

// attendings are shapes at the edges of tiles and blocks, bands, masks, dtypes.
// Those that differ in b, m, n and the band alone run the same programs.
func attendings() []attending {
	f32, all := tensor.Float32, []attending{}
	for _, c := range []attending{
		{dt: f32, b: 2, g: 1, m: 32, n: 64, d: 8, e: 8, withL: true},
		{dt: f32, b: 2, g: 1, m: 5, n: 0, d: 8, e: 8, withL: true},
		{dt: f32, b: 2, g: 1, m: 0, n: 5, d: 8, e: 8, withL: true},
		{dt: f32, b: 3, g: 2, m: 33, n: 65, d: 7, e: 9, withL: true},
		{dt: f32, b: 1, g: 1, m: 1, n: 200, d: 64, e: 64},
		{dt: f32, b: 2, g: 4, m: 3, n: 70, d: 20, e: 12, low: -3, high: 67},
		{dt: f32, b: 2, g: 2, m: 70, n: 70, d: 4, e: 4, low: -70, high: 0, withL: true},
		{dt: f32, b: 2, g: 2, m: 90, n: 40, d: 4, e: 4, low: -90, high: -50, withL: true},
		{dt: f32, b: 2, g: 2, m: 150, n: 150, d: 4, e: 4, low: -5, high: 0, withL: true},
		{dt: f32, b: 2, g: 2, m: 19, n: 35, d: 8, e: 8, mask: tensor.Bool, maskAxes: []int{0, 3}},
		{dt: f32, b: 2, g: 2, m: 19, n: 35, d: 8, e: 8, mask: f32, maskAxes: []int{2, 3}, low: -19, high: 16},
		{dt: f32, b: 2, g: 1, m: 19, n: 35, d: 8, e: 8, headsLast: true},
		{dt: tensor.Float16, b: 2, g: 2, m: 9, n: 35, d: 8, e: 8, mask: tensor.Float16, maskAxes: []int{1, 2, 3}},
		{dt: tensor.BFloat16, b: 2, g: 1, m: 40, n: 35, d: 8, e: 10},
		{dt: tensor.Float64, b: 2, g: 1, m: 40, n: 75, d: 8, e: 10, low: -40, high: 35, withL: true},
		{dt: f32, b: 1, g: 2, m: 37, n: 41, d: 131, e: 70, low: -37, high: 30, withL: true},
		{dt: f32, b: 1, g: 1, m: 5, n: 6, d: 3, e: 0, withL: true},
		{dt: f32, b: 2, g: 2, m: 37, n: 70, d: 20, e: 33, low: -37, high: 33, withL: true},
		{dt: f32, b: 3, g: 1, m: 100, n: 150, d: 64, e: 64, low: -100, high: 50, withL: true},
		{dt: f32, b: 1, g: 2, m: 70, n: 90, d: 17, e: 128, mask: f32, maskAxes: []int{1, 2, 3}, withL: true},
		{dt: tensor.BFloat16, b: 2, g: 1, m: 40, n: 65, d: 128, e: 32, mask: tensor.Bool, maskAxes: []int{0, 3}, headsLast: true},
		{dt: f32, b: 2, g: 3, m: 21, n: 40, d: 16, e: 16, low: -5, high: 2, withL: true},
	} {
		for pass := range engine.AttentionGradKV + 1 {
			c.pass = pass
			all = append(all, c)
		}
	}
	return all
}

func TestAttentionAgreesWithItsDefinitionInEveryVariant(t *testing.T) {
	numbersOnly(t)
	for i, c := range attendings() {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			ins := c.inputs(t, uint64(i))
			for j, force := range []string{"lane", "tile", "block"} {
				if force == "block" && !c.blocked() || force != "block" && !one(i+i/3+j, 2) { // each pass of each case in one other variant
					continue
				}
				verify(t, device(t, "attention="+force, nil), c.task(), ins, 2e-5, 4)
			}
		})
	}
}

func TestGradientsOfKeysAndValuesAreRightForOtherTiles(t *testing.T) {
	numbersOnly(t)
	t.Parallel()
	c := attending{dt: tensor.Float32, b: 2, g: 2, m: 37, n: 70, d: 20, e: 9, low: -37, high: 30, pass: engine.AttentionGradKV}
	for _, p := range []kernels.Params{{"vectors": 1, "rows": 12, "block": 16}, {"vectors": 4, "rows": 2, "block": 128}} {
		e := device(t, "", nil)
		e.tuned = variant.NewTable(tableWith(e.facts, c.task(), "lane", p))
		plan, err := variant.MakePlan(e.facts, e.tuned.Load(), c.task(), "")
		require.NoError(t, err)
		require.True(t, plan.Tuned)
		verify(t, e, c.task(), c.inputs(t, 5), 2e-5, 4)
	}
}

// attentionGoldens are one of each pass, by file name.
func attentionGoldens() map[string]goldenCase {
	c := attending{dt: tensor.Float32, b: 3, g: 2, m: 500, n: 600, d: 64, e: 64, low: -500, high: 100}
	half := attending{dt: tensor.Float16, b: 3, g: 1, m: 50, n: 60, d: 64, e: 32, mask: tensor.Bool, maskAxes: []int{0, 3}, withL: true}
	dq, dkv := c, c
	dq.pass, dkv.pass = engine.AttentionGradQ, engine.AttentionGradKV
	return map[string]goldenCase{
		"lane-causal.cl":  {c.task(), cpuFacts(16), ""},
		"lane-packed.cl":  {half.task(), cpuFacts(8), ""},
		"lane-dq.cl":      {dq.task(), cpuFacts(16), ""},
		"lane-dkv.cl":     {dkv.task(), cpuFacts(16), ""},
		"tile.cl":         {half.task(), gpuFacts(256), "attention=tile"},
		"tile-dq.cl":      {dq.task(), gpuFacts(256), "attention=tile"},
		"tile-dkv.cl":     {dkv.task(), gpuFacts(256), "attention=tile"},
		"block.cl":        {half.task(), gpuFacts(256), ""},
		"block-causal.cl": {c.task(), gpuFacts(256), ""},
		"block-dq.cl":     {dq.task(), gpuFacts(256), ""},
		"block-dkv.cl":    {dkv.task(), gpuFacts(256), ""},
	}
}

func TestGoldenFilesSayWhatAttentionFillsIn(t *testing.T) {
	for name, c := range attentionGoldens() {
		t.Run(name, func(t *testing.T) {
			requirePinned(t, filepath.Join("testdata", "attention", name), golden(c.plan(t)))
		})
	}
}

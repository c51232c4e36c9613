package ocl

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// pixels is a depthwise convolution of images [n][h][w][c] by kernels [u][v][c],
// dilation between their taps, with a border of pad around the images.
type pixels struct {
	n, h, w, c, u, v      int
	stride, dilation, pad int
	dt                    tensor.DType
}

func (p pixels) task() *engine.Task {
	out := func(extent, kernel int) int { return (extent+2*p.pad-p.dilation*(kernel-1)-1)/p.stride + 1 }
	dom := engine.Domain{p.n, out(p.h, p.u), out(p.w, p.v), p.c, p.u, p.v}
	at := func(axis, tap int) *engine.Index {
		return engine.AxisIndex(axis).Mul(int64(p.stride)).Add(engine.AxisIndex(tap).Mul(int64(p.dilation))).AddConst(int64(-p.pad))
	}
	y, x := at(1, 4), at(2, 5)
	addr := engine.AxisIndex(0).Mul(int64(p.h)).Add(y).Mul(int64(p.w)).Add(x).Mul(int64(p.c)).Add(engine.AxisIndex(3))
	var inside []engine.Cond
	if p.pad > 0 {
		inside = []engine.Cond{{X: y, Hi: int64(p.h)}, {X: x, Hi: int64(p.w)}}
	}
	tap := engine.AxisIndex(4).Mul(int64(p.v)).Add(engine.AxisIndex(5)).Mul(int64(p.c)).Add(engine.AxisIndex(3))
	image, factor := engine.Load(0, p.dt, addr, inside), engine.Load(1, p.dt, tap, nil)
	acc := engine.AccType(p.dt)
	if acc != p.dt {
		image, factor = engine.Apply(fnCast, acc, image), engine.Apply(fnCast, acc, factor)
	}
	return reduceTask(dom, 4, engine.Sum, engine.Apply(fnMul, acc, image, factor),
		engine.Operand{DType: p.dt, Len: int64(p.n * p.h * p.w * p.c)}, engine.Operand{DType: p.dt, Len: int64(p.u * p.v * p.c)})
}

func (p pixels) operands(seed uint64) [][]byte {
	r, t := rand.New(rand.NewPCG(seed, uint64(p.c))), p.task()
	return [][]byte{randomBytes(r, p.dt, t.Ins[0].Len), randomBytes(r, p.dt, t.Ins[1].Len)}
}

func TestDepthwiseAlongChannels(t *testing.T) {
	numbersOnly(t)
	const f32 = tensor.Float32
	for name, p := range map[string]pixels{
		"edges":                 {2, 9, 11, 32, 3, 3, 1, 1, 1, f32},
		"stride":                {2, 14, 13, 48, 3, 3, 2, 1, 1, f32},
		"dilation":              {1, 12, 15, 16, 3, 3, 1, 2, 2, f32},
		"dilation and stride":   {1, 12, 15, 64, 3, 3, 2, 3, 3, f32},
		"channels overlap":      {1, 8, 9, 37, 3, 3, 1, 1, 1, f32},
		"two vectors overlap":   {2, 7, 7, 150, 3, 3, 1, 1, 1, f32},
		"one vector and a lane": {1, 5, 6, 17, 3, 3, 1, 1, 1, f32},
		"no border":             {1, 10, 9, 24, 3, 3, 1, 1, 0, f32},
		"5 x 5":                 {1, 11, 12, 40, 5, 5, 1, 1, 2, f32},
		"one row of taps":       {1, 6, 20, 32, 1, 7, 1, 1, 3, f32},
		"never whole":           {1, 2, 2, 32, 3, 3, 1, 1, 1, f32},
		"one pixel":             {3, 1, 1, 32, 3, 3, 1, 1, 1, f32},
		"wide border":           {1, 4, 5, 32, 3, 3, 1, 1, 4, f32},
		"many channels":         {1, 7, 7, 960, 3, 3, 1, 1, 1, f32},
		"many rows":             {4, 40, 9, 32, 3, 3, 1, 1, 1, f32},
		"float64":               {1, 9, 11, 33, 3, 3, 1, 1, 1, tensor.Float64},
		"float16":               {1, 9, 11, 40, 3, 3, 1, 1, 1, tensor.Float16},
		"bfloat16":              {1, 9, 11, 40, 3, 3, 1, 1, 1, tensor.BFloat16},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := p.task()
			for i, force := range []string{"", "reduce=lanes"} {
				if !one(i+p.h, 2) {
					continue
				}
				e := device(t, force, nil)
				plan := verify(t, e, task, p.operands(9), 1e-5, 1)
				if force != "" && e.facts.CPU {
					require.Contains(t, plan.Variant, "pixels")
				}
			}
		})
	}
}

// Windows of more taps than lanes go through at once keep their factors too, where the border lies in memory.
func TestLargeWindowsKeepTheirFactors(t *testing.T) {
	numbersOnly(t)
	p := pixels{1, 9, 12, 40, 5, 5, 2, 1, 0, tensor.Float32}
	e := device(t, "", nil)
	plan := verify(t, e, p.task(), p.operands(9), 1e-5, 1)
	if e.facts.CPU {
		require.Contains(t, plan.Variant, "pixels")
	}
}

// A border is made of zeros: what is not finite times 0 is NaN, as it is where
// the border lies in memory.
func TestBorderTimesInfinityIsNaN(t *testing.T) {
	p := pixels{1, 5, 6, 32, 3, 3, 1, 1, 1, tensor.Float32}
	ins := p.operands(3)
	putAt(p.dt, ins[1], 5, math.Inf(1), 0)
	putAt(p.dt, ins[1], 32*4+7, math.NaN(), 0)
	putAt(p.dt, ins[0], 32*8+20, math.Inf(-1), 0)
	verify(t, device(t, "reduce=lanes", nil), p.task(), ins, 1e-5, 1)
}

// What is added to an output that is an input is added once, where the last
// vectors would overlap.
func TestPixelsOverAnInputAreStoredOnce(t *testing.T) {
	for _, c := range []int{144, 150} {
		p := pixels{1, 6, 7, c, 3, 3, 1, 1, 1, tensor.Float32}
		task := p.task()
		out := task.Outs[0]
		task.Ins = append(task.Ins, out)
		task.Values[0] = engine.Apply(fnAdd, p.dt, task.Values[0], engine.Load(2, p.dt, denseAt(task.Axes[:4], 0, 1, 2, 3), nil))
		task.Alias = []int{2}
		ins := append(p.operands(4), randomBytes(rand.New(rand.NewPCG(1, 4)), p.dt, out.Len))
		verify(t, device(t, "reduce=lanes", nil), task, ins, 1e-5, 1)
	}
}

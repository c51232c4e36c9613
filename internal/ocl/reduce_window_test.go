package ocl

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/tensor"
)

// sliding is a window over images [n][c][h][w] with a border of pad around them.
type sliding struct {
	n, c, h, w, u, v      int
	stride, dilation, pad int
	dt                    tensor.DType
}

func (s sliding) out(extent, kernel int) int {
	return (extent+2*s.pad-s.dilation*(kernel-1)-1)/s.stride + 1
}

func (s sliding) images() engine.Operand {
	return engine.Operand{DType: s.dt, Len: int64(s.n * s.c * s.h * s.w)}
}

func (s sliding) kernels() engine.Operand {
	return engine.Operand{DType: s.dt, Len: int64(s.c * s.u * s.v)}
}

func (s sliding) results() engine.Operand {
	return engine.Operand{DType: s.dt, Len: int64(s.n * s.c * s.out(s.h, s.u) * s.out(s.w, s.v))}
}

// image is element (n, c, y, x) of the padded images, the axes being numbers.
func (s sliding) image(n, c, i, j, u, v int) *engine.Expr {
	at := func(axis, tap int) *engine.Index {
		return engine.AxisIndex(axis).Mul(int64(s.stride)).Add(engine.AxisIndex(tap).Mul(int64(s.dilation))).AddConst(int64(-s.pad))
	}
	y, x := at(i, u), at(j, v)
	plane := engine.AxisIndex(n).Mul(int64(s.c)).Add(engine.AxisIndex(c))
	var inside []engine.Cond
	if s.pad > 0 {
		inside = []engine.Cond{{X: y, Hi: int64(s.h)}, {X: x, Hi: int64(s.w)}}
	}
	return engine.Load(0, s.dt, plane.Mul(int64(s.h)).Add(y).Mul(int64(s.w)).Add(x), inside)
}

func axes(extents ...int) func(axis ...int) *engine.Index {
	return func(axis ...int) *engine.Index {
		at := engine.ConstIndex(0)
		for i, a := range axis {
			at = at.Mul(int64(extents[i])).Add(engine.AxisIndex(a))
		}
		return at
	}
}

func widened(e *engine.Expr) *engine.Expr {
	if acc := engine.AccType(e.DType); acc != e.DType {
		return engine.Apply(fnCast, acc, e)
	}
	return e
}

// filter is the convolution with a kernel for each channel.
func (s sliding) filter() *engine.Task {
	dom := engine.Domain{s.n, s.c, s.out(s.h, s.u), s.out(s.w, s.v), s.u, s.v}
	kernel := engine.Load(1, s.dt, axes(s.c, s.u, s.v)(1, 4, 5), nil)
	x, w := widened(s.image(0, 1, 2, 3, 4, 5)), widened(kernel)
	return reduceTask(dom, 4, engine.Sum, engine.Apply(fnMul, x.DType, x, w), s.images(), s.kernels())
}

// pool folds the windows.
func (s sliding) pool(f engine.Monoid) *engine.Task {
	dom := engine.Domain{s.n, s.c, s.out(s.h, s.u), s.out(s.w, s.v), s.u, s.v}
	return reduceTask(dom, 4, f, widened(s.image(0, 1, 2, 3, 4, 5)), s.images())
}

// kernelGradient sums over all windows for every tap.
func (s sliding) kernelGradient() *engine.Task {
	h, w := s.out(s.h, s.u), s.out(s.w, s.v)
	dom := engine.Domain{s.c, s.u, s.v, s.n, h, w}
	dy := engine.Load(1, s.dt, axes(s.n, s.c, h, w)(3, 0, 4, 5), nil)
	x, d := widened(s.image(3, 0, 4, 5, 1, 2)), widened(dy)
	return reduceTask(dom, 3, engine.Sum, engine.Apply(fnMul, x.DType, d, x), s.images(), s.results())
}

// imageGradient sums over the windows that cover a position.
func (s sliding) imageGradient() *engine.Task {
	h, w := s.out(s.h, s.u), s.out(s.w, s.v)
	dom := engine.Domain{s.n, s.c, s.h, s.w, s.u, s.v}
	var inside []engine.Cond
	at := func(axis, tap, extent int) *engine.Index {
		x := engine.AxisIndex(axis).Add(engine.AxisIndex(tap).Mul(int64(-s.dilation))).AddConst(int64(s.pad))
		y := x.Div(int64(s.stride), dom)
		inside = append(inside, engine.Cond{X: y, Hi: int64(extent)})
		if s.stride > 1 {
			inside = append(inside, engine.Cond{X: x.Mod(int64(s.stride), dom), Hi: 1})
		}
		return y
	}
	y, x := at(2, 4, h), at(3, 5, w)
	plane := engine.AxisIndex(0).Mul(int64(s.c)).Add(engine.AxisIndex(1))
	dy := widened(engine.Load(0, s.dt, plane.Mul(int64(h)).Add(y).Mul(int64(w)).Add(x), inside))
	k := widened(engine.Load(1, s.dt, axes(s.c, s.u, s.v)(1, 4, 5), inside))
	value := engine.Apply(fnWhere, dy.DType, engine.Valid(inside), engine.Apply(fnMul, dy.DType, dy, k), constant(dy.DType, 0))
	return reduceTask(dom, 4, engine.Sum, value, s.results(), s.kernels())
}

func TestWindowsSlideAlongRows(t *testing.T) {
	numbersOnly(t)
	f32 := tensor.Float32
	for name, s := range map[string]sliding{
		"narrow":         {2, 8, 14, 14, 3, 3, 1, 1, 1, f32},
		"narrower":       {3, 16, 7, 7, 3, 3, 1, 1, 1, f32},
		"wide":           {1, 9, 21, 37, 3, 3, 1, 1, 1, f32},
		"stride":         {2, 8, 15, 28, 3, 3, 2, 1, 1, f32},
		"stride even":    {1, 8, 16, 30, 2, 4, 2, 1, 0, f32},
		"large stride":   {1, 8, 17, 41, 3, 5, 3, 1, 2, f32},
		"dilated":        {1, 8, 19, 23, 3, 2, 1, 3, 2, f32},
		"large window":   {1, 8, 12, 24, 5, 7, 1, 1, 3, f32},
		"no border":      {2, 8, 9, 18, 3, 3, 1, 1, 0, f32},
		"rows in blocks": {1, 2, 90, 300, 3, 3, 1, 1, 1, f32},
		"one row":        {1, 8, 1, 64, 1, 3, 1, 1, 1, f32},
		"half":           {1, 8, 11, 20, 3, 3, 1, 1, 1, tensor.Float16},
		"bfloat16":       {1, 8, 11, 20, 3, 3, 2, 1, 1, tensor.BFloat16},
		"double":         {1, 8, 11, 20, 3, 3, 1, 1, 1, tensor.Float64},
	} {
		tasks := map[string]*engine.Task{"filter": s.filter(), "kernel gradient": s.kernelGradient(), "image gradient": s.imageGradient()}
		if s.n == 2 { // a fold of its own is a program to compile
			tasks["sum"], tasks["max"], tasks["position"] = s.pool(engine.Sum), s.pool(engine.Max), s.pool(engine.ArgMax)
		}
		for i, of := range slices.Sorted(maps.Keys(tasks)) {
			task := tasks[of]
			if s.dt != f32 && !one(i+int(s.dt), 3) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s", name, of), func(t *testing.T) {
				t.Parallel()
				e := device(t, "reduce=window", nil)
				if s.dt == tensor.Float64 && !e.facts.FP64 {
					t.Skip("no float64")
				}
				r := rand.New(rand.NewPCG(4, uint64(task.Ins[0].Len)))
				var ins [][]byte
				for _, in := range task.Ins {
					ins = append(ins, randomBytes(r, in.DType, in.Len))
				}
				p := verify(t, e, task, ins, 1e-4, 1)
				if e.facts.CPU && !(of == "position" && s.dt.Size() == 2) {
					require.Contains(t, p.Variant, "window")
				}
			})
		}
	}
}

// The last lanes of a row are stored in the next one, which must not happen
// where what is stored there is read first.
func TestWindowsOverAnInputAreStoredOnce(t *testing.T) {
	task := sliding{2, 8, 14, 14, 3, 3, 1, 1, 1, tensor.Float32}.filter()
	out := task.Outs[0]
	task.Ins = append(task.Ins, out)
	task.Values[0] = engine.Apply(fnAdd, tensor.Float32, task.Values[0], engine.Load(2, tensor.Float32, denseAt(task.Axes[:4], 0, 1, 2, 3), nil))
	task.Alias = []int{2}
	r := rand.New(rand.NewPCG(1, 4))
	var ins [][]byte
	for _, in := range task.Ins {
		ins = append(ins, randomBytes(r, tensor.Float32, in.Len))
	}
	verify(t, device(t, "reduce=window", nil), task, ins, 1e-5, 1)
}

// A window with a factor or a position is unrolled, of other folds its rows and
// columns by themselves: large ones are folded too. A NaN beats every number, and
// what lies beyond the edge counts as often as a window meets it.
func TestBoxesAreFoldedDownAndThenAlong(t *testing.T) {
	numbersOnly(t)
	f32 := tensor.Float32
	for name, c := range map[string]struct {
		s      sliding
		fold   engine.Monoid
		beyond float64
	}{
		"large":           {sliding{2, 3, 24, 37, 13, 13, 1, 1, 6, f32}, engine.Max, math.Inf(-1)},
		"narrow":          {sliding{2, 8, 9, 11, 3, 2, 1, 1, 1, f32}, engine.Min, 0.25},
		"scattered":       {sliding{1, 8, 19, 23, 3, 3, 1, 2, 2, f32}, engine.Prod, 0.5},
		"over the middle": {sliding{1, 4, 3, 40, 3, 3, 2, 1, 1, f32}, engine.Sum, 1.5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := c.s.pool(c.fold)
			load := task.Folds[0].Value
			if len(load.Conds) > 0 {
				task.Folds[0].Value = engine.Apply(fnWhere, f32, engine.Valid(load.Conds), load, constant(f32, c.beyond))
			}
			ins := [][]byte{randomBytes(rand.New(rand.NewPCG(3, 4)), f32, task.Ins[0].Len)}
			for i := int64(5); i < task.Ins[0].Len; i += 97 {
				putAt(f32, ins[0], i, math.NaN(), 0)
			}
			verify(t, device(t, "reduce=window", nil), task, ins, 1e-4, 1)
		})
	}
}

// Lanes beyond the end of a row are worked out only where what they read is there.
func TestWindowsReadNothingBesideTheirRows(t *testing.T) {
	s := sliding{1, 8, 6, 14, 3, 3, 1, 1, 1, tensor.Float32}
	task := s.filter()
	across := denseAt(task.Axes, 3) // one factor for each column, and no more
	task.Ins = append(task.Ins, engine.Operand{DType: s.dt, Len: int64(s.w)})
	task.Values[0] = engine.Apply(fnMul, s.dt, task.Values[0], engine.Load(2, s.dt, across, nil))
	r := rand.New(rand.NewPCG(8, 4))
	var ins [][]byte
	for _, in := range task.Ins {
		ins = append(ins, randomBytes(r, s.dt, in.Len))
	}
	e := device(t, "reduce=window", nil)
	p := verify(t, e, task, ins, 1e-5, 1)
	if e.facts.CPU {
		require.Contains(t, p.Source, "#define OVERRUN 0")
	}
}

// What lies beyond a row's end, infinite or not, belongs to no window of it.
func TestSumsOfTapsMeetTheirOwnRowsOnly(t *testing.T) {
	s := sliding{1, 8, 5, 14, 1, 1, 1, 1, 0, tensor.Float32}
	s.v = 3
	task := s.kernelGradient()
	r := rand.New(rand.NewPCG(2, 4))
	ins := [][]byte{randomBytes(r, s.dt, task.Ins[0].Len), randomBytes(r, s.dt, task.Ins[1].Len)}
	for row := range s.c * s.h {
		putAt(s.dt, ins[0], int64(row*s.w+s.w-1), 1e30, 0)
	}
	verify(t, device(t, "reduce=window", nil), task, ins, 1e-5, 1)
}

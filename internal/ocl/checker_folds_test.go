package ocl

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/internal/ocl/ocltest"
	"github.com/anycl/anycl/internal/ocl/ocltest/sample"
	"github.com/anycl/anycl/tensor"
)

// Cells of reductions, windows and rows.

// manyUnits makes rules cut rows that few units would not.
func manyUnits(d *facts.Device) { d.Units = 64 }

func reduceCells() (all []cell) {
	f32, f16 := tensor.Float32, tensor.Float16
	rows := func(f engine.Monoid, dt tensor.DType, dom ...int) *engine.Task {
		return sample.Reduce(dom, 1, f, sample.Load(0, dt, dom), sample.Whole(dt, dom))
	}
	cut := func(dt tensor.DType, dom ...int) *engine.Task { // several loads, one of them under a condition
		d := engine.Domain(dom)
		v := engine.Load(0, dt, sample.DenseAt(d, 0, 1), []engine.Cond{{X: engine.AxisIndex(1), Lo: 1, Hi: int64(d[1] - 1)}})
		t := sample.Reduce(d, 1, engine.Sum, engine.Apply(sample.Mul, dt, v, engine.Load(1, dt, engine.AxisIndex(1), nil)), sample.Whole(dt, d), engine.Operand{DType: dt, Len: int64(d[1])})
		scaled := engine.Apply(sample.Mul, t.Outs[0].DType, t.Values[0], sample.Constant(t.Outs[0].DType, 0.5))
		t.Values[0] = scaled
		return t
	}
	columns := func(f engine.Monoid, dt tensor.DType, folds, inner int) *engine.Task {
		t, _ := sample.Middle(dt, f, 2, folds, inner)
		return t
	}
	for _, v := range []struct {
		name string
		d    func(...func(*facts.Device)) *facts.Device
		long int // columns of a row that is cut
	}{{"item", tinyGPU, 1500}, {"group", tinyGPU, 3000}, {"block", tinyCPU, 9001}, {"column", tinyCPU, 9001}, {"lanes", tinyCPU, 9001}} {
		force := "reduce=" + v.name
		all = append(all,
			forced(v.d(), force, "sums", rows(engine.Sum, f32, 5, 37)),
			forced(v.d(), force, "sums of halves", rows(engine.Sum, f16, 3, 70)),
			forced(v.d(), force, "positions", rows(engine.ArgMax, f32, 3, 67)),
			forced(v.d(), force, "least of bytes", rows(engine.Min, tensor.Int8, 19, 5)),
			forced(v.d(), force, "nothing to fold", rows(engine.Sum, f32, 3, 0)),
			forced(v.d(), force, "factors and a condition", cut(f32, 4, 41)),
			forced(v.d(), force, "down columns", columns(engine.Max, f32, 7, 21)),
			forced(v.d(longPositions), force, "long", rows(engine.Sum, f32, 2, 33)),
			forced(v.d(manyUnits), force, "cut", rows(engine.Sum, f32, 1, v.long)),
			forced(v.d(manyUnits), force, "positions, cut", rows(engine.ArgMin, f32, 1, v.long)),
		)
	}
	for _, f := range []engine.Monoid{engine.Sum, engine.ArgMin} {
		for _, s := range [][2]int{{20, 17}, {9, 48}, {5, 150}} {
			all = append(all, forced(tinyCPU(), "reduce=stripe", fmt.Sprint(f, s), columns(f, f32, s[0], s[1])))
		}
	}
	guarded, _ := sample.Middle(f32, engine.Sum, 2, 9, 35)
	within := []engine.Cond{{X: engine.AxisIndex(1), Lo: 3, Hi: 33}}
	guarded.Folds[0].Value = engine.Load(0, f32, guarded.Folds[0].Value.Addr, within)
	computed := columns(engine.Sum, f32, 9, 48)
	computed.Folds[0].Value = engine.Apply(sample.Exp, f32, computed.Folds[0].Value)
	rolled := rows(engine.Sum, f32, 3, 70).Rewrite(func(e *engine.Expr) *engine.Expr {
		dom := engine.Domain{3, 70}
		return e.Subst([]*engine.Index{engine.AxisIndex(0), engine.AxisIndex(1).AddConst(29).Mod(70, dom)}, dom)
	})
	transposed := func(f engine.Monoid, dom engine.Domain, order ...int) *engine.Task {
		v := engine.Load(0, f32, sample.DenseAt(dom, order...), nil)
		return sample.Reduce(dom, len(dom)-1, f, v, engine.Operand{DType: f32, Len: dom.Size()})
	}
	all = append(all,
		forced(tinyCPU(), "reduce=lanes", "transposed", transposed(engine.Sum, engine.Domain{2, 19, 5, 9}, 0, 3, 2, 1)),
		forced(tinyCPU(manyUnits), "reduce=lanes", "transposed, cut", transposed(engine.ArgMax, engine.Domain{17, 2, 3001}, 2, 1, 0)),
		forced(tinyCPU(), "reduce=stripe", "transposed", transposed(engine.Max, engine.Domain{21, 5, 33}, 2, 1, 0)),
		forced(tinyCPU(manyUnits), "reduce=stripe", "transposed, columns side by side, cut", transposed(engine.Sum, engine.Domain{33, 2, 2000}, 1, 2, 0)),
		forced(tinyCPU(), "reduce=stripe", "under a condition", guarded),
		forced(tinyCPU(), "reduce=stripe", "computed", computed),
		forced(tinyCPU(), "reduce=block", "rolled", rolled),
		forced(tinyCPU(tinyCache), "reduce=stripe", "wide", columns(engine.Sum, f32, 9, 2080)),
		forced(tinyCPU(tinyCache), "reduce=stripe", "wide, positions", columns(engine.ArgMax, f32, 5, 2050)),
		forced(tinyCPU(), "reduce=stripe", "halves", columns(engine.Sum, f16, 11, 35)),
		forced(tinyCPU(manyUnits), "reduce=stripe", "cut", func() *engine.Task { t, _ := sample.Middle(f32, engine.Sum, 1, 4001, 3); return t }()),
		forced(tinyCPU(), "reduce=lanes", "windows", sample.Pooling(engine.Sum, 1, 7, 19, 3, 2, 1)),
		forced(tinyCPU(tinyCache), "reduce=lanes", "pixels, streamed", sample.Pixels{N: 1, H: 5, W: 6, C: 32, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32}.Task()),
		forced(tinyCPU(), "reduce=lanes", "windows, overlapping", sample.Pooling(engine.Max, 1, 5, 37, 3, 1, 1)),
		forced(tinyCPU(), "reduce=lanes", "windows without a border", sample.Pooling(engine.Max, 1, 6, 16, 2, 2, 0)),
	)
	for _, p := range []sample.Pixels{
		{N: 1, H: 4, W: 5, C: 32, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32}, {N: 1, H: 4, W: 5, C: 37, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32}, {N: 1, H: 6, W: 5, C: 17, U: 3, V: 3, Stride: 2, Dilation: 1, Pad: 1, DType: f32}, {N: 1, H: 5, W: 5, C: 24, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 0, DType: f32},
		{N: 1, H: 4, W: 4, C: 40, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f16}, {N: 1, H: 6, W: 6, C: 16, U: 3, V: 3, Stride: 1, Dilation: 2, Pad: 2, DType: f32},
	} {
		all = append(all, forced(tinyCPU(), "reduce=lanes", fmt.Sprint("pixels ", p), p.Task()).on(p.Operands(9)...))
	}
	return all
}

// windowRoom gives the device the local memory that the stage of windows needs.
func windowRoom(d *facts.Device) { d.LocalMem = 64 << 10 }

func windowCells() (all []cell) {
	f32 := tensor.Float32
	for _, w := range []struct {
		name string
		s    sample.Window
	}{
		{"narrow", sample.Window{N: 1, C: 2, H: 7, W: 7, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32}},
		{"wide", sample.Window{N: 1, C: 2, H: 4, W: 21, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32}},
		{"stride", sample.Window{N: 1, C: 2, H: 7, W: 19, U: 3, V: 3, Stride: 2, Dilation: 1, Pad: 1, DType: f32}},
		{"dilated", sample.Window{N: 1, C: 2, H: 7, W: 18, U: 3, V: 2, Stride: 1, Dilation: 3, Pad: 2, DType: f32}},
		{"no border", sample.Window{N: 1, C: 2, H: 5, W: 18, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 0, DType: f32}},
		{"one row", sample.Window{N: 1, C: 2, H: 1, W: 33, U: 1, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32}},
		{"half", sample.Window{N: 1, C: 2, H: 5, W: 20, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.Float16}},
		{"double", sample.Window{N: 1, C: 2, H: 5, W: 20, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: tensor.Float64}},
	} {
		for _, of := range []struct {
			name string
			task *engine.Task
		}{
			{"filter", w.s.Filter()}, {"kernel gradient", w.s.KernelGradient()}, {"image gradient", w.s.ImageGradient()},
			{"sum", w.s.Pool(engine.Sum)}, {"max", w.s.Pool(engine.Max)}, {"position", w.s.Pool(engine.ArgMax)},
		} {
			if of.name == "position" && w.s.DType.Size() == 2 || w.s.DType != f32 && of.name == "image gradient" {
				continue
			}
			c := forced(tinyCPU(windowRoom), "reduce=window", w.name+", "+of.name, of.task)
			c.ins = func(*testing.T) [][]byte { return normals(of.task, 4) }
			all = append(all, c)
		}
	}
	over := func(task *engine.Task) *engine.Task { // adds to the values that its result has already
		n := len(task.Ins)
		task.Ins = append(task.Ins, task.Outs[0])
		task.Values[0] = engine.Apply(sample.Add, f32, task.Values[0], engine.Load(n, f32, sample.DenseAt(task.Axes[:4], 0, 1, 2, 3), nil))
		task.Alias = []int{n}
		return task
	}
	small := sample.Window{N: 1, C: 2, H: 7, W: 9, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32}
	edged := small.Pool(engine.Max)
	load := edged.Folds[0].Value
	edged.Folds[0].Value = engine.Apply(sample.Where, f32, engine.Valid(load.Conds), load, sample.Constant(f32, 0.25))
	gradient := small.KernelGradient()
	product := gradient.Folds[0].Value
	gradient.Folds[0].Value = engine.Apply(sample.Mul, f32, engine.Apply(sample.Exp, f32, product.Args[0]), product.Args[1])
	bare := sample.Window{N: 1, C: 2, H: 5, W: 18, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 0, DType: f32}
	// Values that windows share are computed, and so copied first.
	computed := func(task *engine.Task) *engine.Task {
		load := task.Folds[0].Value
		v := engine.Apply(sample.Exp, f32, load)
		if len(load.Conds) > 0 {
			v = engine.Apply(sample.Where, f32, engine.Valid(load.Conds), v, sample.Constant(f32, 0.25))
		}
		task.Folds[0].Value = v
		return task
	}
	all = append(all,
		forced(tinyCPU(windowRoom, tinyCache), "reduce=window", "streamed", sample.Window{N: 1, C: 2, H: 5, W: 32, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32}.Filter()),
		forced(tinyCPU(windowRoom), "reduce=window", "a box of a function", computed(bare.Pool(engine.Sum))),
		forced(tinyCPU(windowRoom), "reduce=window", "a box of a function, guarded", computed(small.Pool(engine.Max))),
		forced(tinyCPU(windowRoom), "reduce=window", "a box over an input", over(bare.Pool(engine.Max))),
		forced(tinyCPU(windowRoom), "reduce=window", "a box with a value beyond its edge", edged),
		forced(tinyCPU(windowRoom), "reduce=window", "a kernel gradient of a function", gradient),
	)
	once := sample.Window{N: 1, C: 2, H: 7, W: 7, U: 3, V: 3, Stride: 1, Dilation: 1, Pad: 1, DType: f32}.Filter()
	return append(all, forced(tinyCPU(windowRoom), "reduce=window", "over an input", over(once)))
}

// normals are random operands of t.
func normals(t *engine.Task, seed uint64) (ins [][]byte) {
	r := rand.New(rand.NewPCG(seed, 5))
	for _, in := range t.Ins {
		ins = append(ins, ocltest.RandomBytes(r, in.DType, in.Len))
	}
	return ins
}

func rowCells() (all []cell) {
	f32, f16 := tensor.Float32, tensor.Float16
	for _, v := range []struct {
		name string
		d    func(...func(*facts.Device)) *facts.Device
	}{{"block", tinyCPU}, {"band", tinyCPU}, {"group", tinyGPU}, {"keep", tinyGPU}, {"split", tinyCPU}} {
		force := "row=" + v.name
		for _, s := range [][2]int{{5, 3}, {19, 33}, {3, 64}} {
			all = append(all, forced(v.d(), force, fmt.Sprint("softmax", s), sample.Softmax(f32, s[0], s[1])))
		}
		stats := sample.Statistics(f32, 4, 39)
		if v.name == "band" {
			stats = sample.Distances(f32, 18, 13)
		} else {
			all = append(all, forced(v.d(), force, "long softmax", sample.Softmax(f32, 2, 300)))
			if v.name != "keep" {
				all = append(all, forced(v.d(), force, "no columns", sample.Statistics(f32, 4, 0)))
			}
		}
		over := sample.Softmax(f32, 17, 21)
		over.Alias = []int{0}
		all = append(all,
			forced(v.d(), force, "statistics", stats),
			forced(v.d(), force, "softmax of halves", sample.Softmax(f16, 17, 30)),
			forced(v.d(), force, "over the input", over),
			forced(v.d(longPositions), force, "long", sample.Softmax(f32, 3, 18)),
		)
	}
	for _, dt := range []tensor.DType{f32, f16} {
		all = append(all,
			forced(tinyCPU(), "row=split", fmt.Sprint("beside a fold, ", dt), sample.Beside(dt, 1, 1<<14+5)),
			forced(tinyGPU(), "row=split", fmt.Sprint("beside a fold, ", dt), sample.Beside(dt, 1, 1<<14+5)))
	}
	return append(all, forced(tinyCPU(tinyCache), "row=block", "streamed", sample.Softmax(f32, 2, 300)),
		forced(tinyCPU(tinyCache), "row=band", "streamed", sample.Softmax(f32, 18, 32)),
		forced(tinyCPU(tinyCache), "row=band", "streamed, odd", sample.Softmax(f32, 18, 27)))
}

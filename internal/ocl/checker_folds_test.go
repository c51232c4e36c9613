package ocl

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/facts"
	"github.com/anycl/anycl/tensor"
)

// Cells of reductions, windows and rows.

// manyUnits makes rules cut rows that few units would not.
func manyUnits(d *facts.Device) { d.Units = 64 }

func reduceCells() (all []cell) {
	f32, f16 := tensor.Float32, tensor.Float16
	rows := func(f engine.Monoid, dt tensor.DType, dom ...int) *engine.Task {
		return reduceTask(dom, 1, f, load(0, dt, dom), whole(dt, dom))
	}
	cut := func(dt tensor.DType, dom ...int) *engine.Task { // several loads, one of them under a condition
		d := engine.Domain(dom)
		v := engine.Load(0, dt, denseAt(d, 0, 1), []engine.Cond{{X: engine.AxisIndex(1), Lo: 1, Hi: int64(d[1] - 1)}})
		t := reduceTask(d, 1, engine.Sum, engine.Apply(fnMul, dt, v, engine.Load(1, dt, engine.AxisIndex(1), nil)), whole(dt, d), engine.Operand{DType: dt, Len: int64(d[1])})
		scaled := engine.Apply(fnMul, t.Outs[0].DType, t.Values[0], constant(t.Outs[0].DType, 0.5))
		t.Values[0] = scaled
		return t
	}
	columns := func(f engine.Monoid, dt tensor.DType, folds, inner int) *engine.Task {
		t, _ := middle(dt, f, 2, folds, inner)
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
	guarded, _ := middle(f32, engine.Sum, 2, 9, 35)
	within := []engine.Cond{{X: engine.AxisIndex(1), Lo: 3, Hi: 33}}
	guarded.Folds[0].Value = engine.Load(0, f32, guarded.Folds[0].Value.Addr, within)
	all = append(all,
		forced(tinyCPU(), "reduce=stripe", "under a condition", guarded),
		forced(tinyCPU(tinyCache), "reduce=stripe", "wide", columns(engine.Sum, f32, 9, 2080)),
		forced(tinyCPU(tinyCache), "reduce=stripe", "wide, positions", columns(engine.ArgMax, f32, 5, 2050)),
		forced(tinyCPU(), "reduce=stripe", "halves", columns(engine.Sum, f16, 11, 35)),
		forced(tinyCPU(manyUnits), "reduce=stripe", "cut", func() *engine.Task { t, _ := middle(f32, engine.Sum, 1, 4001, 3); return t }()),
		forced(tinyCPU(), "reduce=lanes", "windows", pooling(engine.Sum, 1, 7, 19, 3, 2, 1)),
		forced(tinyCPU(tinyCache), "reduce=lanes", "pixels, streamed", pixels{1, 5, 6, 32, 3, 3, 1, 1, 1, f32}.task()),
		forced(tinyCPU(), "reduce=lanes", "windows, overlapping", pooling(engine.Max, 1, 5, 37, 3, 1, 1)),
		forced(tinyCPU(), "reduce=lanes", "windows without a border", pooling(engine.Max, 1, 6, 16, 2, 2, 0)),
	)
	for _, p := range []pixels{
		{1, 4, 5, 32, 3, 3, 1, 1, 1, f32}, {1, 4, 5, 37, 3, 3, 1, 1, 1, f32}, {1, 6, 5, 17, 3, 3, 2, 1, 1, f32}, {1, 5, 5, 24, 3, 3, 1, 1, 0, f32},
		{1, 4, 4, 40, 3, 3, 1, 1, 1, f16}, {1, 6, 6, 16, 3, 3, 1, 2, 2, f32},
	} {
		all = append(all, forced(tinyCPU(), "reduce=lanes", fmt.Sprint("pixels ", p), p.task()).on(p.operands(9)...))
	}
	return all
}

// windowRoom is what the stage of windows needs.
func windowRoom(d *facts.Device) { d.LocalMem = 64 << 10 }

func windowCells() (all []cell) {
	f32 := tensor.Float32
	for _, w := range []struct {
		name string
		s    sliding
	}{
		{"narrow", sliding{1, 2, 7, 7, 3, 3, 1, 1, 1, f32}},
		{"wide", sliding{1, 2, 4, 21, 3, 3, 1, 1, 1, f32}},
		{"stride", sliding{1, 2, 7, 19, 3, 3, 2, 1, 1, f32}},
		{"dilated", sliding{1, 2, 7, 18, 3, 2, 1, 3, 2, f32}},
		{"no border", sliding{1, 2, 5, 18, 3, 3, 1, 1, 0, f32}},
		{"one row", sliding{1, 2, 1, 33, 1, 3, 1, 1, 1, f32}},
		{"half", sliding{1, 2, 5, 20, 3, 3, 1, 1, 1, tensor.Float16}},
		{"double", sliding{1, 2, 5, 20, 3, 3, 1, 1, 1, tensor.Float64}},
	} {
		for _, of := range []struct {
			name string
			task *engine.Task
		}{
			{"filter", w.s.filter()}, {"kernel gradient", w.s.kernelGradient()}, {"image gradient", w.s.imageGradient()},
			{"sum", w.s.pool(engine.Sum)}, {"max", w.s.pool(engine.Max)}, {"position", w.s.pool(engine.ArgMax)},
		} {
			if of.name == "position" && w.s.dt.Size() == 2 || w.s.dt != f32 && of.name == "image gradient" {
				continue
			}
			c := forced(tinyCPU(windowRoom), "reduce=window", w.name+", "+of.name, of.task)
			c.ins = func(*testing.T) [][]byte { return normals(of.task, 4) }
			all = append(all, c)
		}
	}
	over := func(task *engine.Task) *engine.Task { // adds to what is in its result already
		n := len(task.Ins)
		task.Ins = append(task.Ins, task.Outs[0])
		task.Values[0] = engine.Apply(fnAdd, f32, task.Values[0], engine.Load(n, f32, denseAt(task.Axes[:4], 0, 1, 2, 3), nil))
		task.Alias = []int{n}
		return task
	}
	small := sliding{1, 2, 7, 9, 3, 3, 1, 1, 1, f32}
	edged := small.pool(engine.Max)
	load := edged.Folds[0].Value
	edged.Folds[0].Value = engine.Apply(fnWhere, f32, engine.Valid(load.Conds), load, constant(f32, 0.25))
	gradient := small.kernelGradient()
	product := gradient.Folds[0].Value
	gradient.Folds[0].Value = engine.Apply(fnMul, f32, engine.Apply(fnExp, f32, product.Args[0]), product.Args[1])
	bare := sliding{1, 2, 5, 18, 3, 3, 1, 1, 0, f32}
	// What windows share is computed, and so copied first.
	computed := func(task *engine.Task) *engine.Task {
		load := task.Folds[0].Value
		v := engine.Apply(fnExp, f32, load)
		if len(load.Conds) > 0 {
			v = engine.Apply(fnWhere, f32, engine.Valid(load.Conds), v, constant(f32, 0.25))
		}
		task.Folds[0].Value = v
		return task
	}
	all = append(all,
		forced(tinyCPU(windowRoom, tinyCache), "reduce=window", "streamed", sliding{1, 2, 5, 32, 3, 3, 1, 1, 1, f32}.filter()),
		forced(tinyCPU(windowRoom), "reduce=window", "a box of a function", computed(bare.pool(engine.Sum))),
		forced(tinyCPU(windowRoom), "reduce=window", "a box of a function, guarded", computed(small.pool(engine.Max))),
		forced(tinyCPU(windowRoom), "reduce=window", "a box over an input", over(bare.pool(engine.Max))),
		forced(tinyCPU(windowRoom), "reduce=window", "a box with a value beyond its edge", edged),
		forced(tinyCPU(windowRoom), "reduce=window", "a kernel gradient of a function", gradient),
	)
	once := sliding{1, 2, 7, 7, 3, 3, 1, 1, 1, f32}.filter()
	return append(all, forced(tinyCPU(windowRoom), "reduce=window", "over an input", over(once)))
}

// normals are random operands of t.
func normals(t *engine.Task, seed uint64) (ins [][]byte) {
	r := rand.New(rand.NewPCG(seed, 5))
	for _, in := range t.Ins {
		ins = append(ins, randomBytes(r, in.DType, in.Len))
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
			all = append(all, forced(v.d(), force, fmt.Sprint("softmax", s), softmaxTask(f32, s[0], s[1])))
		}
		stats := statistics(f32, 4, 39)
		if v.name == "band" {
			stats = distances(f32, 18, 13)
		} else {
			all = append(all, forced(v.d(), force, "long softmax", softmaxTask(f32, 2, 300)))
			if v.name != "keep" {
				all = append(all, forced(v.d(), force, "no columns", statistics(f32, 4, 0)))
			}
		}
		over := softmaxTask(f32, 17, 21)
		over.Alias = []int{0}
		all = append(all,
			forced(v.d(), force, "statistics", stats),
			forced(v.d(), force, "softmax of halves", softmaxTask(f16, 17, 30)),
			forced(v.d(), force, "over the input", over),
			forced(v.d(longPositions), force, "long", softmaxTask(f32, 3, 18)),
		)
	}
	return append(all, forced(tinyCPU(tinyCache), "row=block", "streamed", softmaxTask(f32, 2, 300)),
		forced(tinyCPU(tinyCache), "row=band", "streamed", softmaxTask(f32, 18, 32)),
		forced(tinyCPU(tinyCache), "row=band", "streamed, odd", softmaxTask(f32, 18, 27)))
}

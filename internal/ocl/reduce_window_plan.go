package ocl

import (
	"fmt"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

func (w *windows) plan() (*plan, error) {
	s, dom := w.shape, w.task.Axes
	rows := int64(1)
	if w.down.at >= 0 {
		rows = int64(dom[w.down.at])
	}
	inner, planes := int64(dom[w.along.at]), extent(w.task, w.o)
	most := int64(0)
	for sub := range w.source.Walk() {
		for _, x := range sub.Indices() {
			most = max(most, reach(x, w.positions))
		}
	}
	g := w.start(kernels.Parts{Count: 1}, false, w.cols, most, s.Pitch*(rows*w.down.step+kernels.LargestWindow))
	g.passes = true
	g.size("OUTER", planes)
	g.size("OSPAN", s.Planes)
	g.size("RS", rows)
	g.size("RSPAN", s.Rows)
	g.size("INNER", inner)
	g.size("PITCH", s.Pitch)
	g.size("BLO", w.from)
	g.size("BHI", w.to)
	g.macro("STAGE", kernels.WindowStage)
	g.macro("FOLDS", w.down.taps(dom))
	g.macro("GOLDS", w.along.taps(dom))
	g.macro("SR", w.down.step)
	g.macro("SI", w.along.step)
	g.macro("DR", fmt.Sprintf("(%d)", w.down.apart))
	g.macro("DI", fmt.Sprintf("(%d)", w.along.apart))
	g.macro("SPREAD", w.spread)
	g.macro("PHASE", w.phase)
	g.macro("VL", kernels.WindowLanes)
	c := regType(w.val)
	g.macro("VT", fmt.Sprint(c, kernels.WindowLanes))
	g.macro("VH", fmt.Sprint(c, kernels.WindowLanes/2))
	g.macro("BEYOND", literal(w.val, w.beyond.Float, w.beyond.Int))
	w.stage(g)
	o, r, i := coord{"o", w.o}, coord{"r", axis(w.down.at)}, coord{"i", axis(w.along.at)}
	tapF, tapG := coord{"f", axis(w.down.tap)}, coord{"g", axis(w.along.tap)}
	out := []coord{o, r, i}
	kernel, files := "reduce_window", []string{"reduce/any_monoid.cl", "reduce/cpu_window_stage.cl", "reduce/cpu_window_store.cl"}
	grid := kernels.Grid{Global: [3]int{int(ceilDiv(planes, s.Planes)), int(ceilDiv(rows, s.Rows))}, Local: [3]int{1, 1}}
	switch {
	case w.taps:
		kernel, files, out = "reduce_taps", files[:2], []coord{o, tapF, tapG}
		grid = kernels.Grid{Global: [3]int{int(ceilDiv(planes, s.Planes))}, Local: [3]int{1}}
		g.size("NS", extent(w.task, w.n))
		w.part(g, o, coord{"n", w.n}, r, i)
	case w.box:
		kernel = "reduce_box"
		g.macro("IN_PLACE", oneIf(w.inPlace()))
		w.folding(g)
	default:
		g.macro("SCALED", oneIf(w.factor != nil))
		if w.factor != nil {
			g.hook("KEPT", []coord{o, tapF, tapG}, w.factor, tensor.Invalid)
		}
		g.macro("AT", signedVector(w.val))
	}
	g.macro("BLOCK", s.Block)
	if !w.taps {
		w.results(g, out)
	}
	g.hookOf("EPILOGUE", out, w.task.Values, []tensor.DType{w.fold.Acc})
	g.store("STORE", "EPILOGUE", w.task.Values...)
	params := fmt.Sprintf("%dx%dx%d of %dx%d", planes, rows, inner, w.down.taps(dom), w.along.taps(dom))
	if s.Block > 1 {
		params += fmt.Sprintf(" rows=%d", s.Block)
	}
	l := launch{prog: g.assemble(append(files, kernels.FileOf(kernel))...), kernel: kernel, global: grid.Global, local: grid.Local}
	return &plan{params: params, launches: []launch{l}}, nil
}

// results defines how reduce/cpu_window_store.cl stores vectors of results.
func (w *windows) results(g *gen, out []coord) {
	t := w.task
	plain := len(t.Values) == 1 && !w.fold.Monoid.IsArg() && w.fold.Acc == w.val && t.Values[0].DType == w.val && t.Outs[0].DType == w.val
	if plain && g.vectorOfSums("RESULTS", out, w.along.at, t.Values[0], w.val, w.val, 0) {
		g.macro("RESULTS_PTR", "("+g.pointer(len(t.Ins))+")")
		g.putVector("VT", "VU", kernels.WindowLanes, int64(t.Axes[w.along.at]))
	}
	lane, vector := regType(w.val), vectorType(w.val)
	if w.fold.Monoid.IsArg() {
		vector = signedVector(w.val)
		lane = strings.TrimSuffix(vector, fmt.Sprint(kernels.WindowLanes))
	}
	g.macro("LANE", lane)
	g.macro("LANES_OF", vector)
	g.macro("TWICE", oneIf(!w.exact()))
	// Lanes beyond the end of a row read what is beside their results, if anything.
	beside := true
	for _, v := range t.Values {
		for sub := range v.Walk() {
			beside = beside && (sub.Op != engine.OpLoad || !uses(sub, []int{w.along.at}) || len(sub.Conds) == 0 && sub.Addr.Key() == denseOver(t).Key())
		}
	}
	g.macro("OVERRUN", oneIf(!w.exact() && beside))
}

// denseOver is the place of a result of t.
func denseOver(t *engine.Task) *engine.Index {
	at := engine.ConstIndex(0)
	for _, a := range axesOf(t, 0) {
		at = at.Mul(int64(t.Axes[a])).Add(engine.AxisIndex(a))
	}
	return at
}

// folding defines the fold of vectors.
func (w *windows) folding(g *gen) {
	g.macro("VFOLD(a, b)", map[engine.Monoid]string{
		engine.Sum: "((a) + (b))", engine.Prod: "((a) * (b))",
		// A comparison less than FOLD: the inner choice is an instruction, a NaN of a stays by it.
		engine.Max: "((b) != (b) ? (b) : (b) > (a) ? (b) : (a))", engine.Min: "((b) != (b) ? (b) : (b) < (a) ? (b) : (a))",
	}[w.fold.Monoid])
}

// stage defines the hooks of reduce/cpu_window_stage.cl.
func (w *windows) stage(g *gen) {
	task := g.task
	over := *task
	over.Axes = w.positions
	g.task = &over
	defer func() { g.task = task }()
	o, n, a, b := coord{"o", w.o}, coord{"n", w.n}, coord{"a", axis(w.down.at)}, coord{"b", axis(w.along.at)}
	g.macro("GUARDED", oneIf(len(w.guard) > 0))
	if len(w.guard) > 0 {
		g.hook("ROW_INSIDE", []coord{o, n, a}, engine.Valid(w.guard), tensor.Invalid)
	}
	g.hook("SOURCE", []coord{o, n, a, b}, w.source, tensor.Invalid)
	load := plain(w.source, w.along.at, len(w.positions))
	g.macro("PLAIN", oneIf(load != nil))
	if load != nil {
		w.pointer(g, "SOURCE", load, w.along.at, o, n, a)
		g.macro("LOAD_WIDE(p)", w.wide(load))
		g.macro("LOAD_HALF(p)", wideLoad(load.DType, w.val, regType(w.val), kernels.WindowLanes/2))
	}
}

// part defines the hooks of what taps are multiplied by.
func (w *windows) part(g *gen, o, n, r, i coord) {
	g.hook("PART", []coord{o, n, r, i}, w.factor, tensor.Invalid)
	load := plain(w.factor, w.along.at, len(w.task.Axes))
	g.macro("PLAIN_PART", oneIf(load != nil))
	if load != nil {
		w.pointer(g, "PART", load, w.along.at, o, n, r)
		g.macro("PART_WIDE(p)", w.wide(load))
	}
	g.macro("MASK", signedVector(w.val))
	g.macro("LANES", fmt.Sprintf("(%s)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)", signedVector(w.val)))
}

// signedVector is the type of comparisons of vectors of dt, a float.
func signedVector(dt tensor.DType) string {
	return fmt.Sprint(map[tensor.DType]string{tensor.Float32: "int", tensor.Float64: "long"}[dt], kernels.WindowLanes)
}

// plain is the load that e is, as far as it is one of neighbours along an axis.
func plain(e *engine.Expr, along, rank int) *engine.Expr {
	if widens(e) {
		e = e.Args[0]
	}
	if e.Op != engine.OpLoad {
		return nil
	}
	coef, ok := e.Addr.Affine(rank)
	if !ok || coef[along] != 1 || len(e.Conds) > 0 {
		return nil
	}
	return e
}

// pointer defines where neighbours lie: NAME_PTR + NAME_AT(at...) of the first.
func (w *windows) pointer(g *gen, name string, load *engine.Expr, along int, at ...coord) {
	_, o, _ := g.operand(load.Input)
	g.macro(name+"_TYPE", storageType(o.DType))
	g.macro(name+"_PTR", "("+g.pointer(load.Input)+")")
	g.size(name+"_LEN", o.Len)
	to := coordinates(g.task.Axes)
	to[along] = engine.ConstIndex(0)
	dt := tensor.Int32
	if g.wide() {
		dt = tensor.Int64
	}
	g.hook(name+"_AT", at, engine.IndexValue(dt, load.Addr.Subst(to, g.task.Axes)), tensor.Invalid)
}

// wide is the text that loads VL neighbours at p.
func (w *windows) wide(load *engine.Expr) string {
	if load.DType == w.val {
		return "(*(__global const VU *)(p))"
	}
	return wideLoad(load.DType, w.val, regType(w.val), kernels.WindowLanes)
}

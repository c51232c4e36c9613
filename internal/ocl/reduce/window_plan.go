package reduce

import (
	"fmt"
	"strings"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

func (w *windows) plan() (*variant.Plan, error) {
	s, dom := w.shape, w.task.Axes
	rows := int64(1)
	if w.down.at >= 0 {
		rows = int64(dom[w.down.at])
	}
	inner, planes := int64(dom[w.along.at]), access.Extent(w.task, w.o)
	most := int64(0)
	for sub := range w.source.Walk() {
		for _, x := range sub.Indices() {
			most = max(most, access.Reach(x, w.positions))
		}
	}
	g := w.start(kernels.Parts{Count: 1}, false, w.cols, most, s.Pitch*(rows*w.down.step+kernels.LargestWindow))
	g.Passes = true
	g.Size("OUTER", planes)
	g.Size("OSPAN", s.Planes)
	g.Size("RS", rows)
	g.Size("RSPAN", s.Rows)
	g.Size("INNER", inner)
	g.Size("PITCH", s.Pitch)
	g.Size("BLO", w.from)
	g.Size("BHI", w.to)
	g.Macro("STAGE", kernels.WindowStage)
	g.Macro("FOLDS", w.down.taps(dom))
	g.Macro("GOLDS", w.along.taps(dom))
	g.Macro("SR", w.down.step)
	g.Macro("SI", w.along.step)
	g.Macro("DR", fmt.Sprintf("(%d)", w.down.apart))
	g.Macro("DI", fmt.Sprintf("(%d)", w.along.apart))
	g.Macro("SPREAD", w.spread)
	g.Macro("PHASE", w.phase)
	g.Macro("VL", kernels.WindowLanes)
	c := codegen.RegType(w.val)
	g.Macro("VT", fmt.Sprint(c, kernels.WindowLanes))
	g.Macro("VH", fmt.Sprint(c, kernels.WindowLanes/2))
	g.Macro("BEYOND", codegen.Literal(w.val, w.beyond.Float, w.beyond.Int))
	w.stage(g)
	o, r, i := codegen.Coord{Name: "o", Axes: w.o}, codegen.Coord{Name: "r", Axes: axis(w.down.at)},
		codegen.Coord{Name: "i", Axes: axis(w.along.at)}
	tapF, tapG := codegen.Coord{Name: "f", Axes: axis(w.down.tap)}, codegen.Coord{Name: "g", Axes: axis(w.along.tap)}
	out := []codegen.Coord{o, r, i}
	kernel, files := "reduce_window", []string{"reduce/any_monoid.cl", "reduce/cpu_window_stage.cl", "reduce/cpu_window_store.cl"}
	grid := kernels.Grid{Global: [3]int{int(variant.CeilDiv(planes, s.Planes)), int(variant.CeilDiv(rows, s.Rows))}, Local: [3]int{1, 1}}
	switch {
	case w.taps:
		kernel, files, out = "reduce_taps", files[:2], []codegen.Coord{o, tapF, tapG}
		grid = kernels.Grid{Global: [3]int{int(variant.CeilDiv(planes, s.Planes))}, Local: [3]int{1}}
		g.Size("NS", access.Extent(w.task, w.n))
		w.part(g, o, codegen.Coord{Name: "n", Axes: w.n}, r, i)
	case w.box:
		kernel = "reduce_box"
		g.Macro("IN_PLACE", codegen.OneIf(w.inPlace()))
		w.folding(g)
	default:
		g.Macro("SCALED", codegen.OneIf(w.factor != nil))
		if w.factor != nil {
			g.Hook("KEPT", []codegen.Coord{o, tapF, tapG}, w.factor, tensor.Invalid)
		}
		g.Macro("AT", signedVector(w.val))
	}
	g.Macro("BLOCK", s.Block)
	if !w.taps {
		w.results(g, out)
	}
	g.HookOf("EPILOGUE", out, w.task.Values, []tensor.DType{w.fold.Acc})
	g.Store("STORE", "EPILOGUE", w.task.Values...)
	params := fmt.Sprintf("%dx%dx%d of %dx%d", planes, rows, inner, w.down.taps(dom), w.along.taps(dom))
	if s.Block > 1 {
		params += fmt.Sprintf(" rows=%d", s.Block)
	}
	l := variant.Launch{Program: g.Assemble(append(files, kernels.FileOf(kernel))...), Kernel: kernel, Global: grid.Global, Local: grid.Local}
	return &variant.Plan{Params: params, Launches: []variant.Launch{l}}, nil
}

// results defines how reduce/cpu_window_store.cl stores vectors of results.
func (w *windows) results(g *codegen.Builder, out []codegen.Coord) {
	t := w.task
	plain := len(t.Values) == 1 && !w.fold.Monoid.IsArg() && w.fold.Acc == w.val && t.Values[0].DType == w.val && t.Outs[0].DType == w.val
	if plain && g.VectorOfSums("RESULTS", out, w.along.at, codegen.VectorLanes, t.Values[0], w.val, w.val, 0) {
		g.Macro("RESULTS_PTR", "("+g.Pointer(len(t.Ins))+")")
		g.PutVector("VT", "VU", kernels.WindowLanes, int64(t.Axes[w.along.at]))
	}
	lane, vector := codegen.RegType(w.val), codegen.VectorType(w.val, codegen.VectorLanes)
	if w.fold.Monoid.IsArg() {
		vector = signedVector(w.val)
		lane = strings.TrimSuffix(vector, fmt.Sprint(kernels.WindowLanes))
	}
	g.Macro("LANE", lane)
	g.Macro("LANES_OF", vector)
	g.Macro("TWICE", codegen.OneIf(!w.exact()))
	// Lanes beyond the end of a row read the elements beside their results, if any.
	beside := true
	for _, v := range t.Values {
		for sub := range v.Walk() {
			beside = beside && (sub.Op != engine.OpLoad || !access.Uses(sub, []int{w.along.at}) || len(sub.Conds) == 0 &&
				sub.Addr.Key() == denseOver(t).Key())
		}
	}
	g.Macro("OVERRUN", codegen.OneIf(!w.exact() && beside))
}

// denseOver is the place of a result of t.
func denseOver(t *engine.Task) *engine.Index {
	at := engine.ConstIndex(0)
	for _, a := range access.Axes(t, 0) {
		at = at.Mul(int64(t.Axes[a])).Add(engine.AxisIndex(a))
	}
	return at
}

// folding defines the fold of vectors.
func (w *windows) folding(g *codegen.Builder) {
	g.Macro("VFOLD(a, b)", map[engine.Monoid]string{
		engine.Sum: "((a) + (b))", engine.Prod: "((a) * (b))",
		// A comparison less than FOLD: the inner choice is an instruction, a NaN of a stays by it.
		engine.Max: "((b) != (b) ? (b) : (b) > (a) ? (b) : (a))", engine.Min: "((b) != (b) ? (b) : (b) < (a) ? (b) : (a))",
	}[w.fold.Monoid])
}

// stage defines the hooks of reduce/cpu_window_stage.cl.
func (w *windows) stage(g *codegen.Builder) {
	task := g.Task
	over := *task
	over.Axes = w.positions
	g.Task = &over
	defer func() { g.Task = task }()
	o, n, a, b := codegen.Coord{Name: "o", Axes: w.o}, codegen.Coord{Name: "n", Axes: w.n}, codegen.Coord{Name: "a", Axes: axis(w.down.at)},
		codegen.Coord{Name: "b", Axes: axis(w.along.at)}
	g.Macro("GUARDED", codegen.OneIf(len(w.guard) > 0))
	if len(w.guard) > 0 {
		g.Hook("ROW_INSIDE", []codegen.Coord{o, n, a}, engine.Valid(w.guard), tensor.Invalid)
	}
	g.Hook("SOURCE", []codegen.Coord{o, n, a, b}, w.source, tensor.Invalid)
	load := plain(w.source, w.along.at, len(w.positions))
	g.Macro("PLAIN", codegen.OneIf(load != nil))
	if load != nil {
		w.pointer(g, "SOURCE", load, w.along.at, o, n, a)
		g.Macro("LOAD_WIDE(p)", w.wide(load))
		g.Macro("LOAD_HALF(p)", codegen.WideLoad(load.DType, w.val, codegen.RegType(w.val), kernels.WindowLanes/2))
	}
}

// part defines the hooks of the factors of taps.
func (w *windows) part(g *codegen.Builder, o, n, r, i codegen.Coord) {
	g.Hook("PART", []codegen.Coord{o, n, r, i}, w.factor, tensor.Invalid)
	load := plain(w.factor, w.along.at, len(w.task.Axes))
	g.Macro("PLAIN_PART", codegen.OneIf(load != nil))
	if load != nil {
		w.pointer(g, "PART", load, w.along.at, o, n, r)
		g.Macro("PART_WIDE(p)", w.wide(load))
	}
	g.Macro("MASK", signedVector(w.val))
	g.Macro("LANES", fmt.Sprintf("(%s)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)", signedVector(w.val)))
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
func (w *windows) pointer(g *codegen.Builder, name string, load *engine.Expr, along int, at ...codegen.Coord) {
	_, o, _ := g.Operand(load.Input)
	g.Macro(name+"_TYPE", codegen.StorageType(o.DType))
	g.Macro(name+"_PTR", "("+g.Pointer(load.Input)+")")
	g.Size(name+"_LEN", o.Len)
	to := access.Coordinates(g.Task.Axes)
	to[along] = engine.ConstIndex(0)
	dt := tensor.Int32
	if g.Wide() {
		dt = tensor.Int64
	}
	g.Hook(name+"_AT", at, engine.IndexValue(dt, load.Addr.Subst(to, g.Task.Axes)), tensor.Invalid)
}

// wide is the text that loads VL neighbours at p.
func (w *windows) wide(load *engine.Expr) string {
	if load.DType == w.val {
		return "(*(__global const VU *)(p))"
	}
	return codegen.WideLoad(load.DType, w.val, codegen.RegType(w.val), kernels.WindowLanes)
}

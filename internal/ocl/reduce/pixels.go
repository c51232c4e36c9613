package reduce

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/internal/ocl/variant"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// pixelated reports whether byPixels plans anything: stripes, which keep states and read both factors from memory for each tap, are a
// fifth as fast for windows of 5 x 5 of a depthwise convolution (PoCL 3.1, two cores of an AMD EPYC VM).
func (l *lanes) pixelated() bool {
	p, err := l.byPixels(l.exact())
	return p != nil && err == nil
}

// byPixels plans reduce/cpu_pixels.cl, where lanes are channels that lie side by side, the summed
// value is a product, and one factor of it is the same for a row of pixels; else nil.
func (l *lanes) byPixels(exact bool) (*variant.Plan, error) {
	taps := l.f * l.g
	if l.index != nil || len(l.outer) == 0 || len(l.inner) == 0 || taps == 0 || taps > kernels.LargestPixelWindow ||
		l.fold.Monoid != engine.Sum || access.GathersIn(l.full) {
		return nil, nil
	}
	left, right, ok := factors(l.full)
	if !ok || l.full.DType != l.val || left.DType != l.val || right.DType != l.val {
		return nil, nil
	}
	rows, row := l.outer[:len(l.outer)-1], l.outer[len(l.outer)-1:]
	if access.Uses(right, row) {
		left, right = right, left
	}
	pixels := access.Extent(l.task, row)
	s, ok := kernels.Pixels(l.o/max(pixels, 1), pixels, l.i, taps, l.dev.Units, l.dev.VectorLanes, exact)
	if !ok || access.Uses(right, row) || !access.Uses(left, l.inner) || !access.Uses(right, l.inner) {
		return nil, nil
	}
	// In 64 bits: sums in 32 that may wrap are no displacements of one address.
	g := l.start(kernels.Parts{Count: 1}, false, taps, access.IndexLimit+1)
	g.Size("OUTER", l.o/max(pixels, 1))
	g.Size("PIXELS", pixels)
	g.Size("INNER", l.i)
	g.Size("RSPAN", s.Rows)
	g.Size("ISPAN", s.Inner)
	g.Macro("VECS", s.Vecs)
	g.Macro("TOGETHER", s.Together)
	g.Macro("LANES", s.Lanes)
	g.Macro("VALS", codegen.VectorType(l.val, int(s.Lanes)))
	g.Macro("FOLDS", l.f)
	g.Macro("GOLDS", l.g)
	g.Macro("GUARDED", codegen.OneIf(l.guard != nil))
	o, p, i, f, gold := codegen.Coord{Name: "o", Axes: rows}, codegen.Coord{Name: "p", Axes: row}, codegen.Coord{Name: "i", Axes: l.inner},
		codegen.Coord{Name: "f", Axes: l.taps}, codegen.Coord{Name: "g", Axes: l.gold}
	hook := func(name string, e *engine.Expr, coords ...codegen.Coord) {
		ok = ok && g.VectorHook(name, coords, l.inner[0], int(s.Lanes), e, l.val, 0)
	}
	hook("LEFTS", left, o, p, i, f, gold)
	hook("RIGHTS", right, o, i, f, gold)
	if l.guard != nil {
		a, b, product := factors(l.beyond)
		if !product {
			return nil, nil
		}
		if access.Uses(b, row) {
			a, b = b, a
		}
		ok = ok && !access.Uses(b, row)
		hook("LEFTS_OUTSIDE", a, o, p, i, f, gold)
		if b.Key() == right.Key() {
			g.Macro("RIGHTS_OUTSIDE", "RIGHTS")
		} else {
			hook("RIGHTS_OUTSIDE", b, o, i, f, gold)
		}
		g.Hook("INSIDE", []codegen.Coord{o, p, f, gold}, engine.Valid(l.guard), tensor.Invalid)
	}
	if !ok {
		return nil, nil
	}
	plain := len(l.task.Values) == 1 && (l.val == tensor.Float32 || l.val == tensor.Float64) &&
		l.fold.Acc == l.val && l.task.Values[0].DType == l.val && l.task.Outs[0].DType == l.val
	if plain && g.VectorOfSums("RESULTS", []codegen.Coord{o, p, i}, l.inner[0], int(s.Lanes), l.task.Values[0], l.val, l.val, 0) {
		g.Macro("RESULTS_PTR", "("+g.Pointer(len(l.task.Ins))+")")
		g.PutVector("VALS", "VALS_ANYWHERE", int(s.Lanes), l.i)
	}
	g.HookOf("EPILOGUE", []codegen.Coord{o, p, i}, l.task.Values, []tensor.DType{l.fold.Acc})
	g.Store("STORE", "EPILOGUE", l.task.Values...)
	params := fmt.Sprintf("%dx%dx%d of %dx%d pixels vecs=%d", l.o/max(pixels, 1), pixels, l.i, l.f, l.g, s.Vecs)
	return l.one(g, s.Grid(l.o/max(pixels, 1), l.i), "reduce_pixels", params, kernels.Parts{Count: 1})
}

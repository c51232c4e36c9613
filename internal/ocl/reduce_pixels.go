package ocl

import (
	"fmt"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/kernels"
	"github.com/anycl/anycl/tensor"
)

// byPixels plans reduce/cpu_pixels.cl, where lanes are channels that lie side by
// side, what is summed is a product, and one factor of it is the same for a row
// of pixels; else nil.
func (l *lanes) byPixels(exact bool) (*plan, error) {
	taps := l.f * l.g
	if len(l.outer) == 0 || len(l.inner) == 0 || taps == 0 || taps > kernels.LargestPixelWindow || l.fold.Monoid != engine.Sum || gathersIn(l.full) {
		return nil, nil
	}
	left, right, ok := factors(l.full)
	if !ok || l.full.DType != l.val || left.DType != l.val || right.DType != l.val {
		return nil, nil
	}
	rows, row := l.outer[:len(l.outer)-1], l.outer[len(l.outer)-1:]
	if uses(right, row) {
		left, right = right, left
	}
	pixels := extent(l.task, row)
	s, ok := kernels.Pixels(l.o/max(pixels, 1), pixels, l.i, taps, l.dev.units, exact)
	if !ok || uses(right, row) || !uses(left, l.inner) || !uses(right, l.inner) {
		return nil, nil
	}
	// In 64 bits: sums in 32 that may wrap are no displacements of one address
	// (MobileNet-v2's layers at batch 1: 890 and 770 us).
	g := l.start(kernels.Parts{Count: 1}, false, taps, idxLimit+1)
	g.size("OUTER", l.o/max(pixels, 1))
	g.size("PIXELS", pixels)
	g.size("INNER", l.i)
	g.size("RSPAN", s.Rows)
	g.size("ISPAN", s.Inner)
	g.macro("VECS", s.Vecs)
	g.macro("VAL16", vectorType(l.val))
	g.macro("FOLDS", l.f)
	g.macro("GOLDS", l.g)
	g.macro("GUARDED", oneIf(l.guard != nil))
	o, p, i, f, gold := coord{"o", rows}, coord{"p", row}, coord{"i", l.inner}, coord{"f", l.taps}, coord{"g", l.gold}
	hook := func(name string, e *engine.Expr, coords ...coord) {
		ok = ok && g.vectorHook(name, coords, l.inner[0], e, l.val, 0)
	}
	hook("LEFTS", left, o, p, i, f, gold)
	hook("RIGHTS", right, o, i, f, gold)
	if l.guard != nil {
		a, b, product := factors(l.beyond)
		if !product {
			return nil, nil
		}
		if uses(b, row) {
			a, b = b, a
		}
		ok = ok && !uses(b, row)
		hook("LEFTS_OUTSIDE", a, o, p, i, f, gold)
		if b.Key() == right.Key() {
			g.macro("RIGHT_OUTSIDE(o, i, f, g, n)", "kept[((f) * GOLDS + (g)) * VECS + (n)]")
		} else {
			hook("RIGHTS_OUTSIDE", b, o, i, f, gold)
			g.macro("RIGHT_OUTSIDE(o, i, f, g, n)", "RIGHTS_OUTSIDE(o, i, f, g)")
		}
		g.hook("INSIDE", []coord{o, p, f, gold}, engine.Valid(l.guard), tensor.Invalid)
	}
	if !ok {
		return nil, nil
	}
	plain := len(l.task.Values) == 1 && (l.val == tensor.Float32 || l.val == tensor.Float64) &&
		l.fold.Acc == l.val && l.task.Values[0].DType == l.val && l.task.Outs[0].DType == l.val
	if plain && g.vectorOfSums("RESULTS", []coord{o, p, i}, l.inner[0], l.task.Values[0], l.val, l.val, 0) {
		g.macro("RESULTS_PTR", "("+g.pointer(len(l.task.Ins))+")")
		g.putVector("VAL16", "VAL16_ANYWHERE", vectorLanes, l.i)
	}
	g.hookOf("EPILOGUE", []coord{o, p, i}, l.task.Values, []tensor.DType{l.fold.Acc})
	g.store("STORE", "EPILOGUE", l.task.Values...)
	params := fmt.Sprintf("%dx%dx%d of %dx%d pixels vecs=%d", l.o/max(pixels, 1), pixels, l.i, l.f, l.g, s.Vecs)
	return l.one(g, s.Grid(l.o/max(pixels, 1), l.i), "reduce_pixels", params, kernels.Parts{Count: 1})
}

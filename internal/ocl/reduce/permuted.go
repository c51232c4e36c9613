package reduce

import (
	"cmp"
	"slices"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ocl/access"
	"github.com/anycl/anycl/internal/ocl/codegen"
	"github.com/anycl/anycl/tensor"
)

// alongMemory is t with the axes that it folds in the order in which its values lie in memory, where each step along them has a
// length: positions, which count in the order of the axes, stay as they are.
func alongMemory(t *engine.Task) *engine.Task {
	f, folded := t.Folds[0], access.Axes(t, 1)
	if f.Monoid.IsArg() || len(folded) < 2 {
		return t
	}
	stride := make([]int64, len(t.Axes))
	for _, a := range folded {
		if stride[a] = access.StrideOfPieces(f.Value, a); stride[a] <= 0 {
			return t
		}
	}
	byStride := slices.SortedStableFunc(slices.Values(folded), func(a, b int) int { return cmp.Compare(stride[b], stride[a]) })
	if slices.Equal(byStride, folded) {
		return t
	}
	return t.Permute(slices.Concat(access.Axes(t, 0), byStride))
}

// Sideways is the order of the axes of results in which that one is last along which the values of the first fold of t are neighbours in
// memory, where they are along no folded axis and not along the last one, as in a fold of a transposed tensor; or, where there is none,
// along which data says where in a line they are. Else nil.
func Sideways(t *engine.Task) []int {
	out, folded, value := access.Axes(t, 0), access.Axes(t, 1), t.Folds[0].Value
	if len(out) < 2 || t.Size(1) < 2 {
		return nil
	}
	next := func(a int) bool { return apart(value, a, folded) == 1 }
	if across := apart(value, out[len(out)-1], folded); across >= 0 && across <= 2 || slices.ContainsFunc(folded, next) {
		return nil
	}
	long := func(along func(a int) bool) int {
		return slices.IndexFunc(out, func(a int) bool { return t.Axes[a] >= codegen.VectorLanes && along(a) })
	}
	at := long(next)
	if at < 0 { // elements that data finds within a line lie closer together than lines
		at = long(func(a int) bool { return gatheredAlong(value, a) })
	}
	if at < 0 || at == len(out)-1 {
		return nil
	}
	return slices.Concat(slices.Delete(slices.Clone(out), at, at+1), out[at:at+1])
}

// sideways is r over results in the order of [Sideways], or r itself: vectors of neighbours are loaded whole then, and
// it is the results, which are fewer, that are stored one by one.
func (r *reduction) sideways() *reduction {
	if !r.dev.CPU || r.exact() || len(r.values) < len(r.task.Values) {
		return r
	}
	order := Sideways(r.task)
	if order == nil {
		return r
	}
	out := access.Axes(r.task, 0)
	index, size := engine.ConstIndex(0), int64(1)
	for _, a := range slices.Backward(out) {
		index = index.Add(engine.AxisIndex(slices.Index(order, a)).Mul(size))
		size *= int64(r.task.Axes[a])
	}
	p := newReduction(r.dev, r.task.Permute(slices.Concat(order, access.Axes(r.task, 1))))
	p.index, p.inOrder = index, r
	return p
}

// apart is how far apart in memory the values e of neighbouring results along axis a are, or -1 where that cannot be told. What is the same
// along all folded axes counts as little as results do.
func apart(e *engine.Expr, a int, folded []int) int64 {
	worst := int64(0)
	for s := range e.Walk() {
		if s.Op == engine.OpLoad && access.Uses(s, folded) {
			n := access.StrideOfPieces(s, a)
			if n < 0 {
				return -1
			}
			worst = max(worst, n)
		}
	}
	return worst
}

// place defines INDEX_OF(o, i), where the result over coords lies in the outputs, unless results lie in the order of the axes.
func (r *reduction) place(g *codegen.Builder, o, i codegen.Coord) {
	if r.index != nil {
		g.Hook("INDEX_OF", []codegen.Coord{o, i}, engine.IndexValue(tensor.Int64, r.index), tensor.Invalid)
	}
}

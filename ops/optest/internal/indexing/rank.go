package indexing

import (
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Sorts, by the sort of the standard library.

func init() {
	spec.Register("top_k", spec.Spec{
		Reference: rank,
		Tolerance: spec.Moved,
		Samples: slices.Concat(
			topKCase("one", []int{20, 1}, 1, 1, nil),
			topKCase("few of a row", []int{5, 37}, 3, 1, nil),
			topKCase("smallest", []int{4, 41}, 5, -1, &ops.TopKOptions{Smallest: true}),
			topKCase("by position", []int{3, 300}, 7, 1, &ops.TopKOptions{ByPosition: true}),
			topKCase("all", []int{3, 9}, 9, 1, nil),
			topKCase("columns", []int{19, 6}, 4, 0, nil),
			topKCase("middle", []int{3, 17, 5}, 6, 1, &ops.TopKOptions{Smallest: true, ByPosition: true}),
			topKCase("long", []int{1, 5000}, 45, 1, nil),
			topKCase("many of a long row", []int{1, 3000}, 900, 1, &ops.TopKOptions{Smallest: true}),
			topKCase("none", []int{4, 5}, 0, 1, nil),
			topKCase("no rows", []int{0, 5}, 2, 1, nil),
		),
	})
	spec.Register("sort", spec.Spec{
		Reference: rank,
		Tolerance: spec.Moved,
		Samples: slices.Concat(
			sortCase("row", []int{53}, 0, nil),
			sortCase("descending", []int{4, 31}, 1, &ops.SortOptions{Descending: true}),
			sortCase("columns", []int{17, 9}, 0, nil),
			sortCase("middle", []int{2, 23, 3}, 1, &ops.SortOptions{Descending: true}),
			sortCase("long", []int{2, 1500}, -1, nil),
			sortCase("long descending", []int{1500}, 0, &ops.SortOptions{Descending: true}),
			sortCase("one", []int{20, 1}, 1, nil),
			sortCase("empty", []int{3, 0}, 1, nil),
		),
	})
}

func rank(c spec.Case) spec.Result {
	x, a := c.In[0], reference.Attr[rankAttr](c)
	shape := slices.Clone(x.Shape)
	shape[a.Axis] = a.Keep
	y, positions := spec.NewArray(x.DType, shape...), spec.NewArray(tensor.Int64, shape...)
	at := make([]int, len(shape))
	each := slices.Clone(x.Shape)
	each[a.Axis] = 1
	for _, base := range reference.Coordinates(each) {
		copy(at, base)
		where := func(shape []int, i int) int {
			at[a.Axis] = i
			return reference.Position(shape, at)
		}
		order := make([]int, x.Shape[a.Axis])
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int {
			r := reference.CompareAt(x, where(x.Shape, i), where(x.Shape, j))
			if a.Descending {
				return -r
			}
			return r
		})
		order = order[:a.Keep]
		if a.ByPosition {
			slices.Sort(order)
		}
		for to, from := range order {
			positions.I[where(shape, to)] = int64(from)
			reference.CopyElement(y, where(shape, to), x, where(x.Shape, from))
		}
	}
	if a.Positions {
		return reference.Exactly(positions)
	}
	return reference.Exactly(y)
}

func topKCase(label string, shape []int, k, axis int, o *ops.TopKOptions) []spec.Sample {
	return rankCases(label, shape, axis, func(x *ops.Node) (*ops.Node, *ops.Node) { return ops.TopK(x, k, axis, o) }, func(a *rankAttr) {
		a.Keep, a.Descending = k, o == nil || !o.Smallest
		a.ByPosition = o != nil && o.ByPosition
	})
}

func sortCase(label string, shape []int, axis int, o *ops.SortOptions) []spec.Sample {
	return rankCases(label, shape, axis, func(x *ops.Node) (*ops.Node, *ops.Node) { return ops.Sort(x, axis, o) }, func(a *rankAttr) {
		a.Keep, a.Descending = shape[a.Axis], o != nil && o.Descending
	})
}

// rankAttr is the Attr of samples of sorts and top-k, for their references.
type rankAttr struct {
	Axis, Keep             int
	Descending, ByPosition bool
	Positions              bool // the result is the positions
}

// rankCases tries values that are all different, and values with ties and all
// that is special, for both results.
func rankCases(label string, shape []int, axis int, call func(x *ops.Node) (values, positions *ops.Node),
	set func(a *rankAttr)) []spec.Sample {
	var out []spec.Sample
	for _, positions := range []bool{false, true} {
		a := rankAttr{Axis: (axis + len(shape)) % len(shape), Positions: positions}
		set(&a)
		what := " values"
		if positions {
			what = " positions"
		}
		build := func(in []*ops.Node) *ops.Node {
			v, p := call(in[0])
			if positions {
				return p
			}
			return v
		}
		out = append(out,
			spec.Sample{Label: label + what, Operands: []spec.Operand{{Shape: shape, Distinct: true}}, Attr: a, Build: build},
			spec.Sample{Label: label + what + ", ties", Operands: []spec.Operand{{Shape: shape, Special: true, Lo: -2, Hi: 2}}, Attr: a,
				Build: build},
		)
	}
	return out
}

package optest

import (
	"cmp"
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// Sorts, by the sort of the standard library.

func init() {
	Register("top_k", Spec{
		Reference: rank,
		Tolerance: moved,
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
	Register("sort", Spec{
		Reference: rank,
		Tolerance: moved,
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

func rank(c Case) Result {
	x, a := c.In[0], attr[rankAttr](c)
	shape := slices.Clone(x.Shape)
	shape[a.Axis] = a.Keep
	y, positions := NewArray(x.DType, shape...), NewArray(tensor.Int64, shape...)
	at := make([]int, len(shape))
	each := slices.Clone(x.Shape)
	each[a.Axis] = 1
	for _, base := range coordinates(each) {
		copy(at, base)
		where := func(shape []int, i int) int {
			at[a.Axis] = i
			return position(shape, at)
		}
		order := make([]int, x.Shape[a.Axis])
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int {
			r := x.order(where(x.Shape, i), where(x.Shape, j))
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
			y.copy(where(shape, to), x, where(x.Shape, from))
		}
	}
	if a.Positions {
		return exactly(positions)
	}
	return exactly(y)
}

// order compares elements i and j of a; NaN is larger than every number.
func (a Array) order(i, j int) int {
	switch {
	case a.F != nil:
		p, q := math.IsNaN(a.F[i]), math.IsNaN(a.F[j])
		switch {
		case p && q:
			return 0
		case p:
			return 1
		case q:
			return -1
		}
		return cmp.Compare(a.F[i], a.F[j])
	case a.I != nil:
		return cmp.Compare(a.I[i], a.I[j])
	}
	return cmp.Compare(a.U[i], a.U[j])
}

func topKCase(label string, shape []int, k, axis int, o *ops.TopKOptions) []Sample {
	return rankCases(label, shape, axis, func(x *ops.Node) (*ops.Node, *ops.Node) { return ops.TopK(x, k, axis, o) }, func(a *rankAttr) {
		a.Keep, a.Descending = k, o == nil || !o.Smallest
		a.ByPosition = o != nil && o.ByPosition
	})
}

func sortCase(label string, shape []int, axis int, o *ops.SortOptions) []Sample {
	return rankCases(label, shape, axis, func(x *ops.Node) (*ops.Node, *ops.Node) { return ops.Sort(x, axis, o) }, func(a *rankAttr) {
		a.Keep, a.Descending = shape[a.Axis], o != nil && o.Descending
	})
}

// rankAttr is what the reference of a sort or top-k must know: Attr of its samples.
type rankAttr struct {
	Axis, Keep             int
	Descending, ByPosition bool
	Positions              bool // the result is the positions
}

// rankCases tries values that are all different, and values with ties and all
// that is special, for both results.
func rankCases(label string, shape []int, axis int, call func(x *ops.Node) (values, positions *ops.Node), set func(a *rankAttr)) []Sample {
	var out []Sample
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
			Sample{Label: label + what, Operands: []Operand{{Shape: shape, Distinct: true}}, Attr: a, Build: build},
			Sample{Label: label + what + ", ties", Operands: []Operand{{Shape: shape, Special: true, Lo: -2, Hi: 2}}, Attr: a, Build: build},
		)
	}
	return out
}

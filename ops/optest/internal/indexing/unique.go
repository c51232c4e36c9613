package indexing

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Unique items, each compared with all that were found before.

func init() {
	spec.Register("unique", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, a := coarse(c.In[0]), reference.Attr[uniqueAttr](c)
			n, axis := x.Len(), -1
			if a.Along {
				axis = reference.WrapAxis(a.Axis, len(x.Shape))
				n = x.Shape[axis]
			}
			// places are where the elements of item i lie in x.
			places := make([][]int, n)
			for p, at := range reference.Coordinates(x.Shape) {
				if axis < 0 {
					places[p] = []int{p}
				} else {
					places[at[axis]] = append(places[at[axis]], p)
				}
			}
			order := func(i, j int) int {
				for k, p := range places[i] {
					if r := reference.CompareAt(x, p, places[j][k]); r != 0 {
						return r
					}
				}
				return 0
			}
			var found [][]int // the items of each group
			for i := range n {
				g := slices.IndexFunc(found, func(g []int) bool { return order(g[0], i) == 0 })
				if g < 0 {
					g = len(found)
					found = append(found, nil)
				}
				found[g] = append(found[g], i)
			}
			if !a.FirstSeen {
				slices.SortFunc(found, func(g, h []int) int { return order(g[0], h[0]) })
			}
			ints := make([]int64, n)
			switch a.Result {
			case 0:
				shape := x.Shape
				if axis < 0 {
					shape = []int{n}
				}
				y := spec.NewArray(x.DType, shape...)
				for g, items := range found {
					for k, p := range places[items[0]] {
						reference.CopyElement(y, places[g][k], x, p)
					}
				}
				return reference.Exactly(y)
			case 1:
				for g := range ints {
					if ints[g] = -1; g < len(found) {
						ints[g] = int64(found[g][0])
					}
				}
			case 2:
				for g, items := range found {
					for _, i := range items {
						ints[i] = int64(g)
					}
				}
			case 3:
				for g, items := range found {
					ints[g] = int64(len(items))
				}
			default:
				return reference.Exactly(spec.Array{DType: tensor.Int64, Shape: []int{}, I: []int64{int64(len(found))}})
			}
			return reference.Exactly(spec.Array{DType: tensor.Int64, Shape: []int{n}, I: ints})
		},
		Tolerance: spec.Moved,
		Samples: slices.Concat(
			uniqueCase("elements", []int{11, 8}, ops.UniqueOptions{}),
			uniqueCase("first seen", []int{90}, ops.UniqueOptions{FirstSeen: true}),
			uniqueCase("many", []int{2500}, ops.UniqueOptions{}),
			uniqueCase("long", []int{20_000}, ops.UniqueOptions{FirstSeen: true}),
			fewTypes(uniqueCase("rows", []int{60, 2}, ops.UniqueOptions{Along: true})),
			fewTypes(uniqueCase("columns", []int{1, 40, 2}, ops.UniqueOptions{Along: true, Axis: 1})),
			fewTypes(uniqueCase("last axis, first seen", []int{2, 1, 30}, ops.UniqueOptions{Along: true, Axis: -1, FirstSeen: true})),
			uniqueCase("one", []int{}, ops.UniqueOptions{}),
			uniqueCase("nothing", []int{0}, ops.UniqueOptions{}),
			fewTypes(uniqueCase("empty rows", []int{3, 0}, ops.UniqueOptions{Along: true})),
		),
	})
}

// coarse is x with its fractions dropped, as the samples do it.
func coarse(x spec.Array) spec.Array {
	y := spec.NewArray(x.DType, x.Shape...)
	for p := range x.Len() {
		if reference.CopyElement(y, p, x, p); x.F != nil && math.Abs(x.F[p]) < 4 {
			y.F[p] = math.Floor(x.F[p])
		}
	}
	return y
}

// fewTypes restricts samples to dtypes of every order and size of keys: each is a program for every result.
func fewTypes(samples []spec.Sample) []spec.Sample {
	for i := range samples {
		samples[i].Only = []tensor.DType{tensor.Float32, tensor.Int64, tensor.Uint8}
	}
	return samples
}

// uniqueAttr is the Attr of samples, for their reference.
type uniqueAttr struct {
	ops.UniqueOptions
	Result int // which field of Uniques
}

func uniqueCase(label string, shape []int, o ops.UniqueOptions) (out []spec.Sample) {
	for i, what := range []string{"values", "first", "inverse", "counts", "number"} {
		out = append(out, spec.Sample{
			Label: label + " " + what, Attr: uniqueAttr{o, i},
			Operands: []spec.Operand{{Shape: shape, Special: len(shape) > 0, Lo: 0, Hi: 3}},
			Build: func(in []*ops.Node) *ops.Node {
				// Coarse, so that elements repeat.
				x := in[0]
				if x.DType().IsFloat() {
					x = ops.Where(ops.Less(ops.Abs(x), ops.ScalarLike(x, 4)), ops.Floor(x), x)
				}
				u := ops.Unique(x, &o)
				return []*ops.Node{u.Values, u.First, u.Inverse, u.Counts, u.Number}[i]
			},
		})
	}
	return out
}

package indexing

import (
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Results whose size depends on the data: values behind the count are filled.

// several are samples of an op with several results, one for each.
func several(s spec.Sample, names []string, call func(in []*ops.Node) []*ops.Node, ref func(c spec.Case) []spec.Array) (out []spec.Sample) {
	for i, name := range names {
		one := s
		one.Label = s.Label + " " + name
		one.Build = func(in []*ops.Node) *ops.Node { return call(in)[i] }
		one.Attr = func(c spec.Case) spec.Result { return reference.Exactly(ref(c)[i]) }
		out = append(out, one)
	}
	return out
}

func scalarOf(v int) spec.Array {
	return spec.Array{DType: tensor.Int64, Shape: []int{}, I: []int64{int64(v)}}
}

func init() {
	nonzero := func(label string, shape []int, bound int, only ...tensor.DType) []spec.Sample {
		return several(spec.Sample{Label: label, Only: only, Operands: []spec.Operand{{Shape: shape, Special: true, Lo: 0, Hi: 1}}},
			[]string{"positions", "count"},
			func(in []*ops.Node) []*ops.Node {
				p, n := ops.NonZero(in[0], bound)
				return []*ops.Node{p, n}
			}, func(c spec.Case) []spec.Array {
				x := c.In[0]
				room := bound
				if room < 0 {
					room = x.Len()
				}
				y := spec.NewArray(tensor.Int64, room, len(shape))
				for i := range y.I {
					y.I[i] = -1
				}
				n := 0
				for p, at := range reference.Coordinates(shape) {
					if reference.ZeroAt(x, p) || n == room {
						continue
					}
					for a, v := range at {
						y.I[n*len(shape)+a] = int64(v)
					}
					n++
				}
				return []spec.Array{y, scalarOf(n)}
			})
	}
	layouts("nonzero", slices.Concat(
		nonzero("all", []int{3, 50}, -1),
		nonzero("too many", []int{3, 5, 7}, 11, few...),
		nonzero("scalar", []int{}, -1, few...),
		nonzero("nothing", []int{0, 4}, -1, few...),
	)...)
	layouts("masked_select", several(
		spec.Sample{Label: "mask of columns", Operands: []spec.Operand{{Shape: []int{1, 70}}, {Shape: []int{3, 70}, DType: tensor.Bool}}},
		[]string{"values", "count"},
		func(in []*ops.Node) []*ops.Node {
			v, n := ops.MaskedSelect(in[0], in[1], 100)
			return []*ops.Node{v, n}
		}, func(c spec.Case) []spec.Array {
			y, n := spec.NewArray(c.In[0].DType, 100), 0
			for p := range 210 {
				if c.In[1].U[p] != 0 && n < 100 {
					reference.CopyElement(y, n, c.In[0], p%70)
					n++
				}
			}
			return []spec.Array{y, scalarOf(n)}
		})...)
	layouts("compress", several(
		spec.Sample{Label: "columns", Operands: []spec.Operand{{Shape: []int{2, 60}}, {Shape: []int{50}, DType: tensor.Bool}}},
		[]string{"values", "count"},
		func(in []*ops.Node) []*ops.Node {
			v, n := ops.Compress(in[0], 1, in[1], -1)
			return []*ops.Node{v, n}
		}, func(c spec.Case) []spec.Array {
			y, n := spec.NewArray(c.In[0].DType, 2, 50), 0
			for j := range 50 {
				if c.In[1].U[j] != 0 {
					reference.CopyElement(y, n, c.In[0], j)
					reference.CopyElement(y, 50+n, c.In[0], 60+j)
					n++
				}
			}
			return []spec.Array{y, scalarOf(n)}
		})...)
	names := []string{"values", "first", "inverse", "counts", "number"}
	consecutive := func(label string, shape []int, axis int, only ...tensor.DType) []spec.Sample {
		o := &ops.UniqueOptions{Along: axis >= 0, Axis: axis}
		return several(spec.Sample{Label: label, Only: only, Operands: []spec.Operand{{Shape: shape, Lo: 0, Hi: 1.99}}}, names,
			func(in []*ops.Node) []*ops.Node {
				x := in[0]
				if x.DType().IsFloat() {
					x = ops.Floor(x)
				}
				u := ops.UniqueConsecutive(x, o)
				return []*ops.Node{u.Values, u.First, u.Inverse, u.Counts, u.Number}
			}, func(c spec.Case) []spec.Array {
				x := coarse(c.In[0])
				n := x.Len()
				values := spec.NewArray(x.DType, n)
				places := make([][]int, n) // of each item
				if axis >= 0 {
					n, values = shape[axis], spec.NewArray(x.DType, shape...)
					places = make([][]int, n)
				}
				for p, at := range reference.Coordinates(shape) {
					i := p
					if axis >= 0 {
						i = at[axis]
					}
					places[i] = append(places[i], p)
				}
				first, inverse, counts := spec.NewArray(tensor.Int64, n), spec.NewArray(tensor.Int64, n), spec.NewArray(tensor.Int64, n)
				number := 0
				for i := range n {
					first.I[i] = -1
				}
				for i := range n {
					same := i > 0
					for k, p := range places[i] {
						same = same && reference.CompareAt(x, p, places[max(i-1, 0)][k]) == 0
					}
					if !same {
						first.I[number] = int64(i)
						for k, p := range places[i] {
							reference.CopyElement(values, places[number][k], x, p)
						}
						number++
					}
					inverse.I[i] = int64(number - 1)
					counts.I[number-1]++
				}
				return []spec.Array{values, first, inverse, counts, scalarOf(number)}
			})
	}
	layouts("unique_consecutive", slices.Concat(
		consecutive("elements", []int{11, 8}, -1),
		consecutive("columns", []int{2, 40}, 1, few...),
		consecutive("nothing", []int{0}, -1, few...),
	)...)
	layouts("kth_value", several(
		spec.Sample{Label: "middle", Operands: []spec.Operand{{Shape: []int{3, 9, 2}, Distinct: true}}}, []string{"values", "positions"},
		func(in []*ops.Node) []*ops.Node {
			v, p := ops.KthValue(in[0], 4, 1)
			return []*ops.Node{v, p}
		}, func(c spec.Case) []spec.Array {
			x := c.In[0]
			values, positions := spec.NewArray(x.DType, 3, 2), spec.NewArray(tensor.Int64, 3, 2)
			for p := range 6 {
				order := make([]int, 9)
				at := func(i int) int { return (p/2*9+i)*2 + p%2 }
				for i := range order {
					order[i] = i
				}
				slices.SortStableFunc(order, func(i, j int) int { return reference.CompareAt(x, at(i), at(j)) })
				reference.CopyElement(values, p, x, at(order[3]))
				positions.I[p] = int64(order[3])
			}
			return []spec.Array{values, positions}
		})...)
}

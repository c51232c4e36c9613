package indexing

import (
	"math"
	"slices"
	"strings"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Look-ups, key by key.

func init() {
	spec.Register("lookup", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			a := reference.Attr[lookupAttr](c)
			y := spec.NewArray(tensor.Int64, c.In[0].Shape...)
			for p := range y.I {
				y.I[p] = a.Other
				if i := slices.Index(a.Keys, int64(reference.IndexAt(c.In[0], p))); i >= 0 {
					y.I[p] = a.Values[i]
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Exact,
		Samples: slices.Concat(
			lookupCase("some", []int{40, 7}, 30, -20, 60),
			lookupCase("all", []int{200}, 120, 0, 119),
			lookupCase("one key", []int{50}, 1, -1, 2),
			lookupCase("no keys", []int{5}, 0, 0, 2),
			lookupCase("scalar", []int{}, 9, 0, 8),
			lookupCase("nothing", []int{0, 3}, 9, 0, 8),
		),
	})
	spec.Register("lookup_in", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, keys, values := c.In[0], c.In[1], c.In[2]
			width := values.Len() / max(keys.Len(), 1)
			y := spec.NewArray(values.DType, slices.Concat(x.Shape, values.Shape[1:])...)
			for p := range y.F {
				y.F[p] = -1
				for k := range keys.Len() {
					if !reference.SortsBefore(keys, k, x, p/width) && !reference.SortsBefore(x, p/width, keys, k) &&
						(x.F == nil || !math.IsNaN(x.F[p/width])) {
						y.F[p] = values.F[k*width+p%width]
						break
					}
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Exact,
		Samples: []spec.Sample{
			lookupInCase("rows", []int{8, 5}, []int{11, 3}, tensor.Float32, tensor.Uint8, tensor.Int64),
			lookupInCase("vector", []int{67}, []int{9}),
			lookupInCase("no keys", []int{5}, []int{0, 2}, tensor.Int32),
			lookupInCase("scalar", []int{}, []int{4}, tensor.Float16),
		},
	})
	spec.Register("lookup_strings", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, a := c.In[0], reference.Attr[lookupAttr](c)
			width := x.Shape[len(x.Shape)-1]
			y := spec.NewArray(tensor.Int64, x.Shape[:len(x.Shape)-1]...)
			for p := range y.I {
				var s strings.Builder
				for _, b := range x.U[p*width:][:width] {
					s.WriteByte(byte(b))
				}
				y.I[p] = a.Other
				if i := slices.Index(a.Strings, strings.TrimRight(s.String(), "\x00")); i >= 0 {
					y.I[p] = a.Values[i]
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Exact,
		Samples: slices.Concat(
			stringsCase("words", []int{60, 2}, 40),
			stringsCase("in rows", []int{5, 4, 3}, 25),
			stringsCase("one", []int{2}, 8),
			stringsCase("no keys", []int{4, 2}, 0),
			stringsCase("nothing", []int{0, 2}, 8),
			stringsCase("no bytes", []int{3, 0}, 8),
		),
	})
}

// lookupAttr is the Attr of samples of lookups, for their references.
type lookupAttr struct {
	Keys, Values []int64
	Strings      []string
	Other        int64
}

func lookupCase(label string, shape []int, keys int, lo, hi float64) []spec.Sample {
	a := lookupAttr{Other: -1}
	for i := range keys {
		a.Keys, a.Values = append(a.Keys, int64(i)), append(a.Values, int64(i)*1_000_000_007)
	}
	return []spec.Sample{{
		Label: label, Attr: a, Operands: []spec.Operand{{Shape: shape, Lo: lo, Hi: hi}},
		Build: func(in []*ops.Node) *ops.Node { return ops.Lookup(in[0], a.Keys, a.Values, a.Other) },
	}}
}

// lookupInCase looks for elements, special ones among them, in as many keys as there are values.
func lookupInCase(label string, shape, values []int, only ...tensor.DType) spec.Sample {
	return spec.Sample{
		Label: label, Only: only,
		Operands: []spec.Operand{{Shape: shape, Lo: 0, Hi: 9, Special: len(shape) > 0}, {Shape: values[:1], Lo: 0, Hi: 9, Special: true},
			{Shape: values, DType: tensor.Float32}},
		Through: func(in []*ops.Node) []*ops.Node { // so that elements meet keys
			all := slices.Clone(in)
			for i, n := range in[:2] {
				if n.DType().IsFloat() {
					all[i] = ops.Round(n)
				}
			}
			return all
		},
		Build: func(in []*ops.Node) *ops.Node { return ops.LookupIn(in[0], in[1], in[2], -1) },
	}
}

// stringsCase looks for strings of few letters, zeros among and behind them.
func stringsCase(label string, shape []int, keys int) []spec.Sample {
	a := lookupAttr{Other: 99}
	for i := range keys {
		s := strings.TrimRight(string([]byte{byte(i % 5), byte(i / 5 % 7), byte(i / 35)}), "\x00")
		a.Strings, a.Values = append(a.Strings, s), append(a.Values, int64(i)-5)
	}
	return []spec.Sample{{
		Label: label, Attr: a, Operands: []spec.Operand{{Shape: shape, Lo: 0, Hi: 6}},
		Build: func(in []*ops.Node) *ops.Node { return ops.LookupStrings(in[0], a.Strings, a.Values, a.Other) },
	}}
}

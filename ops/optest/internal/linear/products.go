package linear

import (
	"math"
	"slices"
	"strings"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Products of tensors. The reference of nearly all of them is an equation of letters, summed in nested loops.

func init() {
	products := spec.Summed(spec.AnySum + " of products")
	letters := func(name string, equation func(c spec.Case) string, samples ...spec.Sample) {
		spec.Register(name, spec.Spec{
			Reference: func(c spec.Case) spec.Result { return loops(equation(c), c.In) },
			Tolerance: products,
			Samples:   samples,
		})
	}
	given := func(c spec.Case) string { return reference.Attr[string](c) }

	var equations []spec.Sample
	for i, e := range []struct {
		equation, meant string // with letters for an ellipsis
		shapes          [][]int
	}{
		{"ij,jk->ik", "", [][]int{{5, 7}, {7, 3}}},
		{"iij->ji", "", [][]int{{3, 3, 2}}},
		{"bij,bjk", "bij,bjk->ik", [][]int{{2, 3, 4}, {2, 4, 5}}},
		{"bhqd,bhkd->bqhk", "", [][]int{{2, 2, 3, 4}, {2, 2, 5, 4}}},
		{"ii", "ii->", [][]int{{4, 4}}},
		{"ij->", "", [][]int{{3, 4}}},
		{"ba", "ba->ab", [][]int{{3, 4}}},
		{"i,j->ij", "", [][]int{{3}, {4}}},
		{"i,i", "i,i->", [][]int{{5}, {5}}},
		{"ij,ij->i", "", [][]int{{3, 4}, {3, 4}}},
		{"ab,bc,cd,d->a", "", [][]int{{2, 6}, {6, 5}, {5, 4}, {4}}},
		{"ij,ij,ij->j", "", [][]int{{3, 4}, {3, 4}, {3, 4}}},
		{"...ij,...jk->...ik", "xij,xjk->xik", [][]int{{2, 3, 4}, {2, 4, 2}}},
		{"...i, ...i", "xi,yxi->yx", [][]int{{2, 3}, {4, 1, 3}}},
		{"ij,jk->k", "", [][]int{{0, 3}, {3, 2}}},
		{"ijk,jl->il", "", [][]int{{2, 3, 4}, {3, 5}}},
	} {
		meant := e.meant
		if meant == "" {
			meant = e.equation
		}
		var operands []spec.Operand
		for _, s := range e.shapes {
			operands = append(operands, spec.Operand{Shape: s})
		}
		s := spec.Sample{Label: e.equation, Operands: operands, Attr: meant,
			Build: func(in []*ops.Node) *ops.Node { return ops.Einsum(e.equation, in...) }}
		if i > 1 { // intermediate results are rounded to narrow dtypes, and products of dtypes are those of matmul
			s.Only = []tensor.DType{tensor.Float32, tensor.Float64}
		}
		equations = append(equations, s)
	}
	letters("einsum", given, equations...)
	letters("tensordot", given,
		spec.Sample{Label: "two axes", Operands: []spec.Operand{{Shape: []int{3, 4, 5}}, {Shape: []int{4, 2, 3}}}, Attr: "abc,bda->cd",
			Build: func(in []*ops.Node) *ops.Node { return ops.TensorDot(in[0], in[1], []int{0, 1}, []int{-1, 0}) }},
		spec.Sample{Label: "none", Operands: []spec.Operand{{Shape: []int{3}}, {Shape: []int{2, 2}}}, Attr: "a,bc->abc",
			Build: func(in []*ops.Node) *ops.Node { return ops.TensorDot(in[0], in[1], nil, nil) }},
		spec.Sample{Label: "all", Operands: []spec.Operand{{Shape: []int{3, 2}}, {Shape: []int{3, 2}}}, Attr: "ab,ab->",
			Build: func(in []*ops.Node) *ops.Node { return ops.TensorDot(in[0], in[1], []int{0, 1}, []int{0, 1}) }},
	)
	pair := func(label string, a, b []int, attr string, f func(a, b *ops.Node) *ops.Node) spec.Sample {
		return spec.Sample{Label: label, Operands: []spec.Operand{{Shape: a}, {Shape: b}}, Attr: attr, Build: sample.Two(f)}
	}
	vecdot := func(axis int) func(a, b *ops.Node) *ops.Node {
		return func(a, b *ops.Node) *ops.Node { return linalg.Vecdot(a, b, axis) }
	}
	letters("linalg.vecdot", given,
		pair("last", []int{3, 5}, []int{3, 5}, "ab,ab->a", vecdot(-1)),
		pair("broadcast", []int{5, 2}, []int{3, 5, 1}, "bc,abx->ac", vecdot(1)))
	letters("inner", given,
		pair("matrices", []int{3, 5}, []int{2, 2, 5}, "ab,cdb->acd", ops.Inner),
		pair("vectors", []int{5}, []int{5}, "a,a->", ops.Inner),
		pair("scalar", []int{}, []int{4}, ",a->a", ops.Inner))
	letters("outer", given,
		pair("vectors", []int{3}, []int{5}, "a,b->ab", ops.Outer),
		pair("nothing", []int{0}, []int{5}, "a,b->ab", ops.Outer))
	spec.Register("bilinear", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return loops("na,nb,oab->no", c.In) },
		Tolerance: spec.Tolerance{ULP: 1, ULP64: 1, Terms: 1, Stored: 2, Source: spec.Composition},
		Samples: []spec.Sample{{Label: "plain", Operands: []spec.Operand{{Shape: []int{5, 3}}, {Shape: []int{5, 4}}, {Shape: []int{2, 3, 4}}},
			Build: func(in []*ops.Node) *ops.Node { return ops.Bilinear(in[0], in[1], in[2], nil) }}},
	})
	spec.Register("linalg.multi_dot", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return loops(given(c), c.In) },
		Tolerance: spec.Tolerance{ULP: 1, ULP64: 1, Terms: 1, Stored: 3, Source: spec.Composition},
		Samples: []spec.Sample{
			{Label: "four", Operands: []spec.Operand{{Shape: []int{3, 7}}, {Shape: []int{7, 2}}, {Shape: []int{2, 5}}, {Shape: []int{5}}},
				Attr:  "ab,bc,cd,d->a",
				Build: func(in []*ops.Node) *ops.Node { return linalg.MultiDot(in...) }},
			{Label: "one", Operands: []spec.Operand{{Shape: []int{3, 7}}}, Attr: "ab->ab",
				Build: func(in []*ops.Node) *ops.Node { return linalg.MultiDot(in...) }},
		},
	})
	spec.Register("kron", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			// Of [3 2] and [2 1 2], as [1 3 2] and [2 1 2].
			a, b := c.In[0], c.In[1]
			r := loops("xab,ycd->xyacbd", []spec.Array{{DType: a.DType, Shape: []int{1, 3, 2}, F: a.F, I: a.I, U: a.U}, b})
			r.Shape = c.Shape
			return r
		},
		Tolerance: products,
		Samples:   []spec.Sample{pair("ranks", []int{3, 2}, []int{2, 1, 2}, "", ops.Kron)},
	})
	spec.Register("linalg.cross", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			s := reference.NewSum(c.In[0].DType, c.Shape)
			minus := spec.NewArray(c.In[0].DType, c.In[0].Shape...)
			for p := range minus.Len() {
				switch a := c.In[0]; {
				case a.F != nil:
					minus.F[p] = -a.F[p]
				case a.I != nil:
					minus.I[p] = reference.WrapInt(a.DType, -a.I[p])
				default:
					minus.U[p] = reference.WrapUint(a.DType, -a.U[p])
				}
			}
			for p, at := range reference.Coordinates(c.Shape) {
				i := at[1]
				of := func(x spec.Array, i int) int { return reference.Stretched(x.Shape, []int{at[0], i, at[2]}) }
				u, v := (i+1)%3, (i+2)%3
				s.Add(p, c.In[0], of(c.In[0], u), c.In[1], of(c.In[1], v))
				s.Add(p, minus, of(c.In[0], v), c.In[1], of(c.In[1], u))
			}
			return spec.Result{Array: s.Y, Terms: s.Terms, N: 2}
		},
		Tolerance: spec.Tolerance{ULP: 0.5, ULP64: 0.5, Terms: 1, Stored: 2, Source: spec.Composition},
		Samples: []spec.Sample{pair("broadcast", []int{2, 3, 4}, []int{1, 3, 4}, "", func(a, b *ops.Node) *ops.Node {
			return linalg.Cross(a, b, 1)
		})},
	})
	spec.Register("linalg.vander", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x, n := c.In[0], c.Shape[len(c.Shape)-1]
			y := spec.NewArray(x.DType, c.Shape...)
			for p := range x.Len() {
				for j := range n {
					k := j
					if reference.Attr[bool](c) {
						k = n - 1 - j
					}
					switch q := p*n + j; {
					case y.F != nil:
						y.F[q] = math.Pow(x.F[p], float64(k))
					case y.I != nil:
						y.I[q] = 1
						for range k {
							y.I[q] = reference.WrapInt(y.DType, y.I[q]*x.I[p])
						}
					default:
						y.U[q] = 1
						for range k {
							y.U[q] = reference.WrapUint(y.DType, y.U[q]*x.U[p])
						}
					}
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Composed(6, 6),
		Samples: []spec.Sample{
			{Label: "ascending", Operands: []spec.Operand{{Shape: []int{2, 5}, Lo: -2, Hi: 2}}, Attr: false,
				Build: func(in []*ops.Node) *ops.Node { return linalg.Vander(in[0], 4, false) }},
			{Label: "descending", Operands: []spec.Operand{{Shape: []int{5}, Lo: -2, Hi: 2}}, Attr: true,
				Build: func(in []*ops.Node) *ops.Node { return linalg.Vander(in[0], -1, true) }},
			{Label: "none", Operands: []spec.Operand{{Shape: []int{5}}}, Attr: false,
				Build: func(in []*ops.Node) *ops.Node { return linalg.Vander(in[0], 0, false) }},
		},
	})
	for _, p := range []struct {
		name, equation string
		x, a, b        []int
		call           func(x, a, b *ops.Node, o *ops.ProductOptions) *ops.Node
	}{
		{"addmm", "ab,bc->ac", []int{4}, []int{3, 5}, []int{5, 4}, ops.Addmm},
		{"baddbmm", "nab,nbc->nac", []int{2, 3, 1}, []int{2, 3, 5}, []int{2, 5, 4}, ops.Baddbmm},
		{"addbmm", "nab,nbc->ac", []int{3, 4}, []int{2, 3, 5}, []int{2, 5, 4}, ops.Addbmm},
		{"addmv", "ab,b->a", []int{}, []int{3, 5}, []int{5}, ops.Addmv},
		{"addr", "a,b->ab", []int{3, 1}, []int{3}, []int{5}, ops.Addr},
	} {
		build := func(o *ops.ProductOptions) func(in []*ops.Node) *ops.Node {
			return func(in []*ops.Node) *ops.Node { return p.call(in[0], in[1], in[2], o) }
		}
		operands := []spec.Operand{{Shape: p.x}, {Shape: p.a}, {Shape: p.b}}
		spec.Register(p.name, spec.Spec{
			Reference: func(c spec.Case) spec.Result {
				f := reference.Attr[[2]float64](c)
				r := loops(p.equation, c.In[1:])
				r.N += 3
				for q, at := range reference.Coordinates(r.Shape) {
					i := reference.Stretched(c.In[0].Shape, at)
					switch {
					case r.F != nil:
						r.F[q] = f[0]*r.F[q] + f[1]*c.In[0].F[i]
						r.Terms[q] = math.Abs(f[0])*r.Terms[q] + math.Abs(f[1]*c.In[0].F[i])
					case r.I != nil:
						r.I[q] = reference.WrapInt(r.DType, r.I[q]*int64(f[0])+c.In[0].I[i]*int64(f[1]))
					default:
						r.U[q] = reference.WrapUint(r.DType, r.U[q]*uint64(f[0])+c.In[0].U[i]*uint64(f[1]))
					}
				}
				return r
			},
			Tolerance: spec.Tolerance{ULP: 1, ULP64: 1, Terms: 1, Stored: 3, Source: spec.Composition},
			Samples: []spec.Sample{
				{Label: "sum", Operands: operands, Attr: [2]float64{1, 1}, Build: build(nil), Only: []tensor.DType{tensor.Float32, tensor.Float64}},
				{Label: "factors", Operands: operands, Attr: [2]float64{3, 2}, Build: build(&ops.ProductOptions{Alpha: 3, Beta: 2})},
			},
		})
	}
}

// loops evaluates an equation of letters.
func loops(equation string, in []spec.Array) spec.Result {
	left, right, _ := strings.Cut(equation, "->")
	terms := strings.Split(left, ",")
	extent := map[rune]int{}
	var all []rune
	for i, t := range terms {
		for a, l := range t {
			if _, ok := extent[l]; !ok {
				all = append(all, l)
			}
			extent[l] = max(extent[l], in[i].Shape[a])
		}
	}
	slices.SortStableFunc(all, func(a, b rune) int { // those of the result first
		i, j := strings.IndexRune(right, a), strings.IndexRune(right, b)
		if i < 0 {
			i = len(right)
		}
		if j < 0 {
			j = len(right)
		}
		return i - j
	})
	var full, shape []int
	for _, l := range all {
		full = append(full, extent[l])
	}
	shape = append([]int{}, full[:len(right)]...)
	s := reference.NewSum(in[0].DType, shape)
	one := spec.NewArray(in[0].DType)
	switch {
	case one.F != nil:
		one.F[0] = 1
	case one.I != nil:
		one.I[0] = 1
	default:
		one.U[0] = 1
	}
	for _, at := range reference.Coordinates(full) {
		product := spec.NewArray(in[0].DType)
		reference.CopyElement(product, 0, one, 0)
		var last spec.Array
		place := 0
		for i, t := range terms {
			where := make([]int, len(t))
			for a, l := range []rune(t) {
				where[a] = min(at[slices.Index(all, l)], in[i].Shape[a]-1)
			}
			k := reference.Position(in[i].Shape, where)
			if i == len(terms)-1 {
				last, place = in[i], k
				break
			}
			p := reference.NewSum(in[0].DType, nil)
			p.Add(0, product, 0, in[i], k)
			product = p.Y
		}
		s.Add(reference.Position(shape, at[:len(right)]), product, 0, last, place)
	}
	n := 1
	for _, m := range full[len(right):] {
		n *= m
	}
	return spec.Result{Array: s.Y, Terms: s.Terms, N: float64(n + 2*len(in))}
}

package reduction

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Searches, counts, differences and integrals.

func init() {
	ascending := func(in []*ops.Node) []*ops.Node {
		s, _ := ops.Sort(in[0], -1, nil)
		return append([]*ops.Node{s}, in[1:]...)
	}
	search := func(right bool) func(in []*ops.Node) *ops.Node {
		return func(in []*ops.Node) *ops.Node {
			return ops.SearchSorted(in[0], in[1], &ops.SearchOptions{Right: right})
		}
	}
	spec.Register("searchsorted", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			s, v := c.In[0], c.In[1]
			y := spec.NewArray(tensor.Int64, v.Shape...)
			n := s.Shape[len(s.Shape)-1]
			row := v.Len()
			if len(s.Shape) > 1 {
				row = v.Shape[len(v.Shape)-1]
			}
			for p := range y.I {
				for k := range n {
					q := p/row*n + k
					// Before v: neither after it nor, on the left, equal.
					if reference.SortsBefore(s, q, v, p) || reference.Attr[bool](c) && !reference.SortsBefore(v, p, s, q) {
						y.I[p]++
					}
				}
			}
			return reference.Exactly(y)
		},
		Tolerance: spec.Exact,
		Samples: []spec.Sample{
			{Label: "vector", Operands: []spec.Operand{{Shape: []int{37}, Lo: 0, Hi: 20, Special: true},
				{Shape: []int{5, 11}, Lo: -2, Hi: 22, Special: true}}, Attr: false, Through: ascending, Build: search(false)},
			{Label: "rows", Operands: []spec.Operand{{Shape: []int{3, 19}, Lo: 0, Hi: 9}, {Shape: []int{3, 7}, Lo: 0, Hi: 9}}, Attr: true,
				Through: ascending, Build: search(true)},
			{Label: "sorter", Operands: []spec.Operand{{Shape: []int{19}}, {Shape: []int{7}}}, Attr: false, Only: []tensor.DType{tensor.Int16},
				Through: func(in []*ops.Node) []*ops.Node {
					s, _ := ops.Sort(in[0], -1, nil)
					return []*ops.Node{s, in[1], in[0]}
				}, Build: func(in []*ops.Node) *ops.Node {
					return ops.SearchSorted(in[2], in[1], &ops.SearchOptions{Sorter: ops.ArgSort(in[2], 0, nil)})
				}},
		},
	})
	spec.Register("bincount", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x := c.In[0]
			if len(c.In) == 1 {
				y := spec.NewArray(tensor.Int64, 9)
				for p := range x.Len() {
					if k := reference.IndexAt(x, p); k >= 0 && k < 9 {
						y.I[k]++
					}
				}
				return reference.Exactly(y)
			}
			return weighed(9, func(p int) int { return reference.IndexAt(x, p) }, c.In[1])
		},
		Tolerance: spec.Summed(spec.AnySum),
		Samples: []spec.Sample{
			{Label: "ones", Operands: []spec.Operand{{Shape: []int{5, 31}, Lo: -2, Hi: 11}},
				Build: func(in []*ops.Node) *ops.Node { return ops.BinCount(in[0], 9, nil) }},
			{Label: "weights", Operands: []spec.Operand{{Shape: []int{67}, Lo: 0, Hi: 8}, {Shape: []int{67}, DType: tensor.Float32}},
				Only: []tensor.DType{tensor.Int32}, Build: func(in []*ops.Node) *ops.Node { return ops.BinCount(in[0], 9, in[1]) }},
		},
	})
	hist := func(i int, o ops.HistogramOptions) func(in []*ops.Node) *ops.Node {
		return func(in []*ops.Node) *ops.Node {
			if len(in) == 2 {
				o.Weights = in[1]
			}
			n, e := ops.Histogram(in[0], 7, &o)
			return []*ops.Node{n, e}[i]
		}
	}
	spec.Register("histogram", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			a, x := reference.Attr[histogramOf](c), c.In[0]
			if a.lo == 0 && a.hi == 0 {
				a.lo, a.hi = slices.Min(x.F), slices.Max(x.F)
			}
			edges := spec.NewArray(x.DType, 8)
			for k := range edges.F {
				edges.F[k] = a.lo + (a.hi-a.lo)*float64(k)/7
			}
			if a.result == 1 {
				return spec.Result{Array: edges, Terms: slices.Repeat([]float64{math.Abs(a.lo) + math.Abs(a.hi)}, 8), N: 4}
			}
			return weighed(7, func(p int) int { return binOf(edges.F, x.F[p]) }, weightsOr1(c, 1, x))
		},
		Tolerance: spec.Tolerance{ULP: 3, ULP64: 1, Terms: 1, Source: spec.AnySum + "; no value of the samples is an edge"},
		Samples: []spec.Sample{
			{Label: "limits", Operands: []spec.Operand{{Shape: []int{5, 31}, Lo: 0.5, Hi: 4.2}}, Attr: histogramOf{0, 1.0625, 3.1875},
				Build: hist(0, ops.HistogramOptions{Low: 1.0625, High: 3.1875})},
			{Label: "of all, weighed", Operands: []spec.Operand{{Shape: []int{61}}, {Shape: []int{61}}}, Attr: histogramOf{},
				Only: []tensor.DType{tensor.Float32, tensor.Float64}, Build: hist(0, ops.HistogramOptions{})},
			{Label: "edges", Operands: []spec.Operand{{Shape: []int{61}}}, Attr: histogramOf{result: 1}, Build: hist(1, ops.HistogramOptions{})},
		},
	})
	spec.Register("histogram_edges", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			return weighed(c.In[1].Len()-1, func(p int) int { return binOf(c.In[1].F, c.In[0].F[p]) }, weightsOr1(c, 2, c.In[0]))
		},
		Tolerance: spec.Summed(spec.AnySum),
		Samples: []spec.Sample{{Label: "ties", Operands: []spec.Operand{{Shape: []int{83}, Special: true}, {Shape: []int{6}, Lo: -3, Hi: 3}},
			Through: func(in []*ops.Node) []*ops.Node {
				e, _ := ops.Sort(ops.Round(in[1]), 0, nil)
				return []*ops.Node{in[0], e}
			}, Build: func(in []*ops.Node) *ops.Node { return ops.HistogramEdges(in[0], in[1], nil) }}},
	})
	spec.Register("histogramdd", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x := c.In[0]
			edges := [][]float64{{-2, -1, 0, 1, 2}, {-3, 0, 3}}
			result := reference.Attr[int](c)
			if result > 0 {
				y := spec.NewArray(x.DType, len(edges[result-1]))
				copy(y.F, edges[result-1])
				return reference.Exactly(y)
			}
			r := weighed(8, func(p int) int {
				i, j := binOf(edges[0], x.F[2*p]), binOf(edges[1], x.F[2*p+1])
				if i < 0 || j < 0 {
					return -1
				}
				return 2*i + j
			}, weightsOr1(c, 1, spec.NewArray(x.DType, x.Shape[0])))
			if result < 0 { // the density; a box has the size 3
				total := 0.0
				for _, v := range r.F {
					total += v
				}
				for p := range r.F {
					r.F[p] /= 3 * total
					r.Terms[p] = r.Terms[p]/(3*total) + r.F[p]
				}
			}
			r.Shape = []int{4, 2}
			return r
		},
		Tolerance: spec.Summed(spec.AnySum),
		Samples: []spec.Sample{{Label: "rows", Operands: []spec.Operand{{Shape: []int{97, 2}}}, Attr: 0, Build: func(in []*ops.Node) *ops.Node {
			n, _ := ops.HistogramDD(in[0], []int{4, 2}, &ops.HistogramDDOptions{Limits: []float64{-2, 2, -3, 3}})
			return n
		}}, {Label: "density", Operands: []spec.Operand{{Shape: []int{97, 2}}, {Shape: []int{97}, Lo: 0.5, Hi: 2}}, Attr: -1,
			Build: func(in []*ops.Node) *ops.Node {
				n, _ := ops.HistogramDD(in[0], []int{4, 2}, &ops.HistogramDDOptions{Limits: []float64{-2, 2, -3, 3}, Weights: in[1], Density: true})
				return n
			}}, {Label: "edges", Operands: []spec.Operand{{Shape: []int{3, 2}}}, Attr: 1, Build: func(in []*ops.Node) *ops.Node {
			_, edges := ops.HistogramDD(in[0], []int{4, 2}, &ops.HistogramDDOptions{Limits: []float64{-2, 2, -3, 3}})
			return edges[0]
		}}},
	})

	spec.Register("diff", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			a := reference.Attr[[2]int](c)
			r := reference.Exactly(c.In[0])
			if r.F != nil {
				r.Terms, r.N = reference.Absolutes(r.F), float64(a[0])
			}
			for range a[0] {
				next := spec.Result{Array: spec.NewArray(r.DType, r.Shape...), N: r.N}
				next.Shape[a[1]]--
				next.Array = spec.NewArray(r.DType, next.Shape...)
				if r.Terms != nil {
					next.Terms = make([]float64, next.Len())
				}
				inner := spec.Count(r.Shape[a[1]+1:])
				for p := range next.Len() {
					q := p + p/(inner*next.Shape[a[1]])*inner
					switch {
					case r.F != nil:
						next.F[p] = r.F[q+inner] - r.F[q]
						next.Terms[p] = r.Terms[q+inner] + r.Terms[q]
					case r.I != nil:
						next.I[p] = reference.WrapInt(r.DType, r.I[q+inner]-r.I[q])
					case r.DType == tensor.Bool:
						next.U[p] = r.U[q+inner] ^ r.U[q]
					default:
						next.U[p] = reference.WrapUint(r.DType, r.U[q+inner]-r.U[q])
					}
				}
				r = next
			}
			return r
		},
		Tolerance: spec.Tolerance{ULP: 0.5, ULP64: 0.5, Terms: 1, Stored: 2, Source: spec.Composition},
		Samples: []spec.Sample{
			{Label: "middle", Operands: []spec.Operand{{Shape: []int{3, 9, 5}}}, Attr: [2]int{1, 1},
				Build: func(in []*ops.Node) *ops.Node { return ops.Diff(in[0], 1, 1) }},
			{Label: "twice", Operands: []spec.Operand{{Shape: []int{4, 7}}}, Attr: [2]int{2, 1},
				Build: func(in []*ops.Node) *ops.Node { return ops.Diff(in[0], 2, -1) }},
		},
	})
	at := []spec.Operand{{Shape: []int{5, 9}}, {Shape: []int{9}}}
	steps := []spec.Operand{{Shape: []int{3, 7, 5}}}
	for _, running := range []bool{false, true} {
		name, call, callAt := "trapezoid", ops.Trapezoid, ops.TrapezoidAt
		if running {
			name, call, callAt = "cumulative_trapezoid", ops.CumulativeTrapezoid, ops.CumulativeTrapezoidAt
		}
		spec.Register(name, spec.Spec{
			Reference: func(c spec.Case) spec.Result {
				y := c.In[0]
				t := spec.NewArray(y.DType, y.Shape...)
				t.Shape[1]--
				t = spec.NewArray(y.DType, t.Shape...)
				terms := spec.NewArray(y.DType, t.Shape...)
				inner := spec.Count(y.Shape[2:])
				for p := range t.F {
					q := p + p/(inner*t.Shape[1])*inner
					dx, size := 0.5, 0.5
					if len(c.In) == 2 {
						k := q % y.Shape[1]
						dx, size = c.In[1].F[k+1]-c.In[1].F[k], math.Abs(c.In[1].F[k+1])+math.Abs(c.In[1].F[k])
					}
					t.F[p] = (y.F[q] + y.F[q+inner]) / 2 * dx
					terms.F[p] = (math.Abs(y.F[q]) + math.Abs(y.F[q+inner])) / 2 * size
				}
				if !running {
					r := sums(t, []int{1})
					r.Terms, r.N = sums(terms, []int{1}).F, r.N+4
					return r
				}
				add := func(x spec.Array) spec.Array {
					return runningFold(spec.Case{In: []spec.Array{x}, Attr: RunningOf{Axis: 1}}, 0, 0,
						func(y spec.Array, p, q, _ int) { y.F[p] += x.F[q] })
				}
				return spec.Result{Array: add(t), Terms: add(terms).F, N: float64(t.Shape[1]) + 4}
			},
			Tolerance: spec.Tolerance{ULP: 0.5, ULP64: 0.5, Terms: 1, Source: spec.Composition},
			Samples: []spec.Sample{
				{Label: "steps", Operands: steps, Build: func(in []*ops.Node) *ops.Node { return call(in[0], 0.5, 1) }},
				{Label: "places", Operands: at, Build: func(in []*ops.Node) *ops.Node { return callAt(in[0], in[1], -1) }},
			},
		})
	}
}

// weighed adds the weights of each of n places.
func weighed(n int, place func(p int) int, w spec.Array) spec.Result {
	y := spec.NewArray(w.DType, n)
	terms := make([]float64, n)
	for p, v := range w.F {
		if k := place(p); k >= 0 && k < n {
			y.F[k] += v
			terms[k] += math.Abs(v)
		}
	}
	return spec.Result{Array: y, Terms: terms, N: float64(len(w.F))}
}

// weightsOr1 is operand i, or ones like x.
func weightsOr1(c spec.Case, i int, x spec.Array) spec.Array {
	if len(c.In) > i {
		return c.In[i]
	}
	w := spec.NewArray(x.DType, x.Len())
	for p := range w.F {
		w.F[p] = 1
	}
	return w
}

// binOf is the bin between ascending edges that x lies in, the last with its end, or -1.
func binOf(edges []float64, x float64) int {
	last := len(edges) - 1
	if x == edges[last] {
		return last - 1
	}
	for k := last - 1; k >= 0; k-- {
		if edges[k] <= x && x < edges[k+1] {
			return k
		}
	}
	return -1
}

// histogramOf is the Attr of samples of histograms, for their reference.
type histogramOf struct {
	result int
	lo, hi float64
}

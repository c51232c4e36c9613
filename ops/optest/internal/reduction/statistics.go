package reduction

import (
	"math"
	"slices"
	"sort"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Folds that other ops compute, and order statistics.

func init() {
	spec.Register("count_nonzero", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x := c.In[0]
			y := spec.NewArray(tensor.Int64, remaining(x.Shape, reference.Attr[[]int](c))...)
			overFold(x.Shape, reference.Attr[[]int](c), func(p, q int) {
				if reference.FloatAt(x, q) != 0 {
					y.I[p]++
				}
			})
			return reference.Exactly(y)
		},
		Tolerance: spec.Exact, Samples: fewFolds(ops.CountNonzero, -2, 2),
	})
	spec.Register("nansum", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return sums(withoutNaN(c.In[0]), reference.Attr[[]int](c)) },
		Tolerance: spec.Summed(spec.AnySum), Samples: fewFolds(ops.NanSum, -4, 4),
	})
	spec.Register("nanmean", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x := c.In[0]
			r := sums(withoutNaN(x), reference.Attr[[]int](c))
			n := make([]float64, r.Len())
			overFold(x.Shape, reference.Attr[[]int](c), func(p, q int) { n[p] += float64(reference.Truth(!math.IsNaN(x.F[q]))) })
			for p := range r.F {
				r.F[p] /= n[p]
				r.Terms[p] /= n[p]
			}
			r.N += 2
			return r
		},
		Tolerance: spec.Tolerance{ULP: 3, ULP64: 1, Terms: 1, Stored: 1, Source: spec.Composition},
		Samples:   without32(fewFolds(ops.NanMean, -4, 4)),
	})
	minMax := func(i int) func(x *ops.Node, axes ...int) *ops.Node {
		return func(x *ops.Node, axes ...int) *ops.Node {
			a, b := ops.MinMax(x, axes...)
			return []*ops.Node{a, b}[i]
		}
	}
	spec.Register("minmax", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			a := reference.Attr[resultOf](c)
			return extremes(c.In[0], a.axes, a.i == 0)
		},
		Tolerance: spec.Exact,
		Samples:   append(resultSamples(0, minMax(0)), resultSamples(1, minMax(1))...),
	})
	for _, smallest := range []bool{false, true} {
		name, call := "max_with_index", ops.MaxWithIndex
		if smallest {
			name, call = "min_with_index", ops.MinWithIndex
		}
		spec.Register(name, spec.Spec{
			Reference: func(c spec.Case) spec.Result {
				a := reference.Attr[resultOf](c)
				if a.i == 0 {
					return extremes(c.In[0], a.axes, smallest)
				}
				return positions(spec.Case{In: c.In, Attr: a.axes}, smallest)
			},
			Tolerance: spec.Exact, Samples: indexSamples(call),
		})
	}
	spec.Register("var_mean", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return corrected(c, false) },
		Tolerance: spec.Tolerance{ULP: 3, ULP64: 1, Terms: 1, Stored: 4, Source: spec.Composition},
		Samples: append(resultSamples(0, func(x *ops.Node, axes ...int) *ops.Node { return ops.Var(x, 1, axes...) }),
			resultSamples(1, func(x *ops.Node, axes ...int) *ops.Node { m, _ := ops.VarMean(x, 1, axes...); return m })[:1]...),
	})
	spec.Register("std_mean", spec.Spec{
		Reference: func(c spec.Case) spec.Result { return corrected(c, true) },
		Tolerance: spec.Tolerance{ULP: 6, ULP64: 2, Terms: 1, Stored: 4, Source: spec.Composition},
		Samples: append(resultSamples(0, func(x *ops.Node, axes ...int) *ops.Node { return ops.Std(x, 1, axes...) }),
			resultSamples(1, func(x *ops.Node, axes ...int) *ops.Node { m, _ := ops.StdMean(x, 1, axes...); return m })[:1]...),
	})
	var norms []spec.Sample
	for i, ord := range []float64{2, 1, 0, math.Inf(1), math.Inf(-1), 3} {
		axes := [][]int{{1}, {0, 2}, {1}, {2}, {1}, {0, 1}}[i]
		norms = append(norms, spec.Sample{
			Label: []string{"2", "1", "0", "inf", "-inf", "3"}[i], Operands: []spec.Operand{{Shape: []int{4, 9, 5}}}, Attr: vectorNorm{axes, ord},
			Build: func(in []*ops.Node) *ops.Node { return ops.VectorNorm(in[0], ord, axes...) },
		})
	}
	spec.Register("vector_norm", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			a := reference.Attr[vectorNorm](c)
			x := c.In[0]
			r := fold(x, a.axes, x.DType, map[bool]float64{true: math.Inf(1)}[math.IsInf(a.ord, -1)], func(y spec.Array, p, q int) {
				switch v := math.Abs(x.F[q]); {
				case a.ord == 0:
					y.F[p] += float64(reference.Truth(v != 0))
				case math.IsInf(a.ord, 1):
					y.F[p] = math.Max(y.F[p], v)
				case math.IsInf(a.ord, -1):
					y.F[p] = math.Min(y.F[p], v)
				default:
					y.F[p] += math.Pow(v, a.ord)
				}
			})
			if a.ord != 0 && !math.IsInf(a.ord, 0) {
				for p := range r.F {
					r.F[p] = math.Pow(r.F[p], 1/a.ord)
				}
			}
			r.Terms, r.N = reference.Absolutes(r.F), foldedCount(x, r.Array)
			return r
		},
		Tolerance: spec.Tolerance{ULP: 36, ULP64: 36, Terms: 1, Stored: 1, Source: spec.Composition + ": two powers, 16 each"},
		Samples:   norms,
	})
	spec.Register("trace", spec.Spec{
		Call: sample.One(ops.Trace),
		Reference: func(c spec.Case) spec.Result {
			x := c.In[0]
			lead := x.Shape[:len(x.Shape)-2]
			n, m := x.Shape[len(lead)], x.Shape[len(lead)+1]
			d := spec.NewArray(x.DType, append(slices.Clone(lead), min(n, m))...)
			for p := range d.Len() {
				k := min(n, m)
				reference.CopyElement(d, p, x, p/k*n*m+p%k*(m+1))
			}
			return sums(d, []int{len(lead)})
		},
		Tolerance: spec.Summed(spec.AnySum),
		Samples: []spec.Sample{
			{Label: "batch", Operands: []spec.Operand{{Shape: []int{3, 5, 7}}}},
			{Label: "tall", Operands: []spec.Operand{{Shape: []int{9, 4}}}},
		},
	})

	for _, skip := range []bool{false, true} {
		prefix, call, index := "", ops.Median, ops.MedianWithIndex
		if skip {
			prefix, call, index = "nan", ops.NanMedian, ops.NanMedianWithIndex
		}
		spec.Register(prefix+"median", spec.Spec{
			Reference: func(c spec.Case) spec.Result { return medians(c.In[0], reference.Attr[[]int](c), skip, 0) },
			Tolerance: spec.Exact, Samples: fewFolds(call, -4, 4),
		})
		spec.Register(prefix+"median_with_index", spec.Spec{
			Reference: func(c spec.Case) spec.Result {
				a := reference.Attr[resultOf](c)
				return medians(c.In[0], a.axes, skip, a.i)
			},
			Tolerance: spec.Exact, Samples: indexSamples(index),
		})
	}
	var quantiles []spec.Sample
	for i, way := range []string{ops.QuantileLinear, ops.QuantileLower, ops.QuantileHigher, ops.QuantileNearest, ops.QuantileMidpoint} {
		a := quantileOf{way, i == 4, [][]int{{1}, {0, 2}, {1}, {2}, {1}}[i]}
		q := spec.Operand{Shape: []int{3}, Lo: 0.01, Hi: 0.99}
		if i == 1 {
			q.Shape = nil
		}
		quantiles = append(quantiles, spec.Sample{
			Label: way, Operands: []spec.Operand{{Shape: []int{4, 9, 5}, Special: i == 4}, q}, Attr: a, Only: sample.FloatDTypes[max(i-2, 0):],
			Build: func(in []*ops.Node) *ops.Node {
				return ops.Quantile(in[0], in[1], &ops.QuantileOptions{Interpolation: a.way, IgnoreNaN: a.skip}, a.axes...)
			},
		})
	}
	spec.Register("quantile", spec.Spec{
		Reference: quantilesOf,
		Tolerance: spec.Tolerance{ULP: 1, ULP64: 1, Terms: 1, Stored: 1, Source: spec.Composition},
		Samples:   quantiles,
	})
}

// fewFolds are samples of a fold over the last axes, with and without special values, and over all.
func fewFolds(call func(x *ops.Node, axes ...int) *ops.Node, lo, hi float64) []spec.Sample {
	var out []spec.Sample
	for _, c := range []struct {
		label string
		o     spec.Operand
		axes  []int
	}{
		{"outer", spec.Operand{Shape: []int{3, 17, 5}, Lo: lo, Hi: hi}, []int{0, 2}},
		{"special", spec.Operand{Shape: []int{31, 40}, Lo: lo, Hi: hi, Special: true}, []int{1}},
		{"scalar", spec.Operand{Lo: lo, Hi: hi}, nil},
	} {
		out = append(out, spec.Sample{
			Label: c.label, Operands: []spec.Operand{c.o}, Attr: c.axes,
			Build: func(in []*ops.Node) *ops.Node { return call(in[0], c.axes...) },
		})
	}
	return out
}

// without32 takes the special values of float32 and bfloat16 out, whose sums overflow there and not in the reference.
func without32(samples []spec.Sample) []spec.Sample {
	samples[1].Only = []tensor.DType{tensor.Float16, tensor.Float64}
	return samples
}

// resultOf says which result of an op with two a sample gives.
type resultOf struct {
	axes []int
	i    int
}

// resultSamples returns the first two samples of fewFolds, for result i.
func resultSamples(i int, call func(x *ops.Node, axes ...int) *ops.Node) []spec.Sample {
	out := fewFolds(call, -4, 4)[:2]
	for k := range out {
		out[k].Label = []string{"first ", "second "}[i] + out[k].Label
		out[k].Attr = resultOf{out[k].Attr.([]int), i}
	}
	out[1].Operands[0].Special = false
	return out
}

// indexSamples are of an op that gives values along an axis and their positions.
func indexSamples(call func(x *ops.Node, axis int) (values, positions *ops.Node)) []spec.Sample {
	pick := func(i, axis int) func(in []*ops.Node) *ops.Node {
		return func(in []*ops.Node) *ops.Node {
			v, p := call(in[0], axis)
			return []*ops.Node{v, p}[i]
		}
	}
	return []spec.Sample{
		{Label: "values", Operands: []spec.Operand{{Shape: []int{3, 17, 5}}}, Attr: resultOf{[]int{1}, 0}, Build: pick(0, 1)},
		{Label: "positions", Operands: []spec.Operand{{Shape: []int{31, 40}, Special: true}}, Attr: resultOf{[]int{1}, 1}, Build: pick(1, -1)},
	}
}

func withoutNaN(x spec.Array) spec.Array {
	y := spec.NewArray(x.DType, x.Shape...)
	for p, v := range x.F {
		if !math.IsNaN(v) {
			y.F[p] = v
		}
	}
	return y
}

// corrected is a variance or a standard deviation with the correction 1, or the mean.
func corrected(c spec.Case, root bool) spec.Result {
	a := reference.Attr[resultOf](c)
	if a.i == 1 {
		return means(c.In[0], a.axes)
	}
	r := variances(c.In[0], a.axes)
	n := foldedCount(c.In[0], r.Array)
	for p := range r.F {
		r.F[p] *= n / (n - 1)
		r.Terms[p] *= n / (n - 1)
		if root { // half the relative error
			v := math.Sqrt(r.F[p])
			r.F[p], r.Terms[p] = v, r.Terms[p]/(2*v)
		}
	}
	return r
}

type vectorNorm struct {
	axes []int
	ord  float64
}

// sortedRow is one row of a fold: elements in ascending order, the first of equal ones first, NaN last, and where each stood.
type sortedRow struct {
	from, at []int
	numbers  int // that are not NaN
}

func sortedRows(x spec.Array, axes []int) []sortedRow {
	rows := make([]sortedRow, spec.Count(remaining(x.Shape, axes)))
	overFold(x.Shape, axes, func(p, q int) {
		r := &rows[p]
		r.from, r.at = append(r.from, q), append(r.at, len(r.at))
		r.numbers += int(reference.Truth(!math.IsNaN(reference.FloatAt(x, q))))
	})
	for _, r := range rows {
		order := slices.Clone(r.at)
		sort.SliceStable(order, func(i, j int) bool { return reference.Beats(x, r.from[order[j]], x, r.from[order[i]], false) })
		from := slices.Clone(r.from)
		for i, k := range order {
			r.from[i], r.at[i] = from[k], k
		}
	}
	return rows
}

func medians(x spec.Array, axes []int, skip bool, result int) spec.Result {
	y := spec.NewArray(x.DType, remaining(x.Shape, axes)...)
	at := spec.NewArray(tensor.Int64, y.Shape...)
	for p, r := range sortedRows(x, axes) {
		k := (len(r.from) - 1) / 2
		switch {
		case skip:
			k = max(r.numbers-1, 0) / 2
		case r.numbers < len(r.from):
			k = r.numbers
		}
		reference.CopyElement(y, p, x, r.from[k])
		at.I[p] = int64(r.at[k])
	}
	return reference.Exactly([]spec.Array{y, at}[result])
}

type quantileOf struct {
	way  string
	skip bool
	axes []int
}

func quantilesOf(c spec.Case) spec.Result {
	a, x, q := reference.Attr[quantileOf](c), c.In[0], c.In[1]
	rows := sortedRows(x, a.axes)
	y := spec.NewArray(x.DType, append(slices.Clone(q.Shape), remaining(x.Shape, a.axes)...)...)
	terms := make([]float64, y.Len())
	for k, share := range q.F {
		for p, r := range rows {
			n := len(r.from)
			if a.skip {
				n = r.numbers
			}
			i := k*len(rows) + p
			if y.F[i] = math.NaN(); n == 0 || r.numbers < n {
				continue
			}
			at := share * float64(n-1)
			low, high := math.Floor(at), math.Ceil(at)
			w := at - low
			switch a.way {
			case ops.QuantileLower:
				high = low
			case ops.QuantileHigher:
				low = high
			case ops.QuantileNearest:
				low = math.RoundToEven(at)
				high = low
			case ops.QuantileMidpoint:
				w = 0.5
			}
			u, v := x.F[r.from[int(low)]], x.F[r.from[int(high)]]
			y.F[i], terms[i] = u, 0
			if u != v {
				if y.F[i] = u + w*(v-u); w >= 0.5 { // which differs where one is infinite
					y.F[i] = v - (v-u)*(1-w)
				}
				terms[i] = math.Abs(u) + math.Abs(v) + at*math.Abs(v-u)
			}
		}
	}
	return spec.Result{Array: y, Terms: terms, N: 4}
}

package reduction

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Running folds, by the fold of each element, and the mode.

func init() {
	spec.Register("cumprod", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			y := runningFold(c, 0, 1, func(y spec.Array, p, q int, _ int) {
				x := c.In[0]
				switch {
				case y.F != nil:
					y.F[p] *= x.F[q]
				case y.I != nil:
					y.I[p] = reference.WrapInt(y.DType, y.I[p]*x.I[q])
				default:
					y.U[p] = reference.WrapUint(y.DType, y.U[p]*x.U[q])
				}
			})
			r := reference.Exactly(y)
			if y.F != nil {
				r.Terms, r.N = reference.Absolutes(y.F), float64(y.Shape[reference.Attr[RunningOf](c).Axis])
			}
			return r
		},
		Tolerance: spec.Summed("a product in any order: n·u·|product|"),
		Samples: runningSamples(0, 0.8, 1.25, true, func(x *ops.Node, axis int,
			o *ops.CumSumOptions) *ops.Node {
			return ops.CumProd(x, axis, o)
		}),
	})
	for _, smallest := range []bool{false, true} {
		name, call := "cummax", ops.CumMax
		if smallest {
			name, call = "cummin", ops.CumMin
		}
		first := func(x *ops.Node, axis int, o *ops.CumSumOptions) *ops.Node { v, _ := call(x, axis, o); return v }
		second := func(x *ops.Node, axis int, o *ops.CumSumOptions) *ops.Node { _, p := call(x, axis, o); return p }
		places := runningSamples(1, 0, 5, true, second)[:2]
		places[0].Operands[0].Special = true
		spec.Register(name, spec.Spec{
			Reference: func(c spec.Case) spec.Result {
				x := c.In[0]
				limit := spec.FromTensor(tensor.Must(tensor.Cast(tensor.Scalar(math.Inf(map[bool]int{true: 1, false: -1}[smallest])), x.DType)))
				at := spec.NewArray(tensor.Int64, x.Shape...)
				for p := range at.I {
					at.I[p] = -1
				}
				y := runningFold(c, 0, 0, func(y spec.Array, p, q int, j int) {
					if at.I[p] >= 0 && reference.Beats(y, p, x, q, smallest) {
						return
					}
					at.I[p] = int64(j)
					reference.CopyElement(y, p, x, q)
				})
				for p := range at.I {
					if at.I[p] < 0 {
						reference.CopyElement(y, p, limit, 0)
					}
				}
				return reference.Exactly([]spec.Array{y, at}[reference.Attr[RunningOf](c).result])
			},
			Tolerance: spec.Exact, Samples: append(runningSamples(0, -4, 4, true, first), places...),
		})
	}
	spec.Register("logcumsumexp", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			x := c.In[0]
			top := runningFold(c, 0, math.Inf(-1), func(y spec.Array, p, q int, _ int) { y.F[p] = math.Max(y.F[p], x.F[q]) })
			y := runningFold(c, 0, 0, func(y spec.Array, p, q int, _ int) { y.F[p] += math.Exp(x.F[q] - reference.Shift(top.F[p])) })
			terms := make([]float64, y.Len())
			for p := range y.F {
				terms[p] = 1 + math.Abs(reference.Shift(top.F[p])) + math.Abs(reference.Shift(math.Log(y.F[p])))
				y.F[p] = math.Log(y.F[p]) + top.F[p]
			}
			return spec.Result{Array: y, Terms: terms, N: float64(x.Shape[reference.Attr[RunningOf](c).Axis]) + 8}
		},
		Tolerance: spec.Tolerance{ULP: 1, ULP64: 1, Terms: 1, Source: spec.Composition},
		Samples: append(runningSamples(0, -4, 4, true, func(x *ops.Node, axis int,
			o *ops.CumSumOptions) *ops.Node {
			return ops.LogCumSumExp(x, axis, o)
		}),
			sample.Labelled("apart", runningSamples(0, -200, 200, true,
				func(x *ops.Node, axis int, o *ops.CumSumOptions) *ops.Node { return ops.LogCumSumExp(x, axis, o) })[1:2])...),
	})
	recurrence := runningSamples(0, -4, 4, false, nil)
	for i := range recurrence {
		a := recurrence[i].Attr.(RunningOf)
		recurrence[i].Operands = append([]spec.Operand{{Shape: recurrence[i].Operands[0].Shape, Lo: -1, Hi: 1}}, recurrence[i].Operands...)
		recurrence[i].Build = func(in []*ops.Node) *ops.Node {
			return ops.LinearRecurrence(in[0], in[1], a.Axis, &ops.CumSumOptions{Reverse: a.Reverse})
		}
	}
	spec.Register("linear_recurrence", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			a, x := c.In[0], c.In[1]
			terms := make([]float64, x.Len())
			y := runningFold(c, 1, 0, func(y spec.Array, p, q int, _ int) {
				y.F[p] = a.F[q]*y.F[p] + x.F[q]
				terms[p] = math.Abs(a.F[q])*terms[p] + math.Abs(x.F[q])
			})
			return spec.Result{Array: y, Terms: terms, N: 2 * float64(x.Shape[reference.Attr[RunningOf](c).Axis])}
		},
		Tolerance: spec.Tolerance{ULP: 0.5, ULP64: 0.5, Terms: 1, Source: "a product and a sum for each step"},
		Samples:   recurrence,
	})
	spec.Register("mode", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			a, x := reference.Attr[resultOf](c), c.In[0]
			y := spec.NewArray(x.DType, remaining(x.Shape, a.axes)...)
			at := spec.NewArray(tensor.Int64, y.Shape...)
			for p, r := range sortedRows(x, a.axes) {
				most, run := 0, 0
				for i, q := range r.from {
					if run++; i == 0 || reference.Beats(x, q, x, r.from[i-1], false) || math.IsNaN(reference.FloatAt(x, q)) {
						run = 1
					}
					if run > most {
						most = run
						reference.CopyElement(y, p, x, q)
						at.I[p] = int64(r.at[i])
					}
				}
			}
			return reference.Exactly([]spec.Array{y, at}[a.i])
		},
		Tolerance: spec.Exact, Samples: indexSamples(ops.Mode),
	})
}

// RunningOf is the Attr of samples of running folds, for their references.
type RunningOf struct {
	Axis               int
	Exclusive, Reverse bool
	result             int
}

// runningFold begins every element with a number and gives it the elements of operand of it folds, in order, with their places along the
// axis.
func runningFold(c spec.Case, operand int, start float64, step func(y spec.Array, p, q, j int)) spec.Array {
	x, a := c.In[operand], reference.Attr[RunningOf](c)
	y := spec.NewArray(x.DType, x.Shape...)
	at := make([]int, len(x.Shape))
	for p, to := range reference.Coordinates(x.Shape) {
		switch {
		case y.F != nil:
			y.F[p] = start
		case y.I != nil:
			y.I[p] = int64(start)
		default:
			y.U[p] = uint64(start)
		}
		copy(at, to)
		for k := range x.Shape[a.Axis] {
			j := k
			if a.Reverse {
				j = x.Shape[a.Axis] - 1 - k
			}
			if a.Exclusive && j == to[a.Axis] {
				break
			}
			at[a.Axis] = j
			step(y, p, reference.Position(x.Shape, at), j)
			if j == to[a.Axis] {
				break
			}
		}
	}
	return y
}

// runningSamples are rows and columns, forward and reverse, exclusive where there is such a form.
func runningSamples(result int, lo, hi float64, exclusive bool,
	call func(x *ops.Node, axis int, o *ops.CumSumOptions) *ops.Node) (out []spec.Sample) {
	for _, c := range []struct {
		label string
		shape []int
		a     RunningOf
	}{
		{"middle", []int{3, 17, 5}, RunningOf{1, false, false, result}},
		{"rows", []int{7, 33}, RunningOf{1, exclusive, true, result}},
		{"long", []int{2, 1003}, RunningOf{1, false, true, result}},
		{"columns", []int{33, 19}, RunningOf{0, exclusive, false, result}},
	} {
		out = append(out, spec.Sample{
			Label: map[int]string{0: "", 1: "positions of "}[result] + c.label, Operands: []spec.Operand{{Shape: c.shape, Lo: lo, Hi: hi}},
			Attr: c.a,
			Build: func(in []*ops.Node) *ops.Node {
				return call(in[0], c.a.Axis, &ops.CumSumOptions{Exclusive: c.a.Exclusive, Reverse: c.a.Reverse})
			},
		})
	}
	return out
}

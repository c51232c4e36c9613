package indexing

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/sample"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Scatters of every kind: the updates of each element are collected, and then folded in their order.

// byAttr is the reference of ops each of whose samples brings its own.
func byAttr(c spec.Case) spec.Result { return reference.Attr[func(c spec.Case) spec.Result](c)(c) }

// scatterCall says how a sample of a scatter goes.
type scatterCall struct {
	axis                         int
	reduction                    string
	excludeSelf, negative, apart bool
}

func (s scatterCall) options() *ops.ScatterOptions {
	return &ops.ScatterOptions{ExcludeSelf: s.excludeSelf, NegativeIndices: s.negative, Distinct: s.apart}
}

// scattered folds into x the updates that meet in each of its elements.
func scattered(x spec.Array, met [][]int, updates spec.Array, reduction string, excludeSelf bool) spec.Result {
	y := spec.NewArray(x.DType, x.Shape...)
	r := spec.Result{Array: y, Terms: make([]float64, x.Len())}
	for p := range y.Len() {
		own := !(excludeSelf && len(met[p]) > 0)
		values, n := spec.Array{}, len(met[p])
		if own {
			n++
		}
		values = spec.NewArray(x.DType, n)
		if own {
			reference.CopyElement(values, 0, x, p)
		}
		for i, q := range met[p] {
			reference.CopyElement(values, n-len(met[p])+i, updates, q)
		}
		r.N = max(r.N, float64(n)+2)
		switch {
		case y.F != nil:
			y.F[p] = foldOf(reduction, values.F)
			sum := 0.0
			for _, v := range values.F {
				sum += math.Abs(v)
			}
			if r.Terms[p] = sum; reduction == "mean" {
				y.F[p] /= float64(n)
				r.Terms[p] /= float64(n)
			}
			if reduction == "mul" {
				r.Terms[p] = math.Abs(y.F[p])
			}
		case y.I != nil:
			if y.I[p] = reference.WrapInt(y.DType, foldOf(reduction, values.I)); reduction == "mean" {
				y.I[p] = int64(math.Floor(float64(y.I[p]) / float64(n)))
			}
		default:
			if y.U[p] = reference.WrapUint(y.DType, foldOf(reduction, values.U)); reduction == "mean" {
				y.U[p] /= uint64(n)
			}
		}
	}
	if reduction == "min" || reduction == "max" || reduction == "set" {
		return reference.Exactly(y)
	}
	return r
}

// foldOf is the result of a scatter in an element to which all of values go.
func foldOf[T int64 | uint64 | float64](reduction string, values []T) T {
	y := values[0]
	for _, v := range values[1:] {
		switch reduction {
		case "set":
			y = v
		case "add", "mean":
			y += v
		case "mul":
			y *= v
		case "min":
			y = min(y, v)
		case "max":
			y = max(y, v)
		}
	}
	return y
}

// wrapped is an index as the options of a sample have it, or -1.
func wrapped(v, extent int, negative bool) int {
	if negative && v < 0 {
		v += extent
	}
	if v < 0 || v >= extent {
		return -1
	}
	return v
}

// elements is the reference of a scatter whose every update has its position.
func (s scatterCall) elements(c spec.Case) spec.Result {
	x, idx, u := c.In[0], c.In[1], c.In[2]
	met := make([][]int, x.Len())
	to := make([]int, len(x.Shape))
	for q, at := range reference.Coordinates(idx.Shape) {
		copy(to, at)
		if to[s.axis] = wrapped(reference.IndexAt(idx, q), x.Shape[s.axis], s.negative); to[s.axis] >= 0 {
			p := reference.Position(x.Shape, to)
			met[p] = append(met[p], reference.Position(u.Shape, at))
		}
	}
	return scattered(x, met, u, s.reduction, s.excludeSelf)
}

// slices is the reference of a scatter whose index names slices.
func (s scatterCall) slices(c spec.Case) spec.Result {
	x, idx, u := c.In[0], c.In[1], c.In[2]
	met := make([][]int, x.Len())
	to := make([]int, len(x.Shape))
	for q, at := range reference.Coordinates(u.Shape) {
		copy(to, at[:s.axis])
		copy(to[s.axis+1:], at[s.axis+len(idx.Shape):])
		v := reference.IndexAt(idx, reference.Position(idx.Shape, at[s.axis:s.axis+len(idx.Shape)]))
		if to[s.axis] = wrapped(v, x.Shape[s.axis], s.negative); to[s.axis] >= 0 {
			p := reference.Position(x.Shape, to)
			met[p] = append(met[p], q)
		}
	}
	return scattered(x, met, u, s.reduction, s.excludeSelf)
}

// scatterSample is a call whose indices reach from -2 to one beyond the end.
func scatterSample(label string, s scatterCall, shape, idx, updates []int, only ...tensor.DType) spec.Sample {
	ref := s.slices
	if len(idx) == len(shape) && len(updates) == len(shape) {
		ref = s.elements
	}
	u := spec.Operand{Shape: updates}
	if s.reduction == "mul" {
		u.Lo, u.Hi = 0.5, 1.5
	}
	return spec.Sample{
		Label: label, Only: only, Attr: ref,
		Operands: []spec.Operand{{Shape: shape}, {Shape: idx, DType: tensor.Int32, Lo: -2, Hi: float64(shape[s.axis])}, u},
		Build: func(in []*ops.Node) *ops.Node {
			return ops.ScatterReduce(in[0], s.axis, in[1], in[2], s.reduction, s.options())
		},
	}
}

func init() {
	i16 := tensor.Int16
	var samples []spec.Sample
	for i, r := range []string{"add", "mul", "min", "max", "mean"} {
		samples = append(samples,
			scatterSample(r+" elements", scatterCall{axis: 0, reduction: r}, []int{5, 3}, []int{70, 3}, []int{70, 3},
				floatsAnd(sample.NumberDTypes[i])...),
			scatterSample(r+" slices, without their own", scatterCall{axis: 1, reduction: r, excludeSelf: true, negative: true}, []int{2, 6, 3},
				[]int{2, 4}, []int{2, 2, 4, 3}, floatsAnd(i16)...),
		)
	}
	spec.Register("scatter", spec.Spec{
		Reference: byAttr,
		Tolerance: spec.Tolerance{ULP: 1, ULP64: 1, Terms: 1, Source: spec.AnySum},
		Samples: append(samples,
			scatterSample("set", scatterCall{axis: 1, reduction: "set"}, []int{4, 9}, []int{3, 7}, []int{3, 8}),
			scatterSample("set slices", scatterCall{axis: 0, reduction: "set", negative: true}, []int{5, 3}, []int{2, 4}, []int{2, 4, 3},
				sample.FloatDTypes...),
			scatterSample("set in a vector", scatterCall{axis: 0, reduction: "set"}, []int{9}, []int{40}, []int{40}, sample.FloatDTypes...),
			spec.Sample{
				Label: "set apart", Only: sample.FloatDTypes, Attr: scatterCall{axis: 0, reduction: "set", apart: true}.slices,
				Operands: []spec.Operand{{Shape: []int{40, 3}}, {Shape: []int{17}, DType: tensor.Int32, Lo: -3, Hi: 45, Distinct: true},
					{Shape: []int{17, 3}}},
				Build: func(in []*ops.Node) *ops.Node {
					return ops.ScatterReduce(in[0], 0, in[1], in[2], "set", &ops.ScatterOptions{Distinct: true})
				},
			},
		),
	})
}

// floatsAnd are all floats and another dtype.
func floatsAnd(dt tensor.DType) []tensor.DType { return append(slices.Clone(sample.FloatDTypes), dt) }

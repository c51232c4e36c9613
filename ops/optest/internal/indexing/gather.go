package indexing

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Gathers by tuples, by several indices, and by masks.

// taken is the reference of a gather: which element of operand 0 each element of the result is, -1 for zero.
func taken(shape []int, from func(c spec.Case, at []int) int) func(c spec.Case) spec.Result {
	return func(c spec.Case) spec.Result {
		y := spec.NewArray(c.In[0].DType, shape...)
		for p, at := range reference.Coordinates(shape) {
			if q := from(c, at); q >= 0 {
				reference.CopyElement(y, p, c.In[0], q)
			}
		}
		return reference.Exactly(y)
	}
}

// putInto is the reference of a scatter: to which element of operand 0 each update, operand u, goes, -1 for none.
func putInto(u int, reduction string, to func(c spec.Case, at []int) int) func(c spec.Case) spec.Result {
	return func(c spec.Case) spec.Result {
		met := make([][]int, c.In[0].Len())
		for q, at := range reference.Coordinates(c.In[u].Shape) {
			if p := to(c, at); p >= 0 {
				met[p] = append(met[p], q)
			}
		}
		return scattered(c.In[0], met, c.In[u], reduction, false)
	}
}

func init() {
	i32, i64 := tensor.Int32, tensor.Int64
	layouts("gather_elements", spec.Sample{
		Label: "part", Operands: []spec.Operand{{Shape: []int{5, 7, 2}}, {Shape: []int{3, 9, 2}, DType: i32, Lo: -2, Hi: 7}},
		Build: func(in []*ops.Node) *ops.Node {
			return ops.GatherElements(in[0], 1, in[1], &ops.IndexOptions{NegativeIndices: true})
		},
		Attr: taken([]int{3, 9, 2}, func(c spec.Case, at []int) int {
			v := wrapped(reference.IndexAt(c.In[1], reference.Position([]int{3, 9, 2}, at)), 7, true)
			if v < 0 {
				return -1
			}
			return reference.Position([]int{5, 7, 2}, []int{at[0], v, at[2]})
		}),
	})
	layouts("index_select", spec.Sample{
		Label: "from the end", Operands: []spec.Operand{{Shape: []int{4, 6}}, {Shape: []int{9}, DType: i64, Lo: -7, Hi: 6}},
		Build: func(in []*ops.Node) *ops.Node {
			return ops.IndexSelect(in[0], 1, in[1], &ops.IndexOptions{NegativeIndices: true})
		},
		Attr: taken([]int{4, 9}, func(c spec.Case, at []int) int {
			if v := wrapped(reference.IndexAt(c.In[1], at[1]), 6, true); v >= 0 {
				return 6*at[0] + v
			}
			return -1
		}),
	})
	spec.Register("wrap_indices", spec.Spec{Reference: byAttr, Tolerance: spec.Exact, Samples: []spec.Sample{{
		Label: "axis 1", Operands: []spec.Operand{{Shape: []int{30}, Lo: -9, Hi: 9}, {Shape: []int{1, 7}, DType: tensor.Float32}},
		Build: func(in []*ops.Node) *ops.Node { return ops.WrapIndices(in[0], in[1], 1) },
		Attr: func(c spec.Case) spec.Result {
			y := spec.NewArray(c.DType, 30)
			for i := range 30 {
				if y.I == nil {
					y.U[i] = c.In[0].U[i]
				} else if y.I[i] = c.In[0].I[i]; y.I[i] < 0 {
					y.I[i] += 7
				}
			}
			return reference.Exactly(y)
		},
	}}})
	// Tuples of two into the middle axes of [2, 3, 4, 2].
	tuple := func(c spec.Case, b, i int) int {
		v, w := wrapped(reference.IndexAt(c.In[1], 10*b+2*i), 3, true), wrapped(reference.IndexAt(c.In[1], 10*b+2*i+1), 4, true)
		if v < 0 || w < 0 {
			return -1
		}
		return (b*3+v)*4 + w
	}
	nd := &ops.GatherNDOptions{Batch: 1, NegativeIndices: true}
	layouts("gather_nd", spec.Sample{
		Label: "batch", Operands: []spec.Operand{{Shape: []int{2, 3, 4, 2}}, {Shape: []int{2, 5, 2}, DType: i64, Lo: -3, Hi: 3}},
		Build: func(in []*ops.Node) *ops.Node { return ops.GatherND(in[0], in[1], nd) },
		Attr: taken([]int{2, 5, 2}, func(c spec.Case, at []int) int {
			if p := tuple(c, at[0], at[1]); p >= 0 {
				return 2*p + at[2]
			}
			return -1
		}),
	}, spec.Sample{
		Label: "empty tuples", Only: few, Operands: []spec.Operand{{Shape: []int{3}}, {Shape: []int{2, 0}, DType: i64}},
		Build: func(in []*ops.Node) *ops.Node { return ops.GatherND(in[0], in[1], nil) },
		Attr:  taken([]int{2, 3}, func(_ spec.Case, at []int) int { return at[1] }),
	})
	var samples []spec.Sample
	for _, r := range []string{"set", "add", "max"} {
		s := spec.Sample{
			Label: r, Only: floatsAnd(i32), Operands: []spec.Operand{{Shape: []int{2, 3, 4, 2}}, {Shape: []int{2, 5, 2}, DType: i64, Lo: -3, Hi: 3},
				{Shape: []int{2, 5, 2}}},
			Build: func(in []*ops.Node) *ops.Node { return ops.ScatterND(in[0], in[1], in[2], r, nd) },
			Attr: putInto(2, r, func(c spec.Case, at []int) int {
				if p := tuple(c, at[0], at[1]); p >= 0 {
					return 2*p + at[2]
				}
				return -1
			}),
		}
		if r == "set" {
			s.Only = nil
		}
		samples = append(samples, s)
	}
	spec.Register("scatter_nd", spec.Spec{Reference: byAttr, Tolerance: spec.Tolerance{ULP: 1, ULP64: 1, Terms: 1, Source: spec.AnySum},
		Samples: samples})
	// Two indices that broadcast, [3, 1] and [4], into [5, 6, 2].
	both := func(c spec.Case, first, i, j int) int {
		v, w := wrapped(reference.IndexAt(c.In[first], i), 5, true), wrapped(reference.IndexAt(c.In[first+1], j), 6, true)
		if v < 0 || w < 0 {
			return -1
		}
		return 6*v + w
	}
	indices := []spec.Operand{{Shape: []int{3, 1}, DType: i64, Lo: -6, Hi: 5}, {Shape: []int{4}, DType: i32, Lo: -6, Hi: 5}}
	layouts("index", spec.Sample{
		Label: "two", Operands: []spec.Operand{{Shape: []int{5, 6, 2}}, indices[0], indices[1]},
		Build: func(in []*ops.Node) *ops.Node { return ops.Index(in[0], in[1], in[2]) },
		Attr: taken([]int{3, 4, 2}, func(c spec.Case, at []int) int {
			if p := both(c, 1, at[0], at[1]); p >= 0 {
				return 2*p + at[2]
			}
			return -1
		}),
	})
	put := func(label, r string, accumulate bool, only ...tensor.DType) spec.Sample {
		return spec.Sample{
			Label: label, Only: only, Operands: []spec.Operand{{Shape: []int{5, 6, 2}}, {Shape: []int{3, 4, 2}}, indices[0], indices[1]},
			Build: func(in []*ops.Node) *ops.Node { return ops.IndexPut(in[0], in[2:], in[1], accumulate) },
			Attr: putInto(1, r, func(c spec.Case, at []int) int {
				if p := both(c, 2, at[0], at[1]); p >= 0 {
					return 2*p + at[2]
				}
				return -1
			}),
		}
	}
	spec.Register("index_put", spec.Spec{
		Reference: byAttr, Tolerance: spec.Tolerance{ULP: 1, ULP64: 1, Terms: 1, Source: spec.AnySum},
		Samples: []spec.Sample{
			put("two", "set", false), put("accumulate", "add", true, floatsAnd(i32)...),
			{
				Label: "flat", Only: few, Operands: []spec.Operand{{Shape: []int{3, 4}}, {Shape: []int{9}},
					{Shape: []int{9}, DType: i64, Lo: -13, Hi: 12}},
				Build: func(in []*ops.Node) *ops.Node { return ops.PutFlat(in[0], in[2], in[1], false) },
				Attr:  putInto(1, "set", func(c spec.Case, at []int) int { return wrapped(reference.IndexAt(c.In[2], at[0]), 12, true) }),
			},
		},
	})
	layouts("masked_scatter", spec.Sample{
		Label: "mask of rows", Operands: []spec.Operand{{Shape: []int{30, 2}}, {Shape: []int{30, 1}, DType: tensor.Bool}, {Shape: []int{50}}},
		Build: func(in []*ops.Node) *ops.Node { return ops.MaskedScatter(in[0], in[1], in[2]) },
		Attr: func(c spec.Case) spec.Result {
			y, next := spec.NewArray(c.In[0].DType, 30, 2), 0
			for p := range 60 {
				if c.In[1].U[p/2] == 0 {
					reference.CopyElement(y, p, c.In[0], p)
					continue
				}
				if next < 50 {
					reference.CopyElement(y, p, c.In[2], next)
				}
				next++
			}
			return reference.Exactly(y)
		},
	})
	registerSegments()
}

func registerSegments() {
	var samples []spec.Sample
	for _, r := range []string{"sum", "mean", "min", "max", "prod"} {
		samples = append(samples, segmentSample(r, false, nil), segmentSample(r, true, ptr(1.5)))
	}
	spec.Register("segment_reduce", spec.Spec{
		Reference: byAttr, Samples: samples,
		Tolerance: spec.Tolerance{ULP: 2, ULP64: 2, Terms: 1, Stored: 1, Source: spec.Composition},
	})
}

func ptr(v float64) *float64 { return &v }

// segmentSample folds 2 times 90 slices of 2 by segments of 0 to 40; the offsets are those of both rows.
func segmentSample(r string, offsets bool, initial *float64) spec.Sample {
	bounds, label := []int64{0, 40, 40, 41, 45, 88, 3, 3, 10, 10, 90, 95}, r+", lengths"
	lengths := tensor.Must(tensor.FromSlice([]int64{40, 0, 1, 4, 43, 3, 0, 7, 0, 80}, 2, 5))
	if offsets {
		label, lengths = r+", offsets from an initial value", tensor.Must(tensor.FromSlice(bounds, 2, 6))
	} else {
		bounds = []int64{0, 40, 40, 41, 45, 88, 0, 3, 3, 10, 10, 90}
	}
	x := spec.Operand{Shape: []int{2, 90, 2}}
	if r == "mean" && initial == nil { // NaN of an empty segment has no derivative to compare
		x.Fixed = true
	}
	if r == "prod" {
		x.Lo, x.Hi = 0.75, 1.25
	}
	return spec.Sample{
		Label: label, Operands: []spec.Operand{x},
		Build: func(in []*ops.Node) *ops.Node {
			return ops.SegmentReduce(in[0], r, in[0].Graph().Const(lengths), &ops.SegmentOptions{Axis: 1, Offsets: offsets, Initial: initial})
		},
		Attr: func(c spec.Case) spec.Result {
			y := spec.NewArray(c.In[0].DType, 2, 5, 2)
			terms := make([]float64, y.Len())
			for p, at := range reference.Coordinates(y.Shape) {
				var v []float64
				if initial != nil && r != "mean" {
					v = append(v, *initial)
				}
				for i := bounds[6*at[0]+at[1]]; i < min(bounds[6*at[0]+at[1]+1], 90); i++ {
					v = append(v, c.In[0].F[(90*at[0]+int(i))*2+at[2]])
				}
				if len(v) == 0 {
					y.F[p] = map[string]float64{"mean": math.NaN(), "min": math.Inf(1), "max": math.Inf(-1), "prod": 1}[r]
					if initial != nil {
						y.F[p] = *initial
					}
					continue
				}
				y.F[p] = foldOf(map[string]string{"sum": "add", "mean": "mean", "min": "min", "max": "max", "prod": "mul"}[r], v)
				for _, w := range v {
					terms[p] += math.Abs(w)
				}
				switch r {
				case "mean":
					y.F[p], terms[p] = y.F[p]/float64(len(v)), terms[p]/float64(len(v))
				case "prod", "min", "max":
					terms[p] = math.Abs(y.F[p])
				}
			}
			return spec.Result{Array: y, Terms: terms, N: 92}
		},
	}
}

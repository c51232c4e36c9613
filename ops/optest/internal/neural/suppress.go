package neural

import (
	"cmp"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/optest/internal/reference"
	"github.com/anycl/anycl/ops/optest/internal/spec"
	"github.com/anycl/anycl/tensor"
)

// Non-maximum suppression: repeatedly the best box that is left, which strikes
// out all that it overlaps.

func init() {
	spec.Register("non_max_suppression", spec.Spec{
		Reference: func(c spec.Case) spec.Result {
			boxes, scores, o := c.In[0], c.In[1], reference.Attr[suppressAttr](c)
			batches, classes, n := scores.Shape[0], scores.Shape[1], scores.Shape[2]
			perClass := o.PerClass
			if perClass == 0 {
				perClass = n
			}
			capacity := o.Capacity
			if capacity == 0 {
				capacity = batches * classes * min(perClass, n)
			}
			rows, count := spec.NewArray(tensor.Int64, capacity, 3), 0
			for i := range rows.I {
				rows.I[i] = -1
			}
			for b := range batches {
				for k := range classes {
					score := scores.F[(b*classes+k)*n:][:n]
					for _, box := range selection(boxes.F[b*n*4:][:n*4], score, perClass, o.SuppressOptions) {
						if count < capacity {
							copy(rows.I[3*count:], []int64{int64(b), int64(k), int64(box)})
							count++
						}
					}
				}
			}
			if o.Count {
				return reference.Exactly(spec.Array{DType: tensor.Int64, Shape: []int{}, I: []int64{int64(count)}})
			}
			return reference.Exactly(rows)
		},
		Tolerance: spec.Exact,
		Samples: slices.Concat(
			suppressCase("corners", 1, 1, 40, ops.SuppressOptions{IoU: 0.3}),
			suppressCase("centre", 2, 3, 35, ops.SuppressOptions{IoU: 0.5, Centre: true, PerClass: 4}),
			suppressCase("threshold", 2, 2, 300, ops.SuppressOptions{IoU: 0.4, Score: new(0.75)}),
			suppressCase("any overlap", 1, 2, 50, ops.SuppressOptions{}),
			suppressCase("no overlap is too much", 1, 2, 9, ops.SuppressOptions{IoU: 1}),
			suppressCase("little room", 3, 2, 25, ops.SuppressOptions{IoU: 0.6, Capacity: 11}),
			suppressCase("much room", 1, 1, 5, ops.SuppressOptions{IoU: 0.2, Capacity: 30, Score: new(0.5)}),
			suppressCase("nothing passes", 2, 2, 8, ops.SuppressOptions{IoU: 0.2, Score: new(2.0)}),
			suppressCase("many boxes", 1, 2, 2100, ops.SuppressOptions{IoU: 0.3, Score: new(0.5), PerClass: 40}),
			suppressCase("no boxes", 2, 2, 0, ops.SuppressOptions{IoU: 0.2, Capacity: 3}),
		),
	})
}

func selection(boxes, scores []float64, most int, o ops.SuppressOptions) (out []int) {
	var left []int
	for i, s := range scores {
		if s == s && (o.Score == nil || s > *o.Score) {
			left = append(left, i)
		}
	}
	slices.SortStableFunc(left, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	for len(left) > 0 && len(out) < most {
		best := left[0]
		out = append(out, best)
		left = slices.DeleteFunc(left[1:], func(i int) bool {
			both, union := overlap(boxes[4*best:][:4], boxes[4*i:][:4], o.Centre)
			return both > o.IoU*union
		})
	}
	return out
}

// overlap is the intersection of two boxes and their union; 0 and 0 where one has no area.
func overlap(a, b []float64, centre bool) (both, union float64) {
	edges := func(b []float64, axis int) (lo, hi float64) {
		if centre {
			return b[axis] - b[axis+2]/2, b[axis] + b[axis+2]/2
		}
		return min(b[axis], b[axis+2]), max(b[axis], b[axis+2])
	}
	one, other := 1.0, 1.0
	both = 1
	for axis := range 2 {
		p, q := edges(a, axis)
		r, s := edges(b, axis)
		both *= max(0, min(q, s)-max(p, r))
		one, other = one*(q-p), other*(s-r)
	}
	if both <= 0 || one <= 0 || other <= 0 {
		return 0, 0
	}
	return both, one + other - both
}

// suppressAttr is the Attr of samples, for their reference.
type suppressAttr struct {
	ops.SuppressOptions
	Count bool // the result is the count
}

func suppressCase(label string, batches, classes, n int, o ops.SuppressOptions) (out []spec.Sample) {
	for _, count := range []bool{false, true} {
		what := " selected"
		if count {
			what = " count"
		}
		out = append(out, spec.Sample{
			Label: label + what, Attr: suppressAttr{o, count},
			Operands: []spec.Operand{{Shape: []int{batches, n, 4}, Lo: 0.01, Hi: 1},
				{Shape: []int{batches, classes, n}, Lo: 0, Hi: 1, Distinct: n < 100}},
			Build: func(in []*ops.Node) *ops.Node {
				s, c := ops.NonMaxSuppression(in[0], in[1], &o)
				if count {
					return c
				}
				return s
			},
		})
	}
	return out
}

package ops

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// SuppressOptions are the thresholds of NonMaxSuppression.
type SuppressOptions struct {
	// PerClass is how many boxes of a class in a batch are selected at most; 0
	// means as many as there are. (To ONNX 0 means none.)
	PerClass int
	// IoU is the share of intersection in union above which a box is suppressed.
	IoU float64
	// Score is what scores must be above; nil lets all pass.
	Score *float64
	// Centre says that boxes are centre x, centre y, width and height instead
	// of two opposite corners y, x, y, x.
	Centre bool
	// Capacity is how many boxes the result has room for; 0 means for as many
	// as can be selected. Later ones are dropped.
	Capacity int
}

// NonMaxSuppression selects boxes by falling score, class by class: a box is left
// out where it overlaps one selected before:
//
//	intersection > IoU · union
//
// boxes is [batches, N, 4], scores [batches, classes, N], both float32. As shapes
// are fixed, selected has room for all that may be: it is [capacity, 3], an
// int64 batch, class and box in each row, by batch, then class, then falling score,
// and -1 in the rows behind the last. count, an int64 scalar, is how many
// rows are set. Of equal scores the first box comes first. A score of NaN is
// never selected, a box without an area overlaps nothing. Every operation rounds to float32 by itself, so
// that the same boxes are selected wherever it runs.
// There is no derivative. Errors: shapes that do not fit; other dtypes; IoU outside [0, 1], a
// score threshold that is NaN, a negative PerClass or Capacity.
// Source: ONNX, operator NonMaxSuppression.
func NonMaxSuppression(boxes, scores *Node, o *SuppressOptions) (selected, count *Node) {
	if o == nil {
		o = &SuppressOptions{}
	}
	a := suppressAttr{PerClass: int64(o.PerClass), Capacity: int64(o.Capacity), IoU: o.IoU, Centre: o.Centre, HasScore: o.Score != nil}
	if a.HasScore {
		a.Score = *o.Score
	}
	n := apply("non_max_suppression", a, boxes, scores)
	if n.bad {
		return n, n
	}
	return pickOf(n, 0), Reshape(pickOf(n, 1))
}

// suppressAttr is the task without the extents.
type suppressAttr engine.Suppress

// task is the algorithm for scores of the given shape.
func (a suppressAttr) task(scores []int) *engine.Suppress {
	s := engine.Suppress(a)
	s.Batches, s.Classes, s.Boxes = int64(scores[0]), int64(scores[1]), int64(scores[2])
	if s.PerClass == 0 {
		s.PerClass = s.Boxes
	}
	s.PerClass = min(s.PerClass, s.Boxes)
	if s.Capacity == 0 {
		s.Capacity = s.Batches * s.Classes * s.PerClass
	}
	return &s
}

var _ = define(Op{
	Name: "non_max_suppression", Arity: 2, DTypes: []tensor.DType{tensor.Float32}, kind: ir.KindRoutine,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		b, s, a := c.shape(0), c.shape(1), c.Attr.(suppressAttr)
		switch {
		case c.dt(1) != tensor.Float32:
			return nil, 0, fmt.Errorf("scores are %v, not float32 (cast with ops.Cast)", c.dt(1))
		case len(b) != 3 || len(s) != 3 || b[2] != 4 || b[0] != s[0] || b[1] != s[2]:
			return nil, 0, fmt.Errorf("boxes %v and scores %v are not [batches, N, 4] and [batches, classes, N]", b, s)
		case !(a.IoU >= 0 && a.IoU <= 1), math.IsNaN(a.Score):
			return nil, 0, fmt.Errorf("thresholds %v and %v", a.IoU, a.Score)
		case a.PerClass < 0 || a.Capacity < 0 || s[2] > math.MaxUint32:
			return nil, 0, fmt.Errorf("at most %d in a class and %d in all of %d boxes", a.PerClass, a.Capacity, s[2])
		}
		return firstResult(c)
	},
	results: func(c *Call) []Result {
		return []Result{{tensor.Int64, []int{int(c.Attr.(suppressAttr).task(c.shape(1)).Capacity), 3}}, {tensor.Int64, []int{1}}}
	},
	algorithm: func(n *ir.Node) engine.Algorithm { return n.Attr.(suppressAttr).task(n.In[1].Shape) },
})

package ops

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/engine"
	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// SuppressOptions are the thresholds of NonMaxSuppression.
type SuppressOptions struct {
	PerClass int      `default:"0" doc:"how many boxes of a class in a batch are selected at most; 0: as many as there are (to ONNX 0 means none)"`
	IoU      float64  `attr:"iou" default:"0" doc:"share of intersection in union above which a box is suppressed"`
	Score    *float64 `default:"" doc:"what scores must be above; none: all pass"`
	Centre   bool     `default:"false" doc:"boxes are centre x, centre y, width and height instead of two opposite corners y, x, y, x"`
	Capacity int      `default:"0" doc:"how many boxes the result has room for, later ones are dropped; 0: as many as can be selected"`
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
	a := *o
	if a.Score != nil {
		score := *a.Score
		a.Score = &score
	}
	n := apply("non_max_suppression", a, boxes, scores)
	if n.bad {
		return n, n
	}
	return pickOf(n, 0), Reshape(pickOf(n, 1))
}

// task is the algorithm for scores of the given shape.
func (o SuppressOptions) task(scores []int) *engine.Suppress {
	s := &engine.Suppress{
		Batches: int64(scores[0]), Classes: int64(scores[1]), Boxes: int64(scores[2]),
		PerClass: int64(o.PerClass), Capacity: int64(o.Capacity), IoU: o.IoU, Centre: o.Centre, HasScore: o.Score != nil,
	}
	if s.HasScore {
		s.Score = *o.Score
	}
	if s.PerClass == 0 {
		s.PerClass = s.Boxes
	}
	s.PerClass = min(s.PerClass, s.Boxes)
	if s.Capacity == 0 {
		s.Capacity = s.Batches * s.Classes * s.PerClass
	}
	return s
}

var _ = define(Op{
	Name: "non_max_suppression", Category: "detection",
	Attributes: AttributesOf[SuppressOptions](),
	Operands:   []Operand{{Name: "boxes"}, {Name: "scores"}}, DTypes: []tensor.DType{tensor.Float32}, kind: ir.KindRoutine,
	ResultNames: []string{"selected", "count"},
	Results: func(c *Call) ([]Result, error) {
		b, s, a := c.shape(0), c.shape(1), c.Attr.(SuppressOptions)
		switch {
		case len(b) != 3 || len(s) != 3 || b[2] != 4 || b[0] != s[0] || b[1] != s[2]:
			return nil, fmt.Errorf("boxes %v and scores %v are not [batches, N, 4] and [batches, classes, N]", b, s)
		case !(a.IoU >= 0 && a.IoU <= 1):
			return nil, fmt.Errorf("the IoU is %v", a.IoU)
		case a.Score != nil && math.IsNaN(*a.Score):
			return nil, errors.New("the score is NaN")
		case a.PerClass < 0 || a.Capacity < 0 || s[2] > math.MaxUint32:
			return nil, fmt.Errorf("at most %d in a class and %d in all of %d boxes", a.PerClass, a.Capacity, s[2])
		}
		return []Result{{tensor.Int64, []int{int(a.task(s).Capacity), 3}}, {tensor.Int64, []int{1}}}, nil
	},
	algorithm: func(n *ir.Node) engine.Algorithm { return n.Attr.(SuppressOptions).task(n.In[1].Shape) },
})

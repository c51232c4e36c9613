package ops

import (
	"errors"
	"fmt"
	"math"

	"github.com/anycl/anycl/tensor"
)

// CrossEntropy returns the mean over the rows of the negative logarithm of the
// probability that the softmax of the logits gives to the row's label:
//
//	y = -1/N · Σ_n log softmax(logits[n])[labels[n]]
//
// logits is [N, C], a float; 16-bit floats are computed in float32. labels is
// [N], an integer. A label outside [0, C) counts as no label: its row adds
// nothing to the loss nor to the derivative, and still counts in N. The result
// is a scalar of the dtype of logits. Errors: dtypes; shapes; N or C is 0.
func CrossEntropy(logits, labels *Node) *Node { return apply("cross_entropy", nil, logits, labels) }

var _ = define(Op{
	Name:     "cross_entropy",
	Category: "loss",
	Operands: []Operand{{Name: "logits"}, {Name: "labels", DTypes: ints}},
	DTypes:   floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		x, labels := c.shape(0), c.shape(1)
		switch {
		case len(x) != 2:
			return nil, 0, fmt.Errorf("logits are %v, not [N C]", x)
		case x[0] == 0 || x[1] == 0:
			return nil, 0, fmt.Errorf("logits are empty: %v", x)
		case len(labels) != 1 || labels[0] != x[0]:
			return nil, 0, fmt.Errorf("labels are %v, not [%d] for logits of %v", labels, x[0], x)
		}
		return []int{}, c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		logits, labels := c.In[0], ExpandDims(c.In[1], 1)
		z, _, s := shiftedExp(logits, 1)
		// The maximum is taken off before the label's logit is picked, so that
		// a sure and right answer costs exactly its small remainder.
		loss := Sub(Log(s), TakeAlong(z, 1, labels))
		loss = Where(hasLabel(logits, labels), loss, ScalarLike(loss, 0))
		return Cast(Mean(loss), c.dt(0))
	},
	// ∂L/∂logits = (softmax(logits) - onehot(labels)) / N.
	Grad: func(b *Back) {
		logits, labels := b.In(0), b.In(1)
		p := Softmax(widen(logits), 1)
		d := Sub(p, OneHot(labels, logits.Dim(1), p.dtype))
		scale := Div(widen(b.Grad()), countLike(p, logits.Dim(0)))
		d = Where(hasLabel(logits, ExpandDims(labels, 1)), Mul(d, scale), ScalarLike(d, 0))
		b.Add(0, Cast(d, logits.dtype))
	},
})

// hasLabel is true where labels are in [0, C). They are compared in as few bits as hold C and them: it is faster, and
// rusticl of Mesa 22.3 finds no int64 that was of fewer bits in any range.
func hasLabel(logits, labels *Node) *Node {
	switch small := int64(logits.Dim(1)) <= math.MaxInt32; {
	case small && labels.dtype.Size() < 4:
		labels = Cast(labels, tensor.Int32)
	case !small || labels.dtype.Size() == 4 && !labels.dtype.IsSigned():
		labels = Cast(labels, tensor.Int64)
	}
	return And(GreaterEqual(labels, ScalarLike(labels, 0)), Less(labels, ScalarLike(labels, float64(logits.Dim(1)))))
}

type oneHotAttr struct {
	Depth int          `doc:"number of classes, the last axis of the result"`
	DType tensor.DType `attr:"dtype" default:"float32" doc:"of the result"`
}

// OneHot returns for every integer of ids a row of depth elements of dtype dt
// that is 1 at that position and 0 elsewhere:
//
//	y[p, j] = 1 if j = ids[p], else 0
//
// An id outside [0, depth) gives a row of zeros. Errors: ids is not an integer;
// depth is negative; dt is not a dtype.
func OneHot(ids *Node, depth int, dt tensor.DType) *Node {
	return apply("one_hot", oneHotAttr{depth, dt}, ids)
}

var _ = define(Op{
	Name:       "one_hot",
	Category:   "loss",
	Attributes: AttributesOf[oneHotAttr](),
	Operands:   []Operand{{Name: "ids"}},
	DTypes:     ints,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(oneHotAttr)
		switch {
		case a.Depth < 0:
			return nil, 0, fmt.Errorf("depth %d is negative", a.Depth)
		case !a.DType.Valid():
			return nil, 0, errors.New("the dtype of the result is not valid")
		}
		return append(append([]int{}, c.shape(0)...), a.Depth), a.DType, nil
	},
	Compose: func(c *Call) *Node {
		a := c.Attr.(oneHotAttr)
		ids := ExpandDims(Cast(c.In[0], tensor.Int64), -1)
		classes := ids.graph.Iota(tensor.Int64, 0, a.Depth)
		return Cast(Equal(ids, classes), a.DType)
	},
	Flat: true,
})

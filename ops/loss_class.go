package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/tensor"
)

// ClassLossOptions say how the losses of classes are weighted and reduced. The zero value and nil are their mean, with no class
// left out.
type ClassLossOptions struct {
	Reduction LossReduction
	// Weight of each class, [C]. A mean divides by the sum of the weights of the labels.
	Weight *Node
	// Ignore is a label whose elements do not count, where Ignores says so. Labels outside [0, C) never count.
	Ignore  int
	Ignores bool
	// Smoothing is the part of each label's probability that is spread over all classes.
	Smoothing float64
}

type classLossAttr struct {
	lossAttr
	Ignore    int     `default:"-100" doc:"a label whose elements do not count"`
	Smoothing float64 `default:"0" doc:"part of each label's probability that is spread over all classes"`
}

func classLoss(name string, o *ClassLossOptions, x, target *Node) *Node {
	v := valueOf(o)
	a := classLossAttr{lossAttr{v.Reduction}, -100, v.Smoothing}
	if v.Ignores {
		a.Ignore = v.Ignore
	}
	return apply(name, a, given([]*Node{x, target}, v.Weight)...)
}

// NLLLoss returns the negative log-probabilities of labels, weighted by class:
//
//	l[n, p] = -weight[t] · x[n, t, p],  t = labels[n, p]
//
// x is [N, C, ...] or [C], a float of log-probabilities, labels is an integer without the axis of the classes. The mean divides by the
// sum of the weights of the labels that count: it is NaN where none does. Errors: dtypes; shapes; an unknown reduction.
// Source: PyTorch, torch.nn.NLLLoss; ONNX, operator NegativeLogLikelihoodLoss.
func NLLLoss(x, labels *Node, o *ClassLossOptions) *Node { return classLoss("nll_loss", o, x, labels) }

// CrossEntropyLoss returns the cross-entropies of the softmax of logits and labels, or probabilities of classes, with weights of classes,
// smoothed labels, and labels that do not count:
//
//	l[n, p] = -weight[t] · log softmax(logits[n, :, p])[t],  t = labels[n, p]
//	l[n, p] = -Σ_c weight[c] · target[n, c, p] · log softmax(logits[n, :, p])[c]
//
// logits is [N, C, ...] or [C], a float; target is an integer without the axis of the classes, or of the shape and dtype of logits. With
// Smoothing s a target t is (1 - s)·t + s/C. The mean divides by the sum of the weights of the labels that count, or by the number of
// elements where targets are probabilities. [CrossEntropy] is quicker to write for the plain case. Errors: dtypes; shapes; a smoothing
// outside [0, 1]; an unknown reduction.
// Source: PyTorch, torch.nn.CrossEntropyLoss; Szegedy et al., Rethinking the Inception Architecture (2016), section 7.
func CrossEntropyLoss(logits, target *Node, o *ClassLossOptions) *Node {
	return classLoss("cross_entropy_loss", o, logits, target)
}

var classOperands = []Operand{{Name: "x"}, {Name: "target", DTypes: slices.Concat(ints, floats)}, {Name: "weight", Optional: true}}

// classAxis is the axis of the classes in x with rank axes.
func classAxis(rank int) int { return min(rank-1, 1) }

func classLossResult(c *Call, probabilities bool) ([]int, tensor.DType, error) {
	a, x, t := c.Attr.(classLossAttr), c.shape(0), c.shape(1)
	if len(x) == 0 {
		return nil, 0, fmt.Errorf("x has no classes")
	}
	axis := classAxis(len(x))
	each := slices.Delete(slices.Clone(x), axis, axis+1)
	isFloat := c.dt(1).IsFloat()
	switch {
	case x[axis] == 0:
		return nil, 0, fmt.Errorf("x of %v has no classes", x)
	case isFloat && (!probabilities || c.dt(1) != c.dt(0) || !slices.Equal(t, x)):
		return nil, 0, fmt.Errorf("the target is %v%v, not labels or probabilities for %v%v", c.dt(1), t, c.dt(0), x)
	case !isFloat && !slices.Equal(t, each):
		return nil, 0, fmt.Errorf("labels are %v, not %v for %v", t, each, x)
	case len(c.In) > 2 && !slices.Equal(c.shape(2), x[axis:axis+1]):
		return nil, 0, fmt.Errorf("weights are %v, not one for each of %d classes", c.shape(2), x[axis])
	case !(a.Smoothing >= 0 && a.Smoothing <= 1):
		return nil, 0, fmt.Errorf("smoothing is %v", a.Smoothing)
	}
	shape, err := a.shape(each)
	return shape, c.dt(0), err
}

var _ = define(Op{
	Name: "nll_loss", Category: "loss", Attributes: AttributesOf[classLossAttr](), Operands: classOperands, DTypes: floats,
	Result:  func(c *Call) ([]int, tensor.DType, error) { return classLossResult(c, false) },
	Compose: func(c *Call) *Node { return labelLoss(c, widen(c.In[0])) },
})

var _ = define(Op{
	Name: "cross_entropy_loss", Category: "loss", Attributes: AttributesOf[classLossAttr](), Operands: classOperands, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) { return classLossResult(c, true) },
	Compose: func(c *Call) *Node {
		a := c.Attr.(classLossAttr)
		axis := classAxis(len(c.shape(0)))
		logp := LogSoftmax(widen(c.In[0]), axis)
		if !c.dt(1).IsFloat() {
			return labelLoss(c, logp)
		}
		t := widen(c.In[1])
		if a.Smoothing > 0 {
			t = Add(Mul(t, 1-a.Smoothing), a.Smoothing/float64(logp.shape[axis]))
		}
		if w := classWeights(c, axis); w != nil {
			t = Mul(t, w)
		}
		return Cast(a.fold(Neg(Sum(Mul(t, logp), axis))), c.dt(0))
	},
})

// classWeights are the weights of classes in the shape that lies along axis of x, or nil.
func classWeights(c *Call, axis int) *Node {
	if len(c.In) < 3 {
		return nil
	}
	w := widen(c.In[2])
	return ExpandDims(w, trailing(1, len(c.shape(0))-1-axis)...)
}

// labelLoss is the loss of labels, of log-probabilities.
func labelLoss(c *Call, logp *Node) *Node {
	a, labels := c.Attr.(classLossAttr), Cast(c.In[1], tensor.Int64)
	axis := classAxis(logp.Rank())
	classes := logp.shape[axis]
	zero, one := ScalarLike(logp, 0), ScalarLike(logp, 1)
	counts := And(And(GreaterEqual(labels, 0), Less(labels, int64(classes))), NotEqual(labels, int64(a.Ignore)))
	weight := Where(counts, one, zero)
	if len(c.In) > 2 {
		weight = Where(counts, Gather(widen(c.In[2]), 0, labels), zero)
	}
	// A log-probability of -∞ that does not count must not meet a weight of 0.
	at := Squeeze(TakeAlong(logp, axis, ExpandDims(labels, axis)), axis)
	l := Mul(Where(counts, Neg(at), zero), weight)
	if a.Smoothing > 0 {
		all := logp
		if w := classWeights(c, axis); w != nil {
			all = Mul(all, w)
		}
		smooth := Where(counts, Neg(Sum(all, axis)), zero)
		l = Add(Mul(l, 1-a.Smoothing), Mul(smooth, a.Smoothing/float64(classes)))
	}
	if a.reduction() == LossMean {
		return Cast(Div(Sum(l), Sum(weight)), c.dt(0))
	}
	return Cast(a.fold(l), c.dt(0))
}

type multiMarginAttr struct {
	lossAttr
	P      int     `default:"1" doc:"exponent, 1 or 2"`
	Margin float64 `default:"1" doc:"by which the label's score should be above others"`
}

// MultiMarginLoss returns how far the score of each row's label fails to be above the others by the margin:
//
//	l[n] = 1/C · Σ_{c≠t} weight[t] · max(0, margin - x[n, t] + x[n, c])^p,  t = labels[n]
//
// x is [N, C] or [C], a float; labels is an integer without the last axis, weight is [C] or nil; p is 1 or 2. A label outside [0, C)
// costs nothing. Otherwise as [MSELoss].
// Errors: dtypes; shapes; another p. Source: PyTorch, torch.nn.MultiMarginLoss.
func MultiMarginLoss(x, labels *Node, p int, margin float64, o *LossOptions) *Node {
	return loss("multi_margin_loss", func(a lossAttr) any { return multiMarginAttr{a, p, margin} }, o, x, labels)
}

var _ = define(Op{
	Name: "multi_margin_loss", Category: "loss", Attributes: AttributesOf[multiMarginAttr](), DTypes: floats,
	Operands: []Operand{{Name: "x"}, {Name: "labels", DTypes: ints}, {Name: "weight", Optional: true}},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(multiMarginAttr)
		if a.P != 1 && a.P != 2 {
			return nil, 0, fmt.Errorf("the exponent is %d, not 1 or 2", a.P)
		}
		return rowLossResult(c, a.lossAttr, len(c.shape(0))-1)
	},
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(multiMarginAttr), widen(c.In[0])
		labels := Cast(c.In[1], tensor.Int64)
		classes := x.shape[x.Rank()-1]
		at := ExpandDims(labels, -1)
		own := TakeAlong(x, -1, at)
		l := Maximum(Add(Sub(x, own), a.Margin), 0.0)
		if a.P == 2 {
			l = Square(l)
		}
		if len(c.In) > 2 {
			l = Mul(l, Gather(widen(c.In[2]), 0, at))
		}
		class := x.graph.Iota(tensor.Int64, x.Rank()-1, x.shape...)
		counts := And(NotEqual(class, at), And(GreaterEqual(at, 0), Less(at, int64(classes))))
		l = Where(counts, l, ScalarLike(l, 0))
		return Cast(a.fold(Div(Sum(l, -1), float64(classes))), c.dt(0))
	},
})

// rowLossResult is the rule of losses of rows x, [N, C] or [C], with labels of as many axes as said.
func rowLossResult(c *Call, a lossAttr, labelAxes int) ([]int, tensor.DType, error) {
	x := c.shape(0)
	switch {
	case len(x) < 1 || len(x) > 2 || x[len(x)-1] == 0:
		return nil, 0, fmt.Errorf("x is %v, not [N C] or [C]", x)
	case !slices.Equal(c.shape(1), x[:labelAxes]):
		return nil, 0, fmt.Errorf("labels are %v, not %v for x of %v", c.shape(1), x[:labelAxes], x)
	case len(c.In) > 2 && !slices.Equal(c.shape(2), x[len(x)-1:]):
		return nil, 0, fmt.Errorf("weights are %v, not one for each of %d classes", c.shape(2), x[len(x)-1])
	}
	shape, err := a.shape(slices.Clone(x[:len(x)-1]))
	return shape, c.dt(0), err
}

// MultiLabelMarginLoss returns how far the scores of each row's labels fail to be above those of other classes by 1:
//
//	l[n] = 1/C · Σ_{t in labels[n]} Σ_{c not in labels[n]} max(0, 1 - x[n, t] + x[n, c])
//
// x is [N, C] or [C], a float; labels are integers of its shape, of which the ones before the first negative one of each row count.
// Otherwise as [MSELoss]; weights of options have no effect. Errors: dtypes; shapes. Source: PyTorch, torch.nn.MultiLabelMarginLoss.
func MultiLabelMarginLoss(x, labels *Node, o *LossOptions) *Node {
	return apply("multilabel_margin_loss", lossAttr{valueOf(o).Reduction}, x, labels)
}

var _ = define(Op{
	Name: "multilabel_margin_loss", Category: "loss", Attributes: AttributesOf[lossAttr](), DTypes: floats,
	Operands: []Operand{{Name: "x"}, {Name: "labels", DTypes: ints}},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		return rowLossResult(c, c.Attr.(lossAttr), len(c.shape(0)))
	},
	Compose: func(c *Call) *Node {
		a, x, labels := c.Attr.(lossAttr), widen(c.In[0]), Cast(c.In[1], tensor.Int64)
		rank, classes := x.Rank(), x.shape[x.Rank()-1]
		ended := CumSum(Cast(Less(labels, 0), tensor.Int32), rank-1, nil)
		counts := And(Equal(ended, 0), Less(labels, int64(classes)))
		// [..., t, c]: which label is which class.
		shape := append(slices.Clone(x.shape), classes)
		class := x.graph.Iota(tensor.Int64, rank, shape...)
		among := materialize(Any(And(Equal(ExpandDims(labels, -1), class), ExpandDims(counts, -1)), rank-1)) // of each class
		own := materialize(TakeAlong(x, -1, labels))
		l := Maximum(Add(Sub(ExpandDims(x, rank-1), ExpandDims(own, rank)), 1.0), 0.0)
		l = Where(And(ExpandDims(counts, rank), Not(ExpandDims(among, rank-1))), l, ScalarLike(l, 0))
		return Cast(a.fold(Div(Sum(l, rank-1, rank), float64(classes))), c.dt(0))
	},
})

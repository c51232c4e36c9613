package ops

import (
	"fmt"
	"slices"

	"github.com/anycl/anycl/internal/shapes"
	"github.com/anycl/anycl/tensor"
)

// Losses of vectors: distances, similarities, and losses computed from these.

type similarityAttr struct {
	Axis int     `default:"1" doc:"along which the vectors lie"`
	Eps  float64 `default:"1e-8" doc:"least length of a vector"`
}

// CosineSimilarity returns the cosines of the angles between vectors along axis, which vanishes:
//
//	y = Σ_i a[i]·b[i] / (max(‖a‖, eps) · max(‖b‖, eps))
//
// a and b are floats that broadcast. Errors: dtypes; shapes; the axis does not exist; eps is negative.
// Source: PyTorch, torch.nn.functional.cosine_similarity.
func CosineSimilarity(a, b *Node, axis int, eps float64) *Node {
	return apply("cosine_similarity", similarityAttr{axis, eps}, a, b)
}

var _ = define(Op{
	Name: "cosine_similarity", Category: "loss", Attributes: AttributesOf[similarityAttr](), Operands: operandsAB, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		at := c.Attr.(similarityAttr)
		shape, err := broadcastShapes(c)
		if err != nil {
			return nil, 0, err
		}
		axis, err := shapes.Axis(at.Axis, len(shape))
		if err == nil {
			err = normChecks(1, at.Eps)
		}
		if err != nil {
			return nil, 0, err
		}
		return slices.Delete(slices.Clone(shape), axis, axis+1), c.dt(0), nil
	},
	Compose: func(c *Call) *Node {
		at := c.Attr.(similarityAttr)
		shape, _ := broadcastShapes(c)
		axis, _ := shapes.Axis(at.Axis, len(shape))
		a, b := BroadcastTo(widen(c.In[0]), shape...), BroadcastTo(widen(c.In[1]), shape...)
		length := func(x *Node) *Node { return Maximum(rootOf(Sum(Square(x), axis), 2), at.Eps) }
		return Cast(Div(Div(Sum(Mul(a, b), axis), length(a)), length(b)), c.dt(0))
	},
})

type distanceAttr struct {
	P   float64 `default:"2" doc:"of the norm; +Inf: the largest magnitude"`
	Eps float64 `default:"1e-6" doc:"added to each difference"`
}

// PairwiseDistance returns the p-norms of the differences of vectors along the last axis, which vanishes:
//
//	y[q] = ‖a[q] - b[q] + eps‖_p
//
// a and b are floats that broadcast. Errors: dtypes; shapes; p is not positive.
// Source: PyTorch, torch.nn.PairwiseDistance.
func PairwiseDistance(a, b *Node, p, eps float64) *Node {
	return apply("pairwise_distance", distanceAttr{p, eps}, a, b)
}

var _ = define(Op{
	Name: "pairwise_distance", Category: "loss", Attributes: AttributesOf[distanceAttr](), Operands: operandsAB, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		at := c.Attr.(distanceAttr)
		shape, err := broadcastShapes(c)
		switch {
		case err != nil:
			return nil, 0, err
		case len(shape) == 0:
			return nil, 0, fmt.Errorf("numbers are no vectors")
		}
		return slices.Clone(shape[:len(shape)-1]), c.dt(0), normChecks(at.P, 0)
	},
	Compose: func(c *Call) *Node {
		at := c.Attr.(distanceAttr)
		return Cast(distance(widen(c.In[0]), widen(c.In[1]), at.P, at.Eps), c.dt(0))
	},
})

// distance is the p-norm of a - b + eps along the last axis, which vanishes.
func distance(a, b *Node, p, eps float64) *Node {
	return Squeeze(vectorNorm(Add(Sub(a, b), eps), p, -1), -1)
}

// vectorLoss defines a loss of vectors along the last axis of operands, and of an element for each vector where labelled.
func vectorLoss[A any](name string, operands []string, labelled bool, of func(a A) lossAttr, check func(a A) error,
	each func(a A, in []*Node) *Node) *Op {
	o := Op{Name: name, Category: "loss", Attributes: AttributesOf[A](), DTypes: floats}
	for _, n := range operands {
		o.Operands = append(o.Operands, Operand{Name: n})
	}
	o.Result = func(c *Call) ([]int, tensor.DType, error) {
		vectors := c.In
		if labelled {
			vectors = c.In[:len(c.In)-1]
		}
		shape, err := broadcastShapes(&Call{In: vectors})
		switch {
		case err != nil:
		case len(shape) == 0:
			err = fmt.Errorf("numbers are no vectors")
		case labelled:
			if s, e := tensor.Broadcast(shape[:len(shape)-1], c.shape(len(c.In)-1)); e != nil {
				err = fmt.Errorf("targets %v do not fit vectors of %v", c.shape(len(c.In)-1), shape)
			} else {
				shape = append(slices.Clone(s), 0)
			}
		}
		if err == nil && check != nil {
			err = check(c.Attr.(A))
		}
		if err != nil {
			return nil, 0, err
		}
		out, err := of(c.Attr.(A)).shape(slices.Clone(shape[:len(shape)-1]))
		return out, c.dt(0), err
	}
	o.Compose = func(c *Call) *Node {
		in := make([]*Node, len(c.In))
		for i, n := range c.In {
			in[i] = widen(n)
		}
		return Cast(of(c.Attr.(A)).fold(each(c.Attr.(A), in)), c.dt(0))
	}
	return define(o)
}

// CosineEmbeddingLoss returns for vectors along the last axis of x1 and x2, with cos as in [CosineSimilarity],
//
//	l = 1 - cos where target is 1, max(0, cos - margin) where it is -1
//
// x1 and x2 are floats that broadcast; target has an element for each pair of vectors. Weights of options have no effect. Otherwise as
// [MSELoss].
// Source: PyTorch, torch.nn.CosineEmbeddingLoss.
func CosineEmbeddingLoss(x1, x2, target *Node, margin float64, o *LossOptions) *Node {
	return apply("cosine_embedding_loss", marginAttr{lossAttr{valueOf(o).Reduction}, margin}, x1, x2, target)
}

var _ = vectorLoss("cosine_embedding_loss", []string{"x1", "x2", "target"}, true, marginAttr.common, nil,
	func(a marginAttr, in []*Node) *Node {
		// The squares are kept from 0, so that vectors of zeros have a derivative.
		square := func(x *Node) *Node { return Add(Sum(Square(x), -1), 1e-12) }
		cos, t := Div(Sum(Mul(in[0], in[1]), -1), Sqrt(Mul(square(in[0]), square(in[1])))), in[2]
		zero := ScalarLike(cos, 0)
		l := Where(Equal(t, 1.0), Sub(ScalarLike(cos, 1), cos), zero)
		return Add(l, Where(Equal(t, -1.0), Maximum(Sub(cos, a.Margin), zero), zero))
	})

type tripletAttr struct {
	lossAttr
	Margin float64 `default:"1" doc:"by which the negative should be further away"`
	P      float64 `default:"2" doc:"of the norm; +Inf: the largest magnitude"`
	Eps    float64 `default:"1e-6" doc:"added to each difference"`
	Swap   bool    `default:"false" doc:"the distance of positive and negative counts where it is less"`
}

// TripletOptions are the constants of [TripletMarginLoss]; the zero value stands for a margin of 1, the norm 2 and an eps of 1e-6.
type TripletOptions struct {
	Margin, P, Eps float64
	// Swap takes the distance of positive and negative for that of anchor and negative where it is less.
	Swap bool
}

// TripletMarginLoss returns for vectors along the last axis how far the negative fails to be further from the anchor than the positive
// by the margin:
//
//	l = max(0, d(anchor, positive) - d(anchor, negative) + Margin),  d as in [PairwiseDistance]
//
// The operands are floats that broadcast. Weights of options have no effect. Otherwise as [MSELoss]. Errors: as there; P is not positive.
// Source: Balntas et al., Learning shallow convolutional feature descriptors with triplet losses (2016), sections 2 and 3.
func TripletMarginLoss(anchor, positive, negative *Node, t TripletOptions, o *LossOptions) *Node {
	if t.Margin == 0 {
		t.Margin = 1
	}
	if t.P == 0 {
		t.P = 2
	}
	if t.Eps == 0 {
		t.Eps = 1e-6
	}
	return apply("triplet_margin_loss", tripletAttr{lossAttr{valueOf(o).Reduction}, t.Margin, t.P, t.Eps, t.Swap}, anchor, positive, negative)
}

var _ = vectorLoss("triplet_margin_loss", []string{"anchor", "positive", "negative"}, false,
	func(a tripletAttr) lossAttr { return a.lossAttr },
	func(a tripletAttr) error { return normChecks(a.P, 0) }, func(a tripletAttr, in []*Node) *Node {
		near, far := distance(in[0], in[1], a.P, a.Eps), distance(in[0], in[2], a.P, a.Eps)
		if a.Swap {
			far = Minimum(far, distance(in[1], in[2], a.P, a.Eps))
		}
		return Maximum(Add(Sub(near, far), a.Margin), 0.0)
	})

// MultiLabelSoftMarginLoss returns the mean over the classes, the last axis, of the binary cross-entropy of the logistic function of x:
//
//	l = -1/C · Σ_c weight[c] · (target[c] · log σ(x[c]) + (1 - target[c]) · log(1 - σ(x[c])))
//
// x and target are floats [..., C] that broadcast; the weight of options is [C]. Otherwise as [MSELoss].
// Source: PyTorch, torch.nn.MultiLabelSoftMarginLoss.
func MultiLabelSoftMarginLoss(x, target *Node, o *LossOptions) *Node {
	return loss("multilabel_soft_margin_loss", plainAttr, o, x, target)
}

var _ = define(Op{
	Name: "multilabel_soft_margin_loss", Category: "loss", Attributes: AttributesOf[lossAttr](), DTypes: floats,
	Operands: []Operand{{Name: "x"}, {Name: "target"}, {Name: "weight", Optional: true}},
	Result: func(c *Call) ([]int, tensor.DType, error) {
		shape, err := broadcastShapes(c)
		switch {
		case err != nil:
			return nil, 0, err
		case len(shape) == 0:
			return nil, 0, fmt.Errorf("a number has no classes")
		}
		shape, err = c.Attr.(lossAttr).shape(slices.Clone(shape[:len(shape)-1]))
		return shape, c.dt(0), err
	},
	Compose: func(c *Call) *Node {
		x, t := widen(c.In[0]), widen(c.In[1])
		l := Add(Mul(Sub(ScalarLike(t, 1), t), x), Add(Log1p(Exp(Neg(Abs(x)))), Maximum(Neg(x), 0.0)))
		if len(c.In) > 2 {
			l = Mul(l, widen(c.In[2]))
		}
		return Cast(c.Attr.(lossAttr).fold(Mean(l, -1)), c.dt(0))
	},
})

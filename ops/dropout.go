package ops

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/tensor"
)

// Dropout returns x with elements set to 0 at random, each with probability
// rate, and the others scaled so that the expectation stays:
//
//	y[i] = 0 with probability rate, else x[i] / (1 - rate)
//
// Every Run draws anew; see [Graph.Uniform]. The derivative passes where the
// value passed. Use it in training only. x is a float. Errors: dtype is not a
// float; rate is outside [0, 1).
// Source: Srivastava et al., Dropout (2014), section 4, in its inverted form.
func Dropout(x *Node, rate float64) *Node { return apply("dropout", dropoutAttr{rate}, x) }

type dropoutAttr struct {
	Rate float64 `default:"0.5" doc:"share of the elements that become 0, in [0, 1)"`
}

var _ = define(Op{
	Name:       "dropout",
	Category:   "random",
	Attributes: AttributesOf[dropoutAttr](),
	Operands:   operandX,
	DTypes:     floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		if rate := c.Attr.(dropoutAttr).Rate; !(rate >= 0 && rate < 1) {
			return nil, 0, fmt.Errorf("rate %v is outside [0, 1)", rate)
		}
		return same(c)
	},
	// Built once for value and derivative, so that both see the same draw.
	Compose: func(c *Call) *Node {
		rate, x := c.Attr.(dropoutAttr).Rate, widen(c.In[0])
		u := x.graph.Uniform(tensor.Float32, x.shape...)
		kept := Mul(x, ScalarLike(x, 1/(1-rate)))
		return Cast(Where(Less(u, ScalarLike(u, rate)), ScalarLike(x, 0), kept), c.dt(0))
	},
})

// FeatureDropout is [Dropout] of whole channels: of x, [N, C, ...], each of the N·C channels is 0 with probability rate, and
// scaled by 1 / (1 - rate) otherwise. Errors: as there; x has fewer than two axes.
// Source: Tompson et al., Efficient Object Localization Using Convolutional Networks (2015), section 3.2.
func FeatureDropout(x *Node, rate float64) *Node {
	return apply("feature_dropout", dropoutAttr{rate}, x)
}

var _ = define(Op{
	Name: "feature_dropout", Category: "random", Attributes: AttributesOf[dropoutAttr](), Operands: operandX, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) { return dropoutRule(c, c.Attr.(dropoutAttr).Rate, true) },
	Compose: func(c *Call) *Node {
		rate, x := c.Attr.(dropoutAttr).Rate, widen(c.In[0])
		u := ofFeatures(x)
		return Cast(Where(Less(u, rate), ScalarLike(x, 0), Mul(x, 1/(1-rate))), c.dt(0))
	},
})

func dropoutRule(c *Call, rate float64, features bool) ([]int, tensor.DType, error) {
	switch x := c.shape(0); {
	case !(rate >= 0 && rate < 1):
		return nil, 0, fmt.Errorf("rate %v is outside [0, 1)", rate)
	case features && len(x) < 2:
		return nil, 0, fmt.Errorf("x is %v, not [N C ...]", x)
	}
	return same(c)
}

// ofFeatures draws a number for each channel of x.
func ofFeatures(x *Node) *Node {
	u := x.graph.Uniform(tensor.Float32, x.shape[:2]...)
	return ExpandDims(u, trailing(2, x.Rank()-2)...)
}

type alphaDropoutAttr struct {
	Rate     float64 `default:"0.5" doc:"share of the elements that are dropped, in [0, 1)"`
	Features bool    `default:"false" doc:"whole channels of [N, C, ...] are dropped"`
}

// AlphaDropout sets elements of x at random to the value at which SELU saturates, each with probability rate, and scales and shifts all so
// that a mean of 0 and a variance of 1 stay:
//
//	y[i] = a · (s with probability rate, else x[i]) + b,  s = -1.7580993408473766
//	a = 1 / √((1 - rate)·(1 + rate·s²)),  b = -a·rate·s
//
// Otherwise as [Dropout]. Errors: as there.
// Source: Klambauer et al., Self-Normalizing Neural Networks (2017), section 2.
func AlphaDropout(x *Node, rate float64) *Node {
	return apply("alpha_dropout", alphaDropoutAttr{Rate: rate}, x)
}

// FeatureAlphaDropout is [AlphaDropout] of whole channels of x, [N, C, ...]. Errors: as there; x has fewer than two axes.
func FeatureAlphaDropout(x *Node, rate float64) *Node {
	return apply("alpha_dropout", alphaDropoutAttr{rate, true}, x)
}

var _ = define(Op{
	Name: "alpha_dropout", Category: "random", Attributes: AttributesOf[alphaDropoutAttr](), Operands: operandX, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a := c.Attr.(alphaDropoutAttr)
		return dropoutRule(c, a.Rate, a.Features)
	},
	Compose: func(c *Call) *Node {
		a, x := c.Attr.(alphaDropoutAttr), widen(c.In[0])
		var u *Node
		if a.Features {
			u = ofFeatures(x)
		} else {
			u = x.graph.Uniform(tensor.Float32, x.shape...)
		}
		const saturated = -1.7580993408473766 // -λα of SELU
		scale := 1 / math.Sqrt((1-a.Rate)*(1+a.Rate*saturated*saturated))
		shift := -scale * a.Rate * saturated
		return Cast(Where(Less(u, a.Rate), ScalarLike(x, scale*saturated+shift), Add(Mul(x, scale), shift)), c.dt(0))
	},
})

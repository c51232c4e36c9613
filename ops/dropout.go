package ops

import (
	"fmt"

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

package gradients_test

import (
	"testing"

	. "github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// The derivative is the one that the function returns, through the results too; its own derivative is the derivative of the nodes that
// the function returns.
func TestCustomGradients(t *testing.T) {
	_, outs, _ := fed(t, [][]int{{3}, {3}}, func(g *Graph, in []*Node) []*Node {
		x, w := in[0], in[1]
		calls := 0
		y := CustomGradient(func(in []*Node) []*Node { return []*Node{Exp(in[0]), Mul(in[0], in[1]), Cast(in[0], tensor.Int32)} },
			func(in, out, d []*Node) []*Node {
				if calls++; len(in) != 3 || len(out) != 3 || len(d) != 3 || d[2].DType() != tensor.Int32 {
					t.Error("other operands, results and derivatives")
				}
				return []*Node{Mul(Mul(d[0], out[0]), 3.0), BroadcastTo(d[1], 3, 3), nil}
			}, x, w, Cast(w, tensor.Int32))
		// The derivative of w is given three times over, and summed.
		d := Gradients(Add(Sum(y[0]), Sum(y[1])), x, w)
		dd := Gradients(Sum(d[0]), x)
		return []*Node{d[0], Mul(Exp(x), 3.0), d[1], g.Full(tensor.Float64, 3, 3), dd[0], Mul(Exp(x), 9.0)}
	})
	for i, what := range []string{"first", "stretched", "through the result"} {
		near(t, outs[2*i+1], outs[2*i], what)
	}
}

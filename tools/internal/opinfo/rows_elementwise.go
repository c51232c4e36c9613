package opinfo

import "github.com/anycl/anycl/ops"

func elementwise() []*Row {
	return []*Row{
		one("acos", "Acos", ops.Acos),
		one("cos", "Cos", ops.Cos),
		one("exp", "Exp", ops.Exp),
		{Torch: "add", Signature: "input other", Go: "ops.Add(x, y)", Note: "alpha: ops.Add(x, ops.Mul(y, alpha))", Build: func(c *Call) []*ops.Node {
			x := c.x("input")
			y := c.operand("other", x)
			if c.has("alpha") {
				c.as("ops.Add(x, ops.Mul(y, alpha))")
				y = ops.Mul(y, ops.ScalarLike(y, c.float("alpha", 1)))
			}
			return list(ops.Add(x, y))
		}},
	}
}

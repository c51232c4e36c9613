package importer

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/linalg"
	"github.com/anycl/anycl/tensor"
)

var _ = define(func() []*operator {
	return []*operator{
		{name: "MatMul", since: 1, build: binary(ops.MatMul)},
		{name: "Gemm", since: 1, build: gemm},
		{name: "Einsum", since: 12, build: func(c *call) []*value {
			return out(ops.Einsum(spaceless(c.str("equation", "")), c.all(0)...))
		}},
		{name: "Det", since: 11, build: func(c *call) []*value {
			x := c.x(0)
			if dt := x.DType(); dt != tensor.Float32 && dt != tensor.Float64 {
				return out(ops.Cast(linalg.Det(ops.Cast(x, tensor.Float32)), dt))
			}
			return out(linalg.Det(x))
		}},
	}
})

// spaceless takes the spaces out of an equation.
func spaceless(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		if s[i] != ' ' {
			b = append(b, s[i])
		}
	}
	return string(b)
}

func gemm(c *call) []*value {
	a, b := c.x(0), c.x(1)
	alpha, beta := c.float("alpha", 1), c.float("beta", 1)
	if c.version < 7 && c.given("broadcast") {
		c.int("broadcast", 0)
	}
	if c.flag("transA", false) {
		a = ops.Transpose(a)
	}
	if c.flag("transB", false) {
		b = ops.Transpose(b)
	}
	if a.Rank() != 2 || b.Rank() != 2 {
		c.fail("its operands have %d and %d axes, not 2", a.Rank(), b.Rank())
	}
	y := scaled(ops.MatMul(a, b), alpha)
	if bias := c.opt(2); bias != nil && beta != 0 {
		y = ops.Add(y, scaled(bias, beta))
	}
	return out(y)
}

// scaled is x times v; an integer is multiplied in float64.
func scaled(x *ops.Node, v float64) *ops.Node {
	switch {
	case v == 1:
		return x
	case x.DType().IsFloat():
		return ops.Mul(x, ops.ScalarLike(x, v))
	}
	return ops.Cast(ops.Mul(ops.Cast(x, tensor.Float64), v), x.DType())
}

package importer

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

var _ = define(func() []*operator {
	return []*operator{
		{name: "Relu", since: 1, ignore: consumed, build: unary(ops.ReLU)},
		{name: "Sigmoid", since: 1, ignore: consumed, build: unary(ops.Sigmoid)},
		{name: "Softplus", since: 1, build: unary(ops.Softplus)},
		{name: "Softsign", since: 1, build: unary(ops.SoftSign)},
		{name: "HardSwish", since: 14, build: unary(ops.HardSwish)},
		{name: "Mish", since: 18, build: unary(ops.Mish)},
		{name: "Elu", since: 1, ignore: consumed, build: with1("alpha", 1, ops.ELU)},
		{name: "Celu", since: 12, build: with1("alpha", 1, ops.CELU)},
		{name: "LeakyRelu", since: 1, ignore: consumed, build: with1("alpha", 0.01, ops.LeakyReLU)},
		{name: "ThresholdedRelu", since: 1, build: with1("alpha", 1, ops.ThresholdedReLU)},
		{name: "Swish", since: 24, build: with1("alpha", 1, func(x *ops.Node, alpha float64) *ops.Node {
			return ops.Mul(x, ops.Sigmoid(ops.Mul(x, ops.ScalarLike(x, alpha))))
		})},
		{name: "Gelu", since: 20, build: func(c *call) []*value {
			switch how := c.str("approximate", "none"); how {
			case "none":
				return out(ops.GELU(c.x(0)))
			case "tanh":
				return out(ops.GELUTanh(c.x(0)))
			default:
				c.refuse("approximate=%q is neither none nor tanh", how)
				return nil
			}
		}},
		{name: "HardSigmoid", since: 1, ignore: consumed, build: func(c *call) []*value {
			return out(hardSigmoid(c.x(0), c.float("alpha", 0.2), c.float("beta", 0.5)))
		}},
		{name: "Selu", since: 1, ignore: consumed, build: func(c *call) []*value {
			alpha, gamma := 1.67326319217681884765625, 1.05070102214813232421875
			if c.version < 6 {
				alpha, gamma = 1.6732, 1.0507
			}
			a, g := c.float("alpha", alpha), c.float("gamma", gamma)
			return out(ops.Apply("selu", map[string]any{"alpha": a, "gamma": g}, c.x(0)))
		}},
		{name: "Shrink", since: 9, build: func(c *call) []*value {
			x, lambd, bias := c.x(0), c.float("lambd", 0.5), c.float("bias", 0)
			if x.DType().IsFloat() {
				return out(ops.Shrink(x, lambd, bias))
			}
			return out(ops.Cast(ops.Shrink(ops.Cast(x, tensor.Float64), lambd, bias), x.DType()))
		}},
		{name: "PRelu", since: 1, ignore: consumed, build: func(c *call) []*value {
			x, slope := c.x(0), c.x(1)
			if c.version < 7 && slope.Rank() == 1 && x.Rank() > 2 { // one for each channel
				shape := make([]int, x.Rank()-1)
				for i := range shape {
					shape[i] = 1
				}
				shape[0] = slope.Dim(0)
				slope = ops.Reshape(slope, shape...)
			}
			return out(ops.Where(ops.Less(x, ops.ZerosLike(x)), ops.Mul(x, slope), x))
		}},
		{name: "Softmax", since: 1, build: softmax(ops.Softmax)},
		{name: "LogSoftmax", since: 1, build: softmax(ops.LogSoftmax)},
		{name: "Hardmax", since: 1, build: softmax(hardmax)},
	}
})

func hardSigmoid(x *ops.Node, alpha, beta float64) *ops.Node {
	return ops.Apply("hardsigmoid", map[string]any{"alpha": alpha, "beta": beta}, x)
}

// softmax is the builder of an op that normalises along an axis. Before version 13 all axes from that one on are one.
func softmax(f func(x *ops.Node, axis int) *ops.Node) func(*call) []*value {
	return func(c *call) []*value {
		x := c.x(0)
		if x.Size() == 0 {
			return out(x)
		}
		if c.version >= 13 {
			return out(f(x, c.axis(c.int("axis", -1), x.Rank())))
		}
		axis := c.int("axis", 1)
		flat := flatten(c, x, axis)
		return out(ops.Reshape(f(flat, 1), x.Shape()...))
	}
}

func hardmax(x *ops.Node, axis int) *ops.Node {
	y := ops.OneHot(ops.ArgMax(x, axis), x.Dim(axis), x.DType())
	return ops.MoveDim(y, []int{-1}, []int{axis})
}

// flatten makes a matrix of x, whose columns are the axes from the given one on.
func flatten(c *call, x *ops.Node, axis int) *ops.Node {
	if axis < 0 {
		axis += x.Rank()
	}
	if axis < 0 || axis > x.Rank() {
		c.fail("axis %d of a rank of %d does not exist", axis, x.Rank())
	}
	shape := x.Shape()
	return ops.Reshape(x, product(shape[:axis]), product(shape[axis:]))
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

package importer

import (
	"math"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// The numbers of generators are not those of other programs, whatever the seed.
var seeds = []string{"seed"}

var _ = define(func() []*operator {
	return []*operator{
		{name: "RandomNormal", since: 1, random: true, ignore: seeds, build: func(c *call) []*value {
			return out(c.normal(c.dtype(c.int("dtype", 1)), c.intList("shape")))
		}},
		{name: "RandomUniform", since: 1, random: true, ignore: seeds, build: func(c *call) []*value {
			return out(c.uniform(c.dtype(c.int("dtype", 1)), c.intList("shape")))
		}},
		{name: "RandomNormalLike", since: 1, random: true, ignore: seeds, build: func(c *call) []*value {
			return out(c.normal(c.like(), c.x(0).Shape()))
		}},
		{name: "RandomUniformLike", since: 1, random: true, ignore: seeds, build: func(c *call) []*value {
			return out(c.uniform(c.like(), c.x(0).Shape()))
		}},
		{name: "Bernoulli", since: 15, random: true, ignore: seeds, build: func(c *call) []*value {
			return out(ops.Cast(ops.Bernoulli(c.x(0)), c.like()))
		}},
		{name: "Multinomial", since: 7, random: true, ignore: seeds, build: func(c *call) []*value {
			dt := c.dtype(c.int("dtype", 6))
			return out(ops.Cast(ops.Categorical(c.x(0), c.int("sample_size", 1)), dt))
		}},
		{name: "Dropout", since: 1, ignore: append([]string{"is_test", "consumed_inputs"}, seeds...), build: dropout},
	}
})

// like is the dtype of the attribute, or the dtype of the operand.
func (c *call) like() tensor.DType {
	if c.given("dtype") {
		return c.dtype(c.int("dtype", 1))
	}
	return c.x(0).DType()
}

func (c *call) normal(dt tensor.DType, shape []int) *ops.Node {
	n := c.b.g.Normal(dt, shape...)
	return ops.Add(ops.Mul(n, ops.ScalarLike(n, c.float("scale", 1))), ops.ScalarLike(n, c.float("mean", 0)))
}

func (c *call) uniform(dt tensor.DType, shape []int) *ops.Node {
	n := c.b.g.Uniform(dt, shape...)
	low, high := c.float("low", 0), c.float("high", 1)
	return ops.Add(ops.Mul(n, ops.ScalarLike(n, high-low)), ops.ScalarLike(n, low))
}

// dropout drops nothing where a model is not trained.
func dropout(c *call) []*value {
	x := c.x(0)
	rate, training := 0.5, false
	if c.version < 12 {
		rate = c.float("ratio", 0.5)
		if c.version < 7 {
			training = !c.flag("is_test", false)
		}
	} else {
		rate = c.num(1, 0.5)
		if c.has(2) {
			training = c.host(2).Float64At(0) != 0
		}
	}
	if !training || rate == 0 {
		mask := c.b.g.Ones(tensor.Bool, x.Shape()...)
		if c.version < 10 { // it has the dtype of x
			mask = ops.Cast(mask, x.DType())
		}
		return []*value{{node: x}, {node: mask}}
	}
	if math.IsNaN(rate) || rate < 0 || rate >= 1 {
		c.fail("a rate of %v", rate)
	}
	c.drew = true
	keep := ops.GreaterEqual(c.b.g.Uniform(tensor.Float32, x.Shape()...), rate)
	y := ops.Where(keep, ops.Mul(x, ops.ScalarLike(x, 1/(1-rate))), ops.ZerosLike(x))
	return out(y, keep)
}

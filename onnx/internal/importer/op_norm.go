package importer

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

var _ = define(func() []*operator {
	return []*operator{
		{name: "BatchNormalization", since: 1, ignore: []string{"spatial", "is_test", "consumed_inputs"}, build: batchNorm},
		{name: "InstanceNormalization", since: 1, ignore: consumed, build: func(c *call) []*value {
			return out(ops.InstanceNorm(c.x(0), c.x(1), c.x(2), c.float("epsilon", 1e-5)))
		}},
		{name: "LayerNormalization", since: 17, ignore: []string{"stash_type"}, build: layerNorm},
		{name: "RMSNormalization", since: 23, ignore: []string{"stash_type"}, build: func(c *call) []*value {
			x, scale := c.x(0), c.x(1)
			axis := c.axis(c.int("axis", -1), x.Rank())
			w := ops.Cast(x, tensor.Float32)
			if x.DType() == tensor.Float64 {
				w = x
			}
			axes := from(axis, x.Rank())
			mean := ops.KeepDims(ops.Mean(ops.Square(w), axes...))
			w = ops.Mul(w, ops.Rsqrt(ops.Add(mean, ops.ScalarLike(mean, c.float("epsilon", 1e-5)))))
			return out(ops.Mul(ops.Cast(w, scale.DType()), scale))
		}},
		{name: "GroupNormalization", since: 18, ignore: []string{"stash_type"}, build: func(c *call) []*value {
			x, scale, shift := c.x(0), c.x(1), c.x(2)
			groups := c.int("num_groups", 0)
			if x.Rank() < 2 || groups < 1 || x.Dim(1)%groups != 0 {
				c.fail("%d groups of %v", groups, x.Shape())
			}
			if c.version < 21 { // one for each group
				scale, shift = ops.RepeatInterleave(scale, 0, x.Dim(1)/groups), ops.RepeatInterleave(shift, 0, x.Dim(1)/groups)
			}
			return out(ops.GroupNorm(x, groups, scale, shift, c.float("epsilon", 1e-5)))
		}},
		{name: "LRN", since: 1, build: func(c *call) []*value {
			return out(ops.LocalResponseNorm(c.x(0), ops.LocalResponseNormOptions{
				Size: c.int("size", 0), Alpha: c.float("alpha", 1e-4), Beta: c.float("beta", 0.75), K: c.float("bias", 1), Above: true,
			}))
		}},
		{name: "LpNormalization", since: 1, build: func(c *call) []*value {
			x, p := c.x(0), c.int("p", 2)
			axis := c.axis(c.int("axis", -1), x.Rank())
			var norm *ops.Node
			switch p {
			case 1:
				norm = ops.Sum(ops.Abs(x), axis)
			case 2:
				norm = ops.Sqrt(ops.Sum(ops.Square(x), axis))
			default:
				c.refuse("p=%d is neither 1 nor 2", p)
			}
			norm = ops.Unsqueeze(norm, axis)
			// vectors of norm 0 stay
			return out(ops.Div(x, ops.Where(ops.Equal(norm, 0), ops.OnesLike(norm), norm)))
		}},
		{name: "MeanVarianceNormalization", since: 9, build: func(c *call) []*value {
			x, axes := c.x(0), c.intList("axes")
			if axes == nil {
				axes = []int{0, 2, 3}
			}
			mean := ops.KeepDims(ops.Mean(x, axes...))
			d := ops.Sub(x, mean)
			dev := ops.Sqrt(ops.KeepDims(ops.Mean(ops.Square(d), axes...)))
			return out(ops.Div(d, ops.Add(dev, ops.ScalarLike(dev, 1e-9))))
		}},
	}
})

func from(axis, rank int) []int {
	var axes []int
	for i := axis; i < rank; i++ {
		axes = append(axes, i)
	}
	return axes
}

func batchNorm(c *call) []*value {
	if y := c.foldedNorm(); y != nil {
		return out(y)
	}
	x, scale, shift, mean, variance := c.x(0), c.x(1), c.x(2), c.x(3), c.x(4)
	eps, momentum := c.float("epsilon", 1e-5), c.float("momentum", 0.9)
	training := false
	switch {
	case c.version >= 14:
		training = c.flag("training_mode", false)
	case c.version < 7:
		c.read["is_test"] = true
		training = len(c.n.Outputs) > 1
	default:
		training = len(c.n.Outputs) > 1
	}
	if a := c.attrs["spatial"]; a != nil && a.Int == 0 {
		c.refuse("spatial=0 is not supported")
	}
	wide := func(n *ops.Node) *ops.Node { return ops.Cast(n, x.DType()) }
	if !training {
		return out(ops.BatchNorm(x, wide(scale), wide(shift), wide(mean), wide(variance), eps))
	}
	if c.version < 14 {
		c.refuse("training is supported from version 14 on")
	}
	y, m, v := ops.BatchNormTrain(x, wide(scale), wide(shift), eps)
	blend := func(old, now *ops.Node) *ops.Node {
		return ops.Add(ops.Mul(old, ops.ScalarLike(old, momentum)), ops.Mul(ops.Cast(now, old.DType()), ops.ScalarLike(old, 1-momentum)))
	}
	return out(y, blend(mean, m), blend(variance, v))
}

// foldedNorm is the normalisation of float32 by numbers that are constants, x·k + b with
//
//	k = scale/√(variance + epsilon), b = shift - mean·k
//
// of each channel, computed here in float64; nil: they are not. The product before takes it in as it takes a bias.
func (c *call) foldedNorm() *ops.Node {
	var v [4][]float64
	for i := range v {
		t := c.value(i + 1).host
		if t == nil || c.b.vars || !t.DType().IsFloat() || t.Rank() != 1 || t.Len() != c.value(1).host.Len() {
			return nil
		}
		for _, e := range t.All() {
			v[i] = append(v[i], e)
		}
	}
	x := c.x(0)
	if x.DType() != tensor.Float32 || x.Rank() < 2 || x.Dim(1) != len(v[0]) || c.flag("training_mode", false) || c.version < 14 &&
		len(c.n.Outputs) > 1 {
		return nil
	}
	c.read["is_test"] = true
	if a := c.attrs["spatial"]; a != nil && a.Int == 0 {
		return nil
	}
	eps := c.float("epsilon", 1e-5)
	c.float("momentum", 0.9)
	scale, shift, mean, variance := v[0], v[1], v[2], v[3]
	k, b := make([]float32, len(scale)), make([]float32, len(scale))
	for i := range scale {
		f := scale[i] / math.Sqrt(variance[i]+eps)
		k[i], b[i] = float32(f), float32(shift[i]-mean[i]*f)
	}
	shape := slices.Repeat([]int{1}, x.Rank())
	shape[1] = len(k)
	of := func(n []float32) *ops.Node {
		return c.b.constantNode(tensor.Must(tensor.FromSlice(n, shape...)))
	}
	return ops.Add(ops.Mul(x, of(k)), of(b))
}

func layerNorm(c *call) []*value {
	x, scale, shift := c.x(0), c.x(1), c.opt(2)
	axis := c.axis(c.int("axis", -1), x.Rank())
	eps := c.float("epsilon", 1e-5)
	axes := from(axis, x.Rank())
	normal := x.Shape()[axis:]
	if !c.wants(1) && !c.wants(2) && slices.Equal(scale.Shape(), normal) && (shift == nil || slices.Equal(shift.Shape(), normal)) {
		return out(ops.LayerNormOver(x, len(axes), scale, shift, eps))
	}
	w := x
	if x.DType() != tensor.Float64 {
		w = ops.Cast(x, tensor.Float32)
	}
	mean := ops.KeepDims(ops.Mean(w, axes...))
	d := ops.Sub(w, mean)
	variance := ops.KeepDims(ops.Mean(ops.Square(d), axes...))
	inv := ops.Rsqrt(ops.Add(variance, ops.ScalarLike(variance, eps)))
	y := ops.Mul(ops.Cast(ops.Mul(d, inv), x.DType()), scale)
	if shift != nil {
		y = ops.Add(y, shift)
	}
	return out(y, mean, inv)
}

package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// BatchNorm returns x normalised per channel with given statistics:
//
//	y[n, c, p] = scale[c] · (x[n, c, p] - mean[c]) / √(variance[c] + eps) + shift[c]
//
// x is [N, C] or [N, C, ...], a float; the other operands are [C] and of the
// same dtype; scale and shift may be nil for ones and zeros. 16-bit floats are computed in float32. Errors: dtypes differ;
// shapes; eps is negative or not finite.
// Source: Ioffe and Szegedy, Batch Normalization (2015), algorithm 2.
func BatchNorm(x, scale, shift, mean, variance *Node, eps float64) *Node {
	scale, shift = given2(scale, shift, mean)
	return apply("batch_norm", normAttr{eps}, x, scale, shift, mean, variance)
}

// given2 are scale and shift, or ones and zeros of the shape of like in place of nil.
func given2(scale, shift, like *Node) (*Node, *Node) {
	fill := func(n *Node, v float64) *Node {
		switch {
		case n != nil || like == nil:
			return n
		case like.bad: // which is reported already
			return like
		}
		return like.graph.Full(like.dtype, v, like.shape...)
	}
	return fill(scale, 1), fill(shift, 0)
}

var _ = define(Op{
	Name:       "batch_norm",
	Category:   "normalization",
	Attributes: AttributesOf[normAttr](),
	Operands:   normOperands[:],
	DTypes:     floats,
	Result:     perChannel,
	Compose: func(c *Call) *Node {
		return normalise(c, widen(c.In[0]), channels(c, 3), channels(c, 4), channels(c, 1), channels(c, 2))
	},
})

// BatchNormTrain returns x normalised per channel with its own statistics, and
// these: the means and population variances over all axes but 1, [C] each.
//
//	mean[c]     = mean over n, p of x[n, c, p]
//	variance[c] = mean over n, p of (x[n, c, p] - mean[c])²
//	y           = BatchNorm(x, scale, shift, mean, variance, eps)
//
// The derivative goes through the statistics too. Their running averages are
// for [BatchNorm] when training is over. Operands are as there. Errors:
// as there; there is nothing to average.
// Source: Ioffe and Szegedy, Batch Normalization (2015), algorithm 1.
func BatchNormTrain(x, scale, shift *Node, eps float64) (y, mean, variance *Node) {
	r := ApplyAll("batch_norm_train", normAttr{eps}, x, scale, shift)
	return r[0], r[1], r[2]
}

var _ = define(Op{
	Name:        "batch_norm_train",
	Category:    "normalization",
	Attributes:  AttributesOf[normAttr](),
	Operands:    normOperands[:3],
	DTypes:      floats,
	ResultNames: []string{"y", "mean", "variance"},
	Results: func(c *Call) ([]Result, error) {
		shape, dt, err := perChannel(c)
		if err == nil && ir.Product(shape) == 0 {
			err = fmt.Errorf("x is empty: %v", shape)
		}
		if err != nil {
			return nil, err
		}
		channels := Result{dt, shape[1:2]}
		return []Result{{dt, shape}, channels, channels}, nil
	},
	ComposeAll: func(c *Call) []*Node {
		mean, variance := batchStatistics(c.In[0])
		y := normalise(c, widen(c.In[0]), alongChannels(c, mean), alongChannels(c, variance), channels(c, 1), channels(c, 2))
		return []*Node{y, Cast(mean, c.dt(0)), Cast(variance, c.dt(0))}
	},
})

// batchStatistics are mean and variance over all axes but 1, widened.
func batchStatistics(x *Node) (mean, variance *Node) {
	axes := []int{0}
	for a := 2; a < x.Rank(); a++ {
		axes = append(axes, a)
	}
	x = widen(x)
	return Mean(x, axes...), Variance(x, axes...)
}

// channels is operand i, [C], in the shape that lies along axis 1 of operand 0.
func channels(c *Call, i int) *Node { return alongChannels(c, widen(c.In[i])) }

func alongChannels(c *Call, x *Node) *Node {
	shape := slices.Repeat([]int{1}, len(c.shape(0))-1)
	shape[0] = x.Size()
	return Reshape(x, shape...)
}

// LayerNorm returns x normalised along its last axis:
//
//	y[p, i] = scale[i] · (x[p, i] - mean[p]) / √(variance[p] + eps) + shift[i]
//
// with the mean and population variance of x[p]. x has at least one axis and is
// a float; scale and shift have the extent of its last axis and its dtype, or its last extents where it is to be
// normalised over several axes together; nil stands for ones and zeros.
// 16-bit floats are computed in float32. Errors: dtypes differ; shapes; the
// axes are empty; eps is negative or not finite.
// Source: Ba, Kiros and Hinton, Layer Normalization (2016), section 3.
func LayerNorm(x, scale, shift *Node, eps float64) *Node {
	return apply("layer_norm", layerNormAttr{Eps: eps}, affine(x, scale, shift)...)
}

// LayerNormOver is [LayerNorm] over the last axes of x, as many as axes says, which must be said where neither scale nor shift do.
// Errors: as there; x has fewer axes.
func LayerNormOver(x *Node, axes int, scale, shift *Node, eps float64) *Node {
	return apply("layer_norm", layerNormAttr{Eps: eps, Axes: axes}, affine(x, scale, shift)...)
}

type layerNormAttr struct {
	Eps  float64 `default:"1e-5" doc:"added to the variance"`
	Axes int     `default:"0" doc:"how many of the last axes are normalised together; 0: as many as scale has, or 1"`
}

// layerNormResult is the rule of ops that normalise over the last axes.
func layerNormResult(c *Call) ([]int, tensor.DType, error) {
	if _, err := c.Attr.(layerNormAttr).axes(c); err != nil {
		return nil, 0, err
	}
	return same(c)
}

// axes is how many of the last axes of operand 0 are normalised.
func (a layerNormAttr) axes(c *Call) (int, error) {
	k := a.Axes
	if k == 0 {
		if k = 1; len(c.In) > 1 {
			k = len(c.shape(1))
		}
	}
	shape := c.shape(0)
	switch {
	case !(a.Eps >= 0) || math.IsInf(a.Eps, 1):
		return 0, fmt.Errorf("eps is %v", a.Eps)
	case k < 1 || len(shape) < k || ir.Product(shape[len(shape)-k:]) == 0:
		if k == 1 {
			return 0, fmt.Errorf("x is %v: it has no last axis to normalise", shape)
		}
		return 0, fmt.Errorf("x is %v: it has no %d last axes to normalise", shape, k)
	}
	for i := 1; i < len(c.In); i++ {
		if want := shape[len(shape)-k:]; !slices.Equal(c.shape(i), want) {
			return 0, fmt.Errorf("%s is %v, not %v for x of %v", normOperands[i].Name, c.shape(i), want, shape)
		}
	}
	return k, nil
}

// affine are the operands x, and scale and shift where they are not nil.
func affine(x, scale, shift *Node) []*Node {
	switch {
	case shift == nil && scale == nil:
		return []*Node{x}
	case shift == nil:
		return []*Node{x, scale}
	case scale == nil && !shift.bad:
		scale = shift.graph.Full(shift.dtype, 1, shift.shape...)
	case scale == nil:
		scale = shift
	}
	return []*Node{x, scale, shift}
}

// affineOperands are the operands of ops that scale and shift x, see affine.
var affineOperands = []Operand{{Name: "x"}, {Name: "scale", Optional: true}, {Name: "shift", Optional: true}}

var _ = define(Op{
	Name:       "layer_norm",
	Category:   "normalization",
	Attributes: AttributesOf[layerNormAttr](),
	Operands:   affineOperands,
	DTypes:     floats,
	Result:     layerNormResult,
	// Through the composition the derivative takes two sums over the last
	// axis, as the closed form does, and needs nothing computed again.
	Compose: func(c *Call) *Node {
		a := c.Attr.(layerNormAttr)
		k, _ := a.axes(c)
		x := widen(c.In[0])
		axes := ir.Range(x.Rank()-k, x.Rank())
		mean, variance := KeepDims(Mean(x, axes...)), KeepDims(Variance(x, axes...))
		inverse := Rsqrt(Add(variance, ScalarLike(variance, a.Eps)))
		if len(c.In) == 1 {
			return Cast(Mul(Sub(x, mean), inverse), c.dt(0))
		}
		y := Mul(Sub(x, mean), Mul(inverse, widen(c.In[1])))
		if len(c.In) > 2 {
			y = Add(y, widen(c.In[2]))
		}
		return Cast(y, c.dt(0))
	},
})

// normalise is scale · (x - mean) / √(variance + eps) + shift, in the dtype of
// operand 0.
func normalise(c *Call, x, mean, variance, scale, shift *Node) *Node {
	inverse := Rsqrt(Add(variance, ScalarLike(variance, c.Attr.(normAttr).Eps)))
	return Cast(Add(Mul(Sub(x, mean), Mul(inverse, scale)), shift), c.dt(0))
}

// perChannel is the rule of ops with parameters along axis 1.
func perChannel(c *Call) ([]int, tensor.DType, error) {
	if len(c.shape(0)) < 2 {
		return nil, 0, fmt.Errorf("x is %v, not [N C] or [N C ...]", c.shape(0))
	}
	return normRule(c, 1)
}

// normRule checks eps and that the operands behind x lie along axis.
func normRule(c *Call, axis int) ([]int, tensor.DType, error) {
	if eps := c.Attr.(normAttr).Eps; !(eps >= 0) || math.IsInf(eps, 1) {
		return nil, 0, fmt.Errorf("eps is %v", eps)
	}
	want := c.shape(0)[axis : axis+1]
	for i := 1; i < len(c.In); i++ {
		if !slices.Equal(c.shape(i), want) {
			return nil, 0, fmt.Errorf("%s is %v, not %v for x of %v", normOperands[i].Name, c.shape(i), want, c.shape(0))
		}
	}
	return same(c)
}

type normAttr struct {
	Eps float64 `default:"1e-5" doc:"added to the variance"`
}

var normOperands = [...]Operand{{Name: "x"}, {Name: "scale"}, {Name: "shift"}, {Name: "mean"}, {Name: "variance"}}

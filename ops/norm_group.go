package ops

import (
	"fmt"
	"math"
	"slices"

	"github.com/anycl/anycl/internal/ir"
	"github.com/anycl/anycl/tensor"
)

// GroupNorm returns x, [N, C, ...], normalised over the C/groups channels of each group and all positions:
//
//	y[n, c, p] = scale[c] · (x[n, c, p] - mean[n, g]) / √(variance[n, g] + eps) + shift[c]
//
// with the mean and population variance of group g of c. x is a float; scale and shift are [C], or nil for ones
// and zeros. 16-bit floats are computed in float32. Errors: dtypes differ; shapes; groups do not divide C; there is nothing to average;
// eps is negative or not finite.
// Source: Wu and He, Group Normalization (2018), section 3.1.
func GroupNorm(x *Node, groups int, scale, shift *Node, eps float64) *Node {
	return apply("group_norm", groupNormAttr{groups, eps}, affine(x, scale, shift)...)
}

type groupNormAttr struct {
	Groups int     `doc:"into which the channels are divided"`
	Eps    float64 `default:"1e-5" doc:"added to the variance"`
}

var _ = define(Op{
	Name: "group_norm", Category: "normalization", Attributes: AttributesOf[groupNormAttr](), Operands: affineOperands, DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		a, x := c.Attr.(groupNormAttr), c.shape(0)
		if len(x) >= 2 && (a.Groups < 1 || x[1]%a.Groups != 0) {
			return nil, 0, fmt.Errorf("%d channels in %d groups", x[1], a.Groups)
		}
		return channelNormRule(c, a.Eps)
	},
	Compose: func(c *Call) *Node { a := c.Attr.(groupNormAttr); return groupNorm(c, a.Groups, a.Eps) },
})

// channelNormRule checks eps, and operands with an element for each channel, axis 1 of operand 0.
func channelNormRule(c *Call, eps float64) ([]int, tensor.DType, error) {
	x := c.shape(0)
	switch {
	case len(x) < 2:
		return nil, 0, fmt.Errorf("x is %v, not [N C] or [N C ...]", x)
	case !(eps >= 0) || math.IsInf(eps, 1):
		return nil, 0, fmt.Errorf("eps is %v", eps)
	case ir.Product(x[1:]) == 0:
		return nil, 0, fmt.Errorf("x is %v: there is nothing to average", x)
	}
	for i := 1; i < len(c.In); i++ {
		if !slices.Equal(c.shape(i), x[1:2]) {
			return nil, 0, fmt.Errorf("%s is %v, not %v for x of %v", c.Op.Operands[i].Name, c.shape(i), x[1:2], x)
		}
	}
	return same(c)
}

func groupNorm(c *Call, groups int, eps float64) *Node {
	shape := c.shape(0)
	// Channels stay an axis of their own, along which scale and shift lie without a division of indices.
	x := Reshape(widen(c.In[0]), slices.Concat([]int{shape[0], groups, shape[1] / groups}, shape[2:])...)
	axes := ir.Range(2, x.Rank())
	along := func(i int) *Node {
		return Reshape(widen(c.In[i]), slices.Concat([]int{groups, shape[1] / groups}, slices.Repeat([]int{1}, len(shape)-2))...)
	}
	mean, variance := KeepDims(Mean(x, axes...)), KeepDims(Variance(x, axes...))
	inverse := Rsqrt(Add(variance, eps))
	if len(c.In) > 1 {
		inverse = Mul(inverse, along(1))
	}
	y := Mul(Sub(x, mean), inverse)
	if len(c.In) > 2 {
		y = Add(y, along(2))
	}
	return Reshape(Cast(y, c.dt(0)), shape...)
}

// InstanceNorm returns x, [N, C, ...], normalised over the positions of each channel of each of its N parts: [GroupNorm] with a group for
// each channel. Errors: as there.
// Source: Ulyanov, Vedaldi and Lempitsky, Instance Normalization (2016).
func InstanceNorm(x, scale, shift *Node, eps float64) *Node {
	return apply("instance_norm", normAttr{eps}, affine(x, scale, shift)...)
}

var _ = define(Op{
	Name: "instance_norm", Category: "normalization", Attributes: AttributesOf[normAttr](), Operands: affineOperands, DTypes: floats,
	Result:  func(c *Call) ([]int, tensor.DType, error) { return channelNormRule(c, c.Attr.(normAttr).Eps) },
	Compose: func(c *Call) *Node { return groupNorm(c, c.shape(0)[1], c.Attr.(normAttr).Eps) },
})

// RMSNorm returns x divided by its root mean square along its last axes, as many as scale has, or one:
//
//	y[p, i] = scale[i] · x[p, i] / √(mean_i x[p, i]² + eps)
//
// x is a float; scale may be nil for ones. 16-bit floats are computed in float32. Errors: as [LayerNorm].
// Source: Zhang and Sennrich, Root Mean Square Layer Normalization (2019), section 4.
func RMSNorm(x, scale *Node, eps float64) *Node { return RMSNormOver(x, 0, scale, eps) }

// RMSNormOver is [RMSNorm] over the last axes of x, as many as axes says. Errors: as there; x has fewer axes.
func RMSNormOver(x *Node, axes int, scale *Node, eps float64) *Node {
	return apply("rms_norm", layerNormAttr{eps, axes}, given([]*Node{x}, scale)...)
}

var _ = define(Op{
	Name: "rms_norm", Category: "normalization", Attributes: AttributesOf[layerNormAttr](), Operands: affineOperands[:2], DTypes: floats,
	Result: layerNormResult,
	Compose: func(c *Call) *Node {
		a := c.Attr.(layerNormAttr)
		k, _ := a.axes(c)
		x := widen(c.In[0])
		inverse := Rsqrt(Add(KeepDims(Mean(Square(x), ir.Range(x.Rank()-k, x.Rank())...)), a.Eps))
		if len(c.In) > 1 {
			return Cast(Mul(x, Mul(inverse, widen(c.In[1]))), c.dt(0))
		}
		return Cast(Mul(x, inverse), c.dt(0))
	},
})

// inversePower is x^-p; of quarters up to 1 by square roots, which take a tenth of the time of a power.
func inversePower(x *Node, p float64) *Node {
	switch p {
	case 0.25:
		return Rsqrt(Sqrt(x))
	case 0.5:
		return Rsqrt(x)
	case 0.75:
		r := Rsqrt(x)
		return Mul(r, Sqrt(r))
	case 1:
		return Div(ScalarLike(x, 1), x)
	}
	return Pow(x, ScalarLike(x, -p))
}

// LocalResponseNormOptions are the constants of [LocalResponseNorm]; 0 stands for 1e-4, 0.75 and 1, which are the defaults of PyTorch and
// ONNX.
type LocalResponseNormOptions struct {
	Size  int     `doc:"channels of a neighbourhood"`
	Alpha float64 `default:"0" doc:"factor of the mean square; 0: 0.0001"`
	Beta  float64 `default:"0" doc:"exponent; 0: 0.75"`
	K     float64 `default:"0" doc:"added; 0: 1"`
	Above bool    `default:"false" doc:"of an even size one more channel lies above than below, as in ONNX; else below, as in PyTorch"`
}

// LocalResponseNorm returns x, [N, C, ...], with each element divided by a power of K plus Alpha times the mean square of its neighbours:
//
//	y[n, c, p] = x[n, c, p] / (K + Alpha/Size · Σ_j x[n, j, p]²)^Beta
//
// over those of the Size channels j around c that exist. x is a float. Errors: rank; size is below 1; dtype not float.
// Source: Krizhevsky, Sutskever and Hinton, ImageNet Classification (2012), section 3.3; ONNX, operator LRN.
func LocalResponseNorm(x *Node, o LocalResponseNormOptions) *Node {
	return apply("local_response_norm", o, x)
}

var _ = define(Op{
	Name: "local_response_norm", Category: "normalization", Attributes: AttributesOf[LocalResponseNormOptions](), Operands: operandX,
	DTypes: floats,
	Result: func(c *Call) ([]int, tensor.DType, error) {
		o := c.Attr.(LocalResponseNormOptions)
		if len(c.shape(0)) < 2 || o.Size < 1 {
			return nil, 0, fmt.Errorf("a neighbourhood of %d channels in x of %v, not [N C ...]", o.Size, c.shape(0))
		}
		return same(c)
	},
	Compose: func(c *Call) *Node {
		o, x := c.Attr.(LocalResponseNormOptions), widen(c.In[0])
		or := func(v, standard float64) float64 {
			if v == 0 {
				return standard
			}
			return v
		}
		below := o.Size / 2
		if o.Above {
			below = (o.Size - 1) / 2
		}
		squares := Windows(Pad(Square(x), 0, Padding{1, below, o.Size - 1 - below}), Window{Axis: 1, Size: o.Size})
		base := Add(Mul(Sum(squares, -1), or(o.Alpha, 1e-4)/float64(o.Size)), or(o.K, 1))
		return Cast(Mul(x, inversePower(base, or(o.Beta, 0.75))), c.dt(0))
	},
})

// BatchNormOptions are the constants of [BatchNormRunning]; 0 stands for the default of PyTorch.
type BatchNormOptions struct {
	Eps      float64 `default:"0" doc:"added to the variance; 0: 0.00001"`
	Momentum float64 `default:"0" doc:"share of the batch in the new running statistics; 0: 0.1"`
	Biased   bool    `default:"false" doc:"the running variance is the population variance, as in ONNX, not that of a sample"`
}

func (o BatchNormOptions) normal() BatchNormOptions {
	if o.Eps == 0 {
		o.Eps = 1e-5
	}
	if o.Momentum == 0 {
		o.Momentum = 0.1
	}
	return o
}

// BatchNormRunning is a step of training: x normalised with its own statistics, as [BatchNormTrain] does, and the running averages of
// these, into which those of x go:
//
//	mean'     = (1 - Momentum) · mean + Momentum · mean of x
//	variance' = (1 - Momentum) · variance + Momentum · variance of x · n / (n - 1)
//
// where n is how many elements a channel of x has. ONNX's momentum is 1 - Momentum. mean and variance are [C]; scale and shift
// may be nil. They may be variables, which take the results as updates:
//
//	y, mean, variance := ops.BatchNormRunning(x, scale, shift, runningMean, runningVariance, nil)
//	updates := []*ops.Node{ops.Assign(runningMean, mean), ops.Assign(runningVariance, variance)}
//
// Errors: as BatchNormTrain; a momentum outside [0, 1].
// Source: Ioffe and Szegedy, Batch Normalization (2015); PyTorch, torch.nn.functional.batch_norm.
func BatchNormRunning(x, scale, shift, mean, variance *Node, o *BatchNormOptions) (y, newMean, newVariance *Node) {
	scale, shift = given2(scale, shift, mean)
	r := ApplyAll("batch_norm_running", valueOf(o), x, scale, shift, mean, variance)
	return r[0], r[1], r[2]
}

var _ = define(Op{
	Name: "batch_norm_running", Category: "normalization", Attributes: AttributesOf[BatchNormOptions](), Operands: normOperands[:],
	DTypes:      floats,
	ResultNames: []string{"y", "mean", "variance"},
	Results: func(c *Call) ([]Result, error) {
		o := c.Attr.(BatchNormOptions).normal()
		if !(o.Momentum >= 0 && o.Momentum <= 1) {
			return nil, fmt.Errorf("momentum is %v", o.Momentum)
		}
		shape, dt, err := channelNormRule(c, o.Eps)
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
		o, x := c.Attr.(BatchNormOptions).normal(), widen(c.In[0])
		mean, variance := batchStatistics(x)
		inverse := Rsqrt(Add(alongChannels(c, variance), o.Eps))
		y := Add(Mul(Sub(x, alongChannels(c, mean)), Mul(inverse, channels(c, 1))), channels(c, 2))
		n := float64(x.Size() / x.shape[1])
		unbiased := 1.0
		if !o.Biased {
			unbiased = n / (n - 1)
		}
		running := func(old, new *Node, factor float64) *Node {
			if math.IsInf(factor, 0) { // of one element: 0 / 0
				factor = math.NaN()
			}
			old = widen(old)
			return Cast(Add(Mul(old, 1-o.Momentum), Mul(new, ScalarLike(old, o.Momentum*factor))), c.dt(0))
		}
		return []*Node{Cast(y, c.dt(0)), running(c.In[3], mean, 1), running(c.In[4], variance, unbiased)}
	},
})

package ops

import (
	"fmt"
	"math"

	"github.com/anycl/anycl/internal/ir"
)

// BatchNormOptions are the constants of [BatchNormRunning]; 0 stands for what PyTorch has.
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
	Name: "batch_norm_running", Category: "normalization", Attributes: AttributesOf[BatchNormOptions](), Operands: normOperands[:], DTypes: floats,
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

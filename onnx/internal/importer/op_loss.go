package importer

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

var _ = define(func() []*operator {
	return []*operator{
		{name: "NegativeLogLikelihoodLoss", since: 12, build: func(c *call) []*value {
			return out(nll(c, c.x(0), c.x(1), c.opt(2)))
		}},
		{name: "SoftmaxCrossEntropyLoss", since: 12, build: func(c *call) []*value {
			logp := ops.LogSoftmax(c.x(0), 1)
			return out(nll(c, logp, c.x(1), c.opt(2)), logp)
		}},
	}
})

// nll is the loss of log-probabilities [N, C, ...] for labels [N, ...].
func nll(c *call, logp, labels, weight *ops.Node) *ops.Node {
	labels = ops.Cast(labels, tensor.Int64)
	picked := ops.Squeeze(ops.GatherElements(logp, 1, ops.Unsqueeze(labels, 1), &ops.IndexOptions{NegativeIndices: true}), 1)
	loss := ops.Neg(picked)
	w := ops.OnesLike(loss)
	if weight != nil {
		w = ops.Gather(weight, 0, ops.WrapIndices(labels, weight, 0))
	}
	if c.given("ignore_index") {
		w = ops.Where(ops.Equal(labels, int64(c.int("ignore_index", 0))), ops.ZerosLike(w), w)
	}
	// an ignored label may name no class, whose probability reads 0
	loss = ops.Mul(loss, w)
	switch r := c.str("reduction", "mean"); r {
	case "none":
		return loss
	case "sum":
		return ops.Sum(loss)
	case "mean":
		if weight == nil && !c.given("ignore_index") {
			return ops.Mean(loss)
		}
		return ops.Div(ops.Sum(loss), ops.Sum(w))
	default:
		c.refuse("reduction %q is not known", r)
		return nil
	}
}

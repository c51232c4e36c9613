package opinfo

import (
	"github.com/anycl/anycl/ops"
)

// losses are those of torch.nn.functional.
func losses() []*Row {
	// row is a loss of two tensors; its attributes are named after PyTorch's arguments.
	row := func(name, function, op, second, more string, others func(c *Call) attrs) *Row {
		return &Row{Torch: "nn.functional." + name, Signature: "input " + second + " " + more, Go: "ops." + function + "(x, " + second +
			", &ops.LossOptions{...})", Build: func(c *Call) []*ops.Node {
			a := attrs{}
			if others != nil {
				a = others(c)
			}
			x, y := c.x("input"), c.x(second)
			if labels := op == "multi_margin_loss" || op == "multilabel_margin_loss"; labels && x.Rank() == 0 {
				x = ops.Reshape(x, 1)
				if op == "multilabel_margin_loss" {
					y = ops.Reshape(y, 1)
				}
			}
			if op == "multi_margin_loss" && x.Rank() == 1 {
				y = ops.Reshape(y)
			}
			return list(c.loss(op, a, x, x, y, c.x("weight")))
		}}
	}
	const tail = "size_average reduce reduction"
	labelled := func(name, function, op string) *Row {
		return &Row{Torch: "nn.functional." + name, Signature: "input target weight size_average ignore_index reduce reduction label_smoothing",
			Grads: "input", Go: "ops." + function + "(x, labels, &ops.ClassLossOptions{...})", Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				a := attrs{"ignore": c.int("ignore_index", -100)}
				if c.has("label_smoothing") {
					a["smoothing"] = c.float("label_smoothing", 0)
				}
				return list(c.loss(op, a, x, x, c.x("target"), c.x("weight")))
			}}
	}
	return []*Row{
		row("l1_loss", "L1Loss", "l1_loss", "target", tail, nil),
		row("mse_loss", "MSELoss", "mse_loss", "target", tail, nil),
		row("smooth_l1_loss", "SmoothL1Loss", "smooth_l1_loss", "target", tail+" beta",
			func(c *Call) attrs { return attrs{"threshold": c.float("beta", 1)} }),
		row("huber_loss", "HuberLoss", "huber_loss", "target", "reduction delta",
			func(c *Call) attrs { return attrs{"threshold": c.float("delta", 1)} }),
		row("kl_div", "KLDivLoss", "kl_div_loss", "target", tail+" log_target",
			func(c *Call) attrs { return attrs{"log_target": c.bool("log_target", false)} }),
		row("binary_cross_entropy", "BCELoss", "bce_loss", "target", "weight "+tail, nil),
		{Torch: "nn.functional.binary_cross_entropy_with_logits", Signature: "input target weight size_average reduce reduction pos_weight",
			Go: "ops.BCEWithLogitsLoss(x, target, &ops.LossOptions{...})", Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				if p := c.x("pos_weight"); p != nil {
					return list(c.loss("bce_with_logits_loss", attrs{"pos_weight": true}, x, x, c.x("target"), p, c.x("weight")))
				}
				return list(c.loss("bce_with_logits_loss", attrs{}, x, x, c.x("target"), c.x("weight")))
			}},
		row("soft_margin_loss", "SoftMarginLoss", "soft_margin_loss", "target", tail, nil),
		row("hinge_embedding_loss", "HingeEmbeddingLoss", "hinge_embedding_loss", "target", "margin "+tail,
			func(c *Call) attrs { return attrs{"margin": c.float("margin", 1)} }),
		row("poisson_nll_loss", "PoissonNLLLoss", "poisson_nll_loss", "target", "log_input full size_average eps reduce reduction",
			func(c *Call) attrs {
				return attrs{"log_input": c.bool("log_input", true), "full": c.bool("full", false), "eps": c.float("eps", 1e-8)}
			}),
		{Torch: "nn.functional.gaussian_nll_loss", Signature: "input target var full eps reduction",
			Go: "ops.GaussianNLLLoss(x, target, variance, &ops.LossOptions{...})", Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				v := c.x("var")
				if v.Rank() == x.Rank()-1 && v.Rank() > 0 {
					v = ops.ExpandDims(v, -1)
				}
				return list(c.loss("gaussian_nll_loss", attrs{"full": c.bool("full", false), "eps": c.float("eps", 1e-6)}, x, x, c.x("target"), v))
			}},
		labelled("nll_loss", "NLLLoss", "nll_loss"), labelled("cross_entropy", "CrossEntropyLoss", "cross_entropy_loss"),
		row("multi_margin_loss", "MultiMarginLoss", "multi_margin_loss", "target", "p margin weight "+tail, func(c *Call) attrs {
			return attrs{"p": c.int("p", 1), "margin": c.float("margin", 1)}
		}),
		row("multilabel_margin_loss", "MultiLabelMarginLoss", "multilabel_margin_loss", "target", tail, nil),
		row("multilabel_soft_margin_loss", "MultiLabelSoftMarginLoss", "multilabel_soft_margin_loss", "target", "weight "+tail, nil),
		{Torch: "nn.functional.margin_ranking_loss", Signature: "input input2 target margin " + tail,
			Go: "ops.MarginRankingLoss(x1, x2, target, &ops.LossOptions{...})", Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				return list(c.loss("margin_ranking_loss", attrs{"margin": c.float("margin", 0)}, x, x, c.x("input2"), c.x("target")))
			}},
		{Torch: "nn.functional.cosine_embedding_loss", Signature: "input input2 target margin " + tail,
			Go: "ops.CosineEmbeddingLoss(x1, x2, target, &ops.LossOptions{...})", Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				return list(c.loss("cosine_embedding_loss", attrs{"margin": c.float("margin", 0)}, x, x, c.x("input2"), c.x("target")))
			}},
		{Torch: "nn.functional.triplet_margin_loss", Signature: "input positive negative margin p eps swap " + tail,
			Go: "ops.TripletMarginLoss(anchor, positive, negative, &ops.TripletOptions{...})", Build: func(c *Call) []*ops.Node {
				x := c.x("input")
				return list(c.loss("triplet_margin_loss", attrs{"margin": c.float("margin", 1), "p": c.float("p", 2), "eps": c.float("eps", 1e-6),
					"swap": c.bool("swap", false)}, x, x, c.x("positive"), c.x("negative")))
			}},
		{Torch: "nn.functional.ctc_loss", Signature: "input targets input_lengths target_lengths blank reduction zero_infinity",
			Go:   "ops.CTCLoss(ops.LogSoftmax(x, -1), targets, inputLengths, targetLengths, &ops.CTCOptions{...})",
			Note: "PyTorch gives the derivative by what went into the log_softmax, though it takes what came out: a second one changes nothing and gives that", Grads: "input", Build: func(c *Call) []*ops.Node {
				x := call("log_softmax", attrs{"axis": -1}, c.x("input"))
				return list(c.loss("ctc_loss", attrs{"blank": c.int("blank", 0), "zero_infinity": c.bool("zero_infinity", false)}, x, x,
					c.x("targets"), c.x("input_lengths"), c.x("target_lengths")))
			}},
	}
}

// loss calls a loss with the reduction that is wanted.
func (c *Call) loss(op string, a attrs, x *ops.Node, in ...*ops.Node) *ops.Node {
	r := c.str("reduction", "mean")
	if r == "batchmean" {
		r = "batch_mean"
	}
	a["reduction"] = r
	for i, n := range in { // labels and targets of other dtypes than the input's
		if n != nil && n.DType().IsFloat() && n.DType() != x.DType() {
			in[i] = cast(n, x.DType())
		}
	}
	return call(op, a, in...)
}

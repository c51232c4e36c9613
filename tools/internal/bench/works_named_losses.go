package bench

import "github.com/anycl/anycl/ops"

func namedLosses() []*named {
	logits, labels := floats(4096, 1000), integers(1000, 4096)
	pair := []leaf{floats(1024, 1024), floats(1024, 1024)}
	loss := func(name, torch string, f func(a, b *ops.Node) *ops.Node) *named {
		return &named{name: name + "/1024x1024", torch: torch, leaves: pair, ours: of2(f)}
	}
	return []*named{
		{name: "cross-entropy-smoothed/4096x1000", torch: "F.cross_entropy({0}, {1}, label_smoothing=0.1)", leaves: []leaf{logits, labels},
			ours: func(x []*ops.Node) *ops.Node {
				return ops.CrossEntropyLoss(x[0], x[1], &ops.ClassLossOptions{Smoothing: 0.1})
			},
			composed: func(x []*ops.Node) *ops.Node {
				p := ops.LogSoftmax(x[0], 1)
				target := ops.Add(ops.Mul(ops.OneHot(x[1], 1000, p.DType()), 0.9), 0.1/1000)
				return ops.Neg(ops.Mean(ops.Sum(ops.Mul(p, target), 1)))
			}},
		{name: "cross-entropy-grad/4096x1000", torch: "F.cross_entropy({0}, {1}, reduction='none')", leaves: []leaf{logits, labels},
			grad: []int{4096},
			ours: func(x []*ops.Node) *ops.Node {
				return ops.CrossEntropyLoss(x[0], x[1], &ops.ClassLossOptions{Reduction: ops.LossNone})
			}},
		loss("mse-loss", "F.mse_loss({0}, {1})", func(a, b *ops.Node) *ops.Node { return ops.MSELoss(a, b, nil) }),
		loss("smooth-l1-loss", "F.smooth_l1_loss({0}, {1})", func(a, b *ops.Node) *ops.Node { return ops.SmoothL1Loss(a, b, 1, nil) }),
		loss("huber-loss", "F.huber_loss({0}, {1})", func(a, b *ops.Node) *ops.Node { return ops.HuberLoss(a, b, 1, nil) }),
		loss("bce-with-logits", "F.binary_cross_entropy_with_logits({0}, torch.sigmoid({1}))",
			func(a, b *ops.Node) *ops.Node { return ops.BCEWithLogitsLoss(a, ops.Sigmoid(b), nil, nil) }),
		loss("kl-div", "F.kl_div({0}, torch.sigmoid({1}), reduction='mean')",
			func(a, b *ops.Node) *ops.Node { return ops.KLDivLoss(a, ops.Sigmoid(b), false, nil) }),
		loss("cosine-similarity", "F.cosine_similarity({0}, {1})", func(a, b *ops.Node) *ops.Node { return ops.CosineSimilarity(a, b, 1, 1e-8) }),
		loss("gaussian-nll", "F.gaussian_nll_loss({0}, {1}, torch.sigmoid({1}))", func(a, b *ops.Node) *ops.Node {
			return ops.GaussianNLLLoss(a, b, ops.Sigmoid(b), false, 1e-6, nil)
		}),
		loss("poisson-nll", "F.poisson_nll_loss({0}, {1})",
			func(a, b *ops.Node) *ops.Node { return ops.PoissonNLLLoss(a, b, ops.PoissonNLLOptions{}, nil) }),
		{name: "triplet-margin/1024x256", torch: "F.triplet_margin_loss({0}, {1}, {2})",
			leaves: []leaf{floats(1024, 256), floats(1024, 256), floats(1024, 256)},
			ours: func(x []*ops.Node) *ops.Node {
				return ops.TripletMarginLoss(x[0], x[1], x[2], ops.TripletOptions{}, nil)
			}},
		{name: "ctc-loss/100x16x64-30", torch: "F.ctc_loss(torch.log_softmax({0}, 2), {1} + 1, torch.full((16,), 100), torch.full((16,), 30))",
			leaves: []leaf{floats(100, 16, 64), integers(63, 16, 30)},
			ours: func(x []*ops.Node) *ops.Node {
				g := x[0].Graph()
				return ops.CTCLoss(ops.LogSoftmax(x[0], 2), ops.Add(x[1], 1), g.Full(x[1].DType(), 100, 16), g.Full(x[1].DType(), 30, 16), nil)
			}},
	}
}

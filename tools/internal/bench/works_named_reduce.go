package bench

import "github.com/anycl/anycl/ops"

func namedReductions() []*named {
	image := []leaf{floats(1024, 1024)}
	wide := []leaf{floats(256, 4096)}
	return []*named{
		{name: "logsumexp/1024x1024", torch: "torch.logsumexp({0}, 1)", leaves: image,
			ours: func(x []*ops.Node) *ops.Node { return ops.LogSumExp(x[0], 1) },
			composed: func(x []*ops.Node) *ops.Node {
				most := ops.Max(x[0], 1)
				return ops.Add(ops.Log(ops.Sum(ops.Exp(ops.Sub(x[0], ops.ExpandDims(most, 1))), 1)), most)
			}},
		{name: "variance/1024x1024", torch: "torch.var({0}, 1)", leaves: image,
			ours: func(x []*ops.Node) *ops.Node { return ops.Var(x[0], 1, 1) },
			composed: func(x []*ops.Node) *ops.Node {
				d := ops.Sub(x[0], ops.ExpandDims(ops.Mean(x[0], 1), 1))
				return ops.Div(ops.Sum(ops.Square(d), 1), 1023)
			}},
		{name: "std-columns/1024x1024", torch: "torch.std({0}, 0)", leaves: image,
			ours: func(x []*ops.Node) *ops.Node { return ops.Std(x[0], 1, 0) }},
		{name: "vector-norm/1024x1024", torch: "torch.linalg.vector_norm({0}, 3, 1)", leaves: image,
			ours: func(x []*ops.Node) *ops.Node { return ops.VectorNorm(x[0], 3, 1) }},
		{name: "prod/1024x1024", torch: "torch.prod({0}, 1)", leaves: []leaf{floats(1024, 1024).drawn(0.05, 1)},
			ours: func(x []*ops.Node) *ops.Node { return ops.Prod(x[0], 1) }},
		{name: "nansum/1024x1024", torch: "torch.nansum({0}, 1)", leaves: image,
			ours:     func(x []*ops.Node) *ops.Node { return ops.NanSum(x[0], 1) },
			composed: func(x []*ops.Node) *ops.Node { return ops.Sum(ops.Where(ops.IsNaN(x[0]), 0, x[0]), 1) }},
		{name: "count-nonzero/1024x1024", torch: "torch.count_nonzero({0}, 1)", leaves: image,
			ours: func(x []*ops.Node) *ops.Node { return ops.CountNonzero(x[0], 1) }},
		{name: "any/1024x1024", torch: "torch.any({0} > 3, 1)", leaves: image,
			ours: func(x []*ops.Node) *ops.Node { return ops.Any(ops.Greater(x[0], 3), 1) }},
		{name: "max-with-index/1024x1024", torch: "torch.max({0}, 1)[0]", leaves: image,
			ours: func(x []*ops.Node) *ops.Node { return first(ops.MaxWithIndex(x[0], 1)) }},
		{name: "median/256x4096", torch: "torch.median({0}, 1)[0]", leaves: wide,
			ours: func(x []*ops.Node) *ops.Node { return ops.Median(x[0], 1) },
			composed: func(x []*ops.Node) *ops.Node {
				return ops.Select(first(ops.Sort(x[0], 1, nil)), 1, 2047)
			}},
		{name: "quantile/256x4096", torch: "torch.quantile({0}, 0.3, 1)", leaves: wide,
			ours: func(x []*ops.Node) *ops.Node { return ops.Quantile(x[0], 0.3, nil, 1) },
			composed: func(x []*ops.Node) *ops.Node {
				s := first(ops.Sort(x[0], 1, nil))
				return ops.Lerp(ops.Select(s, 1, 1228), ops.Select(s, 1, 1229), 0.5)
			}},
		{name: "mode/256x4096", torch: "torch.mode({0}, 1)[0]", leaves: []leaf{integers(50, 256, 4096)},
			ours: func(x []*ops.Node) *ops.Node { return first(ops.Mode(x[0], 1)) }},
		{name: "cov/256x4096", torch: "torch.cov({0})", leaves: wide, ours: func(x []*ops.Node) *ops.Node { return ops.Cov(x[0], nil) }},
	}
}

func namedOrders() []*named {
	rows, columns := []leaf{floats(1024, 1024).drawn(0.01, 1)}, []leaf{floats(1024, 1024).drawn(0.01, 1)}
	sum := func(name, torch string, leaves []leaf, f func(x *ops.Node) *ops.Node) *named {
		return &named{name: name, torch: torch, bytes: 8 * million, leaves: leaves, ours: of(f), tolerance: 1e-3}
	}
	return []*named{
		sum("cumprod-rows/1024x1024", "torch.cumprod({0}, 1)", rows, func(x *ops.Node) *ops.Node { return ops.CumProd(x, 1, nil) }),
		sum("cumprod-columns/1024x1024", "torch.cumprod({0}, 0)", columns, func(x *ops.Node) *ops.Node { return ops.CumProd(x, 0, nil) }),
		sum("cummax-rows/1024x1024", "torch.cummax({0}, 1)[0]", rows, func(x *ops.Node) *ops.Node { return first(ops.CumMax(x, 1, nil)) }),
		sum("cummax-columns/1024x1024", "torch.cummax({0}, 0)[0]", columns, func(x *ops.Node) *ops.Node { return first(ops.CumMax(x, 0, nil)) }),
		sum("logcumsumexp/1024x1024", "torch.logcumsumexp({0}, 1)", rows, func(x *ops.Node) *ops.Node { return ops.LogCumSumExp(x, 1, nil) }),
		sum("diff/1024x1024", "torch.diff({0}, dim=1)", rows, func(x *ops.Node) *ops.Node { return ops.Diff(x, 1, 1) }),
		sum("trapezoid/1024x1024", "torch.trapezoid({0}, dx=0.5)", rows, func(x *ops.Node) *ops.Node { return ops.Trapezoid(x, 0.5, -1) }),
		{name: "kth-value/256x4096", torch: "torch.kthvalue({0}, 100, 1)[0]", leaves: []leaf{floats(256, 4096)},
			ours:     func(x []*ops.Node) *ops.Node { return first(ops.KthValue(x[0], 100, 1)) },
			composed: func(x []*ops.Node) *ops.Node { return ops.Select(first(ops.Sort(x[0], 1, nil)), 1, 99) }},
		{name: "histogram/1Mi", torch: "torch.histc({0}, 100, -3, 3)", leaves: []leaf{floats(million)},
			ours: func(x []*ops.Node) *ops.Node { return ops.HistC(x[0], 100, -3, 3) }},
		{name: "bincount/1Mi", torch: "torch.bincount({0}, minlength=256)", leaves: []leaf{integers(256, million)},
			ours: func(x []*ops.Node) *ops.Node { return ops.BinCount(x[0], 256, nil) },
			composed: func(x []*ops.Node) *ops.Node {
				g := x[0].Graph()
				return ops.ScatterAdd(g.Zeros(x[0].DType(), 256), 0, x[0], ops.OnesLike(x[0]))
			}},
		{name: "searchsorted/256Ki", torch: "torch.searchsorted(torch.cumsum({0} * {0} + 1e-3, 0), {1})",
			leaves: []leaf{floats(1024), floats(1<<18).drawn(200, 500)},
			ours: func(x []*ops.Node) *ops.Node {
				return ops.SearchSorted(ops.CumSum(ops.Add(ops.Square(x[0]), 1e-3), 0, nil), x[1], nil)
			}},
	}
}

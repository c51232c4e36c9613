package bench

import (
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/special"
)

// namedWorks are ops that users look for under their names: each beside PyTorch's, and beside its composition of other ops.
func namedWorks() []*Work {
	var works []*Work
	for _, n := range slices.Concat(namedElements(), namedReductions(), namedOrders(), namedMoves(), namedIndexing(), namedLayers(),
		namedLosses(), namedMatrices()) {
		works = append(works, n.work())
	}
	return works
}

// million is how many elements most of these have.
const million = 1 << 20

// of is f of one operand, for a table.
func of(f func(x *ops.Node) *ops.Node) func(x []*ops.Node) *ops.Node {
	return func(x []*ops.Node) *ops.Node { return f(x[0]) }
}

// of2 is f of two.
func of2(f func(a, b *ops.Node) *ops.Node) func(x []*ops.Node) *ops.Node {
	return func(x []*ops.Node) *ops.Node { return f(x[0], x[1]) }
}

// first is the first of two results.
func first(a, _ *ops.Node) *ops.Node { return a }

func namedElements() []*named {
	var all []*named
	unary := func(name, torch string, f func(x *ops.Node) *ops.Node) {
		all = append(all, &named{name: name + "/1Mi", torch: torch, bytes: 8 * million, leaves: []leaf{floats(million).drawn(0.2, 0.5)},
			ours: of(f)})
	}
	unary("acosh", "torch.acosh({0} + 2)", func(x *ops.Node) *ops.Node { return ops.Acosh(ops.Add(x, 2)) })
	unary("asinh", "torch.asinh({0})", ops.Asinh)
	unary("atanh", "torch.atanh({0} * 0.5)", func(x *ops.Node) *ops.Node { return ops.Atanh(ops.Mul(x, 0.5)) })
	unary("erfc", "torch.erfc({0})", ops.Erfc)
	unary("erfinv", "torch.erfinv({0} * 0.5)", func(x *ops.Node) *ops.Node { return ops.Erfinv(ops.Mul(x, 0.5)) })
	unary("lgamma", "torch.lgamma({0})", special.LGamma)
	unary("digamma", "torch.digamma({0} + 3)", func(x *ops.Node) *ops.Node { return special.Digamma(ops.Add(x, 3)) })
	unary("polygamma", "torch.polygamma(2, {0} + 3)", func(x *ops.Node) *ops.Node { return special.Polygamma(2, ops.Add(x, 3)) })
	unary("i0", "torch.special.i0({0})", special.I0)
	unary("i1e", "torch.special.i1e({0})", special.I1e)
	unary("ndtri", "torch.special.ndtri(torch.sigmoid({0}))", func(x *ops.Node) *ops.Node { return ops.NDTRI(ops.Sigmoid(x)) })
	unary("log-ndtr", "torch.special.log_ndtr({0})", ops.LogNDTR)
	unary("sinc", "torch.sinc({0})", ops.Sinc)
	unary("exp2", "torch.exp2({0})", ops.Exp2)
	unary("log1p", "torch.log1p({0} * {0})", func(x *ops.Node) *ops.Node { return ops.Log1p(ops.Mul(x, x)) })
	unary("logit", "torch.logit({0}, 1e-6)", func(x *ops.Node) *ops.Node { return ops.Logit(x, 1e-6) })
	unary("entr", "torch.special.entr({0} * {0})", func(x *ops.Node) *ops.Node { return ops.Entr(ops.Mul(x, x)) })
	unary("nan-to-num", "torch.nan_to_num({0})", func(x *ops.Node) *ops.Node { return ops.NanToNum(x, 0, 1e30, -1e30) })
	unary("mish", "F.mish({0})", ops.Mish)
	unary("celu", "F.celu({0})", func(x *ops.Node) *ops.Node { return ops.CELU(x, 1) })
	unary("hardswish", "F.hardswish({0})", ops.HardSwish)
	unary("softplus", "F.softplus({0})", func(x *ops.Node) *ops.Node { return ops.SoftplusBeta(x, 1, 20) })
	unary("softsign", "F.softsign({0})", ops.SoftSign)
	unary("tanhshrink", "F.tanhshrink({0})", ops.TanhShrink)
	unary("frac", "torch.frac({0})", ops.Frac)
	unary("chebyshev", "torch.special.chebyshev_polynomial_t({0}, torch.tensor(7))",
		func(x *ops.Node) *ops.Node { return special.ChebyshevT(x, 7) })
	unary("hermite", "torch.special.hermite_polynomial_h({0}, torch.tensor(5))", func(x *ops.Node) *ops.Node { return special.HermiteH(x, 5) })

	binary := func(name, torch string, f func(a, b *ops.Node) *ops.Node) {
		all = append(all, &named{
			name: name + "/1Mi", torch: torch, bytes: 12 * million, ours: of2(f),
			leaves: []leaf{floats(million).drawn(0.2, 1.5), floats(million).drawn(0.2, 1.5)},
		})
	}
	binary("hypot", "torch.hypot({0}, {1})", ops.Hypot[*ops.Node, *ops.Node])
	binary("atan2", "torch.atan2({0}, {1})", ops.Atan2[*ops.Node, *ops.Node])
	binary("copysign", "torch.copysign({0}, {1})", ops.Copysign[*ops.Node, *ops.Node])
	binary("nextafter", "torch.nextafter({0}, {1})", ops.NextAfter[*ops.Node, *ops.Node])
	binary("logaddexp", "torch.logaddexp({0}, {1})", ops.LogAddExp[*ops.Node, *ops.Node])
	binary("xlogy", "torch.xlogy({0}, {1})", ops.XLogY[*ops.Node, *ops.Node])
	binary("floor-divide", "torch.floor_divide({0}, {1})", ops.FloorDivide[*ops.Node, *ops.Node])
	binary("remainder", "torch.remainder({0}, {1})", ops.Mod[*ops.Node, *ops.Node])
	binary("fmod", "torch.fmod({0}, {1})", ops.Fmod[*ops.Node, *ops.Node])
	binary("fmax", "torch.fmax({0}, {1})", ops.Fmax[*ops.Node, *ops.Node])
	binary("igamma", "torch.igamma({0}, {1})", special.IGamma[*ops.Node, *ops.Node])
	binary("zeta", "torch.special.zeta({0} + 1, {1})", func(a, b *ops.Node) *ops.Node { return special.Zeta(ops.Add(a, 1), b) })
	binary("heaviside", "torch.heaviside({0}, {1})", ops.Heaviside[*ops.Node, *ops.Node])
	binary("is-close", "torch.isclose({0}, {1})", func(a, b *ops.Node) *ops.Node { return ops.IsClose(a, b, nil) })
	all = append(all,
		&named{
			name: "lerp/1Mi", torch: "torch.lerp({0}, {1}, {2})", bytes: 16 * million,
			leaves: []leaf{floats(million), floats(million), floats(million)},
			ours:   func(x []*ops.Node) *ops.Node { return ops.Lerp(x[0], x[1], x[2]) },
		},
		&named{
			name: "gcd/1Mi", torch: "torch.gcd({0}, {1})", bytes: 24 * million, leaves: []leaf{integers(100000, million), integers(100000, million)},
			ours: of2(ops.GCD[*ops.Node, *ops.Node]),
		},
	)
	return all
}

package bench

import (
	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/ops/fft"
	"github.com/anycl/anycl/ops/linalg"
)

// namedMatrices are products and decompositions; the latter run on the CPU engine.
func namedMatrices() []*named {
	batch, square, big := floats(64, 32, 32), floats(256, 256), floats(512, 512)
	// positive is a positive definite matrix made of x.
	positive := func(x *ops.Node) *ops.Node {
		g := x.Graph()
		n := x.Dim(-1)
		return ops.Add(ops.MatMul(x, ops.SwapAxes(x, -1, -2)), ops.Mul(g.Eye(x.DType(), n, n, 0), float64(n)))
	}
	const spd = "({0} @ {0}.mT + {0}.shape[-1] * torch.eye({0}.shape[-1]))"
	decompose := func(name, torch string, leaves []leaf, f func(x []*ops.Node) *ops.Node) *named {
		return &named{name: name, torch: torch, leaves: leaves, ours: f, tolerance: 1e-3}
	}
	return []*named{
		{name: "einsum/64x32x32-bij,bkj", torch: "torch.einsum('bij,bkj->bik', {0}, {1})", leaves: []leaf{batch, batch},
			ours: of2(func(a, b *ops.Node) *ops.Node { return ops.Einsum("bij,bkj->bik", a, b) })},
		{name: "einsum/256x256x256-ij,jk,kl", torch: "torch.einsum('ij,jk,kl->il', {0}, {1}, {2})", leaves: []leaf{square, square, square},
			ours: func(x []*ops.Node) *ops.Node { return ops.Einsum("ij,jk,kl->il", x...) }},
		{name: "tensordot/32x64x32", torch: "torch.tensordot({0}, {1}, 1)", leaves: []leaf{floats(32, 64, 32), floats(32, 64, 32)},
			ours: of2(func(a, b *ops.Node) *ops.Node { return ops.TensorDot(a, b, []int{2}, []int{0}) })},
		{name: "kron/32x32-32x32", torch: "torch.kron({0}, {1})", leaves: []leaf{floats(32, 32), floats(32, 32)}, bytes: 4 * million,
			ours: of2(ops.Kron)},
		{name: "outer/1024-1024", torch: "torch.outer({0}, {1})", leaves: []leaf{floats(1024), floats(1024)}, bytes: 4 * million,
			ours: of2(ops.Outer)},
		{name: "cdist/1024x64", torch: "torch.cdist({0}, {1})", leaves: []leaf{floats(1024, 64), floats(1024, 64)}, tolerance: 1e-3,
			ours: of2(func(a, b *ops.Node) *ops.Node { return linalg.Cdist(a, b, 2, linalg.CdistAuto) }),
			composed: of2(func(a, b *ops.Node) *ops.Node {
				return ops.Sqrt(ops.Sum(ops.Square(ops.Sub(ops.ExpandDims(a, 1), ops.ExpandDims(b, 0))), -1))
			})},
		{name: "cross/256Kix3", torch: "torch.cross({0}, {1}, dim=1)", leaves: []leaf{floats(1<<18, 3), floats(1<<18, 3)},
			ours: of2(func(a, b *ops.Node) *ops.Node { return linalg.Cross(a, b, 1) })},
		{name: "addmm/512", torch: "torch.addmm({0}, {1}, {2})", leaves: []leaf{big, big, big},
			ours: func(x []*ops.Node) *ops.Node { return ops.Addmm(x[0], x[1], x[2], nil) }},
		{name: "matrix-power/256-5", torch: "torch.linalg.matrix_power({0}, 5)", leaves: []leaf{floats(256, 256).drawn(0.06, 0)},
			ours: of(func(x *ops.Node) *ops.Node { return linalg.MatrixPower(x, 5) }), tolerance: 1e-3},
		decompose("cholesky/512", "torch.linalg.cholesky("+spd+")", []leaf{big},
			of(func(x *ops.Node) *ops.Node { return linalg.Cholesky(positive(x), false) })),
		decompose("cholesky/64x32x32", "torch.linalg.cholesky("+spd+")", []leaf{batch},
			of(func(x *ops.Node) *ops.Node { return linalg.Cholesky(positive(x), false) })),
		decompose("solve/512-16", "torch.linalg.solve("+spd+", {1})", []leaf{big, floats(512, 16)},
			func(x []*ops.Node) *ops.Node { return linalg.Solve(positive(x[0]), x[1], nil) }),
		decompose("inverse/64x32x32", "torch.linalg.inv("+spd+")", []leaf{batch},
			of(func(x *ops.Node) *ops.Node { return linalg.Inverse(positive(x)) })),
		decompose("triangular/512-16", "torch.linalg.solve_triangular(torch.tril("+spd+"), {1}, upper=False)", []leaf{big, floats(512, 16)},
			func(x []*ops.Node) *ops.Node {
				return linalg.SolveTriangular(ops.Tril(positive(x[0]), 0), x[1], nil)
			}),
		decompose("slogdet/64x32x32", "torch.linalg.slogdet("+spd+")[1]", []leaf{batch}, func(x []*ops.Node) *ops.Node {
			_, log := linalg.SlogDet(positive(x[0]))
			return log
		}),
		decompose("svdvals/256", "torch.linalg.svdvals({0})", []leaf{square}, of(linalg.SVDVals)),
		decompose("eigvalsh/256", "torch.linalg.eigvalsh("+spd+")", []leaf{square},
			of(func(x *ops.Node) *ops.Node { return linalg.Eigvalsh(positive(x), false) })),
		decompose("qr/256-r", "torch.linalg.qr({0})[1].abs()", []leaf{square}, func(x []*ops.Node) *ops.Node {
			_, r := linalg.QR(x[0], linalg.QRReduced)
			return ops.Abs(r)
		}),
		decompose("rfft/256x4096", "torch.view_as_real(torch.fft.rfft({0}))", []leaf{floats(256, 4096)},
			of(func(x *ops.Node) *ops.Node { return fft.RFFT(x, nil) })),
		decompose("fft/64x4096", "torch.view_as_real(torch.fft.fft(torch.view_as_complex({0})))", []leaf{floats(64, 4096, 2)},
			of(func(x *ops.Node) *ops.Node { return fft.FFT(x, nil) })),
	}
}

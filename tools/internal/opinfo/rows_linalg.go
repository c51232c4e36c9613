package opinfo

import (
	"math"
	"slices"

	"github.com/anycl/anycl/ops"
	"github.com/anycl/anycl/tensor"
)

// attrs are attributes by name.
type attrs = map[string]any

func call(op string, a attrs, in ...*ops.Node) *ops.Node { return callAll(op, a, in...)[0] }

func callAll(op string, a attrs, in ...*ops.Node) []*ops.Node {
	for len(in) > 0 && in[len(in)-1] == nil {
		in = in[:len(in)-1]
	}
	var attr any
	if a != nil {
		attr = a
	}
	return ops.ApplyAll(op, attr, in...)
}

func transposed(x *ops.Node) *ops.Node { return ops.Transpose(x, swapped(x.Rank(), -1, -2)...) }

// decompositions are those of matrices and the functions computed by them.
func decompositions() []*Row {
	row := func(torch, signature, text string, f func(c *Call) []*ops.Node) *Row {
		return &Row{Torch: torch, Signature: signature, Go: text, Build: f}
	}
	plain := func(torch, text, op string) *Row {
		return row(torch, "input", text, func(c *Call) []*ops.Node { return callAll(op, nil, c.x("input")) })
	}
	upper := func(c *Call) attrs { return attrs{"upper": c.bool("upper", false)} }
	cholesky := row("cholesky", "input upper", "linalg.Cholesky(a, upper)",
		func(c *Call) []*ops.Node { return callAll("linalg.cholesky", upper(c), c.x("input")) })
	solve := row("linalg.solve", "input B left", "linalg.Solve(a, b, nil)", func(c *Call) []*ops.Node {
		return callAll("linalg.solve", attrs{"right": !c.bool("left", true)}, c.x("input"), c.x("B"))
	})
	solveEx := *solve
	solveEx.Torch, solveEx.Go = "linalg.solve_ex", "x, info := linalg.SolveEx(a, b, nil)"
	eigh := row("linalg.eigh", "input UPLO", "w, v := linalg.Eigh(a, upper)", func(c *Call) []*ops.Node {
		return callAll("linalg.eigh", attrs{"upper": c.str("UPLO", "L") == "U"}, c.x("input"))
	})
	eigh.Align = func(_ *Call, got, want []*ops.Node) []*ops.Node { return list(got[0], alignColumns(got[1], want[1])) }
	symeig := row("symeig", "input eigenvectors upper", "w, v := linalg.Eigh(a, upper)", func(c *Call) []*ops.Node {
		out := callAll("linalg.eigh", attrs{"upper": c.bool("upper", true)}, c.x("input"))
		if !c.bool("eigenvectors", false) {
			c.as("linalg.Eigvalsh(a, upper)")
			return list(call("linalg.eigvalsh", attrs{"upper": c.bool("upper", true)}, c.x("input")), c.g.Full(c.x("input").DType(), 0, 0))
		}
		return out
	})
	symeig.Align = eigh.Align
	symmetric := func(*Call) map[string]string { return map[string]string{"input": "symmetric"} }
	eigh.Same, symeig.Same = symmetric, symmetric
	triangle := func(name string) func(c *Call) map[string]string {
		return func(c *Call) map[string]string {
			if c.bool("upper", false) {
				return map[string]string{name: "upper"}
			}
			return map[string]string{name: "lower"}
		}
	}
	inverseOf := row("cholesky_inverse", "input upper", "linalg.CholeskyInverse(factor, upper)", func(c *Call) []*ops.Node {
		return list(call("linalg.cholesky_inverse", upper(c), c.x("input")))
	})
	solveBy := row("cholesky_solve", "input input2 upper", "linalg.CholeskySolve(b, factor, upper)", func(c *Call) []*ops.Node {
		return list(call("linalg.cholesky_solve", upper(c), c.x("input"), c.x("input2")))
	})
	inverseOf.Same, solveBy.Same = triangle("input"), triangle("input2")
	const unread = "the derivative of the triangle that is not read is 0; PyTorch gives one"
	inverseOf.Note, solveBy.Note = unread, unread
	qr := row("linalg.qr", "input mode", "q, r := linalg.QR(a, mode)", func(c *Call) []*ops.Node {
		return callAll("linalg.qr", attrs{"mode": c.str("mode", "reduced")}, c.x("input"))
	})
	oldQR := row("qr", "input some", "q, r := linalg.QR(a, mode)", func(c *Call) []*ops.Node {
		mode := "reduced"
		if !c.bool("some", true) {
			mode = "complete"
		}
		return callAll("linalg.qr", attrs{"mode": mode}, c.x("input"))
	})
	svd := row("linalg.svd", "input full_matrices", "u, s, vt := linalg.SVD(a, full)", func(c *Call) []*ops.Node {
		return callAll("linalg.svd", attrs{"full": c.bool("full_matrices", true)}, c.x("input"))
	})
	svd.Align = func(_ *Call, got, want []*ops.Node) []*ops.Node {
		u, vt := alignPair(got[0], transposed(got[2]), want[0], transposed(want[2]))
		return list(u, got[1], transposed(vt))
	}
	oldSVD := row("svd", "input some compute_uv", "u, s, vt := linalg.SVD(a, full)", func(c *Call) []*ops.Node {
		out := callAll("linalg.svd", attrs{"full": !c.bool("some", true)}, c.x("input"))
		return list(out[0], out[1], transposed(out[2]))
	})
	oldSVD.Note = "PyTorch's third result is V, not its transpose"
	oldSVD.Align = func(_ *Call, got, want []*ops.Node) []*ops.Node {
		u, v := alignPair(got[0], got[2], want[0], want[2])
		return list(u, got[1], v)
	}
	lu := row("linalg.lu_factor_ex", "input pivot check_errors", "lu, pivots, info := linalg.LUFactor(a)", func(c *Call) []*ops.Node {
		if !c.bool("pivot", true) {
			c.refuse("decompositions without pivoting")
		}
		return callAll("linalg.lu_factor", nil, c.x("input"))
	})
	unpack := row("lu_unpack", "input LU_pivots", "p, l, u := linalg.LUUnpack(lu, pivots)", func(c *Call) []*ops.Node {
		return callAll("linalg.lu_unpack", nil, c.x("input"), c.x("LU_pivots"))
	})
	ldl := row("linalg.ldl_factor_ex", "input hermitian", "ld, pivots, info := linalg.LDLFactor(a)", func(c *Call) []*ops.Node {
		return callAll("linalg.ldl_factor", nil, c.x("input"))
	})
	rank := row("linalg.matrix_rank", "input atol rtol hermitian",
		"linalg.MatrixRank(a, &linalg.RankOptions{Rtol: rtol, Atol: atol, Hermitian: hermitian})", func(c *Call) []*ops.Node {
			x := c.x("input")
			a := attrs{"hermitian": c.bool("hermitian", false)}
			if c.x("atol") == nil && c.x("rtol") == nil {
				return list(call("linalg.matrix_rank", c.tolerances(a), x))
			}
			// Tolerances of each matrix are compared with its singular values.
			c.as("ops.Sum(ops.Cast(ops.Greater(linalg.SVDVals(a), tol), tensor.Int64), -1)")
			s := call("linalg.svdvals", nil, x)
			largest := ops.KeepDims(ops.Max(s, -1))
			tol := ops.Maximum(ops.ExpandDims(c.perMatrix("atol", x, 0), -1),
				ops.Mul(largest, ops.ExpandDims(c.perMatrix("rtol", x, epsilon(x)), -1)))
			return list(ops.Sum(ops.Cast(ops.Greater(s, tol), tensor.Int64), -1))
		})
	pinv := row("linalg.pinv", "input rtol hermitian", "linalg.Pinv(a, &linalg.RankOptions{Rtol: rtol, Hermitian: hermitian})",
		func(c *Call) []*ops.Node {
			a := attrs{"hermitian": c.bool("hermitian", false)}
			name := c.first("rtol", "rcond")
			if c.has(name) {
				if c.x(name) != nil && c.host(name).Len() != 1 {
					c.refuse("a tolerance for each matrix")
				}
				a["rtol"] = c.float(name, 0)
			}
			if c.has("atol") {
				a["atol"] = c.float("atol", 0)
			}
			return list(call("linalg.pinv", a, c.x("input")))
		})
	pinverse := row("pinverse", "input rcond", "linalg.Pinv(a, &linalg.RankOptions{Rtol: rcond})", func(c *Call) []*ops.Node {
		return list(call("linalg.pinv", attrs{"rtol": c.float("rcond", 1e-15)}, c.x("input")))
	})
	singular := row("linalg.pinv.singular", "input b", "linalg.Pinv(ops.MatMul(a, bT), nil)", func(c *Call) []*ops.Node {
		c.as("linalg.Pinv(a, nil)") // of a product that PyTorch's test makes first, so that it is singular
		return list(call("linalg.pinv", nil, ops.MatMul(c.x("input"), transposed(c.x("b")))))
	})
	return []*Row{
		cholesky, also("linalg.cholesky", cholesky),
		row("linalg.cholesky_ex", "input upper check_errors", "factor, info := linalg.CholeskyEx(a, upper)", cholesky.Build),
		inverseOf, solveBy,
		plain("linalg.inv", "linalg.Inverse(a)", "linalg.inverse"), plain("inverse", "linalg.Inverse(a)", "linalg.inverse"),
		plain("linalg.inv_ex", "inverse, info := linalg.InverseEx(a)", "linalg.inverse"),
		plain("linalg.det", "linalg.Det(a)", "linalg.det"), plain("linalg.det.singular", "linalg.Det(a)", "linalg.det"),
		plain("det", "linalg.Det(a)", "linalg.det"),
		plain("linalg.slogdet", "sign, log := linalg.SlogDet(a)", "linalg.slogdet"),
		plain("slogdet", "sign, log := linalg.SlogDet(a)", "linalg.slogdet"),
		plain("logdet", "linalg.LogDet(a)", "linalg.logdet"),
		solve, &solveEx,
		row("linalg.solve_triangular", "input B upper left unitriangular",
			"linalg.SolveTriangular(a, b, &linalg.TriangularOptions{Upper: upper, Unit: unit, Right: !left})", func(c *Call) []*ops.Node {
				return list(call("linalg.solve_triangular", attrs{"upper": c.bool("upper", false), "right": !c.bool("left", true),
					"unit": c.bool("unitriangular", false)}, c.x("input"), c.x("B")))
			}),
		row("triangular_solve", "input A upper transpose unitriangular",
			"linalg.SolveTriangular(a, b, &linalg.TriangularOptions{Upper: upper, Transposed: transpose, Unit: unit})", func(c *Call) []*ops.Node {
				a, b := c.x("A"), c.x("input")
				return list(call("linalg.solve_triangular", attrs{"upper": c.bool("upper", true), "transposed": c.bool("transpose", false),
					"unit": c.bool("unitriangular", false)}, a, b), ops.Reshape(a, a.Shape()...))
			}),
		eigh, symeig,
		{Torch: "linalg.eigvalsh", Signature: "input UPLO", Go: "linalg.Eigvalsh(a, upper)", Same: symmetric, Build: func(c *Call) []*ops.Node {
			return list(call("linalg.eigvalsh", attrs{"upper": c.str("UPLO", "L") == "U"}, c.x("input")))
		}},
		qr, oldQR, svd, oldSVD,
		plain("linalg.svdvals", "linalg.SVDVals(a)", "linalg.svdvals"),
		plain("geqrf", "factors, tau := linalg.Geqrf(a)", "linalg.geqrf"),
		row("ormqr", "input tau other left transpose", "linalg.Ormqr(a, tau, other, &linalg.OrmqrOptions{Transposed: transpose, Right: !left})",
			func(c *Call) []*ops.Node {
				return list(call("linalg.ormqr", attrs{"right": !c.bool("left", true), "transposed": c.bool("transpose", false)}, c.x("input"),
					c.x("tau"), c.x("other")))
			}),
		row("linalg.householder_product", "input tau", "linalg.HouseholderProduct(a, tau)", func(c *Call) []*ops.Node {
			return list(call("linalg.householder_product", nil, c.x("input"), c.x("tau")))
		}),
		lu, also("lu", lu), also("linalg.lu_factor", lu),
		row("linalg.lu", "input pivot", "p, l, u := linalg.LU(a)", func(c *Call) []*ops.Node {
			if !c.bool("pivot", true) {
				c.refuse("decompositions without pivoting")
			}
			return callAll("linalg.lu", nil, c.x("input"))
		}),
		unpack,
		row("lu_solve", "input LU_data LU_pivots", "linalg.LUSolve(lu, pivots, b, nil)", func(c *Call) []*ops.Node {
			return list(call("linalg.lu_solve", nil, c.x("LU_data"), c.x("LU_pivots"), c.x("input")))
		}),
		row("linalg.lu_solve", "input pivots B left adjoint",
			"linalg.LUSolve(lu, pivots, b, &linalg.LUSolveOptions{Transposed: adjoint, Right: !left})", func(c *Call) []*ops.Node {
				return list(call("linalg.lu_solve", attrs{"transposed": c.bool("adjoint", false), "right": !c.bool("left", true)}, c.x("input"),
					c.x("pivots"), c.x("B")))
			}),
		ldl, also("linalg.ldl_factor", ldl),
		row("linalg.ldl_solve", "input pivots B hermitian", "linalg.LDLSolve(ld, pivots, b)", func(c *Call) []*ops.Node {
			return list(call("linalg.ldl_solve", nil, c.x("input"), c.x("pivots"), c.x("B")))
		}),
		rank, also("linalg.matrix_rank.hermitian", rank),
		pinv, also("linalg.pinv.hermitian", pinv), pinverse, singular,
		plain("matrix_exp", "linalg.MatrixExp(a)", "linalg.matrix_exp"), plain("linalg.matrix_exp", "linalg.MatrixExp(a)", "linalg.matrix_exp"),
		row("linalg.matrix_power", "input n", "linalg.MatrixPower(a, n)", func(c *Call) []*ops.Node {
			return list(call("linalg.matrix_power", attrs{"n": c.int("n", 1)}, c.x("input")))
		}),
		row("matrix_power", "input n", "linalg.MatrixPower(a, n)", func(c *Call) []*ops.Node {
			return list(call("linalg.matrix_power", attrs{"n": c.int("n", 1)}, c.x("input")))
		}),
		row("linalg.tensorinv", "input ind", "linalg.TensorInv(a, split)", func(c *Call) []*ops.Node {
			return list(call("linalg.tensor_inv", attrs{"split": c.int("ind", 2)}, c.x("input")))
		}),
		row("linalg.tensorsolve", "input other dims", "linalg.TensorSolve(a, b, axes...)", func(c *Call) []*ops.Node {
			var a attrs
			if axes := c.ints("dims"); len(axes) > 0 {
				a = attrs{"axes": axes}
			}
			return list(call("linalg.tensor_solve", a, c.x("input"), c.x("other")))
		}),
		row("linalg.cond", "input p", "linalg.Cond(a, order)", func(c *Call) []*ops.Node {
			order := "2"
			if c.has("p") {
				order = c.matrixOrder("p")
			}
			return list(call("linalg.cond", attrs{"order": order}, c.x("input")))
		}),
		row("linalg.lstsq", "input b rcond driver", "x, residuals, rank := linalg.Lstsq(a, b, nil)", func(c *Call) []*ops.Node {
			a, b := c.x("input"), c.x("b")
			out := callAll("linalg.lstsq", nil, a, b)
			if len(c.c.Outputs) == 1 {
				return out[:1]
			}
			// Which of the others PyTorch gives depends on the routine of LAPACK that is asked for.
			none := func(dt tensor.DType) *ops.Node { return full(c.g, dt, 0, []int{0}) }
			residuals, rank, values := none(a.DType()), none(tensor.Int64), none(a.DType())
			driver := c.str("driver", "gelsy")
			if a.Dim(-2) > a.Dim(-1) && driver != "gelsy" {
				residuals = out[1]
			}
			if driver != "gels" {
				rank = cast(out[2], tensor.Int64)
			}
			if driver == "gelsd" || driver == "gelss" {
				values = call("linalg.svdvals", nil, a)
			}
			return list(out[0], residuals, rank, values)
		}),
	}
}

// matrixOrder is that of a norm of matrices as text.
func (c *Call) matrixOrder(name string) string {
	if s := c.str(name, ""); s != "" {
		return s
	}
	switch v := c.float(name, 2); {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	default:
		return map[float64]string{1: "1", -1: "-1", 2: "2", -2: "-2"}[v]
	}
}

// tolerances adds the limits below which singular values count as zero.
func (c *Call) tolerances(a attrs) attrs {
	if c.has("tol") {
		a["atol"] = c.float("tol", 0)
	}
	if c.has("atol") {
		a["atol"] = c.float("atol", 0)
	}
	if c.has("rtol") {
		a["rtol"] = c.float("rtol", 0)
	}
	return a
}

// perMatrix is a tolerance for each matrix of x.
func (c *Call) perMatrix(name string, x *ops.Node, otherwise float64) *ops.Node {
	if n := c.x(name); n != nil {
		return n
	}
	batch := x.Shape()[:x.Rank()-2]
	return c.g.Full(x.DType(), c.float(name, otherwise), batch...)
}

// epsilon is the relative tolerance that PyTorch has for the rank of x's matrices.
func epsilon(x *ops.Node) float64 {
	unit := 0x1p-23
	if x.DType() == tensor.Float64 {
		unit = 0x1p-52
	}
	return unit * float64(max(x.Dim(-1), x.Dim(-2)))
}

// signs are ±1 for each column: that of its product with the one PyTorch chose.
func signs(got, want *ops.Node) *ops.Node {
	dot := ops.KeepDims(ops.Sum(ops.Mul(ops.StopGradient(got), want), -2))
	one := scalar(dot, 1)
	return ops.Where(ops.Less(dot, scalar(dot, 0)), ops.Neg(one), one)
}

func alignColumns(got, want *ops.Node) *ops.Node {
	if got.Size() == 0 {
		return got
	}
	return ops.Mul(got, signs(got, want))
}

// alignPair gives the singular vectors the signs that PyTorch chose, and turns those of null spaces, of which mathematics
// says only what they span, into PyTorch's.
func alignPair(u, v, wantU, wantV *ops.Node) (_, _ *ops.Node) {
	if u.Size() == 0 || v.Size() == 0 {
		return alignSpace(u, wantU, 0), alignSpace(v, wantV, 0)
	}
	k := min(u.Dim(-1), v.Dim(-1))
	s := signs(cutOut(u, u.Rank()-1, 0, k), cutOut(wantU, u.Rank()-1, 0, k))
	turn := func(x, want *ops.Node) *ops.Node {
		first := ops.Mul(cutOut(x, x.Rank()-1, 0, k), s)
		if x.Dim(-1) == k {
			return first
		}
		return ops.Concat(x.Rank()-1, first, alignSpace(cutOut(x, x.Rank()-1, k, x.Dim(-1)-k), cutOut(want, x.Rank()-1, k, x.Dim(-1)-k), 0))
	}
	return turn(u, wantU), turn(v, wantV)
}

// alignSpace is want, projected on the span of x: want itself where both span the same.
func alignSpace(x, want *ops.Node, _ int) *ops.Node {
	if x.Size() == 0 || slices.Contains(x.Shape(), 0) {
		return x
	}
	return ops.MatMul(x, ops.MatMul(transposed(x), want))
}

package opinfo

import (
	"slices"

	"github.com/anycl/anycl/ops"
)

// products are those of vectors, matrices and tensors.
func products() []*Row {
	row := func(torch, signature, text string, f func(c *Call) []*ops.Node) *Row {
		return &Row{Torch: torch, Signature: signature, Go: text, Build: f}
	}
	plain := func(torch, signature, text, op string) *Row {
		return row(torch, "input "+signature, text, func(c *Call) []*ops.Node { return list(call(op, nil, c.x("input"), c.x(signature))) })
	}
	added := func(torch, text, a, b string) *Row {
		return row(torch, "input "+a+" "+b+" beta alpha", text, func(c *Call) []*ops.Node {
			return list(call(torch, attrs{"alpha": c.float("alpha", 1), "beta": c.float("beta", 1)}, c.x("input"), c.x(a), c.x(b)))
		})
	}
	addmm := added("addmm", "ops.Addmm(x, a, b, alpha, beta)", "mat1", "mat2")
	matmul := plain("matmul", "other", "ops.MatMul(a, b)", "matmul")
	matmul.Build = func(c *Call) []*ops.Node { return list(product2(c.x("input"), c.x("other"))) }
	vecdot := row("linalg.vecdot", "input other dim", "linalg.Vecdot(a, b, dim)", func(c *Call) []*ops.Node {
		return list(call("linalg.vecdot", attrs{"axis": c.int("dim", -1)}, c.x("input"), c.x("other")))
	})
	return []*Row{
		addmm, also("addmm.decomposed", addmm),
		added("addmv", "ops.Addmv(x, a, b, alpha, beta)", "mat", "vec"),
		added("addbmm", "ops.Addbmm(x, a, b, alpha, beta)", "batch1", "batch2"),
		added("baddbmm", "ops.Baddbmm(x, a, b, alpha, beta)", "batch1", "batch2"),
		added("addr", "ops.Addr(x, a, b, alpha, beta)", "vec1", "vec2"),
		matmul, also("__rmatmul__", &Row{Signature: "input other", Go: "ops.MatMul(b, a)",
			Build: func(c *Call) []*ops.Node { return list(product2(c.x("other"), c.x("input"))) }}),
		plain("mm", "mat2", "ops.MatMul(a, b)", "matmul"), plain("bmm", "mat2", "ops.MatMul(a, b)", "matmul"),
		row("mv", "input vec", "ops.MatMul(a, b)", func(c *Call) []*ops.Node { return list(product2(c.x("input"), c.x("vec"))) }),
		row("dot", "input tensor", "ops.Inner(a, b)", func(c *Call) []*ops.Node { return list(call("inner", nil, c.x("input"), c.x("tensor"))) }),
		row("vdot", "input other", "ops.Inner(a, b)", func(c *Call) []*ops.Node { return list(call("inner", nil, c.x("input"), c.x("other"))) }),
		plain("inner", "other", "ops.Inner(a, b)", "inner"),
		plain("outer", "vec2", "ops.Outer(a, b)", "outer"), plain("ger", "vec2", "ops.Outer(a, b)", "outer"),
		plain("kron", "other", "ops.Kron(a, b)", "kron"),
		vecdot,
		row("linalg.cross", "input other dim", "linalg.Cross(a, b, dim)", func(c *Call) []*ops.Node {
			return list(call("linalg.cross", attrs{"axis": c.int("dim", -1)}, c.x("input"), c.x("other")))
		}),
		row("cross", "input other dim", "linalg.Cross(a, b, dim)", func(c *Call) []*ops.Node {
			x := c.x("input")
			d := slices.Index(x.Shape(), 3)
			return list(call("linalg.cross", attrs{"axis": c.int("dim", d)}, x, c.x("other")))
		}),
		row("tensordot", "input other dims", "ops.TensorDot(a, b, axesA, axesB)", func(c *Call) []*ops.Node {
			x, y := c.x("input"), c.x("other")
			var a, b []int
			if lists, ok := c.value("dims").([]any); ok {
				for k, to := range []*[]int{&a, &b} {
					l, _ := lists[k].([]any)
					for _, e := range l {
						*to = append(*to, int(c.toFloat("dims", e)))
					}
				}
			} else {
				n := c.int("dims", 2)
				for i := range n {
					a, b = append(a, x.Rank()-n+i), append(b, i)
				}
			}
			return list(call("tensordot", attrs{"a": a, "b": b}, x, y))
		}),
		row("einsum", "operands equation", "ops.Einsum(equation, xs...)", func(c *Call) []*ops.Node {
			return list(call("einsum", attrs{"equation": c.str("equation", "")}, c.xs("operands")...))
		}),
		row("linalg.multi_dot", "tensors", "linalg.MultiDot(xs...)",
			func(c *Call) []*ops.Node { return list(call("linalg.multi_dot", nil, c.xs("tensors")...)) }),
		row("chain_matmul", "*tensors", "linalg.MultiDot(xs...)",
			func(c *Call) []*ops.Node { return list(call("linalg.multi_dot", nil, c.xs("tensors")...)) }),
		row("linalg.vander", "input N", "linalg.Vander(x, n, descending)", func(c *Call) []*ops.Node {
			x := widened(c.x("input"))
			if x.Rank() == 0 {
				x = ops.Reshape(x, 1)
			}
			return list(call("linalg.vander", attrs{"n": c.int("N", x.Dim(-1))}, x))
		}),
		row("vander", "input N increasing", "linalg.Vander(x, n, descending)", func(c *Call) []*ops.Node {
			x := c.x("input")
			return list(call("linalg.vander", attrs{"n": c.int("N", x.Dim(-1)), "descending": !c.bool("increasing", false)}, x))
		}),
		row("nn.functional.linear", "input weight bias", "ops.Add(ops.MatMul(x, ops.Transpose(w)), bias)", func(c *Call) []*ops.Node {
			y := product2(c.x("input"), ops.Transpose(c.x("weight")))
			if b := c.x("bias"); b != nil {
				y = ops.Add(y, b)
			}
			return list(y)
		}),
		row("nn.functional.bilinear", "input input2 weight bias", "ops.Bilinear(a, b, weight, bias)", func(c *Call) []*ops.Node {
			return list(call("bilinear", nil, c.x("input"), c.x("input2"), c.x("weight"), c.x("bias")))
		}),
		row("cdist", "input x2 p compute_mode", "linalg.Cdist(a, b, p, mode)", func(c *Call) []*ops.Node {
			return list(call("linalg.cdist", attrs{"norm": c.float("p", 2)}, c.x("input"), c.x("x2")))
		}),
		row("nn.functional.pdist", "input p", "linalg.Pdist(x, p)", func(c *Call) []*ops.Node {
			return list(call("linalg.pdist", attrs{"norm": c.float("p", 2)}, c.x("input")))
		}),
		row("nn.functional.cosine_similarity", "input x2 dim eps", "ops.CosineSimilarity(a, b, dim, eps)", func(c *Call) []*ops.Node {
			x, y, dim := c.x("input"), c.x("x2"), c.int("dim", 1)
			if x.Rank() == 0 && y.Rank() == 0 { // PyTorch takes numbers for vectors of one
				x, y, dim = ops.Reshape(x, 1), ops.Reshape(y, 1), 0
			}
			return list(call("cosine_similarity", attrs{"axis": dim, "eps": c.float("eps", 1e-8)}, x, y))
		}),
		row("nn.functional.pairwise_distance", "input x2 p eps keepdim", "ops.PairwiseDistance(a, b, p, eps)", func(c *Call) []*ops.Node {
			if c.float("p", 2) < 0 {
				c.as("ops.VectorNorm(ops.Add(ops.Sub(a, b), eps), p, -1)")
				d := ops.Add(ops.Sub(c.x("input"), c.x("x2")), c.float("eps", 1e-6))
				return list(c.kept(c.norm(d, c.float("p", 2), []int{d.Rank() - 1}), d, []int{d.Rank() - 1}))
			}
			y := call("pairwise_distance", attrs{"p": c.float("p", 2), "eps": c.float("eps", 1e-6)}, c.x("input"), c.x("x2"))
			if c.bool("keepdim", false) {
				c.as("ops.ExpandDims(ops.PairwiseDistance(a, b, p, eps), -1)")
				y = ops.ExpandDims(y, -1)
			}
			return list(y)
		}),
	}
}

// product2 is a product of matrices and vectors, which stand for matrices of a row or a column as in PyTorch.
func product2(a, b *ops.Node) *ops.Node {
	row, column := a.Rank() == 1, b.Rank() == 1
	if row {
		a = ops.ExpandDims(a, 0)
	}
	if column {
		b = ops.ExpandDims(b, -1)
	}
	y := ops.MatMul(a, b)
	if column {
		y = ops.Squeeze(y, -1)
	}
	if row {
		at := -2
		if column {
			at = -1
		}
		y = ops.Squeeze(y, at)
	}
	return y
}
